// Multiplication of halves on a matrix unit that knows bf16 only: exact, because a half is the sum of two bf16 numbers.
//
// Each operand is split into its upper eight digits and the rest, and the four products are added up in fp32. Infinities
// and NaN cannot be split; a block of K that has some is multiplied on vector registers instead.
#pragma once

#include <pto/cpu/cube/matmul_amx.hpp>
#include <pto/cpu/cube/matmul_widened.hpp>

#if defined(PTO_CPU_AMX)

namespace pto::cpu {

constexpr int kSplitSteps = 4;  // steps of K (of 32 halves) at a time
constexpr int kSplitPanels = 8;  // 32-row panels of A at a time

/// Splits one line of 32 halves. Infinities and NaN set their lanes in `special`.
PTO_INLINE void split_line(char* high, char* low, const char* from, __mmask32& special)
{
    const __m512i line = load_bits<__m512i>(from);
    const __m512i exponent = _mm512_set1_epi16(0x7c00);
    special |= _mm512_cmpeq_epi16_mask(_mm512_and_si512(line, exponent), exponent);
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
    const __m512i a = (__m512i)_mm512_cvtph_ps(_mm512_castsi512_si256(line));
    const __m512i b = (__m512i)_mm512_cvtph_ps(_mm512_extracti64x4_epi64(line, 1));
    const __m512i rest_a = (__m512i)_mm512_sub_ps((__m512)a, (__m512)_mm512_and_si512(a, upper));
    const __m512i rest_b = (__m512i)_mm512_sub_ps((__m512)b, (__m512)_mm512_and_si512(b, upper));
    const __m512i odd_words = _mm512_add_epi16(
        _mm512_slli_epi16(
            _mm512_set_epi16(
                31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,
                4, 3, 2, 1, 0),
            1),
        _mm512_set1_epi16(1));
    store_bits(high, _mm512_permutex2var_epi16(a, odd_words, b));
    store_bits(low, _mm512_permutex2var_epi16(rest_a, odd_words, rest_b));
}

/// Splits `rows` of the 32 lines of each of `steps` steps; the other lines become zero.
PTO_INLINE void split_panel(char* high, char* low, const char* from, int steps, int rows, __mmask32& special)
{
    for (int step = 0; step < steps; ++step) {
        for (int r = 0; r < 32; ++r) {
            const int64_t at = int64_t(step) * kPanelStep + r * 64;
            if (r < rows) {
                split_line(high + at, low + at, from + at, special);
            } else {
                store_bits(high + at, _mm512_setzero_si512());
                store_bits(low + at, _mm512_setzero_si512());
            }
        }
    }
}

/// C[<=16, 32] += A B for one split block: A and B are high and low, `steps` steps of each. Then the halves crosswise.
PTO_INLINE void multiply_split_narrow(char* c, const char* a, const char* b, int steps, bool accumulate)
{
    const int64_t part = int64_t(steps) * kPanelStep;
    multiply_1x4<bfloat16_t, false, false>(c, a, b, b, 2 * steps, accumulate);
    multiply_1x4<bfloat16_t, false, false>(c, a + part, b, b, steps, true);
    multiply_1x4<bfloat16_t, false, false>(c, a, b + part, b, steps, true);
}

/// Rows of at most kSplitPanels panels against all columns, for steps of K that fit the split block.
template <bool Narrow>
PTO_INLINE void multiply_split_block(const TilePlan& p, char* split_a, char* split_b)
{
    constexpr int64_t kPanelA = 2 * kSplitSteps * kPanelStep;
    const int panels = (p.m + 31) / 32;
    const int64_t part = int64_t(p.k_steps) * kPanelStep;
    __mmask32 special_a = 0;
    for (int i = 0; i < panels; ++i) {
        char* high = split_a + i * kPanelA;
        split_panel(high, high + part, p.a + i * p.a_panel, p.k_steps, p.m - 32 * i, special_a);
    }
    for (int n = 0; n < p.n_panels; ++n) {
        __mmask32 special = special_a;
        const char* b = p.b + n * p.b_panel;
        split_panel(split_b, split_b + part, b, p.k_steps, 32, special);
        if (__builtin_expect(special != 0, 0)) {
            multiply_widened_small<half, float>(
                p.c + n * kAccBlock, p.c_panel, p.a, p.a_panel, b, p.b_panel, p.m, 1, p.k_steps, p.accumulate);
            continue;
        }
        finish_stores(split_a);
        finish_stores(split_b);
        char* c = p.c + n * kAccBlock;
        if constexpr (Narrow) {
            multiply_split_narrow(c, split_a, split_b, p.k_steps, p.accumulate);
        } else {
            const TilePlan block{c, p.c_panel, split_a, kPanelA, split_b, 0, p.m, 1, 2 * p.k_steps, p.accumulate};
            multiply_wide<bfloat16_t, 0, true>(block, panels, n % 2 != 0);
        }
    }
}

/// C = A B or C += A B of halves.
#if defined(PTO_CPU_BODIES_APART)
PTO_CPU_SHARED void multiply_halves(const TilePlan& p);
#else
PTO_CPU_SHARED void multiply_halves(const TilePlan& p)
{
    alignas(64) char split_a[kSplitPanels * 2 * kSplitSteps * kPanelStep];
    alignas(64) char split_b[2 * kSplitSteps * kPanelStep];
    constexpr int kRows = 32 * kSplitPanels;
    const TileScope scope(p.m <= 16 ? p.m : 16);
    for (int row = 0; row < p.m; row += kRows) {
        const int rows = p.m - row < kRows ? p.m - row : kRows;
        for (int k = 0; k < p.k_steps; k += kSplitSteps) {
            const int steps = p.k_steps - k < kSplitSteps ? p.k_steps - k : kSplitSteps;
            const int64_t from = int64_t(k) * kPanelStep;
            const TilePlan block{
                p.c + (row >> 5) * p.c_panel,
                p.c_panel,
                p.a + (row >> 5) * p.a_panel + from,
                p.a_panel,
                p.b + from,
                p.b_panel,
                rows,
                p.n_panels,
                steps,
                p.accumulate || k > 0};
            if (p.m <= 16) {
                multiply_split_block<true>(block, split_a, split_b);
            } else {
                multiply_split_block<false>(block, split_a, split_b);
            }
        }
    }
}
#endif

/// C = A B or C += A B of bf16, halves or int8. `own`: B lies in its tile, not in global memory.
template <typename T, typename C>
PTO_INLINE void multiply_on_unit(const TilePlan& p, bool own)
{
    if (__builtin_expect(!amx_permitted(), 0)) {
        multiply_widened_small<T, C>(
            p.c, p.c_panel, p.a, p.a_panel, p.b, p.b_panel, p.m, p.n_panels, p.k_steps, p.accumulate);
    } else if constexpr (is_same<T, half>) {
        multiply_halves(p);
    } else if (own) {
        multiply_tiles<T, false>(p);
    } else {
        multiply_tiles<T, true>(p);
    }
}

}  // namespace pto::cpu

#else

namespace pto::cpu {

template <typename T, typename C>
void multiply_on_unit(const TilePlan& p, bool own);  // not called

}  // namespace pto::cpu

#endif
