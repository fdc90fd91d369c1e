// ConvTile: placement, TLOAD and TSTORE, and the B operand from a filter.
#pragma once

#include <pto/common/conv_tile.hpp>
#include <pto/cpu/core/atomics.hpp>
#include <pto/cpu/layout/slabs.hpp>

namespace pto::cpu {

/// What a ConvTile and a GlobalTensor have in common, in six dimensions: its extents, and its strides in the tile, which
/// is dense, and in global memory. Nothing lies at `size` and behind it in the tile.
struct ConvWalk {
    int64_t extent[6];
    int64_t inside[6];
    int64_t stride[6];
    int64_t size;
};

/// A four-dimensional FRACTAL_Z tile and a tensor that is not cut where the tile is, [C1, H, W, N, C0] or one of other numbers
/// of columns, but lies in one piece: a device takes its lines one after the other (a2a3).
template <typename Tile, typename Global>
inline bool flat_filter(const Tile& tile, const Global& global, ConvWalk& walk)
{
    constexpr int64_t kC0 = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(typename Tile::DType));
    int64_t lines = 1;
    bool dense = global.GetShape(4) == kC0 && global.GetStride(4) == 1;
    for (int dim = 3; dim >= 0; --dim) {
        dense = dense && (global.GetShape(dim) == 1 || global.GetStride(dim) == lines * kC0);
        lines *= global.GetShape(dim);
    }
    if (!dense || global.GetShape(2) == tile.GetShape(1)) {
        return false;
    }
    lines = least(lines, static_cast<int64_t>(tile.GetShape(0)) * tile.GetShape(1) * tile.GetShape(2));
    walk = {{1, 1, 1, 1, lines, kC0}, {0, 0, 0, 0, kC0, 1}, {0, 0, 0, 0, kC0, 1}, lines * kC0};
    return true;
}

/// The dimensions of a ConvTile are those of the tensor, except that NDC1HWC0 and a four-dimensional NC1HWC0 have C0
/// on one side only, and that a four-dimensional FRACTAL_Z tile [C1 H W, N / 16, 16, C0] takes the tensor's first
/// three as two.
template <typename Tile, typename Global>
inline ConvWalk conv_walk(const Tile& tile, const Global& global)
{
    static_assert(Tile::layout == Global::layout, "TLOAD and TSTORE of a ConvTile need the same layout on both sides");
    constexpr int kDims = Tile::totalDimCount;
    constexpr bool kFilter = Tile::layout == Layout::FRACTAL_Z && kDims == 4;
    constexpr bool kFromFirst = Tile::layout == Layout::NC1HWC0 || Tile::layout == Layout::NDC1HWC0;
    constexpr int64_t kC0 = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(typename Tile::DType));
    int64_t own[6] = {1, 1, 1, 1, 1, 1}, whole[6] = {1, 1, 1, 1, 1, 1};  // extents of the tile and of the tensor
    ConvWalk walk{};
    if constexpr (kFilter) {
        if (flat_filter(tile, global, walk)) {
            return walk;
        }
    }
    if constexpr (kDims == 6) {
        for (int dim = 0; dim < 6; ++dim) {
            own[dim] = tile.GetShape(dim);
            whole[dim] = dim == 5 ? own[dim] : global.GetShape(dim);
            walk.stride[dim] = dim == 5 ? 1 : global.GetStride(dim);
        }
    } else {
        for (int dim = 0; dim < 5; ++dim) {
            const int at = kFromFirst ? dim : dim - (5 - kDims);
            own[dim + 1] = kFilter && dim < 2 ? global.GetShape(dim)
                           : at < 0           ? 1
                           : at >= kDims      ? kC0
                                              : tile.GetShape(at);
            whole[dim + 1] = global.GetShape(dim);
            walk.stride[dim + 1] = global.GetStride(dim);
        }
    }
    walk.size = 1;
    for (int dim = 5; dim >= 0; --dim) {
        walk.extent[dim] = least(own[dim], whole[dim]);
        walk.inside[dim] = walk.size;
        walk.size *= own[dim];
    }
    if constexpr (kFilter) {
        walk.size = walk.inside[2] * tile.GetShape(0);
    }
    return walk;
}

