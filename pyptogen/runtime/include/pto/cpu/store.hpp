// TSTORE: a tile to global memory.
#pragma once

#include <pto/cpu/accumulator.hpp>
#include <pto/cpu/load.hpp>

namespace pto {

namespace cpu {

template <typename Tile, typename Global>
PTO_INLINE void store_vec(Global& dst, Tile& src)
{
    static_assert(is_same<typename Tile::DType, typename Global::RawDType>, "TSTORE of a Vec tile does not convert");
    static_assert(!Tile::isBoxedLayout, "TSTORE of a Vec tile needs an unboxed (ND or DN) tile");
    constexpr bool kRows = Tile::isRowMajor;
    constexpr int64_t kPitch = kRows ? Tile::RowStride : Tile::ColStride;
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    for_each_part<kRows>(dst, kRows ? rows : cols, [&](auto* to, int64_t first, int64_t count) {
        using T = typename Tile::DType;
        copy_lines(
            to, dst.GetStride(kRows ? 3 : 4), dst.GetStride(kRows ? 4 : 3),
            static_cast<const T*>(src.data() + first * kPitch), kPitch, int64_t(1), count, kRows ? cols : rows);
    });
}

template <typename Tile, typename Global>
PTO_INLINE void store_acc(Global& dst, Tile& src)
{
    using To = typename Global::RawDType;
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    static_assert(Global::layout == Layout::ND, "TSTORE of an Acc tile writes ND memory");
    for_each_part<true>(dst, rows, [&](To* to, int64_t first, int64_t count) {
        for (int64_t r = 0; r < count; ++r) {
            copy_acc_row(to + r * dst.GetStride(3), src, first + r, 0, cols);
        }
    });
}

}  // namespace cpu

/// Stores the valid region of src to global memory. Vec tiles are copied; Acc tiles may become fp32, half or bfloat16_t
/// (from fp32) or int32 (from int32).
template <typename TileData, typename GlobalData, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, const Events&...)
{
    static_assert(is_tile_data_v<TileData> && is_global_data_v<GlobalData>, "TSTORE takes a GlobalTensor and a tile");
    static_assert(
        GlobalData::layout == Layout::ND || GlobalData::layout == Layout::DN, "TSTORE writes ND or DN memory");
    if constexpr (TileData::Loc == TileType::Vec) {
        cpu::store_vec(dst, src);
    } else {
        static_assert(TileData::Loc == TileType::Acc, "TSTORE takes Vec and Acc tiles");
        cpu::store_acc(dst, src);
    }
    return {};
}

/// The forms with explicit template arguments. Atomic addition and relu on the way out are not part of this
/// implementation yet.
template <
    typename TileData, typename GlobalData, AtomicType atomicType, ReluPreMode reluPreMode = ReluPreMode::NoRelu,
    typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, const Events&... events)
{
    static_assert(atomicType == AtomicType::AtomicNone, "TSTORE with atomic addition is not supported on the CPU");
    static_assert(reluPreMode == ReluPreMode::NoRelu, "TSTORE with relu is not supported on the CPU");
    return TSTORE(dst, src, events...);
}

template <STPhase Phase, typename TileData, typename GlobalData, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, const Events&... events)
{
    return TSTORE(dst, src, events...);
}

}  // namespace pto
