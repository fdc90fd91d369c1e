// Matrix multiplication on vector registers: a block of sums stays in them along a block of K.
//
// What one step of a sum is, `Products` says: multiply-adds of fp32 here, dot products of narrower types in matmul_dots.hpp.
// A step takes four bytes of K of every row of A and of every column of B, as they lie in the fragments.
#pragma once

#include <pto/cpu/cube/held.hpp>
#include <pto/cpu/lanes/math.hpp>
#include <pto/cpu/layout/fragments.hpp>

namespace pto::cpu {

// AVX-512 without a matrix unit was measured on Zen 5 (1 MB of L2): fewer steps of K at a time gain 4 % on fp32, and asking for
// memory in bulk costs as much. The others keep what was measured on Sapphire Rapids (2 MB).
constexpr bool kAsksInBulk = !kHasAvx512 || kHasMatrixUnit;
constexpr int kAddSteps = kAsksInBulk ? 16 : 8;  // steps of K at a time, of multiply-adds; 2 KB of B each

/// Multiply-adds of fp32 operands. Into int32 when these are small whole numbers: a block's sums stay below 2^24.
template <typename Acc>
struct MultiplyAdds {
    using Sums = f32v;
    static constexpr int kSteps = kAddSteps;  // of K at a time

    /// What a row's sums begin with where C, at `c`, has to be added to.
    static PTO_INLINE Sums begin(const char* c, bool accumulate, int32_t)
    {
        return is_same<Acc, float> && accumulate ? load_bits<f32v>(c) : f32v{};
    }
    /// Four bytes of K of a vector of columns.
    static PTO_INLINE f32v columns(const char* b) { return load_bits<f32v>(b); }
    /// Four bytes of K of a row.
    static PTO_INLINE f32v row(const char* a) { return splat(load_bits<float>(a)); }
    static PTO_INLINE Sums add(Sums sum, f32v row, f32v columns) { return multiply_add(row, columns, sum); }

