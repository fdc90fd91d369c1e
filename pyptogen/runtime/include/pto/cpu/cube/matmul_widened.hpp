// Matrix multiplication of types narrower than fp32 on vector registers that have no dot products of them.
//
// Operands are widened to fp32 in blocks of K. int8 stays exact: a block's sums stay below 2^24.
#pragma once

#include <pto/cpu/cube/matmul_vector.hpp>
#include <pto/cpu/lanes/decode_lanes.hpp>

namespace pto::cpu {

/// Widens rows of A, from K step `step` of T on, `k` elements (a multiple of KS) into fp32 fragments at `to`.
template <typename T>
PTO_INLINE void widen_left(char* to, int64_t to_panel, const char* from, int64_t from_panel, int rows, int step, int k)
{
    constexpr int kSteps = kStepK<T> / 16;  // steps of fp32 in one of T
    for (int r = 0; r < rows; ++r) {
        const char* line = from + left_row_offset(r, from_panel) + static_cast<int64_t>(step) * kPanelStep;
        char* out = to + left_row_offset(r, to_panel);
        for (int at = 0; at < k; at += kStepK<T>, line += kPanelStep) {
            PTO_CPU_UNROLL
            for (int i = 0; i < kStepK<T>; i += kF32Lanes) {
                const T* source = reinterpret_cast<const T*>(line) + i;
                f32v wide;
                if constexpr (is_float<T>) {
                    wide = load(source, Full{});
                } else if constexpr (is_byte_float<T>) {
                    wide = decode_lanes<T>((u32v)load_int(reinterpret_cast<const uint8_t*>(source), Full{}));
                } else {
                    wide = __builtin_convertvector(load_int(source, Full{}), f32v);
                }
                store_bits(out + i / 16 * kPanelStep + i % 16 * 4, wide);
            }
            out += kSteps * kPanelStep;
        }
    }
}

/// Elements `member` of the groups of K in a vector of dwords of a Right operand: fp32 or int32; as fp32.
template <typename T>
PTO_INLINE auto group_value(u32v groups, int member)
{
    if constexpr (is_same<T, bfloat16_t>) {
        return (f32v)(member == 0 ? groups << 16 : groups & 0xffff0000U);
    } else if constexpr (is_same<T, half>) {
        typedef uint16_t words __attribute__((vector_size(kF32Lanes * 2)));
        const words bits = __builtin_convertvector(groups >> (16 * member), words);
        return load(reinterpret_cast<const half*>(&bits), Full{});
    } else if constexpr (is_byte_float<T>) {
        return decode_lanes<T>(groups >> (8 * member) & 0xffU);
    } else {
        return (i32v)(groups << (24 - 8 * member)) >> 24;
    }
}

template <typename T>
PTO_INLINE f32v group_member(u32v groups, int member)
{
    if constexpr (is_float<T> || is_byte_float<T>) {
        return group_value<T>(groups, member);
    } else {
        return __builtin_convertvector(group_value<T>(groups, member), f32v);
    }
}

/// Widens one 32-column panel of B, from K step `step` of T on, into fp32 fragments at `to`.
template <typename T>
PTO_INLINE void widen_right(char* to, const char* from, int step, int k)
{
    constexpr int kGroup = kGroupK<T>;
    from += static_cast<int64_t>(step) * kPanelStep;
    for (int at = 0; at < k; at += kGroup) {
        const char* row = from + at / kStepK<T> * kPanelStep + at % kStepK<T> / kGroup * 64;
        PTO_CPU_UNROLL
        for (int n = 0; n < 32; n += kF32Lanes) {
            const int64_t place = n / 16 * kFragment + n % 16 * 4;
            const u32v groups = load_bits<u32v>(row + place);
            PTO_CPU_UNROLL
            for (int g = 0; g < kGroup; ++g) {
                store_bits(to + (at + g) / 16 * kPanelStep + (at + g) % 16 * 64 + place, group_member<T>(groups, g));
            }
        }
    }
}

/// The multiplication for types narrower than fp32: both operands, A of T and B of R, which are of one size, are widened
/// block by block.
template <typename T, typename Acc, typename R = T>
PTO_CPU_OUT_OF_LINE void multiply_widened(
    char* c, int64_t c_panel, const char* a, int64_t a_panel, const char* b, int64_t b_panel, int m, int n_panels,
    int k_steps, bool accumulate)
{
    constexpr int kBlockK = 128;    // elements of K at a time
    constexpr int kBlockRows = 128; // rows for which a widened panel of B is used
    constexpr int kBlockSteps = kBlockK / kStepK<T>;
    constexpr int64_t kWidePanel = panel_bytes<float>(kBlockK);
    alignas(64) char wide_b[kWidePanel];
    alignas(64) char wide_a[kBlockRows / 32 * kWidePanel];
    for (int row = 0; row < m; row += kBlockRows) {
        const int rows = m - row < kBlockRows ? m - row : kBlockRows;
        for (int step = 0; step < k_steps; step += kBlockSteps) {
            const int k = (k_steps - step < kBlockSteps ? k_steps - step : kBlockSteps) * kStepK<T>;
            widen_left<T>(wide_a, kWidePanel, a + (row >> 5) * a_panel, a_panel, rows, step, k);
            for (int n = 0; n < n_panels; ++n) {
                widen_right<R>(wide_b, b + n * b_panel, step, k);
                multiply_vectors<MultiplyAdds<Acc>>(
                    {c + (row >> 5) * c_panel + n * kAccBlock, c_panel, wide_a, kWidePanel, wide_b, kWidePanel, rows, 1,
                     k / kStepK<float>, accumulate || step > 0},
                    nullptr);
            }
        }
    }
}

/// The same with little code, one vector of C after the other: for where the matrix unit should have done it, but the
/// system refuses its use or the operands are no numbers.
template <typename T, typename Acc>
PTO_CPU_OUT_OF_LINE __attribute__((cold)) void multiply_widened_small(
    char* c, int64_t c_panel, const char* a, int64_t a_panel, const char* b, int64_t b_panel, int m, int n_panels,
    int k_steps, bool accumulate)
{
    using Sums = decltype(group_value<T>(u32v{}, 0));
    for (int row = 0; row < m; ++row) {
        const char* line = a + left_row_offset(row, a_panel);
        for (int n = 0; n < n_panels * 32; n += kF32Lanes) {
            const int64_t place = n % 32 / 16 * kFragment + n % 16 * 4;
            char* to = c + (row >> 5) * c_panel + n / 32 * kAccBlock + acc_row_offset(row & 31) + place;
            const char* panel = b + n / 32 * b_panel + place;
            Sums sum{};
            if (accumulate) {
                sum = load_bits<Sums>(to);
            }
            for (int k = 0; k < k_steps * kStepK<T>; ++k) {
                const int64_t step = int64_t(k / kStepK<T>) * kPanelStep;
                const int in_step = k % kStepK<T>;
                const T left = load_bits<T>(line + step + in_step * static_cast<int64_t>(sizeof(T)));
                const u32v groups = load_bits<u32v>(panel + step + in_step / kGroupK<T> * 64);
                sum += group_value<T>(groups, in_step % kGroupK<T>) * static_cast<Acc>(left);
            }
            store_bits(to, sum);
        }
    }
}

}  // namespace pto::cpu
