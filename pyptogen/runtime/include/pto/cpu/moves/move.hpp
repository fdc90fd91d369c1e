// TMOV and TEXTRACT: between and within the memories of a core.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/moves/move_region.hpp>

namespace pto {

namespace cpu {

/// Converters to the element type of what an accumulator is moved to.
template <typename Dst, ReluPreMode Mode>
using Cast = CastValue<typename Dst::DType, Mode == ReluPreMode::NormalRelu>;
template <typename Dst, ReluPreMode Mode>
using ByScalar = QuantiseByScalar<typename Dst::DType, Mode == ReluPreMode::NormalRelu>;
template <typename Dst, ReluPreMode Mode>
using ByColumn = QuantiseByColumn<typename Dst::DType, Mode == ReluPreMode::NormalRelu>;

/// The quantisation words of a Scaling tile, one for each column; none from a tile whose elements are not 64-bit
/// words, and then values are only cast.
template <typename Fp>
PTO_INLINE const uint64_t* words_of(Fp& fp)
{
    if constexpr (sizeof(typename Fp::DType) == 8) {
        return reinterpret_cast<const uint64_t*>(fp.data());
    } else {
        return nullptr;
    }
}

/// One-byte scales, a line for each 32 rows of the data, to the fractals of 16 x 2 of the transposed Zz tile.
template <typename Dst, typename Src>
PTO_INLINE void transpose_scales(Dst& dst, Src& src)
{
    static_assert(
        sizeof(typename Dst::DType) == 1 && sizeof(typename Src::DType) == 1, "TMOV<0> moves scales of one byte");
    static_assert(
        Dst::isRowMajor && Dst::isInnerRowMajor && Dst::SFractalSize == TileConfig::fractalMxSize,
        "TMOV<0> needs a Zz tile with fractals of 16 x 2 as its destination");
    static_assert(Src::isRowMajor && !Src::isBoxedLayout, "TMOV<0> needs a row-major source");
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol(), fractals = (rows + 1) / 2;
    auto* to = reinterpret_cast<uint8_t*>(dst.data());
    const auto* from = reinterpret_cast<const uint8_t*>(src.data());
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
            to[(c / 16 * fractals + r / 2) * TileConfig::fractalMxSize + c % 16 * 2 + r % 2] =
                from[r * Src::RowStride + c];
        }
    }
}

}  // namespace cpu

/// Moves a tile to another memory or layout. Between Vec tiles the valid regions' common part moves, as bits where the
/// elements have the same size; otherwise dst's valid region decides, and another element type is a cast.
template <typename Dst, typename Src, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMOV, dst, src);
    if constexpr ((cpu::place_of<Dst>() & cpu::place_of<Src>()) == cpu::place_bit(TileType::Vec)) {
        cpu::move_vec(dst, src);
    } else {
        cpu::extract(dst, src, 0, 0);
    }
    return {};
}

/// The forms with a scratch tile, which is not needed here.
template <typename Dst, typename Src, typename Tmp, typename... Events>
    requires(is_tile_data_v<Tmp> && cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, Tmp&, const Events&... events)
{
    return TMOV(dst, src, events...);
}

/// Moves the scales of an MX quantisation to the order of the matrix unit (Zz). Axis 1: groups of 32 columns, a plain
/// move. Axis 0: groups of 32 rows; src has a row for each group, dst their transpose.
template <int GroupAxis, typename Dst, typename Src, typename Tmp, typename... Events>
    requires(is_tile_data_v<Tmp> && cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, Tmp&, const Events&... events)
{
    static_assert(GroupAxis == 0 || GroupAxis == 1, "TMOV takes the axis of the groups: 0 (rows) or 1 (columns)");
    if constexpr (GroupAxis == 1) {
        return TMOV(dst, src, events...);
    } else {
        TSYNC(events...);
        PTO_OPERANDS(TMOV, dst, src);
        cpu::transpose_scales(dst, src);
        return {};
    }
}

/// The forms with relu (from Acc), a phase, or a choice of the vector cores that receive.
template <STPhase Phase, typename Dst, typename Src, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, const Events&... events)
{
    return TMOV(dst, src, events...);
}
template <STPhase Phase, typename Dst, typename Src, ReluPreMode reluMode, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, const Events&... events)
{
    return TMOV<Dst, Src, reluMode>(dst, src, events...);
}
template <typename Dst, typename Src, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, const Events&... events)
{
    TSYNC(events...);
    if constexpr (reluMode == ReluPreMode::NoRelu) {
        PTO_OPERANDS(TMOV, dst, src);
        cpu::extract(dst, src, cpu::split_row<mode>(dst), cpu::split_col<mode>(dst));
    } else {
        PTO_OPERANDS(TMOV_CONVERTED, dst, src);
        cpu::extract_converted(
            dst, src, cpu::split_row<mode>(dst), cpu::split_col<mode>(dst), cpu::Cast<Dst, reluMode>{});
    }
    return {};
}
template <typename Dst, typename Src, ReluPreMode reluMode, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, const Events&... events)
{
    return TMOV<Dst, Src, AccToVecMode::SingleModeVec0, reluMode>(dst, src, events...);
}
template <
    STPhase Phase, typename Dst, typename Src, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu,
    typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, const Events&... events)
{
    return TMOV<Dst, Src, mode, reluMode>(dst, src, events...);
}

