// Matrix multiplication on vector registers, for fp32 and, where there is no matrix unit, for every type.
//
// The other types are widened to fp32 in blocks of K. int8 stays exact: a block's sums stay below 2^24.
#pragma once

#include <pto/cpu/lanes/decode_lanes.hpp>
#include <pto/cpu/lanes/math.hpp>
#include <pto/cpu/layout/fragments.hpp>

namespace pto::cpu {

/// What one call works on. A and B are fp32 fragments (KS = 16); a, b point at the first K step.
struct VectorPlan {
    char* c;
    int64_t c_panel;
    const char* a;
    int64_t a_panel;
    const char* b;
    int64_t b_panel;
    int m;
    int n_panels;
    int k;            // a multiple of 16; the surplus is zero in both operands
    bool accumulate;
};

constexpr int kTall = kF32Lanes == 16 ? 12 : 4;  // rows of the block that fills the registers

/// Byte offset of row r (0 to 31) in a panel of an accumulator.
PTO_INLINE int acc_row_offset(int r) { return (r >> 4) * 2 * kFragment + (r & 15) * 64; }

/// Bytes from the first vector of columns of C, and of B, to vector `v`.
PTO_INLINE int64_t vector_of_c(int v)
{
    constexpr int kPerHalf = 16 / kF32Lanes;
    return v / (2 * kPerHalf) * kAccBlock + v / kPerHalf % 2 * kFragment + v % kPerHalf * kVectorBytes;
}
PTO_INLINE int64_t vector_of_b(int v, int64_t b_panel)
{
    constexpr int kPerHalf = 16 / kF32Lanes;
    return v / (2 * kPerHalf) * b_panel + v / kPerHalf % 2 * kFragment + v % kPerHalf * kVectorBytes;
}

/// C[Rows, Vectors * lanes] += A B, from row `row` (0 to 31) of the panel at `c` on; `a` is at that row, `b` at the column
/// of `c`.
/// Blocks of few rows may have fewer, `rows`: the last one is then computed again in place of those that are missing.
template <typename Acc, int Rows, int Vectors>
PTO_INLINE void multiply_block(
    char* c, int row, const char* a, const char* b, int64_t b_panel, int k, bool accumulate, int rows = Rows)
{
    f32v sum[Rows][Vectors];
    PTO_CPU_UNROLL
    for (int i = 0; i < Rows; ++i) {
        PTO_CPU_UNROLL
        for (int j = 0; j < Vectors; ++j) {
            sum[i][j] = f32v{};
        }
    }
    const auto present = [rows](int i) __attribute__((always_inline)) { return Rows < 8 && i >= rows ? rows - 1 : i; };
    const auto c_at = [&](int i, int j) __attribute__((always_inline)) {
        return c + vector_of_c(j) + acc_row_offset(row + present(i));
    };
    if constexpr (is_same<Acc, float>) {
        if (accumulate) {
            PTO_CPU_UNROLL
            for (int i = 0; i < Rows; ++i) {
                PTO_CPU_UNROLL
                for (int j = 0; j < Vectors; ++j) {
                    sum[i][j] = load_bits<f32v>(c_at(i, j));
                }
            }
        }
    }
    for (int step = 0; step < k; step += 16, a += kPanelStep, b += kPanelStep) {
        PTO_CPU_UNROLL
        for (int i = 0; i < Rows; ++i) {
            __builtin_prefetch(a + kPanelStep + i * 64, 0, 3);  // the next step of A, which comes from L2
        }
        const auto product = [&](int kk) __attribute__((always_inline)) {
            f32v bv[Vectors];
            PTO_CPU_UNROLL
            for (int j = 0; j < Vectors; ++j) {
                bv[j] = load_bits<f32v>(b + vector_of_b(j, b_panel) + kk * 64);
            }
            PTO_CPU_UNROLL
            for (int i = 0; i < Rows; ++i) {
                const f32v av = splat(load_bits<float>(a + present(i) * 64 + kk * 4));
                PTO_CPU_UNROLL
                for (int j = 0; j < Vectors; ++j) {
                    sum[i][j] = multiply_add(av, bv[j], sum[i][j]);
                }
            }
        };
        if constexpr (Rows < kTall) {
            PTO_CPU_ROLLED
            for (int kk = 0; kk < 16; ++kk) {
                product(kk);
            }
        } else {
            PTO_CPU_UNROLL_BY_4  // else the counters take turns from the multiply-adds
            for (int kk = 0; kk < 16; ++kk) {
                product(kk);
            }
        }
    }
    PTO_CPU_UNROLL
    for (int i = 0; i < Rows; ++i) {
        if (present(i) != i) {
            continue;
        }
        PTO_CPU_UNROLL
        for (int j = 0; j < Vectors; ++j) {
            if constexpr (is_same<Acc, float>) {
                store_bits(c_at(i, j), sum[i][j]);
            } else {
                const i32v whole = __builtin_convertvector(sum[i][j], i32v);
                store_bits(c_at(i, j), accumulate ? load_bits<i32v>(c_at(i, j)) + whole : whole);
            }
        }
    }
}

/// All columns of 1 to 4 rows from vector `v` on.
template <typename Acc>
PTO_CPU_ONE_BODY void multiply_few(const VectorPlan& p, int row, int rows, int v)
{
    constexpr int kPerPanel = 32 / kF32Lanes, kVectors = kPerPanel < 2 ? kPerPanel : 2;
    char* c = p.c + (row >> 5) * p.c_panel;
    const char* a = p.a + left_row_offset(row, p.a_panel);
    for (; v < p.n_panels * kPerPanel; v += kVectors) {
        multiply_block<Acc, 4, kVectors>(
            c + vector_of_c(v), row & 31, a, p.b + vector_of_b(v, p.b_panel), p.b_panel, p.k, p.accumulate, rows);
    }
}

/// All columns of `Rows` rows from `row` on, which lie in one panel of 32, or of `rows` where the block may have fewer.
template <typename Acc, int Rows, int Vectors>
PTO_INLINE void multiply_rows(const VectorPlan& p, int row, int rows = Rows)
{
    constexpr int kPerPanel = 32 / kF32Lanes;
    char* c = p.c + (row >> 5) * p.c_panel;
    const char* a = p.a + left_row_offset(row, p.a_panel);
    int v = 0;
    for (; v + Vectors <= p.n_panels * kPerPanel; v += Vectors) {
        multiply_block<Acc, Rows, Vectors>(
            c + vector_of_c(v), row & 31, a, p.b + vector_of_b(v, p.b_panel), p.b_panel, p.k, p.accumulate, rows);
    }
    if (Vectors > kPerPanel && v < p.n_panels * kPerPanel) {
        multiply_few<Acc>(p, row, rows, v);
    }
}

/// The rows of one 32-column panel, in blocks as tall as the registers allow, inside panels of 32. Meanwhile the next 32
/// rows of C are made writable, and the panel of B at `ahead` comes closer.
template <typename Acc>
PTO_INLINE void multiply_panel(const VectorPlan& p, const char* ahead)
{
    const int lines = p.k / 16 * (kPanelStep / 64) * 32 / (p.m > 32 ? p.m : 32);
    for (int first = 0; first < p.m; first += 32) {
        const int end = p.m - first < 32 ? p.m : first + 32;
        int row = first;
        if (first + 32 < p.m) {
            const char* next = p.c + (first / 32 + 1) * p.c_panel;
            for (int i = 0; i < kAccBlock; i += 64) {
                __builtin_prefetch(next + i, 1, 3);
            }
        }
        for (int i = 0; i < lines; ++i, ahead += 64) {
            __builtin_prefetch(ahead, 0, 2);
        }
        for (; row + kTall <= end; row += kTall) {
            multiply_rows<Acc, kTall, 2>(p, row);
        }
        if (kTall > 8 && row + 8 <= end) {
            multiply_rows<Acc, 8, 2>(p, row);
            row += 8;
        }
        for (; row < end; row += 4) {
            multiply_few<Acc>(p, row, end - row < 4 ? end - row : 4, 0);
        }
    }
}

/// K in blocks such that a 32-column panel of B stays in L1 while all rows of A pass by, one such panel after the other.
/// The sums of a block of rows stay in registers along a block of K, and are continued from C in the next.
template <typename Acc>
PTO_CPU_OUT_OF_LINE void multiply_vectors(const VectorPlan& p)
{
    if (p.m > 2 && p.m <= 4) {
        multiply_few<Acc>(p, 0, p.m, 0);
        return;
    }
    if (p.m <= 2) {
        constexpr int kWide = kF32Lanes == 16 ? 8 : 2;
        multiply_rows<Acc, 2, kWide>(p, 0, p.m);
        return;
    }
    constexpr int kBlock = 256;
    VectorPlan block = p;
    block.n_panels = 1;
    for (int k = 0; k < p.k; k += kBlock) {
        const int64_t step = int64_t(k) / 16 * kPanelStep;
        block.k = p.k - k < kBlock ? p.k - k : kBlock;
        block.a = p.a + step;
        block.accumulate = p.accumulate || k > 0;
        for (int n = 0; n < p.n_panels; ++n) {
            block.b = p.b + n * p.b_panel + step;
            block.c = p.c + n * kAccBlock;
            multiply_panel<Acc>(block, block.b + p.b_panel);
        }
    }
}

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
                } else if constexpr (is_fp8<T>) {
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
    } else if constexpr (is_fp8<T>) {
        return decode_lanes<T>(groups >> (8 * member) & 0xffU);
    } else {
        return (i32v)(groups << (24 - 8 * member)) >> 24;
    }
}

template <typename T>
PTO_INLINE f32v group_member(u32v groups, int member)
{
    if constexpr (is_float<T> || is_fp8<T>) {
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
                multiply_vectors<Acc>({c + (row >> 5) * c_panel + n * kAccBlock, c_panel, wide_a, kWidePanel, wide_b,
                                       kWidePanel, rows, 1, k, accumulate || step > 0});
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
