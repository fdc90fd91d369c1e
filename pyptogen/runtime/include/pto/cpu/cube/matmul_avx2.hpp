// Matrix multiplication on AVX2 with FMA, of fp32, half, bfloat16_t and int8.
//
// A block of the result, 6 x 16 elements, stays in twelve registers along a block of K. B is widened in registers, one
// line of 64 bytes (16 columns) after the other: bf16 and half to fp32, int8 to pairs of int16, whose dot products are
// exact in int32. A is widened once for all columns.
#pragma once

#include <pto/cpu/cube/held.hpp>
#include <pto/cpu/lanes/math.hpp>
#include <pto/cpu/layout/fragments.hpp>

#if defined(PTO_CPU_AVX2)

namespace pto::cpu {

constexpr int kTallRows = 6;    // with two vectors each: twelve sums, two vectors of B, one element of A
constexpr int kWideRows = 128;  // rows of A that are widened at a time
constexpr int kWideStep = 128;  // bytes of a widened row in one step

template <typename T>
inline constexpr bool is_widened = sizeof(T) < 4;
/// Steps of K at a time. Of six rows of A there are 6 KB in L1 then, of 16 columns of B 8 KB (16 for fp32).
template <typename T>
inline constexpr int kBlockSteps = is_widened<T> ? 8 : 16;
/// Bytes of one row of A in a line of B: an element, two widened ones, or two pairs of int16.
template <typename T>
inline constexpr int kLineBytes = is_widened<T> ? 8 : 4;
/// Bytes from row to row, and from step to step, of A as it is multiplied.
template <typename T>
inline constexpr int kRowBytes = is_widened<T> ? kBlockSteps<T> * kWideStep : 64;
template <typename T>
inline constexpr int kStepBytes = is_widened<T> ? kWideStep : kPanelStep;

/// The sums of eight columns: fp32, or int32.
template <typename T>
using sums_of = vec<decltype(compute_t<T>() * 1)>;

/// Eight columns of a line of B as a vector to multiply by. The line has one element of K of each column, or two `Part`s:
/// elements widened to fp32, or for int8 pairs of the four elements, 0 and 2, then 1 and 3.
template <typename T, int Part>
PTO_INLINE __m256 columns_of(const char* line)
{
    const __m256i bits = load_bits<__m256i>(line);
    if constexpr (is_same<T, float>) {
        return (__m256)bits;
    } else if constexpr (is_same<T, bfloat16_t>) {
        const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000U));
        return (__m256)(Part == 0 ? _mm256_slli_epi32(bits, 16) : _mm256_and_si256(bits, upper));
    } else if constexpr (is_same<T, half>) {  // in the order of in_order
        const __m256 low = _mm256_cvtph_ps(_mm256_castsi256_si128(bits));
        const __m256 high = _mm256_cvtph_ps(_mm256_extracti128_si256(bits, 1));
        return _mm256_shuffle_ps(low, high, Part == 0 ? 0x88 : 0xdd);
    } else {
        return (__m256)_mm256_srai_epi16(Part == 0 ? _mm256_slli_epi16(bits, 8) : bits, 8);
    }
}

/// Sums between the order of columns in memory and that of columns_of, which for half is 0, 1, 4, 5, 2, 3, 6, 7.
template <typename T>
PTO_INLINE sums_of<T> in_order(sums_of<T> v)
{
    if constexpr (is_same<T, half>) {
        return (sums_of<T>)_mm256_permute4x64_epi64((__m256i)v, 0xd8);
    } else {
        return v;
    }
}

template <typename T>
PTO_INLINE sums_of<T> add_products(sums_of<T> sum, __m256 a, __m256 b)
{
    if constexpr (is_float<T>) {
        return (sums_of<T>)_mm256_fmadd_ps(a, b, (__m256)sum);
    } else {
        return (sums_of<T>)_mm256_add_epi32((__m256i)sum, _mm256_madd_epi16((__m256i)a, (__m256i)b));
    }
}

/// Widens `rows` rows of A, `steps` steps from `from` on, to rows kRowBytes apart; pairs of int8 in the order of columns_of.
template <typename T>
PTO_INLINE void widen_rows(char* to, const char* from, int64_t panel, int rows, int steps)
{
    for (int r = 0; r < rows; ++r, to += kRowBytes<T>) {
        const char* line = from + left_row_offset(r, panel);
        for (int step = 0; step < steps; ++step, line += kPanelStep) {
            PTO_CPU_UNROLL
            for (int i = 0; i < 4; ++i) {
                char* out = to + step * kWideStep + i * 32;
                if constexpr (is_float<T>) {
                    store_bits(out, load(reinterpret_cast<const T*>(line + i * 16), Full{}));
                } else {
                    const __m256i words = _mm256_cvtepi8_epi16(load_bits<__m128i>(line + i * 16));
                    store_bits(out, _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(words, 0xd8), 0xd8));
                }
            }
        }
    }
}