/// The forms that quantise an accumulator with one word for all columns.
template <typename Dst, typename Src, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(is_tile_data_v<Src> && cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, uint64_t preQuantScalar, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMOV_CONVERTED, dst, src);
    cpu::extract_converted(dst, src, 0, 0, cpu::ByScalar<Dst, reluMode>{preQuantScalar});
    return {};
}
template <STPhase Phase, typename Dst, typename Src, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, uint64_t preQuantScalar, const Events&... events)
{
    return TMOV<Dst, Src, reluMode>(dst, src, preQuantScalar, events...);
}
template <typename Dst, typename Src, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, uint64_t preQuantScalar, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMOV_CONVERTED, dst, src);
    cpu::extract_converted(
        dst, src, cpu::split_row<mode>(dst), cpu::split_col<mode>(dst), cpu::ByScalar<Dst, reluMode>{preQuantScalar});
    return {};
}
template <
    STPhase Phase, typename Dst, typename Src, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu,
    typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, uint64_t preQuantScalar, const Events&... events)
{
    return TMOV<Dst, Src, mode, reluMode>(dst, src, preQuantScalar, events...);
}

/// The forms that quantise an accumulator with one word for each column.
template <
    typename Dst, typename Src, typename Fp, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu,
    typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, Fp& fp, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMOV_FP, dst, src, fp);
    cpu::extract_converted(
        dst, src, cpu::split_row<mode>(dst), cpu::split_col<mode>(dst),
        cpu::ByColumn<Dst, reluMode>{cpu::words_of(fp)});
    return {};
}
template <
    STPhase Phase, typename Dst, typename Src, typename Fp, AccToVecMode mode,
    ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, Fp& fp, const Events&... events)
{
    return TMOV<Dst, Src, Fp, mode, reluMode>(dst, src, fp, events...);
}

/// As TMOV, from row indexRow and column indexCol of the source on; dst's valid region decides the extent.
template <typename Dst, typename Src, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TEXTRACT(Dst& dst, Src& src, uint16_t indexRow = 0, uint16_t indexCol = 0, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TEXTRACT, dst, src);
    cpu::extract(dst, src, indexRow, indexCol);
    return {};
}

/// The forms with relu (from Acc) or a choice of the vector cores that receive.
template <typename Dst, typename Src, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TEXTRACT(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    if constexpr (reluMode == ReluPreMode::NoRelu) {
        PTO_OPERANDS(TEXTRACT, dst, src);
        cpu::extract(dst, src, indexRow + cpu::split_row<mode>(dst), indexCol + cpu::split_col<mode>(dst));
    } else {
        PTO_OPERANDS(TEXTRACT_CONVERTED, dst, src);
        cpu::extract_converted(
            dst, src, indexRow + cpu::split_row<mode>(dst), indexCol + cpu::split_col<mode>(dst),
            cpu::Cast<Dst, reluMode>{});
    }
    return {};
}
template <typename Dst, typename Src, ReluPreMode reluMode, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TEXTRACT(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    return TEXTRACT<Dst, Src, AccToVecMode::SingleModeVec0, reluMode>(dst, src, indexRow, indexCol, events...);
}

/// The forms that quantise an accumulator with one word for all columns.
template <typename Dst, typename Src, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(is_tile_data_v<Src> && cpu::are_waits<Events...>)
PTO_INST RecordEvent
TEXTRACT(Dst& dst, Src& src, uint64_t preQuantScalar, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TEXTRACT_CONVERTED, dst, src);
    cpu::extract_converted(dst, src, indexRow, indexCol, cpu::ByScalar<Dst, reluMode>{preQuantScalar});
    return {};
}
template <typename Dst, typename Src, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu, typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent
TEXTRACT(Dst& dst, Src& src, uint64_t preQuantScalar, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TEXTRACT_CONVERTED, dst, src);
    cpu::extract_converted(
        dst, src, indexRow + cpu::split_row<mode>(dst), indexCol + cpu::split_col<mode>(dst),
        cpu::ByScalar<Dst, reluMode>{preQuantScalar});
    return {};
}

/// Quantises an accumulator with one word for each of its columns.
template <
    typename Dst, typename Src, typename Fp, AccToVecMode mode, ReluPreMode reluMode = ReluPreMode::NoRelu,
    typename... Events>
    requires(cpu::are_waits<Events...>)
PTO_INST RecordEvent TEXTRACT(Dst& dst, Src& src, Fp& fp, uint16_t indexRow, uint16_t indexCol, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TEXTRACT_FP, dst, src, fp);
    cpu::extract_converted(
        dst, src, indexRow + cpu::split_row<mode>(dst), indexCol + cpu::split_col<mode>(dst),
        cpu::ByColumn<Dst, reluMode>{cpu::words_of(fp)});
    return {};
}

/// Two regions of one row-major Vec tile to two of fractals.
template <typename Dst0, typename Dst1, typename Src, typename... Events>
    requires(is_tile_data_v<Src> && is_tile_data_v<Dst1> && cpu::are_waits<Events...>)
PTO_INST RecordEvent TEXTRACT(
    Dst0& dst0, Dst1& dst1, Src& src, uint16_t indexRow0 = 0, uint16_t indexCol0 = 0, uint16_t indexRow1 = 0,
    uint16_t indexCol1 = 0, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TEXTRACT, dst0, src);
    PTO_OPERANDS(TEXTRACT, dst1, src);
    cpu::extract(dst0, src, indexRow0, indexCol0);
    cpu::extract(dst1, src, indexRow1, indexCol1);
    return {};
}

/// As TEXTRACT; this implementation's form of an accumulator block moved to vector memory.
template <typename Dst, typename Src>
    requires(is_tile_data_v<Src> && Src::Loc == TileType::Acc)
PTO_INST RecordEvent TMOV(Dst& dst, Src& src, uint16_t indexRow, uint16_t indexCol)
{
    PTO_OPERANDS(TMOV, dst, src);
    cpu::extract(dst, src, indexRow, indexCol);
    return {};
}

}  // namespace pto
