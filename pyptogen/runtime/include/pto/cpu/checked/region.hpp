// The bytes that an operand stands for.
#pragma once

#include <pto/common/global_tensor.hpp>
#include <pto/cpu/layout/global_slabs.hpp>
#include <pto/cpu/moves/assign.hpp>

namespace pto::cpu::checked {

/// `lines` runs of `length` bytes, `pitch` bytes apart, from address `begin` on.
struct Region {
    uintptr_t begin = 0;
    int64_t length = 0;
    int64_t pitch = 0;
    int64_t lines = 0;

    bool empty() const { return length <= 0 || lines <= 0; }
    uintptr_t end() const { return begin + static_cast<uintptr_t>((lines - 1) * pitch + length); }
    bool operator==(const Region&) const = default;
};

/// Whether the run [begin, begin + length) overlaps a region.
inline bool overlaps_run(const Region& region, uintptr_t begin, int64_t length)
{
    const uintptr_t end = begin + static_cast<uintptr_t>(length);
    if (end <= region.begin || begin >= region.end()) {
        return false;
    }
    if (region.lines == 1 || region.pitch == region.length) {
        return true;
    }
    const int64_t into = begin > region.begin ? static_cast<int64_t>(begin - region.begin) : 0;
    const int64_t line = into / region.pitch;
    const bool in_line = into % region.pitch < region.length;
    const uintptr_t next = region.begin + static_cast<uintptr_t>((line + 1) * region.pitch);
    return in_line || (line + 1 < region.lines && end > next);
}

inline bool overlap(const Region& a, const Region& b)
{
    if (a.empty() || b.empty() || a.end() <= b.begin || b.end() <= a.begin) {
        return false;
    }
    const Region& few = a.lines <= b.lines ? a : b;
    const Region& many = a.lines <= b.lines ? b : a;
    for (int64_t i = 0; i < few.lines; ++i) {
        if (overlaps_run(many, few.begin + static_cast<uintptr_t>(i * few.pitch), few.length)) {
            return true;
        }
    }
    return false;
}

/// Adds one more line to a region where it goes on as it has so far. False when it does not.
inline bool extend(Region& region, const Region& line)
{
    if (region.lines == 1 && line.begin == region.begin + static_cast<uintptr_t>(region.length)) {
        region.length += line.length;
        region.pitch = region.length;
        return true;
    }
    const bool second = region.lines == 1 && line.begin > region.end();
    const auto pitch = second ? static_cast<int64_t>(line.begin - region.begin) : region.pitch;
    if (line.length != region.length || (!second && region.lines == 1) ||
        line.begin != region.begin + static_cast<uintptr_t>(region.lines * pitch)) {
        return false;
    }
    region.pitch = pitch;
    ++region.lines;
    return true;
}

/// Where a region of a tile begins, as kernels count: memories of the matrix unit have more bytes here than there.
inline uintptr_t named_offset(TileType loc, const Region& region)
{
    const auto base = reinterpret_cast<uintptr_t>(pool_address(loc, 0));
    return (region.begin - base) / CorePools::spread(loc);
}

template <typename Tile>
inline constexpr bool is_plain_vec = Tile::Loc == TileType::Vec && !Tile::isBoxedLayout;

/// The valid region of a plain Vec tile, all of any other tile. Lines of int4 are as many bytes apart as they have
/// elements.
template <typename Tile>
inline Region region_of_tile(const Tile& tile)
{
    const auto begin = reinterpret_cast<uintptr_t>(tile.data());
    if constexpr (is_plain_vec<Tile>) {
        using T = typename Tile::DType;
        constexpr int64_t kSize = sizeof(T), kPacked = is_packed4_v<T> ? 2 : 1,
                          kPerByte = is_same<T, int4b_t> ? 2 : kPacked;
        const int64_t rows = tile.GetValidRow(), cols = tile.GetValidCol();
        const int64_t lines = Tile::isRowMajor ? rows : cols, elements = Tile::isRowMajor ? cols : rows;
        constexpr int64_t kPitch = Tile::isRowMajor ? Tile::RowStride : Tile::ColStride;
        return {begin, (elements * kSize + kPerByte - 1) / kPerByte, kPitch * kSize / kPacked, lines};
    } else {
        const auto bytes = static_cast<int64_t>(tile_bytes<Tile>());
        const bool nothing = tile.GetValidRow() == 0 || tile.GetValidCol() == 0;
        return {begin, nothing ? 0 : bytes, bytes, 1};
    }
}

/// The part of a GlobalTensor that a tile of tile_rows x tile_cols covers: exact for two dimensions in ND or DN order,
/// otherwise nothing, because an interval would claim bytes that belong to others.
template <typename Global>
inline Region region_of_global(const Global& tensor, int64_t tile_rows, int64_t tile_cols)
{
    constexpr int64_t kSize = sizeof(typename Global::RawDType);
    if (tensor.GetShape(0) * tensor.GetShape(1) * tensor.GetShape(2) != 1 ||
        (Global::layout != Layout::ND && Global::layout != Layout::DN)) {
        return {};
    }
    const auto begin = reinterpret_cast<uintptr_t>(tensor.data());
    const auto [rows, cols] = covered(tensor, tile_rows, tile_cols);
    if (tensor.GetStride(4) == 1) {
        const int64_t pitch = tensor.GetStride(3) * kSize;
        return {begin, cols * kSize, pitch, pitch == 0 && rows > 1 ? 1 : rows};
    }
    return tensor.GetStride(3) == 1 ? Region{begin, rows * kSize, tensor.GetStride(4) * kSize, cols} : Region{};
}

}  // namespace pto::cpu::checked
