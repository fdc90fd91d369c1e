// Whole vectors between plain rows, panels of 32-byte pieces (Nz) and fragments of a B operand.
#pragma once

#include <pto/cpu/layout/fragments.hpp>

namespace pto::cpu {

/// Whether pack_whole_step takes elements of T: bytes are put in order by permutations of bytes.
template <typename T>
inline constexpr bool packs_whole_steps = kHasAvx512 && (sizeof(T) != 1 || kHasBytePermutes);

/// As pack_fractal_step, by whole vectors.
template <typename T>
PTO_INLINE void pack_whole_step(char* to, const char* from, int64_t panel);

#if !defined(PTO_CPU_AVX512)

PTO_INLINE int64_t fill_panel_pairs(char*, int64_t, const char*, int64_t, int64_t, int64_t) { return 0; }

PTO_INLINE void join_panels(char* to, const char* from, int64_t panel, const char*)
{
    for (int r = 0; r < 16; ++r) {
        __builtin_memcpy(to + r * 64, from + r * 32, 32);
        __builtin_memcpy(to + r * 64 + 32, from + panel + r * 32, 32);
    }
}

#else

/// Two vectors of two 32-byte pieces each: the first pieces of both, and the second ones.
PTO_INLINE __m512i first_pieces(__m512i a, __m512i b) { return _mm512_shuffle_i64x2(a, b, 0x44); }
PTO_INLINE __m512i second_pieces(__m512i a, __m512i b) { return _mm512_shuffle_i64x2(a, b, 0xee); }

/// Two rows of as many whole vectors as `width` has, to the panels of their pieces. What follows in the panels is made
/// writable meanwhile: stores to so many places at once would wait for each of them.
PTO_INLINE void fill_pair_of_rows(
    char* to, int64_t panel, const char* from, int64_t stride, int64_t width, int64_t rows_ahead)
{
    constexpr int64_t kAhead = 8 * C0_SIZE_BYTE;  // bytes of a panel
    for (int64_t at = 0; at + 64 <= width; at += 64, to += 2 * panel) {
        __builtin_prefetch(from + rows_ahead + at);
        __builtin_prefetch(from + rows_ahead + stride + at);
        __builtin_prefetch(to + kAhead, 1);
        __builtin_prefetch(to + panel + kAhead, 1);
        const __m512i a = load_bits<__m512i>(from + at), b = load_bits<__m512i>(from + stride + at);
        store_bits(to, first_pieces(a, b));
        store_bits(to + panel, second_pieces(a, b));
    }
}

/// Rows `stride` bytes apart into panels of 32-byte pieces, `panel` bytes apart; row r's piece is r * 32 into its
/// panel. As many rows and bytes of a row as come in pairs of rows and of pieces. Returns that width.
PTO_INLINE int64_t
fill_panel_pairs(char* to, int64_t panel, const char* from, int64_t stride, int64_t rows, int64_t width)
{
    constexpr int64_t kAhead = 8;   // rows; longer than a row's loads take
    constexpr int64_t kWide = 256;  // bytes of a row: pieces at equal places of more panels would compete for L1
    const int64_t whole = width / 64 * 64;
    for (int64_t at = 0; at < whole; at += kWide) {
        const int64_t part = whole - at < kWide ? whole - at : kWide;
        const char* in = from + at;
        char* out = to + at / C0_SIZE_BYTE * panel;
        for (int64_t r = 0; r + 2 <= rows; r += 2, in += 2 * stride, out += 64) {
            fill_pair_of_rows(out, panel, in, stride, part, kAhead * stride);
        }
    }
    return whole;
}

/// 16 rows of 64 bytes, from two panels of 32-byte pieces, to a fragment. The fragment at `next` becomes writable.
PTO_INLINE void join_panels(char* to, const char* from, int64_t panel, const char* next)
{
    PTO_CPU_UNROLL
    for (int r = 0; r < 16; r += 2, to += 128, next += 128, from += 64) {
        __builtin_prefetch(next, 1);
        __builtin_prefetch(next + 64, 1);
        const __m512i a = load_bits<__m512i>(from), b = load_bits<__m512i>(from + panel);
        store_bits(to, first_pieces(a, b));
        store_bits(to + 64, second_pieces(a, b));
    }
}

#if defined(PTO_CPU_VBMI)
PTO_INLINE __m512i permuted_bytes(__m512i order, __m512i v) { return _mm512_permutexvar_epi8(order, v); }
#else
__m512i permuted_bytes(__m512i order, __m512i v);  // not called
#endif

template <typename T>
PTO_INLINE void pack_whole_step(char* to, const char* from, int64_t panel)
{
    if constexpr (sizeof(T) == 4) {
        for (int half = 0; half < 2; ++half) {
            for (int row = 0; row < 16; row += 2) {
                const char* source = from + 2 * half * panel + row * 32;
                const __m512i a = load_bits<__m512i>(source), b = load_bits<__m512i>(source + panel);
                store_bits(to + half * kFragment + row * 64, first_pieces(a, b));
                store_bits(to + half * kFragment + row * 64 + 64, second_pieces(a, b));
            }
        }
    } else if constexpr (sizeof(T) == 2) {
        const __m512i order = _mm512_set_epi16(
            31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17,
            1, 16, 0);
        for (int half = 0; half < 2; ++half) {
            for (int row = 0; row < 16; ++row) {
                const __m512i pair = load_bits<__m512i>(from + half * panel + row * 64);
                store_bits(to + half * kFragment + row * 64, _mm512_permutexvar_epi16(order, pair));
            }
        }
    } else {
        static_assert(packs_whole_steps<T>);
        const __m512i order = _mm512_set_epi32(
            0x3f2f1f0f, 0x3e2e1e0e, 0x3d2d1d0d, 0x3c2c1c0c, 0x3b2b1b0b, 0x3a2a1a0a, 0x39291909, 0x38281808, 0x37271707,
            0x36261606, 0x35251505, 0x34241404, 0x33231303, 0x32221202, 0x31211101, 0x30201000);
        for (int row = 0; row < 16; ++row) {
            const char* source = from + row * 128;  // four rows of 32 columns: two rows in a vector
            const __m512i a = load_bits<__m512i>(source), b = load_bits<__m512i>(source + 64);
            const __m512i left = _mm512_shuffle_i64x2(a, b, 0x88), right = _mm512_shuffle_i64x2(a, b, 0xdd);
            store_bits(to + row * 64, permuted_bytes(order, left));
            store_bits(to + kFragment + row * 64, permuted_bytes(order, right));
        }
    }
}

#endif

/// Rows of `width` bytes, `stride` bytes apart, into panels of 32-byte pieces; row r's piece is r * 32 into its panel.
#if defined(PTO_CPU_BODIES_APART)
PTO_CPU_SHARED void fill_panels(char* to, int64_t panel, const char* from, int64_t stride, int64_t rows, int64_t width);
#else
PTO_CPU_SHARED void fill_panels(char* to, int64_t panel, const char* from, int64_t stride, int64_t rows, int64_t width)
{
    const int64_t done = fill_panel_pairs(to, panel, from, stride, rows, width);
    for (int64_t r = 0; r < rows; ++r) {
        int64_t at = r + 1 == rows && rows % 2 != 0 ? 0 : done;
        char* out = to + at / C0_SIZE_BYTE * panel + r * C0_SIZE_BYTE;
        for (; at + C0_SIZE_BYTE <= width; at += C0_SIZE_BYTE, out += panel) {
            __builtin_memcpy(out, from + r * stride + at, C0_SIZE_BYTE);
        }
        __builtin_memcpy(out, from + r * stride + at, width - at);
    }
}
#endif

}  // namespace pto::cpu
