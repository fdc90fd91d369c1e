// Mat tiles to the operands of the matrix unit.
#pragma once

#include <pto/cpu/cube/held_operands.hpp>
#include <pto/cpu/layout/pack.hpp>
#include <pto/cpu/moves/conv.hpp>

namespace pto::cpu {

/// Rows of 32-byte pieces, `panel` bytes from one piece to the next, into the panels of a Left tile; each row of
/// `width` bytes is padded with zeros to whole steps.
#if defined(PTO_CPU_BODIES_APART)
PTO_CPU_SHARED void fill_left_from_panels(
    char* base, int64_t left_panel, const char* from, int64_t panel, int64_t rows, int64_t width);
#else
PTO_CPU_SHARED void fill_left_from_panels(
    char* base, int64_t left_panel, const char* from, int64_t panel, int64_t rows, int64_t width)
{
    for (int64_t first = 0; first < rows; first += 16) {
        const int64_t count = least(16, rows - first);
        char* to = base + left_row_offset(first, left_panel);
        const char* pieces = from + first * C0_SIZE_BYTE;
        for (int64_t at = 0; at < width; at += 64, to += kPanelStep, pieces += 2 * panel) {
            if (count == 16 && at + 64 <= width) {
                join_panels(to, pieces, panel, to + kPanelStep);
                continue;
            }
            const int64_t low = least(C0_SIZE_BYTE, width - at), high = least(C0_SIZE_BYTE, width - at - low);
            for (int64_t r = 0; r < count; ++r) {
                char step[64] = {};
                __builtin_memcpy(step, pieces + r * C0_SIZE_BYTE, low);
                __builtin_memcpy(step + C0_SIZE_BYTE, pieces + (high > 0 ? panel : 0) + r * C0_SIZE_BYTE, high);
                __builtin_memcpy(to + r * 64, step, 64);
            }
        }
    }
}
#endif

/// Packs a [k, n] matrix in Zn fractals (32 bytes of rows x 16 columns, each column contiguous), `block` elements from
/// one block of rows to the next, into 32-column panels.
template <typename T>
inline void pack_zn(char* to, int64_t panel, const T* from, int64_t block, int64_t k, int64_t n)
{
    constexpr int64_t kC0 = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
    for (int64_t col = 0; col < round_up(n, 32); col += 16) {
        const int64_t cols = n - col < 0 ? 0 : least(16, n - col);
        char* half = to + (col >> 5) * panel + ((col >> 4) & 1) * kFragment;
        for (int64_t at = 0; at < k; at += kStepK<T>, half += kPanelStep) {
            const T* fractal = from + at / kC0 * block + col * kC0;
            const int64_t low = least(kC0, k - at), high = least(kC0, k - at - low);
            alignas(64) char step[kFragment];
            if (cols < 16 || high < kC0) {
                __builtin_memset(step, 0, kFragment);
            }
            for (int64_t c = 0; c < cols; ++c) {
                if (high == kC0) {
                    __builtin_memcpy(step + c * 64, fractal + c * kC0, 32);
                    __builtin_memcpy(step + c * 64 + 32, fractal + block + c * kC0, 32);
                } else {
                    __builtin_memcpy(step + c * 64, fractal + c * kC0, low * sizeof(T));
                    __builtin_memcpy(step + c * 64 + 32, fractal + (high > 0 ? block : 0) + c * kC0, high * sizeof(T));
                }
            }
            transpose_fragment(half, step, 64);
        }
    }
}

/// The region of a tile at (row, col) into an operand with zeros up to whole steps, element after element: for places
/// that no device takes.
template <typename Dst, typename Src>
PTO_CPU_OUT_OF_LINE __attribute__((cold)) void extract_elements(Dst& dst, Src& src, int64_t row, int64_t col)
{
    using T = typename Dst::DType;
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    const int64_t all_rows = Dst::Loc == TileType::Right ? round_up(rows, kStepK<T>) : rows;
    const int64_t all_cols = Dst::Loc == TileType::Left ? round_up(cols, kStepK<T>) : cols;
    for (int64_t r = 0; r < all_rows; ++r) {
        for (int64_t c = 0; c < all_cols; ++c) {
            *element_address(dst, r, c) = r < rows && c < cols ? *element_address(src, row + r, col + c) : T{};
        }
    }
}

/// The region of a tile at (row, col) into a Left tile.
template <typename Dst, typename Src>
PTO_INLINE void extract_to_left(Dst& dst, Src& src, int64_t row, int64_t col)
{
    using T = typename Src::DType;
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    if constexpr (is_held_type<T> && Src::Loc == TileType::Mat && is_nz<Src>) {
        char* to = reinterpret_cast<char*>(dst.address());
        if (hold_operand(mat_shape(src), false, row, col, rows, cols, to, left_panel_bytes<Dst>)) {
            return;
        }
    }
    if constexpr (!Src::isBoxedLayout && Src::isRowMajor && Src::Loc != TileType::Left) {
        const T* from = src.data() + row * Src::RowStride + col;
        fill_left(dst, from, Src::RowStride, rows, cols);
        return;
    } else if constexpr (Src::Loc == TileType::Mat && is_nz<Src>) {
        if (col % kPiece<T> == 0) {
            const T* from = src.data() + col * Src::Rows + row * kPiece<T>;
            fill_left_from_panels(
                reinterpret_cast<char*>(dst.data()), left_panel_bytes<Dst>, reinterpret_cast<const char*>(from),
                Src::Rows * C0_SIZE_BYTE, rows, cols * static_cast<int64_t>(sizeof(T)));
            return;
        }
        extract_elements(dst, src, row, col);
    } else {
        copy_region(dst, 0, 0, src, row, col, rows, cols);
        pad_operand(dst, rows, cols);
    }
}

/// The region of a tile at (row, col) into a Right tile.
template <typename Dst, typename Src>
PTO_INLINE void extract_to_right(Dst& dst, Src& src, int64_t row, int64_t col)
{
    using T = typename Src::DType;
    char* to = reinterpret_cast<char*>(dst.address());
    constexpr int64_t kPanel = right_panel_bytes<Dst>;
    constexpr int64_t kC0 = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
    dst.operand = to;
    dst.operandPanelBytes = kPanel;
    const int64_t k = dst.GetValidRow(), n = dst.GetValidCol();
    if constexpr (is_held_type<T> && is_nz<Src>) {
        if (hold_operand(mat_shape(src), true, col, row, n, k, to, kPanel)) {
            return;
        }
    }
    (void)dst.data();
    const T* from = src.data();
    if constexpr (!Src::isBoxedLayout && Src::isRowMajor) {
        pack_row_major(to, kPanel, from + row * Src::RowStride + col, Src::RowStride, k, n);
    } else if constexpr (!Src::isBoxedLayout) {
        pack_column_major(to, kPanel, from + row + col * Src::ColStride, Src::ColStride, k, n);
    } else {
        if constexpr (is_nz<Src>) {
            if (row % 16 == 0 && col % kC0 == 0) {
                from += col * Src::Rows + row * kC0;
                pack_fractal(to, kPanel, from, Src::Rows * kC0, 16 * kC0, kC0, k, n);
                return;
            }
        } else if constexpr (is_zn<Src>) {
            if (row % kC0 == 0) {
                from += row * Src::Cols + col * kC0;
                pack_zn(to, kPanel, from, Src::Cols * kC0, k, n);
                return;
            }
        }
        extract_elements(dst, src, row, col);
    }
}

}  // namespace pto::cpu
