// TROWCUMSUM and TROWCUMPROD: running sums and products along the rows of a tile. An extension of the API for CPUs.
//
//     TROWCUMSUM(sums, a, before);
//
// sums(r, c) = before(r, last) + a(r, 0) + ... + a(r, c), added from left to right. `before` may be the end of `sums`,
// so that the next part of longer rows goes on from there.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/lanes/operators.hpp>
#include <pto/cpu/lanes/square.hpp>
#include <pto/cpu/layout/slabs.hpp>
#include <pto/cpu/isa/operands.hpp>

namespace pto {

namespace cpu {

struct RunningSum {
    template <typename V>
    PTO_INLINE static void step(V& total, const V& a)
    {
        total += a;
    }
};

struct RunningProduct {
    template <typename V>
    PTO_INLINE static void step(V& total, const V& a)
    {
        total *= a;
    }
};

/// Up to eight rows. Columns of eight elements are transposed, so that one addition is a step of all rows: a step waits
/// for the one before, and rows by themselves would wait each for its own. U is unsigned for whole numbers: sums wrap.
template <typename Op, typename U>
PTO_INLINE void run_rows(
    U* to, int64_t to_line, const U* from, int64_t from_line, U* totals, int64_t rows, int64_t cols)
{
    int64_t c = 0;
    if constexpr (sizeof(U) == 4) {
        using V = typename VectorOf<U, 4 * kSquare>::type;
        V total;
        __builtin_memcpy(&total, totals, sizeof(V));
        for (; c + kSquare <= cols; c += kSquare) {
            V v[kSquare];
            PTO_CPU_UNROLL
            for (int r = 0; r < kSquare; ++r) {  // rows that are not there are the last one again
                __builtin_memcpy(&v[r], from + least(int64_t(r), rows - 1) * from_line + c, sizeof(V));
            }
            transpose_square(v);
            PTO_CPU_UNROLL
            for (int i = 0; i < kSquare; ++i) {
                Op::step(total, v[i]);
                v[i] = total;
            }
            transpose_square(v);
            PTO_CPU_UNROLL
            for (int r = 0; r < kSquare; ++r) {
                if (r < rows) {
                    __builtin_memcpy(to + r * to_line + c, &v[r], sizeof(V));
                }
            }
        }
        __builtin_memcpy(totals, &total, sizeof(V));
    }
    for (; c < cols; ++c) {
        for (int64_t r = 0; r < rows; ++r) {
            Op::step(totals[r], from[r * from_line + c]);
            to[r * to_line + c] = totals[r];
        }
    }
}

template <typename Op, typename Dst, typename Src, typename Before>
PTO_INLINE void running(Dst& dst, Src& src, Before& before)
{
    using T = typename Dst::DType;
    using U = typename Unsigned<T>::type;
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    U* to = reinterpret_cast<U*>(dst.data());
    const U* from = reinterpret_cast<const U*>(src.data());
    const U* first = reinterpret_cast<const U*>(before.data()) + before.GetValidCol() - 1;
    for (int64_t r = 0; r < rows; r += kSquare) {
        const int64_t height = least(int64_t(kSquare), rows - r);
        U totals[kSquare] = {};
        for (int64_t i = 0; i < height; ++i) {
            totals[i] = first[(r + i) * Before::RowStride];
        }
        U* line = to + r * Dst::RowStride;
        const U* source = from + r * Src::RowStride;
        if (height == kSquare) {
            run_rows<Op>(line, Dst::RowStride, source, Src::RowStride, totals, kSquare, cols);
        } else {
            run_rows<Op>(line, Dst::RowStride, source, Src::RowStride, totals, height, cols);
        }
    }
}

}  // namespace cpu

/// dst(r, c) = before(r, last) + src(r, 0) + ... + src(r, c), from left to right
template <typename Dst, typename Src, typename Before, typename... Events>
PTO_INST RecordEvent TROWCUMSUM(Dst& dst, Src& src, Before& before, const Events&...)
{
    PTO_OPERANDS(TROWCUMSUM, dst, src, before);
    cpu::running<cpu::RunningSum>(dst, src, before);
    return {};
}

/// dst(r, c) = before(r, last) * src(r, 0) * ... * src(r, c), from left to right
template <typename Dst, typename Src, typename Before, typename... Events>
PTO_INST RecordEvent TROWCUMPROD(Dst& dst, Src& src, Before& before, const Events&...)
{
    PTO_OPERANDS(TROWCUMPROD, dst, src, before);
    cpu::running<cpu::RunningProduct>(dst, src, before);
    return {};
}

}  // namespace pto