/// Bytes from the first vector of columns of C, and of B, to vector `v`.
constexpr int64_t vector_in_c(int v) { return v / 4 * kAccBlock + v / 2 % 2 * kFragment + v % 2 * 32; }
PTO_INLINE int64_t vector_in_b(int v, int64_t b_panel) { return v / 4 * b_panel + v / 2 % 2 * kFragment + v % 2 * 32; }

/// Adds a part of one line of B, of 16 columns, row after row.
template <typename T, int Part, int Rows, int Vectors>
PTO_INLINE void add_tall(
    sums_of<T> (&sum)[Rows][Vectors], const char* const (&a)[Rows], int64_t place, const char* line)
{
    // gcc would keep the line for the other part, and begin with all rows, for neither of which there are registers.
    asm volatile("" : "+r"(line));
    __m256 columns[Vectors];
    PTO_CPU_UNROLL
    for (int j = 0; j < Vectors; ++j) {
        columns[j] = columns_of<T, Part>(line + j * 32);
    }
    PTO_CPU_UNROLL
    for (int i = 0; i < Rows; ++i) {
        const __m256 element = _mm256_broadcast_ss(reinterpret_cast<const float*>(a[i] + place + Part * 4));
        PTO_CPU_UNROLL
        for (int j = 0; j < Vectors; ++j) {
            sum[i][j] = add_products<T>(sum[i][j], element, columns[j]);
            asm volatile("" : "+x"(sum[i][j]));
        }
    }
}

/// Adds one line of B for one row or two: one vector of columns after the other, each of which is loaded once.
template <typename T, int Rows, int Vectors>
PTO_INLINE void add_wide(
    sums_of<T> (&sum)[Rows][Vectors], const char* const (&a)[Rows], int64_t place, const char* line, int64_t b_panel)
{
    PTO_CPU_UNROLL
    for (int j = 0; j < Vectors; ++j) {
        const char* at = line + vector_in_b(j, b_panel);
        const __m256 first = columns_of<T, 0>(at);
        [[maybe_unused]] const __m256 second = columns_of<T, 1>(at);
        PTO_CPU_UNROLL
        for (int i = 0; i < Rows; ++i) {
            const float* element = reinterpret_cast<const float*>(a[i] + place);
            sum[i][j] = add_products<T>(sum[i][j], _mm256_broadcast_ss(element), first);
            if constexpr (is_widened<T>) {
                sum[i][j] = add_products<T>(sum[i][j], _mm256_broadcast_ss(element + 1), second);
            }
        }
    }
}

/// C[Rows, 8 * Vectors] = A B or C += A B, from row `row` (0 to 31) of the panel at `c` on; `a` is at that row, `b` at the
/// column of `c`. Fewer than six rows may be `rows`: the last one is then computed again in place of those missing.
template <typename T, int Rows, int Vectors>
PTO_INLINE void multiply_in_registers(
    char* c, const char* a, const char* b, int64_t b_panel, int row, int rows, int steps, bool accumulate)
{
    using Sums = sums_of<T>;
    constexpr bool kTall = Rows == kTallRows;
    Sums sum[Rows][Vectors];
    const char* a_row[Rows];
    const auto present = [rows](int i) __attribute__((always_inline)) { return kTall || i < rows ? i : rows - 1; };
    const auto c_at = [&](int i, int j) __attribute__((always_inline)) {
        const int64_t r = row + i;
        return c + (r + (r & 16)) * 64 + vector_in_c(j);  // between rows 15 and 16 lies another fragment
    };
    PTO_CPU_UNROLL
    for (int i = 0; i < Rows; ++i) {
        a_row[i] = a + present(i) * kRowBytes<T>;
        PTO_CPU_UNROLL
        for (int j = 0; j < Vectors; ++j) {
            sum[i][j] = accumulate ? in_order<T>(load_bits<Sums>(c_at(present(i), j))) : Sums{};
        }
    }
    for (int step = 0; step < steps; ++step, b += kPanelStep) {
        PTO_CPU_UNROLL_BY_4
        for (int at = 0; at < 16; ++at) {
            const int64_t place = step * kStepBytes<T> + at * kLineBytes<T>;
            if constexpr (Vectors > 2) {
                add_wide<T>(sum, a_row, place, b + at * 64, b_panel);
                continue;
            }
            add_tall<T, 0>(sum, a_row, place, b + at * 64);
            if constexpr (is_widened<T>) {
                add_tall<T, 1>(sum, a_row, place, b + at * 64);
            }
        }
    }
    PTO_CPU_UNROLL
    for (int i = 0; i < Rows; ++i) {
        if (kTall || i < rows) {
            PTO_CPU_UNROLL
            for (int j = 0; j < Vectors; ++j) {
                store_bits(c_at(i, j), in_order<T>(sum[i][j]));
            }
        }
    }
}

