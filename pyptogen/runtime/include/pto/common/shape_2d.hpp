// TileShape2D and BaseShape2D: the Shape and Stride of a two-dimensional matrix in a layout of global memory.
#pragma once

#include <pto/common/global_tensor.hpp>

namespace pto {

constexpr int MX_COL_LEN = 2;
constexpr int MX_ROW_LEN = 16;
constexpr int MX_BLOCK_SIZE = 32;

namespace detail {

constexpr int64_t extent_over(int64_t extent, int64_t by) { return extent == DYNAMIC ? DYNAMIC : extent / by; }
constexpr int64_t extent_times(int64_t extent, int64_t by)
{
    return extent == DYNAMIC || by == DYNAMIC ? DYNAMIC : extent * by;
}

/// The five extents and strides of a rows x cols matrix; `Box` is the columns of an NZ box.
template <Layout L, int64_t Box>
struct Extents2D {
    static constexpr bool kNz = L == Layout::NZ;
    static constexpr bool kPlain = L == Layout::ND || L == Layout::DN;

    static constexpr int64_t shape(int dim, int64_t rows, int64_t cols)
    {
        const int64_t row_boxes = extent_over(rows, MX_ROW_LEN), col_boxes = extent_over(cols, MX_ROW_LEN);
        const int64_t row_pairs = extent_over(rows, MX_COL_LEN), col_pairs = extent_over(cols, MX_COL_LEN);
        const int64_t of[5] = {
            1,
            kNz                    ? extent_over(cols, Box)
            : L == Layout::MX_A_ZZ ? row_boxes
            : L == Layout::MX_B_NN ? col_boxes
                                   : 1,
            kPlain                                         ? 1
            : kNz                                          ? extent_over(rows, FRACTAL_NZ_ROW)
            : L == Layout::MX_A_ZZ || L == Layout::MX_A_DN ? col_pairs
            : L == Layout::MX_B_NN || L == Layout::MX_B_ND ? row_pairs
            : L == Layout::MX_A_ND                         ? rows
                                                           : cols,
            kPlain                                                ? rows
            : kNz || L == Layout::MX_A_ZZ || L == Layout::MX_B_NN ? 16
            : L == Layout::MX_A_ND                                ? col_pairs
            : L == Layout::MX_A_DN                                ? rows
            : L == Layout::MX_B_ND                                ? cols
                                                                  : row_pairs,
            kPlain ? cols
            : kNz  ? Box
                   : MX_COL_LEN};
        return of[dim];
    }

    static constexpr int64_t stride(int dim, int64_t rows, int64_t cols)
    {
        const int64_t all = extent_times(rows, cols);
        const int64_t of[5] = {
            all,
            kNz                    ? extent_times(rows, Box)
            : L == Layout::MX_A_ZZ ? extent_times(cols, MX_ROW_LEN)
            : L == Layout::MX_B_NN ? extent_times(rows, MX_ROW_LEN)
                                   : all,
            kPlain                                         ? all
            : kNz                                          ? FRACTAL_NZ_ROW * Box
            : L == Layout::MX_A_ZZ || L == Layout::MX_B_NN ? MX_BLOCK_SIZE
            : L == Layout::MX_A_ND                         ? cols
            : L == Layout::MX_A_DN                         ? extent_times(rows, MX_COL_LEN)
            : L == Layout::MX_B_ND                         ? extent_times(cols, MX_COL_LEN)
                                                           : rows,
            L == Layout::ND   ? cols
            : L == Layout::DN ? 1
            : kNz             ? Box
                              : MX_COL_LEN,
            L == Layout::DN ? rows : 1};
        return of[dim];
    }
};

template <Layout L>
inline constexpr bool has_extents_2d =
    L == Layout::ND || L == Layout::DN || L == Layout::NZ || L == Layout::MX_A_ZZ || L == Layout::MX_A_ND ||
    L == Layout::MX_A_DN || L == Layout::MX_B_NN || L == Layout::MX_B_ND || L == Layout::MX_B_DN;

template <typename T, int64_t Rows, int64_t Cols, Layout L>
struct Shape2D {
    static_assert(has_extents_2d<L>, "TileShape2D and BaseShape2D know ND, DN, NZ and the MX layouts");
    using E = Extents2D<L, C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T))>;
    using Extents = Shape<
        E::shape(0, Rows, Cols), E::shape(1, Rows, Cols), E::shape(2, Rows, Cols), E::shape(3, Rows, Cols),
        E::shape(4, Rows, Cols)>;
    using Strides = Stride<
        E::stride(0, Rows, Cols), E::stride(1, Rows, Cols), E::stride(2, Rows, Cols), E::stride(3, Rows, Cols),
        E::stride(4, Rows, Cols)>;
};

}  // namespace detail

/// The Shape of a matrix of rows x cols elements; DYNAMIC extents go to the constructor.
template <typename T, int64_t rows = DYNAMIC, int64_t cols = DYNAMIC, Layout Layout_ = Layout::ND>
struct TileShape2D : detail::Shape2D<T, rows, cols, Layout_>::Extents {
    using Parent = typename detail::Shape2D<T, rows, cols, Layout_>::Extents;
    using E = typename detail::Shape2D<T, rows, cols, Layout_>::E;
    using Parent::Parent;

    PTO_INLINE TileShape2D() : Parent() {}
    template <typename R, typename C>
    PTO_INLINE TileShape2D(R r, C c) : TileShape2D(static_cast<int64_t>(r), static_cast<int64_t>(c))
    {
    }
    PTO_INLINE TileShape2D(int64_t r, int64_t c)
        : Parent(E::shape(0, r, c), E::shape(1, r, c), E::shape(2, r, c), E::shape(3, r, c), E::shape(4, r, c))
    {
    }
};

/// The Stride of a dense matrix of rows x cols elements; DYNAMIC extents go to the constructor.
template <typename T, int64_t rows = DYNAMIC, int64_t cols = DYNAMIC, Layout Layout_ = Layout::ND>
struct BaseShape2D : detail::Shape2D<T, rows, cols, Layout_>::Strides {
    using Parent = typename detail::Shape2D<T, rows, cols, Layout_>::Strides;
    using E = typename detail::Shape2D<T, rows, cols, Layout_>::E;
    using Parent::Parent;

    PTO_INLINE BaseShape2D() : Parent() {}
    template <typename R, typename C>
    PTO_INLINE BaseShape2D(R r, C c) : BaseShape2D(static_cast<int64_t>(r), static_cast<int64_t>(c))
    {
    }
    PTO_INLINE BaseShape2D(int64_t r, int64_t c)
        : Parent(E::stride(0, r, c), E::stride(1, r, c), E::stride(2, r, c), E::stride(3, r, c), E::stride(4, r, c))
    {
    }
};

}  // namespace pto
