// Tiles as slabs: rectangles of elements with one distance between rows and one between columns.
//
// Every move between two layouts is a walk over the slabs of one side and, inside each, of the other. Those of global
// tensors: global_slabs.hpp.
#pragma once

#include <pto/common/global_tensor.hpp>
#include <pto/cpu/lanes/square.hpp>
#include <pto/cpu/layout/nz_fractals.hpp>
#include <pto/cpu/layout/every.hpp>

namespace pto::cpu {

/// Tiles in panels of 32-byte pieces of rows (Nz), and of columns (Zn).
template <typename Tile>
inline constexpr bool is_nz = Tile::isBoxedLayout && !Tile::isRowMajor && Tile::isInnerRowMajor &&
                              Tile::InnerCols * sizeof(typename Tile::DType) == C0_SIZE_BYTE;
template <typename Tile>
inline constexpr bool is_zn = Tile::isBoxedLayout && Tile::isRowMajor && Tile::isInnerColMajor &&
                              Tile::InnerRows * sizeof(typename Tile::DType) == C0_SIZE_BYTE;

/// Nz tiles whose bytes are as the API says.
template <typename Tile>
inline constexpr bool has_panels = is_nz<Tile> && (Tile::Loc == TileType::Mat || Tile::Loc == TileType::Vec);

/// Elements of a 32-byte piece.
template <typename T>
inline constexpr int64_t kPiece = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));

/// A rectangle of elements: `at` is its element (row, col) of the whole; strides are in elements.
template <typename T>
struct Slab {
    T* at;
    int64_t row, col;
    int64_t rows, cols;
    int64_t row_stride, col_stride;
};

/// Extents of the rectangles in which a tile's elements are evenly spaced, and the distances inside them.
template <typename Tile>
struct SlabShape {
    using T = typename Tile::DType;
    static constexpr bool kLeft = Tile::Loc == TileType::Left, kRight = Tile::Loc == TileType::Right;
    static constexpr bool kAcc = Tile::Loc == TileType::Acc;
    static constexpr bool kPlain = !kLeft && !kRight && !kAcc && !Tile::isBoxedLayout;
    static constexpr bool kNz = Tile::isBoxedLayout && !Tile::isRowMajor && Tile::isInnerRowMajor;
    static constexpr bool kZn = Tile::isBoxedLayout && Tile::isRowMajor && Tile::isInnerColMajor;
    static constexpr int64_t kAll = int64_t(1) << 40;
    static constexpr int64_t kRows = kLeft || kAcc ? 16 : kRight ? 1 : kPlain || kNz ? kAll : Tile::InnerRows;
    static constexpr int64_t kCols = kLeft ? kStepK<T> : kRight || kAcc ? 16 : kPlain || kZn ? kAll : Tile::InnerCols;
    static constexpr int64_t kRowStride = kLeft                   ? kStepK<T>
                                          : kAcc                  ? 64 / static_cast<int64_t>(sizeof(T))
                                          : kRight                ? 0
                                          : kPlain                ? Tile::RowStride
                                          : Tile::isInnerRowMajor ? Tile::InnerCols
                                                                  : 1;
    static constexpr int64_t kColStride = kLeft || kAcc           ? 1
                                          : kRight                ? kGroupK<T>
                                          : kPlain                ? Tile::ColStride
                                          : Tile::isInnerRowMajor ? 1
                                                                  : Tile::InnerRows;
};


/// Calls f(Slab) for the parts of the rectangle of `rows` x `cols` elements from (row, col) on.
template <typename Tile, typename F>
PTO_INLINE void for_each_slab(Tile& tile, int64_t row, int64_t col, int64_t rows, int64_t cols, F f)
{
    using Shape = SlabShape<Tile>;
    using T = typename Tile::DType;
    if constexpr (Shape::kPlain) {
        if (rows > 0 && cols > 0) {
            f(Slab<T>{element_address(tile, row, col), row, col, rows, cols, Shape::kRowStride, Shape::kColStride});
        }
    } else {
        for (int64_t r = row; r < row + rows;) {
            const int64_t height = least(Shape::kRows - r % Shape::kRows, row + rows - r);
            for (int64_t c = col; c < col + cols;) {
                const int64_t width = least(Shape::kCols - c % Shape::kCols, col + cols - c);
                f(Slab<T>{element_address(tile, r, c), r, c, height, width, Shape::kRowStride, Shape::kColStride});
                c += width;
            }
            r += height;
        }
    }
}

