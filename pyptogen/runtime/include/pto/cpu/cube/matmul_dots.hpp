// Matrix multiplication by dot products of AVX-512: bf16 pairs (AVX512_BF16) and int8 quads (VNNI).
//
// VDPBF16PS counts denormals as zero, operands and sums, and rounds to nearest even, as the matrix unit does. VPDPBUSD
// multiplies unsigned bytes by signed ones, exactly: B counts as b + 128, and the surplus, 128 times the sum of a row of A,
// is taken from that row's sums before they begin. int32 wraps on the way, so the difference is exact, too.
#pragma once

#include <pto/cpu/cube/matmul_vector.hpp>

namespace pto::cpu {

/// The products of operands of T, as multiply_vectors wants them, where the machine has dot products of T.
template <typename T>
struct Dots;

#if defined(PTO_CPU_BF16)

template <>
struct Dots<bfloat16_t> {
    using Sums = f32v;
    static constexpr bool kHasSurplus = false;
    static constexpr int kSteps = 16;

    static PTO_INLINE Sums begin(const char* c, bool accumulate, int32_t)
    {
        return accumulate ? load_bits<f32v>(c) : f32v{};
    }
    static PTO_INLINE __m512i columns(const char* b) { return load_bits<__m512i>(b); }
    static PTO_INLINE __m512i row(const char* a) { return _mm512_set1_epi32(load_bits<int32_t>(a)); }
    static PTO_INLINE Sums add(Sums sum, __m512i row, __m512i columns)
    {
        return (Sums)_mm512_dpbf16_ps((__m512)sum, (__m512bh)row, (__m512bh)columns);
    }
    static PTO_INLINE void finish(char* c, Sums sum, bool) { store_bits(c, sum); }
};

#endif

#if defined(PTO_CPU_VNNI)

template <>
struct Dots<int8_t> {
    static constexpr bool kHasSurplus = true;
    using Sums = i32v;  // not __m512i: gcc would copy sums of another element type than the instruction's at every turn
    static constexpr int kSteps = 16;

    static PTO_INLINE Sums begin(const char* c, bool accumulate, int32_t start)
    {
        const __m512i first = _mm512_set1_epi32(start);
        return (Sums)(accumulate ? _mm512_add_epi32(load_bits<__m512i>(c), first) : first);
    }
    static PTO_INLINE i32v columns(const char* b) { return load_bits<i32v>(b) ^ static_cast<int32_t>(0x80808080U); }
    static PTO_INLINE i32v row(const char* a) { return splat(load_bits<int32_t>(a)); }
    static PTO_INLINE Sums add(Sums sum, i32v row, i32v columns)
    {
        return (Sums)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)columns, (__m512i)row);
    }
    static PTO_INLINE void finish(char* c, Sums sum, bool) { store_bits(c, sum); }

    /// For each row of A: -128 times the sum of its elements.
    static PTO_INLINE void surplus_of_rows(int32_t* starts, const TilePlan& p)
    {
        const __m512i ones = _mm512_set1_epi8(1);
        for (int r = 0; r < p.m; ++r) {
            const char* line = p.a + left_row_offset(r, p.a_panel);
            __m512i sum = _mm512_setzero_si512();
            for (int step = 0; step < p.k_steps; ++step, line += kPanelStep) {
                sum = _mm512_dpbusd_epi32(sum, ones, load_bits<__m512i>(line));
            }
            starts[r] = static_cast<int32_t>(-128U * static_cast<uint32_t>(_mm512_reduce_add_epi32(sum)));
        }
    }
};

#endif

/// Whether multiply_dots takes operands of T.
template <typename T>
concept HasDots = requires { typename Dots<T>::Sums; };

/// C = A B or C += A B of operands of T.
template <HasDots T>
PTO_CPU_OUT_OF_LINE void multiply_dots(const TilePlan& p)
{
    if constexpr (Dots<T>::kHasSurplus) {
        constexpr int kRows = 512;
        alignas(64) int32_t starts[kRows];
        TilePlan part = p;
        for (int row = 0; row < p.m; row += kRows) {
            part.m = p.m - row < kRows ? p.m - row : kRows;
            part.c = p.c + (row >> 5) * p.c_panel;
            part.a = p.a + (row >> 5) * p.a_panel;
            Dots<T>::surplus_of_rows(starts, part);
            multiply_vectors<Dots<T>>(part, starts);
        }
    } else {
        multiply_vectors<Dots<T>>(p, nullptr);
    }
}

}  // namespace pto::cpu
