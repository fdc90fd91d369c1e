// TINSERT: a tile into a part of a larger one.
#pragma once

#include <pto/cpu/moves/move.hpp>

namespace pto {

/// dst(indexRow + i, indexCol + j) = src(i, j) over src's valid region; an fp32 accumulator casts.
template <typename Dst, typename Src, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TINSERT(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TINSERT, dst, src);
    cpu::insert(dst, src, indexRow, indexCol);
    return {};
}

/// The forms with relu (from Acc) or a choice of the vector cores that receive.
template <typename Dst, typename Src, ReluPreMode reluMode, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TINSERT(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    if constexpr (reluMode == ReluPreMode::NoRelu) {
        PTO_OPERANDS(TINSERT, dst, src);
        cpu::insert(dst, src, indexRow, indexCol);
    } else {
        PTO_OPERANDS(TINSERT_CONVERTED, dst, src);
        cpu::insert_converted(dst, src, indexRow, indexCol, cpu::Cast<Dst, reluMode>{});
    }
    return {};
}
template <typename Dst, typename Src, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TINSERT(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    return TINSERT<Dst, Src, reluMode>(dst, src, indexRow, indexCol, events...);
}

/// The forms that quantise an accumulator with one word for all columns.
template <typename Dst, typename Src, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(is_tile_data_v<Src> && cpu::are_waits<Events...>)
PTO_INST RecordEvent
TINSERT(Dst& dst, Src& src, uint64_t preQuantScalar, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TINSERT_CONVERTED, dst, src);
    cpu::insert_converted(dst, src, indexRow, indexCol, cpu::ByScalar<Dst, reluMode>{preQuantScalar});
    return {};
}
template <typename Dst, typename Src, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent
TINSERT(Dst& dst, Src& src, uint64_t preQuantScalar, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    return TINSERT<Dst, Src, reluMode>(dst, src, preQuantScalar, indexRow, indexCol, events...);
}

/// Quantises an accumulator with one word for each of its columns.
template <
    typename Dst, typename Src, typename Fp, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu,
    typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TINSERT(Dst& dst, Src& src, Fp& fp, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TINSERT_FP, dst, src, fp);
    cpu::insert_converted(dst, src, indexRow, indexCol, cpu::ByColumn<Dst, reluMode>{cpu::words_of(fp)});
    return {};
}

/// A Vec tile of fractals into a Mat tile in two or four transfers, which is one here.
template <TInsertMode mode, typename Dst, typename Src, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TINSERT(Dst& dst, Src& src, uint16_t indexRow = 0, uint16_t indexCol = 0, const Events&... events)
{
    return TINSERT(dst, src, indexRow, indexCol, events...);
}

}  // namespace pto
