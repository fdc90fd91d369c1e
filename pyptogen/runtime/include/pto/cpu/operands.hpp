// Mat tiles to the operands of the matrix unit.
#pragma once

#include <pto/cpu/conv.hpp>
#include <pto/cpu/pack.hpp>

namespace pto::cpu {

/// Rows of 32-byte pieces, `panel` elements apart, into a Left tile; each row is padded with zeros to whole steps.
template <typename Tile, typename T>
PTO_INLINE void fill_left_from_panels(Tile& dst, const T* from, int64_t panel, int64_t rows, int64_t cols)
{
    constexpr int64_t kBox = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
    char* base = reinterpret_cast<char*>(dst.data());
    for (int64_t first = 0; first < rows; first += 16) {
        const int64_t count = least(16, rows - first);
        char* to = base + left_row_offset(first, left_panel_bytes<Tile>);
        const T* box = from + first * kBox;
        int64_t c = 0;
        for (; c + 2 * kBox <= cols; c += 2 * kBox, to += kPanelStep, box += 2 * panel) {
            if (count == 16) {
                join_panels(
                    to, reinterpret_cast<const char*>(box), panel * static_cast<int64_t>(sizeof(T)), to + kPanelStep);
                continue;
            }
            for (int64_t r = 0; r < count; ++r) {
                __builtin_memcpy(to + r * 64, box + r * kBox, 32);
                __builtin_memcpy(to + r * 64 + 32, box + panel + r * kBox, 32);
            }
        }
        if (c < cols) {
            const int64_t low = least(kBox, cols - c), high = cols - c - low;
            for (int64_t r = 0; r < count; ++r) {
                char step[64] = {};
                __builtin_memcpy(step, box + r * kBox, low * sizeof(T));
                __builtin_memcpy(step + 32, box + (high > 0 ? panel : 0) + r * kBox, high * sizeof(T));
                __builtin_memcpy(to + r * 64, step, 64);
            }
        }
    }
}

/// Packs a [k, n] matrix in Zn boxes (32 bytes of rows x 16 columns, each column contiguous), `block` elements from one
/// block of rows to the next, into 32-column panels.
template <typename T>
inline void pack_zn(char* to, int64_t panel, const T* from, int64_t block, int64_t k, int64_t n)
{
    constexpr int64_t kBox = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
    for (int64_t col = 0; col < round_up(n, 32); col += 16) {
        const int64_t cols = n - col < 0 ? 0 : least(16, n - col);
        char* half = to + (col >> 5) * panel + ((col >> 4) & 1) * kFragment;
        for (int64_t at = 0; at < k; at += kStepK<T>, half += kPanelStep) {
            const T* box = from + at / kBox * block + col * kBox;
            const int64_t low = least(kBox, k - at), high = least(kBox, k - at - low);
            alignas(64) char step[kFragment];
            if (cols < 16 || high < kBox) {
                __builtin_memset(step, 0, kFragment);
            }
            for (int64_t c = 0; c < cols; ++c) {
                if (high == kBox) {
                    __builtin_memcpy(step + c * 64, box + c * kBox, 32);
                    __builtin_memcpy(step + c * 64 + 32, box + block + c * kBox, 32);
                } else {
                    __builtin_memcpy(step + c * 64, box + c * kBox, low * sizeof(T));
                    __builtin_memcpy(step + c * 64 + 32, box + (high > 0 ? block : 0) + c * kBox, high * sizeof(T));
                }
            }
            transpose_fragment(half, step, 64);
        }
    }
}

/// The region of a tile at (row, col) into a Left tile.
template <typename Dst, typename Src>
PTO_INLINE void extract_to_left(Dst& dst, Src& src, int64_t row, int64_t col)
{
    using T = typename Src::DType;
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    if constexpr (!Src::isBoxedLayout && Src::isRowMajor && Src::Loc != TileType::Left) {
        const T* from = src.data() + row * Src::RowStride + col;
        fill_left(dst, from, Src::RowStride, rows, cols);
        return;
    } else if constexpr (Src::Loc == TileType::Mat && is_nz<Src>) {
        constexpr int64_t kBox = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
        if (col % kBox == 0) {
            const T* from = src.data() + col * Src::Rows + row * kBox;
            fill_left_from_panels(dst, from, Src::Rows * kBox, rows, cols);
            return;
        }
    }
    copy_region(dst, 0, 0, src, row, col, rows, cols);
    pad_operand(dst, rows, cols);
}

/// The region of a tile at (row, col) into a Right tile.
template <typename Dst, typename Src>
PTO_INLINE void extract_to_right(Dst& dst, Src& src, int64_t row, int64_t col)
{
    using T = typename Src::DType;
    char* to = reinterpret_cast<char*>(dst.data());
    constexpr int64_t kPanel = right_panel_bytes<Dst>;
    constexpr int64_t kBox = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
    dst.operand = to;
    dst.operandPanelBytes = kPanel;
    const int64_t k = dst.GetValidRow(), n = dst.GetValidCol();
    const T* from = src.data();
    if constexpr (!Src::isBoxedLayout && Src::isRowMajor) {
        pack_row_major(to, kPanel, from + row * Src::RowStride + col, Src::RowStride, k, n);
    } else if constexpr (!Src::isBoxedLayout) {
        pack_column_major(to, kPanel, from + row + col * Src::ColStride, Src::ColStride, k, n);
    } else {
        if constexpr (is_nz<Src>) {
            if (row % 16 == 0 && col % kBox == 0) {
                from += col * Src::Rows + row * kBox;
                pack_fractal(to, kPanel, from, Src::Rows * kBox, 16 * kBox, kBox, k, n);
                return;
            }
        } else if constexpr (is_zn<Src>) {
            if (row % kBox == 0) {
                from += row * Src::Cols + col * kBox;
                pack_zn(to, kPanel, from, Src::Cols * kBox, k, n);
                return;
            }
        }
        copy_region(dst, 0, 0, src, row, col, k, n);
        pad_operand(dst, k, n);
    }
}

}  // namespace pto::cpu