/// Calls f(offset in the tile, offset in global memory) for the first element of every innermost line.
template <typename F>
inline void for_each_conv_line(const ConvWalk& walk, F f)
{
    int64_t i[5] = {};
    const int64_t* n = walk.extent;
    for (i[0] = 0; i[0] < n[0]; ++i[0]) {
        for (i[1] = 0; i[1] < n[1]; ++i[1]) {
            for (i[2] = 0; i[2] < n[2]; ++i[2]) {
                for (i[3] = 0; i[3] < n[3]; ++i[3]) {
                    for (i[4] = 0; i[4] < n[4]; ++i[4]) {
                        int64_t at = 0, global_at = 0;
                        for (int dim = 0; dim < 5; ++dim) {
                            at += i[dim] * walk.inside[dim];
                            global_at += i[dim] * walk.stride[dim];
                        }
                        if (at < walk.size) {
                            f(at, global_at);
                        }
                    }
                }
            }
        }
    }
}

template <typename Tile, typename Global>
inline void load_conv(Tile& dst, Global& src)
{
    using T = typename Tile::DType;
    const ConvWalk walk = conv_walk(dst, src);
    for_each_conv_line(walk, [&](int64_t tile_at, int64_t global_at) {
        copy_lines<T>(dst.data() + tile_at, 0, 1, src.data() + global_at, 0, walk.stride[5], 1, walk.extent[5]);
    });
}

template <bool Add, typename Tile, typename Global>
inline void store_conv(Global& dst, Tile& src)
{
    using T = typename Tile::DType;
    const ConvWalk walk = conv_walk(src, dst);
    for_each_conv_line(walk, [&](int64_t tile_at, int64_t global_at) {
        T* to = dst.data() + global_at;
        const T* from = src.data() + tile_at;
        if constexpr (Add) {
            for (int64_t i = 0; i < walk.extent[5]; ++i) {
                atomic_add(to + i * walk.stride[5], from[i]);
            }
        } else {
            copy_lines<T>(to, 0, walk.stride[5], from, 0, 1, 1, walk.extent[5]);
        }
    });
}

/// The B operand from a filter: [C1 H W, N / 16, 16, C0] or [C1, H, W, N, C0]; K runs over (C1, H, W, C0).
template <typename Dst, typename Src>
inline void extract_filter(Dst& dst, Src& src, int64_t k_first, int64_t n_first)
{
    static_assert(Dst::Loc == TileType::Right, "TEXTRACT of a ConvTile fills a Right tile");
    static_assert(
        Src::layout == Layout::FRACTAL_Z || Src::layout == Layout::FRACTAL_Z_3D,
        "TEXTRACT of a ConvTile reads FRACTAL_Z or FRACTAL_Z_3D");
    using T = typename Src::DType;
    static_assert(is_same<T, typename Dst::DType>, "TEXTRACT needs the same element type on both sides");
    constexpr int64_t kC0 = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
    const int64_t columns = Src::totalDimCount == 4 ? src.GetShape(1) * src.GetShape(2) : src.GetShape(3);
    const int64_t k = dst.GetValidRow(), n = dst.GetValidCol();
    dst.operand = reinterpret_cast<const char*>(dst.data());
    dst.operandPanelBytes = right_panel_bytes<Dst>;
    for (int64_t r = 0; r < k;) {
        const int64_t source_k = k_first + r;
        const int64_t rows = least(kC0 - source_k % kC0, k - r);
        T* at = src.data() + (source_k / kC0 * columns + n_first) * kC0 + source_k % kC0;
        put_slab(dst, r, 0, Slab<T>{at, r, 0, rows, n, 1, kC0});
        r += rows;
    }
    pad_operand(dst, k, n);
}

}  // namespace pto::cpu