/// Rows of A as they are multiplied: fragments for fp32, else widened rows.
template <typename T>
PTO_INLINE const char* row_of_a(const char* a, int64_t panel, int row)
{
    return is_widened<T> ? a + row * kRowBytes<T> : a + left_row_offset(row, panel);
}

/// One block of K and 16 columns: the rows in blocks as tall as the registers allow, inside panels of 32.
template <typename T>
PTO_INLINE void multiply_half_panel(const TilePlan& p)
{
    for (int row = 0; row < p.m;) {
        const int in_panel = row & 31;
        const int left = p.m - row < 32 - in_panel ? p.m - row : 32 - in_panel;
        char* c = p.c + (row >> 5) * p.c_panel;
        const char* a = row_of_a<T>(p.a, p.a_panel, row);
        if (left == kTallRows || left > 8) {  // 7 and 8 are two blocks of 4
            multiply_in_registers<T, kTallRows, 2>(c, a, p.b, 0, in_panel, kTallRows, p.k_steps, p.accumulate);
            row += kTallRows;
        } else {
            const int rows = left < 4 ? left : 4;
            multiply_in_registers<T, 4, 2>(c, a, p.b, 0, in_panel, rows, p.k_steps, p.accumulate);
            row += rows;
        }
    }
}

/// One block of K and one panel of B, or two. One row or two meet so many columns at a time that sums need not wait for
/// each other.
template <typename T>
PTO_INLINE void multiply_panels(const TilePlan& p)
{
    if (p.n_panels == 2) {
        multiply_in_registers<T, 1, 8>(p.c, p.a, p.b, p.b_panel, 0, 1, p.k_steps, p.accumulate);
    } else if (p.m <= 2) {
        multiply_in_registers<T, 2, 4>(p.c, p.a, p.b, 0, 0, p.m, p.k_steps, p.accumulate);
    } else {
        TilePlan half = p;
        multiply_half_panel<T>(half);
        half.c += kFragment;
        half.b += kFragment;
        multiply_half_panel<T>(half);
    }
}

/// Rows and blocks of K that have room in `wide`. A panel of B meets all of these blocks before the next one.
template <typename T>
PTO_INLINE void multiply_blocks(const TilePlan& p, char* wide)
{
    constexpr int kSteps = kBlockSteps<T>;
    const int64_t block_bytes = int64_t(p.m) * kRowBytes<T>;
    const auto steps_at = [&p](int step) { return p.k_steps - step < kSteps ? p.k_steps - step : kSteps; };
    for (int step = 0; is_widened<T> && step < p.k_steps; step += kSteps) {
        const char* from = p.a + int64_t(step) * kPanelStep;
        widen_rows<T>(wide + step / kSteps * block_bytes, from, p.a_panel, p.m, steps_at(step));
    }
    TilePlan block = p;
    for (int n = 0; n < p.n_panels; n += block.n_panels) {
        block.n_panels = p.m == 1 && p.n_panels - n > 1 ? 2 : 1;
        block.c = p.c + n * kAccBlock;
        for (int step = 0; step < p.k_steps; step += kSteps) {
            const int64_t at = int64_t(step) * kPanelStep;
            block.a = is_widened<T> ? wide + step / kSteps * block_bytes : p.a + at;
            block.b = p.b + n * p.b_panel + at;
            block.k_steps = steps_at(step);
            block.accumulate = p.accumulate || step > 0;
            multiply_panels<T>(block);
        }
    }
}

/// C = A B or C += A B. The fewer rows there are, the more blocks of K go together: few rows see B in memory's order.
template <typename T>
PTO_CPU_OUT_OF_LINE void multiply_registers(const TilePlan& p)
{
    alignas(64) char wide[is_widened<T> ? kWideRows * kRowBytes<T> : 1];
    const int rows = is_widened<T> && p.m > kWideRows ? kWideRows : p.m;
    const int steps = kBlockSteps<T> * (rows < kWideRows ? kWideRows / rows : 1);
    TilePlan part = p;
    for (int row = 0; row < p.m; row += rows) {
        part.c = p.c + (row >> 5) * p.c_panel;
        part.m = p.m - row < rows ? p.m - row : rows;
        for (int step = 0; step < p.k_steps; step += steps) {
            const int64_t at = int64_t(step) * kPanelStep;
            part.a = p.a + (row >> 5) * p.a_panel + at;
            part.b = p.b + at;
            part.k_steps = p.k_steps - step < steps ? p.k_steps - step : steps;
            part.accumulate = p.accumulate || step > 0;
            multiply_blocks<T>(part, wide);
        }
    }
}

}  // namespace pto::cpu

#else

namespace pto::cpu {

template <typename T>
void multiply_registers(const TilePlan& p);  // not called

}  // namespace pto::cpu

#endif
