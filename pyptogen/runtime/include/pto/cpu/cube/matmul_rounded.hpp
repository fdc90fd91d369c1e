// Products of fp32 whose operands are rounded first, as Tile::SetMadTF32Mode asks for.
//
// A2/A3 (HF32) keeps 11 bits of the fraction, A5 (TF32) 10; the exponent stays, denormals count as zero, infinities and
// NaN stay. Sums are fp32 as ever. Source: the goldens of the public tests of TMATMUL; ties away from zero are really
// away, and a carry into the exponent is one.
#pragma once

#include <pto/cpu/cube/matmul_vector.hpp>

namespace pto::cpu {

#if defined(PTO_NPU_ARCH_A5)
constexpr int kRoundedPlaces = 10;
#else
constexpr int kRoundedPlaces = 11;
#endif

/// Whether the CTRL register has a bit.
PTO_INLINE bool in_ctrl(int bit) { return (core_state().ctrl >> bit & 1) != 0; }

/// fp32 numbers to `Places` bits of the fraction, to nearest: ties away from zero, or to even.
template <int Places>
PTO_INLINE f32v round_fraction(f32v v, bool ties_away)
{
    constexpr uint32_t kLast = 1U << (23 - Places), kInfinity = 0x7f800000U, kSmallestNormal = 0x00800000U;
    const u32v sign = (u32v)v & 0x80000000U, magnitude = (u32v)v & 0x7fffffffU;
    const u32v even = kLast / 2 - 1 + (magnitude >> (23 - Places) & 1);
    const u32v rounded = (magnitude + (ties_away ? splat(kLast / 2) : even)) & ~(kLast - 1);
    const u32v finite = magnitude < kSmallestNormal ? u32v{} : rounded;
    return (f32v)(sign | (magnitude < kInfinity ? finite : magnitude));
}

template <int Places>
PTO_INLINE void round_fractions(char* to, const char* from, int64_t bytes, bool ties_away)
{
    for (int64_t at = 0; at < bytes; at += kVectorBytes) {
        store_bits(to + at, round_fraction<Places>(load_bits<f32v>(from + at), ties_away));
    }
}

/// multiply_vectors of rounded operands, block by block; both operands stay as they are.
template <int Places>
PTO_CPU_OUT_OF_LINE __attribute__((cold)) void multiply_rounded(const TilePlan& p, bool ties_away)
{
    constexpr int kBlockSteps = 8, kBlockRows = 128;
    constexpr int64_t kPanel = kBlockSteps * kPanelStep;
    alignas(64) char a[kBlockRows / 32 * kPanel];
    alignas(64) char b[kPanel];
    for (int row = 0; row < p.m; row += kBlockRows) {
        const int rows = p.m - row < kBlockRows ? p.m - row : kBlockRows;
        for (int step = 0; step < p.k_steps; step += kBlockSteps) {
            const int steps = p.k_steps - step < kBlockSteps ? p.k_steps - step : kBlockSteps;
            const int64_t at = int64_t(step) * kPanelStep, bytes = int64_t(steps) * kPanelStep;
            for (int panel = 0; panel < (rows + 31) / 32; ++panel) {
                round_fractions<Places>(
                    a + panel * kPanel, p.a + (row / 32 + panel) * p.a_panel + at, bytes, ties_away);
            }
            for (int n = 0; n < p.n_panels; ++n) {
                round_fractions<Places>(b, p.b + n * p.b_panel + at, bytes, ties_away);
                multiply_vectors<MultiplyAdds<float>>(
                    {p.c + row / 32 * p.c_panel + n * kAccBlock, p.c_panel, a, kPanel, b, kPanel, rows, 1, steps,
                     p.accumulate || step > 0},
                    nullptr);
            }
        }
    }
}

}  // namespace pto::cpu
