// The quantising moves and stores with a tile of quantisation words (TMOV_FP, TEXTRACT_FP, TINSERT_FP, TSTORE_FP) and
// TSTORE with one word. A word scales a column of the accumulator, as on the devices; see requantise.hpp.
#pragma once

#include <pto/cpu/moves/insert.hpp>
#include <pto/cpu/moves/move.hpp>
#include <pto/cpu/moves/store.hpp>

namespace pto {

namespace cpu {

template <bool Add, typename Global, typename Tile, typename Convert>
PTO_INLINE void store_quantised(Global& dst, Tile& src, Convert convert)
{
    static_assert(is_tile_data_v<Tile> && is_global_data_v<Global>, "TSTORE takes a GlobalTensor and a tile");
    static_assert(
        Tile::Loc == TileType::Acc || Tile::Loc == TileType::Mat || Tile::Loc == TileType::Vec,
        "TSTORE with quantisation takes an Acc tile (here also Mat and Vec)");
    using To = typename Global::RawDType;
    using From = typename Tile::DType;
    static_assert(
        sizeof(To) == 1 || is_same<To, half> || (is_same<From, float> && is_same<To, bfloat16_t>) ||
            (is_same<From, int32_t> && is_same<To, int16_t>),
        "TSTORE quantises fp32 to int8, uint8, half or bfloat16_t, and int32 to int8, uint8, half or int16");
    store_converted<Add>(dst, src, convert);
}

}  // namespace cpu

/// Stores an accumulator under one quantisation word, with relu or added to what is in memory where asked for.
template <
    typename TileData, typename GlobalData, AtomicType atomicType = AtomicType::AtomicNone,
    ReluPreMode reluPreMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, uint64_t preQuantScalar, const Events&... events)
{
    TSYNC(events...);
    constexpr bool kRelu = reluPreMode == ReluPreMode::NormalRelu;
    cpu::store_quantised<atomicType == AtomicType::AtomicAdd>(
        dst, src, cpu::QuantiseByScalar<typename GlobalData::RawDType, kRelu>{preQuantScalar});
    return {};
}
template <
    STPhase Phase, typename TileData, typename GlobalData, AtomicType atomicType = AtomicType::AtomicNone,
    ReluPreMode reluPreMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, uint64_t preQuantScalar, const Events&... events)
{
    return TSTORE<TileData, GlobalData, atomicType, reluPreMode>(dst, src, preQuantScalar, events...);
}

/// Stores an accumulator under one quantisation word for each of its columns.
template <
    typename TileData, typename GlobalData, typename FpTileData, AtomicType atomicType = AtomicType::AtomicNone,
    ReluPreMode reluPreMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TSTORE_FP(GlobalData& dst, TileData& src, FpTileData& fp, const Events&... events)
{
    TSYNC(events...);
    constexpr bool kRelu = reluPreMode == ReluPreMode::NormalRelu;
    cpu::store_quantised<atomicType == AtomicType::AtomicAdd>(
        dst, src, cpu::QuantiseByColumn<typename GlobalData::RawDType, kRelu>{cpu::words_of(fp)});
    return {};
}

/// Moves an accumulator under one quantisation word for each of its columns.
template <
    typename Dst, typename Src, typename Fp, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TMOV_FP(Dst& dst, Src& src, Fp& fp, const Events&... events)
{
    TSYNC(events...);
    cpu::extract_converted(dst, src, 0, 0, cpu::ByColumn<Dst, reluMode>{cpu::words_of(fp)});
    return {};
}
template <
    STPhase Phase, typename Dst, typename Src, typename Fp, ReluPreMode reluMode = ReluPreMode::NoRelu,
    typename... Events>
PTO_INST RecordEvent TMOV_FP(Dst& dst, Src& src, Fp& fp, const Events&... events)
{
    return TMOV_FP<Dst, Src, Fp, reluMode>(dst, src, fp, events...);
}

/// As TMOV_FP, from row indexRow and column indexCol of the accumulator on.
template <
    typename Dst, typename Src, typename Fp, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TEXTRACT_FP(
    Dst& dst, Src& src, Fp& fp, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    cpu::extract_converted(dst, src, indexRow, indexCol, cpu::ByColumn<Dst, reluMode>{cpu::words_of(fp)});
    return {};
}

/// As TMOV_FP, to row indexRow and column indexCol of dst on.
template <
    typename Dst, typename Src, typename Fp, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TINSERT_FP(
    Dst& dst, Src& src, Fp& fp, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    cpu::insert_converted(dst, src, indexRow, indexCol, cpu::ByColumn<Dst, reluMode>{cpu::words_of(fp)});
    return {};
}

}  // namespace pto