/// Copies `lines` lines of `length` elements between memories with any strides (in elements).
template <typename T>
PTO_INLINE void copy_lines(
    T* to, int64_t to_line, int64_t to_step, const T* from, int64_t from_line, int64_t from_step, int64_t lines,
    int64_t length)
{
    if (to_step == 1 && from_step == 1) {
        if (to_line == length && from_line == length) {
            length *= lines;
            lines = lines > 0 ? 1 : 0;
        }
        for (int64_t i = 0; i < lines; ++i) {
            copy_bytes(to + i * to_line, from + i * from_line, length * static_cast<int64_t>(sizeof(T)));
        }
        return;
    }
    if ((to_step == 1 && from_step == 2) || (to_step == 2 && from_step == 1)) {
        for (int64_t i = 0; i < lines; ++i) {
            to_step == 1 ? take_every<2>(to + i * to_line, from + i * from_line, length)
                         : put_every_second(to + i * to_line, from + i * from_line, length);
        }
        return;
    }
    for (int64_t i = 0; i < lines; ++i) {
        for (int64_t j = 0; j < length; ++j) {
            to[i * to_line + j * to_step] = from[i * from_line + j * from_step];
        }
    }
}

constexpr int64_t kLongLine = 512;        // bytes; shorter lines are not worth a look ahead
constexpr int64_t kLoadAhead = 8 * 1024;  // bytes; what follows in memory is asked for into the second cache
constexpr int kIntoL2 = 2;                // locality of __builtin_prefetch

/// Copies long lines of contiguous elements; false, and nothing done, when these are none. What follows them in
/// memory is usually loaded next: the hardware's own prefetching starts anew in every page.
template <typename T>
PTO_INLINE bool load_lines(
    T* to, int64_t to_line, int64_t to_step, const T* from, int64_t from_line, int64_t from_step, int64_t lines,
    int64_t length)
{
    constexpr int64_t kSize = sizeof(T);
    if (to_step != 1 || from_step != 1 || length * kSize < kLongLine) {
        return false;
    }
    if (to_line == length && from_line == length) {
        length *= lines;
        lines = lines > 0 ? 1 : 0;
    }
    for (int64_t r = 0; r < lines; ++r) {
        char* out = reinterpret_cast<char*>(to + r * to_line);
        const char* in = reinterpret_cast<const char*>(from + r * from_line);
        int64_t i = 0;
        for (; i + 256 <= length * kSize; i += 256) {
            PTO_CPU_UNROLL
            for (int u = 0; u < 256; u += 64) {
                __builtin_prefetch(in + i + u + kLoadAhead, 0, kIntoL2);
            }
            PTO_CPU_UNROLL
            for (int u = 0; u < 256; u += kVectorBytes) {
                store_bits(out + i + u, load_bits<vec<uint8_t>>(in + i + u));
            }
        }
        copy_bytes(out + i, in + i, length * kSize - i);
    }
    return true;
}

/// Copies one slab to another of the same extents, along whichever direction both are contiguous in. Where each side is
/// contiguous in another one, in squares.
template <typename T>
PTO_INLINE void copy_slab(
    T* to, int64_t to_rs, int64_t to_cs, const T* from, int64_t from_rs, int64_t from_cs, int64_t rows, int64_t cols)
{
    const bool transposed =
        (to_cs == 1 && from_rs == 1 && from_cs != 1) || (to_rs == 1 && from_cs == 1 && from_rs != 1);
    if (sizeof(T) == 4 && transposed && rows >= kSquare && cols >= kSquare) {
        to_cs == 1 ? transpose_lines(to, to_rs, from, from_cs, cols, rows)
                   : transpose_lines(to, to_cs, from, from_rs, rows, cols);
        return;
    }
    if ((to_rs == 1 && from_rs == 1 && (to_cs != 1 || from_cs != 1 || rows > cols)) ||
        (to_cs != 1 && from_cs != 1 && to_rs == 1)) {
        copy_lines(to, to_cs, to_rs, from, from_cs, from_rs, cols, rows);
    } else {
        copy_lines(to, to_rs, to_cs, from, from_rs, from_cs, rows, cols);
    }
}