    static PTO_INLINE void finish(char* c, Sums sum, bool accumulate)
    {
        if constexpr (is_same<Acc, float>) {
            store_bits(c, sum);
        } else {
            const i32v whole = __builtin_convertvector(sum, i32v);
            store_bits(c, accumulate ? load_bits<i32v>(c) + whole : whole);
        }
    }
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

/// What of B comes closer while a block is computed: `lines` lines of 64 bytes for each step of K, from `from` on, which is
/// counted from the block's own B.
struct Ahead {
    int64_t from;
    int lines;
};

/// Row i of a block of `Rows`, of which only `rows` may be there if it is one of few rows.
template <int Rows>
PTO_INLINE int present_row(int i, int rows)
{
    return Rows < 8 && i >= rows ? rows - 1 : i;
}

/// Panels of 32 columns that so many vectors lie in.
template <int Vectors>
inline constexpr int kPanels = Vectors * kF32Lanes <= 32 ? 1 : Vectors * kF32Lanes / 32;

constexpr int64_t kStreamAhead = 4 * kPanelStep;  // of a B that is read once: it is asked for so far ahead

/// Adds one step of K, 64 bytes of each row at `a` and of each column at `b`, to the sums of a block. `Streamed`: asks for
/// a later step of B meanwhile, line by line: asked for all at once, it keeps other loads waiting.
template <typename Products, int Rows, int Vectors, bool Streamed>
PTO_INLINE void multiply_step(
    typename Products::Sums (&sum)[Rows][Vectors], const char* a, const char* b, int64_t b_panel, int rows)
{
    const auto product = [&](int kk) __attribute__((always_inline)) {
        if constexpr (Streamed) {
            PTO_CPU_UNROLL
            for (int j = 0; j < 2 * kPanels<Vectors>; ++j) {
                __builtin_prefetch(b + j / 2 * b_panel + kStreamAhead + kk * 128 + j % 2 * 64, 0, 3);
            }
        }
        decltype(Products::columns(b)) columns[Vectors];
        PTO_CPU_UNROLL
        for (int j = 0; j < Vectors; ++j) {
            columns[j] = Products::columns(b + vector_of_b(j, b_panel) + kk * 64);
        }
        PTO_CPU_UNROLL
        for (int i = 0; i < Rows; ++i) {
            const auto element = Products::row(a + present_row<Rows>(i, rows) * 64 + kk * 4);
            PTO_CPU_UNROLL
            for (int j = 0; j < Vectors; ++j) {
                sum[i][j] = Products::add(sum[i][j], element, columns[j]);
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
            for (int kk = 0; kk < 16; ++kk)
        {
            product(kk);
        }
    }
}

/// C[Rows, Vectors * lanes] = A B or C += A B of a plan whose c is at a panel of rows, from row `row` (0 to 31) of it on;
/// its a is at that row, its b and c at the column. `starts` has what begin() takes for each row, or is nullptr.
/// Blocks of few rows may have fewer, `rows`: the last one is then computed again in place of those that are missing.
/// `Streamed`: B is read once, see multiply_step.
template <typename Products, int Rows, int Vectors, bool Streamed = false>
PTO_INLINE void multiply_block(const TilePlan& p, int row, const int32_t* starts, int rows, Ahead ahead)
{
    typename Products::Sums sum[Rows][Vectors];
    const auto present = [rows](int i) __attribute__((always_inline)) { return present_row<Rows>(i, rows); };
    const auto c_at = [&](int i, int j) __attribute__((always_inline)) {
        return p.c + vector_of_c(j) + acc_row_offset(row + present(i));
    };
    const auto begin = [&](bool accumulate) __attribute__((always_inline)) {
        PTO_CPU_UNROLL
        for (int i = 0; i < Rows; ++i) {
            const int32_t start = starts == nullptr ? 0 : starts[present(i)];
            PTO_CPU_UNROLL
            for (int j = 0; j < Vectors; ++j) {
                sum[i][j] = Products::begin(c_at(i, j), accumulate, start);
            }
        }
    };
    if (p.accumulate) {
        begin(true);
    } else {
        begin(false);
    }
    const char* a = p.a;
    const char* b = p.b;
    const char* next = p.b + ahead.from;
    for (int step = 0; step < p.k_steps; ++step, a += kPanelStep, b += kPanelStep) {
        PTO_CPU_UNROLL
        for (int i = 0; i < Rows; ++i) {
            __builtin_prefetch(a + kPanelStep + i * 64, 0, 3);  // the next step of A, which comes from L2
        }
        PTO_CPU_UNROLL_BY_4
        for (int i = 0; i < ahead.lines; ++i, next += 64) {
            PTO_CPU_UNROLL
            for (int j = 0; j < kPanels<Vectors>; ++j) {
                __builtin_prefetch(next + j * p.b_panel, 0, 3);
            }
        }
        multiply_step<Products, Rows, Vectors, Streamed>(sum, a, b, p.b_panel, rows);
    }
    PTO_CPU_UNROLL
    for (int i = 0; i < Rows; ++i) {
        if (present(i) != i) {
            continue;
        }
        PTO_CPU_UNROLL
        for (int j = 0; j < Vectors; ++j) {
            Products::finish(c_at(i, j), sum[i][j], p.accumulate);
        }
    }
}

/// A plan from row `row` and vector of columns `v` on, as multiply_block wants it.
PTO_INLINE TilePlan block_of(const TilePlan& p, int row, int v)
{
    TilePlan block = p;
    block.c += (row >> 5) * p.c_panel + vector_of_c(v);
    block.a += left_row_offset(row, p.a_panel);
    block.b += vector_of_b(v, p.b_panel);
    return block;
}
PTO_INLINE const int32_t* from_row(const int32_t* starts, int row)
{
    return starts == nullptr ? nullptr : starts + row;
}

/// All columns of 1 to 4 rows from vector `v` on.
template <typename Products>
PTO_CPU_ONE_BODY void multiply_few(const TilePlan& p, int row, int rows, int v, const int32_t* starts, Ahead ahead)
{
    constexpr int kPerPanel = 32 / kF32Lanes, kVectors = kPerPanel < 2 ? kPerPanel : 2;
    for (; v < p.n_panels * kPerPanel; v += kVectors) {
        multiply_block<Products, 4, kVectors>(block_of(p, row, v), row & 31, from_row(starts, row), rows, ahead);
    }
}

/// All columns of `Rows` rows from `row` on, which lie in one panel of 32, or of `rows` where the block may have fewer.
template <typename Products, int Rows, int Vectors, bool Streamed = false>
PTO_INLINE void multiply_rows(const TilePlan& p, int row, const int32_t* starts, Ahead ahead, int rows = Rows)
{
    constexpr int kPerPanel = 32 / kF32Lanes;
    int v = 0;
    for (; v + Vectors <= p.n_panels * kPerPanel; v += Vectors) {
        multiply_block<Products, Rows, Vectors, Streamed>(
            block_of(p, row, v), row & 31, from_row(starts, row), rows, ahead);
    }
    if (Vectors > kPerPanel && v < p.n_panels * kPerPanel) {
        multiply_few<Products>(p, row, rows, v, starts, ahead);
    }
}

/// The rows of one 32-column panel, in blocks as tall as the registers allow, inside panels of 32. Meanwhile the next panel
/// of B comes closer: a few lines at every step, or in bulk, then together with rows of C.
template <typename Products>
PTO_INLINE void multiply_panel(const TilePlan& p, const int32_t* starts)
{
    constexpr int kLines = kPanelStep / 64;
    const bool bulk = kAsksInBulk && p.m > 32;
    const int bulk_lines = p.k_steps * kLines * 32 / (p.m > 32 ? p.m : 32);
    const int64_t end_ahead = p.b_panel + p.k_steps * int64_t(kPanelStep);
    const char* bulk_from = p.b + p.b_panel;
    const int lines = p.m > kTall ? (kLines * kTall + p.m - 1) / p.m : kLines;
    Ahead next{p.b_panel, bulk || kF32Lanes < 16 ? 0 : lines};
    const auto turn = [&]() __attribute__((always_inline)) {
        next.from += p.k_steps * int64_t(next.lines) * 64;
        next.lines = next.from < end_ahead ? next.lines : 0;
    };
    for (int first = 0; first < p.m; first += 32) {
        const int end = p.m - first < 32 ? p.m : first + 32;
        int row = first;
        if (bulk) {
            const char* c = p.c + (first / 32 + 1) * p.c_panel;
            for (int i = 0; i < kAccBlock && first + 32 < p.m; i += 64) {
                __builtin_prefetch(c + i, 1, 3);
            }
            for (int i = 0; i < bulk_lines; ++i, bulk_from += 64) {
                __builtin_prefetch(bulk_from, 0, 2);
            }
        }
        // 16 to 19 rows are two blocks of 8 first
        for (; row + kTall <= end && (kTall <= 8 || end - row < 16 || end - row >= 20); row += kTall, turn()) {
            multiply_rows<Products, kTall, 2>(p, row, starts, next);
        }
        for (; kTall > 8 && row + 8 <= end; row += 8, turn()) {
            multiply_rows<Products, 8, 2>(p, row, starts, next);
        }
        for (; row < end; row += 4, turn()) {
            multiply_few<Products>(p, row, end - row < 4 ? end - row : 4, 0, starts, next);
        }
    }
}

/// K in blocks such that a 32-column panel of B stays in L1 while all rows of A pass by, one such panel after the other.
/// The sums of a block of rows stay in registers along a block of K, and are continued from C in the next. `starts` has
/// for each row what its sums begin with, or is nullptr.
template <typename Products>
PTO_CPU_OUT_OF_LINE void multiply_vectors(const TilePlan& p, const int32_t* starts)
{
    constexpr bool kStreamed = kF32Lanes == 16;
    if (p.m > 2 && p.m <= 4) {
        constexpr int kWide = kF32Lanes == 16 ? 4 : 2;  // so many sums that none waits for the one before
        multiply_rows<Products, 4, kWide, kStreamed>(p, 0, starts, {}, p.m);
        return;
    }
    if (p.m == 2) {  // B comes as fast as memory gives it, which is fastest in one stream
        multiply_rows<Products, 2, 2, kStreamed>(p, 0, starts, {});
        return;
    }
    if (p.m == 1) {
        multiply_rows<Products, 1, 2, kStreamed>(p, 0, starts, {});
        return;
    }
    if (p.m == 8 && kTall >= 8) {
        multiply_rows<Products, 8, 2, kStreamed>(p, 0, starts, {});
        return;
    }
    TilePlan block = p;
    block.n_panels = 1;
    for (int step = 0; step < p.k_steps; step += Products::kSteps) {
        const int64_t at = int64_t(step) * kPanelStep;
        block.k_steps = p.k_steps - step < Products::kSteps ? p.k_steps - step : Products::kSteps;
        block.a = p.a + at;
        block.accumulate = p.accumulate || step > 0;
        for (int n = 0; n < p.n_panels; ++n) {
            block.b = p.b + n * p.b_panel + at;
            block.c = p.c + n * kAccBlock;
            multiply_panel<Products>(block, step == 0 ? starts : nullptr);
        }
    }
}

}  // namespace pto::cpu
