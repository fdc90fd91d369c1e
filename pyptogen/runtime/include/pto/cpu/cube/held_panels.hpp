// Rows of global memory to the panels of an operand and from there to an Nz tile, by whole steps of 64 bytes of K.
#pragma once

#include <pto/cpu/cube/held.hpp>
#include <pto/cpu/layout/nz_fractals.hpp>

#if defined(PTO_CPU_HOLDS) && !defined(PTO_CPU_BODIES_APART)

namespace pto::cpu {

/// Rows of `width` bytes, `stride` bytes apart, to the panels of a Left operand; 16 rows and 64 bytes go together.
PTO_CPU_SHARED void pack_left_lines(
    char* to, int64_t panel, const char* from, int64_t stride, int64_t rows, int64_t width)
{
    for (int64_t r = 0; r < rows; r += 16, from += 16 * stride) {
        char* out = to + left_row_offset(r, panel);
        for (int64_t at = 0; at < width; at += 64, out += kPanelStep) {
            PTO_CPU_UNROLL_BY_4
            for (int i = 0; i < 16; ++i) {
                __builtin_prefetch(out + kPanelStep + i * 64, 1);
                store_bits(out + i * 64, load_bits<__m512i>(from + i * stride + at));
            }
        }
    }
}

/// Two lines of 32 numbers of 16 bits become the groups of their columns.
PTO_INLINE void pack_two_lines(char* out, const char* from, int64_t stride)
{
    const __m512i step = _mm512_set1_epi32(0x00010001), pairs = _mm512_set_epi16(
                                                            47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40,
                                                            8, 39, 7, 38, 6, 37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    const __m512i a = load_bits<__m512i>(from), b = load_bits<__m512i>(from + stride);
    const __m512i upper = _mm512_add_epi16(pairs, _mm512_slli_epi16(step, 4));
    store_bits(out, _mm512_permutex2var_epi16(a, pairs, b));
    store_bits(out + kFragment, _mm512_permutex2var_epi16(a, upper, b));
}

/// Four lines of 32 bytes become the groups of their columns.
PTO_INLINE void pack_four_lines(char* out, const char* from, int64_t stride)
{
    const __m512i groups = _mm512_set_epi32(
        0x6f4f2f0f, 0x6e4e2e0e, 0x6d4d2d0d, 0x6c4c2c0c, 0x6b4b2b0b, 0x6a4a2a0a, 0x69492909, 0x68482808, 0x67472707,
        0x66462606, 0x65452505, 0x64442404, 0x63432303, 0x62422202, 0x61412101, 0x60402000);
    const __m512i a =
        _mm512_inserti64x4(_mm512_castsi256_si512(load_bits<__m256i>(from)), load_bits<__m256i>(from + stride), 1);
    const __m512i b = _mm512_inserti64x4(
        _mm512_castsi256_si512(load_bits<__m256i>(from + 2 * stride)), load_bits<__m256i>(from + 3 * stride), 1);
    const __m512i upper = _mm512_add_epi8(groups, _mm512_set1_epi8(16));
    store_bits(out, _mm512_permutex2var_epi8(a, groups, b));
    store_bits(out + kFragment, _mm512_permutex2var_epi8(a, upper, b));
}

/// Rows of `cols` elements of `size` bytes (1 or 2), `stride` bytes apart, to the panels of a Right operand.
PTO_CPU_SHARED void pack_right_lines(
    char* to, int64_t panel, const char* from, int64_t stride, int64_t rows, int64_t cols, int size)
{
    const int64_t group = 4 / size, step = 64 / size;  // rows
    for (int64_t r = 0; r < rows; r += step, from += step * stride, to += kPanelStep) {
        for (int64_t c = 0; c < cols; c += 32) {
            char* out = to + c / 32 * panel;
            const char* lines = from + c * size;
            PTO_CPU_UNROLL_BY_4
            for (int i = 0; i < 16; ++i, out += 64, lines += group * stride) {
                __builtin_prefetch(out + panel, 1);
                __builtin_prefetch(out + panel + kFragment, 1);
                if (size == 2) {
                    pack_two_lines(out, lines, stride);
                } else {
                    pack_four_lines(out, lines, stride);
                }
            }
        }
    }
}

/// The panels of a whole Mat tile back to its Nz fractals.
PTO_CPU_SHARED __attribute__((cold)) void unpack_left(
    char* to, int64_t rows, const char* from, int64_t panel, int64_t width)
{
    for (int64_t r = 0; r < rows; ++r) {
        const char* line = from + left_row_offset(r, panel);
        for (int64_t at = 0; at < width; at += C0_SIZE_BYTE) {
            __builtin_memcpy(to + at * rows + r * C0_SIZE_BYTE, line + at / 64 * kPanelStep + at % 64, C0_SIZE_BYTE);
        }
    }
}
template <typename T>
PTO_CPU_OUT_OF_LINE __attribute__((cold)) void unpack_right(
    T* to, int64_t rows, const char* from, int64_t panel, int64_t cols)
{
    constexpr int64_t kC0 = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
    for (int64_t c = 0; c < cols; ++c) {
        for (int64_t r = 0; r < rows; ++r) {
            __builtin_memcpy(
                to + c / kC0 * rows * kC0 + r * kC0 + c % kC0, from + right_offset<T>(r, c, panel), sizeof(T));
        }
    }
}

}  // namespace pto::cpu

#endif