/// Rows of contiguous elements into an Nz tile; `col` starts a panel.
template <typename Dst, typename T>
PTO_INLINE void put_rows(Dst& dst, int64_t row, int64_t col, const Slab<T>& from)
{
    constexpr int64_t kSize = sizeof(T);
    fill_panels(
        reinterpret_cast<char*>(dst.data() + col * Dst::Rows + row * kPiece<T>), Dst::Rows * C0_SIZE_BYTE,
        reinterpret_cast<const char*>(from.at), from.row_stride * kSize, from.rows, from.cols * kSize);
}

/// dst(row + i, col + j) = a slab's element (i, j): copies a slab into any tile.
template <typename Dst, typename T>
PTO_INLINE void put_slab(Dst& dst, int64_t row, int64_t col, Slab<T> from)
{
    if constexpr (has_panels<Dst>) {
        if (from.col_stride == 1 && col % kPiece<T> == 0) {
            put_rows(dst, row, col, from);
            return;
        }
    }
    for_each_slab(dst, row, col, from.rows, from.cols, [&](const auto& to) __attribute__((always_inline)) {
        const T* source = from.at + (to.row - row) * from.row_stride + (to.col - col) * from.col_stride;
        copy_slab<T>(to.at, to.row_stride, to.col_stride, source, from.row_stride, from.col_stride, to.rows, to.cols);
    });
}

/// Copies `rows` x `cols` elements from (src_row, src_col) of one tile to (dst_row, dst_col) of another.
template <typename Dst, typename Src>
PTO_INLINE void copy_region(
    Dst& dst, int64_t dst_row, int64_t dst_col, Src& src, int64_t src_row, int64_t src_col, int64_t rows, int64_t cols)
{
    static_assert(
        is_same<typename Dst::DType, typename Src::DType>, "both tiles need the same element type for a plain copy");
    if constexpr (is_packed4_v<typename Dst::DType>) {
        for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < cols; ++c) {
                dst.SetElement(dst_row + r, dst_col + c, src.GetElement(src_row + r, src_col + c));
            }
        }
        return;
    }
    for_each_slab(src, src_row, src_col, rows, cols, [&](const auto& from) __attribute__((always_inline)) {
        put_slab(dst, dst_row + from.row - src_row, dst_col + from.col - src_col, from);
    });
}

/// Sets `rows` x `cols` elements from (row, col) on.
template <typename Tile>
PTO_INLINE void fill_region(
    Tile& tile, int64_t row, int64_t col, int64_t rows, int64_t cols, typename Tile::DType value)
{
    using T = typename Tile::DType;
    if constexpr (is_packed4_v<T>) {
        for (int64_t r = row; r < row + rows; ++r) {
            for (int64_t c = col; c < col + cols; ++c) {
                tile.SetElement(r, c, value);
            }
        }
        return;
    }
    for_each_slab(tile, row, col, rows, cols, [&](const Slab<T>& to) {
        const bool along_rows = to.row_stride == 1 && to.col_stride != 1;
        const int64_t lines = along_rows ? to.cols : to.rows, length = along_rows ? to.rows : to.cols;
        const int64_t line = along_rows ? to.col_stride : to.row_stride;
        const int64_t step = along_rows ? to.row_stride : to.col_stride;
        for (int64_t i = 0; i < lines; ++i) {
            T* at = to.at + i * line;
            if (step == 1) {
                for (int64_t j = 0; j < length; ++j) {
                    at[j] = value;
                }
            } else {
                for (int64_t j = 0; j < length; ++j) {
                    at[j * step] = value;
                }
            }
        }
    });
}

/// A Left or Right tile holds zeros where K is no multiple of a step: sets them after a copy of `rows` x `cols`.
template <typename Tile>
PTO_INLINE void pad_operand(Tile& tile, int64_t rows, int64_t cols)
{
    using T = typename Tile::DType;
    if constexpr (Tile::Loc == TileType::Left) {
        fill_region(tile, 0, cols, rows, round_up(cols, kStepK<T>) - cols, T{});
    } else if constexpr (Tile::Loc == TileType::Right) {
        fill_region(tile, rows, 0, round_up(rows, kStepK<T>) - rows, cols, T{});
    }
}

}  // namespace pto::cpu
