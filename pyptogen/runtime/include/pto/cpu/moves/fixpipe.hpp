// The quantising moves and stores with a tile of quantisation words (TMOV_FP, TEXTRACT_FP, TINSERT_FP, TSTORE_FP) and
// TSTORE with one word. A word scales a column of the accumulator, as on the devices; see requantise.hpp.
#pragma once

#include <pto/cpu/moves/insert.hpp>
#include <pto/cpu/moves/move.hpp>
#include <pto/cpu/moves/store.hpp>

namespace pto {

namespace cpu {

/// Stores what Quantise makes of a value under words.
template <
    bool Add, template <typename, bool> typename Quantise, ReluPreMode Relu, typename Global, typename Tile,
    typename Words>
PTO_INLINE void store_quantised(Global& dst, Tile& src, Words words)
{
    store_converted<Add>(dst, src, Quantise<typename Global::RawDType, Relu == ReluPreMode::NormalRelu>{words});
}

}  // namespace cpu

/// Stores an accumulator under one quantisation word, with relu or added to what is in memory where asked for.
template <
    typename TileData, typename GlobalData, AtomicType atomicType = AtomicType::AtomicNone,
    ReluPreMode reluPreMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, uint64_t preQuantScalar, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TSTORE_CONVERTED, dst, src);
    constexpr bool kAdd = atomicType == AtomicType::AtomicAdd;
    cpu::store_quantised<kAdd, cpu::QuantiseByScalar, reluPreMode>(dst, src, preQuantScalar);
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
    PTO_OPERANDS(TSTORE_FP, dst, src, fp);
    constexpr bool kAdd = atomicType == AtomicType::AtomicAdd;
    cpu::store_quantised<kAdd, cpu::QuantiseByColumn, reluPreMode>(dst, src, cpu::words_of(fp));
    return {};
}

/// Moves an accumulator under one quantisation word for each of its columns.
template <typename Dst, typename Src, typename Fp, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TMOV_FP(Dst& dst, Src& src, Fp& fp, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMOV_FP, dst, src, fp);
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
template <typename Dst, typename Src, typename Fp, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent
TEXTRACT_FP(Dst& dst, Src& src, Fp& fp, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TEXTRACT_FP, dst, src, fp);
    cpu::extract_converted(dst, src, indexRow, indexCol, cpu::ByColumn<Dst, reluMode>{cpu::words_of(fp)});
    return {};
}

/// As TMOV_FP, to row indexRow and column indexCol of dst on.
template <typename Dst, typename Src, typename Fp, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent
TINSERT_FP(Dst& dst, Src& src, Fp& fp, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TINSERT_FP, dst, src, fp);
    cpu::insert_converted(dst, src, indexRow, indexCol, cpu::ByColumn<Dst, reluMode>{cpu::words_of(fp)});
    return {};
}

}  // namespace pto
