// TQUANT to int8 and uint8, TDEQUANT, and the fused add/subtract, relu and narrow instructions.
#pragma once

#include <pto/common/modes.hpp>
#include <pto/cpu/vector/cvt.hpp>

namespace pto {

namespace cpu {

/// The parameter of a row: column 0 of a parameter tile, whose last valid row serves all further rows.
template <typename Para>
PTO_INLINE float row_parameter(Para& tile, int64_t row)
{
    const int64_t last = static_cast<int64_t>(tile.GetValidRow()) - 1;
    return tile.data()[(row < last ? row : last) * Para::RowStride];
}

/// dst = saturate(round(src * scale + offset)), row by row: one rounding of each product and sum to fp32, then to nearest
/// even. NaN becomes 0.
template <typename Dst, typename Src, typename Para>
PTO_INLINE void quantise_rows(Dst& dst, Src& src, Para& scale, Para* offset)
{
    using To = typename Dst::DType;
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        const f32v factor = splat(row_parameter(scale, r));
        const f32v shift = splat(offset == nullptr ? 0.0f : row_parameter(*offset, r));
        const bool shifted = offset != nullptr;
        To* to = dst.data() + r * Dst::RowStride;
        const float* from = src.data() + r * Src::RowStride;
        sweep<kF32Lanes, 2>(cols, [=](int64_t i, auto extent) __attribute__((always_inline)) {
            const f32v scaled = load(from + i, extent) * factor;
            store_saturated<To>(to + i, nearest_for_int<To>(shifted ? scaled + shift : scaled), extent);
        });
    }
}

template <auto Type, typename Dst, typename Src>
constexpr void check_quant_types()
{
    static_assert(
        is_same<decltype(Type), const QuantType> || is_same<decltype(Type), QuantType>,
        "TQUANT with a scale tile takes a QuantType");
    static_assert(
        Type == QuantType::INT8_SYM || Type == QuantType::INT8_ASYM,
        "TQUANT with a scale tile makes INT8_SYM or INT8_ASYM; the MX types take exponent, max and scaling tiles");
    static_assert(is_same<typename Src::DType, float>, "TQUANT to int8 takes fp32");
    static_assert(Type != QuantType::INT8_SYM || is_same<typename Dst::DType, int8_t>, "TQUANT INT8_SYM writes int8");
    static_assert(
        Type != QuantType::INT8_ASYM || is_same<typename Dst::DType, uint8_t>, "TQUANT INT8_ASYM writes uint8");
}

/// dst = narrow(max(a op b, 0)), where `Subtract` says which; fp32 to half, half to int8 and int16 to int8.
template <bool Subtract, typename Dst, typename Src0, typename Src1>
PTO_INLINE void combine_relu_narrow(Dst& dst, Src0& src0, Src1& src1)
{
    using From = typename Src0::DType;
    using To = typename Dst::DType;
    static_assert(
        (is_same<From, float> && is_same<To, half>) ||
            (is_same<To, int8_t> && (is_same<From, half> || is_same<From, int16_t>)),
        "TADDRELUCONV and TSUBRELUCONV narrow fp32 to half, half to int8 and int16 to int8");
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        To* to = dst.data() + r * Dst::RowStride;
        const From* a = src0.data() + r * Src0::RowStride;
        const From* b = src1.data() + r * Src1::RowStride;
        sweep<kF32Lanes, 2>(cols, [=](int64_t i, auto extent) __attribute__((always_inline)) {
            if constexpr (is_same<From, int16_t>) {
                const i32v x = load_int(a + i, extent), y = load_int(b + i, extent);
                i32v v = Subtract ? x - y : x + y;
                v = v < 0 ? i32v{} : v;
                store_int(to + i, v > 127 ? splat<int32_t>(127) : v, extent);
            } else {
                const f32v x = load(a + i, extent), y = load(b + i, extent);
                f32v v = Subtract ? x - y : x + y;
                v = v < 0.0f ? f32v{} : v;
                if constexpr (is_same<To, half>) {
                    store(to + i, v > 65504.0f ? splat(65504.0f) : v, extent);
                } else {
                    half rounded[kF32Lanes];  // the sum is a half before it is narrowed
                    store(rounded, v, Full{});
                    store_saturated<To>(to + i, nearest_for_int<To>(load(rounded, Full{})), extent);
                }
            }
        });
    }
}

}  // namespace cpu

/// dst = src * scale (+ offset), rounded to nearest even and saturated; scale and offset hold one fp32 value a row.
template <auto QuantisedType, typename Dst, typename Src, typename Para, typename... Events>
    requires is_tile_data_v<Para>
PTO_INST RecordEvent TQUANT(Dst& dst, Src& src, Para& scale, Para* offset = nullptr, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TQUANT, dst, src, scale);
    cpu::check_quant_types<QuantisedType, Dst, Src>();
    cpu::quantise_rows(dst, src, scale, QuantisedType == QuantType::INT8_ASYM ? offset : nullptr);
    return {};
}
/// The same with a scratch tile, which is not needed here
template <auto QuantisedType, typename Dst, typename Src, typename Para, typename Tmp, typename... Events>
    requires(is_tile_data_v<Para> && is_tile_data_v<Tmp>)
PTO_INST RecordEvent TQUANT(Dst& dst, Src& src, Para& scale, Tmp&, Para* offset = nullptr, const Events&... events)
{
    TSYNC(events...);
    return TQUANT<QuantisedType>(dst, src, scale, offset);
}

/// dst = (src - offset) * scale in fp32; src is int8 or int16, scale and offset hold one fp32 value a row
template <typename Dst, typename Src, typename Para, typename... Events>
PTO_INST RecordEvent TDEQUANT(Dst& dst, Src& src, Para& scale, Para& offset, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TDEQUANT, dst, src, scale, offset);
    using From = typename Src::DType;
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        const cpu::f32v factor = cpu::splat(cpu::row_parameter(scale, r));
        const cpu::f32v shift = cpu::splat(cpu::row_parameter(offset, r));
        float* to = dst.data() + r * Dst::RowStride;
        const From* from = src.data() + r * Src::RowStride;
        cpu::sweep<cpu::kF32Lanes, 2>(cols, [=](int64_t i, auto extent) __attribute__((always_inline)) {
            const cpu::f32v v = __builtin_convertvector(cpu::load_int(from + i, extent), cpu::f32v);
            cpu::store(to + i, (v - shift) * factor, extent);
        });
    }
    return {};
}

/// dst = half(max((src0 + src1) * deqScale, 0)) of int32 sources; saturates. The scale is applied between two exact
/// shifts by 17 places, as the devices do, so a sum times a small scale does not overflow on the way.
template <typename Dst, typename Src0, typename Src1, typename Tmp, typename... Events>
PTO_INST RecordEvent TADDDEQRELU(Dst& dst, Src0& src0, Src1& src1, float deqScale, Tmp&, const Events&... events)
{
    TSYNC(events...);
    using namespace cpu;
    PTO_OPERANDS(TADDDEQRELU, dst, src0, src1);
    const int64_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
    const f32v down = splat(1.0f / 131072.0f), up = splat(131072.0f), scale = splat(deqScale);
    for (int64_t r = 0; r < rows; ++r) {
        half* to = dst.data() + r * Dst::RowStride;
        const int32_t* a = src0.data() + r * Src0::RowStride;
        const int32_t* b = src1.data() + r * Src1::RowStride;
        sweep<kF32Lanes, 2>(cols, [=](int64_t i, auto extent) __attribute__((always_inline)) {
            const u32v sum = (u32v)load_int(a + i, extent) + (u32v)load_int(b + i, extent);
            f32v v = __builtin_convertvector((i32v)sum, f32v) * down * scale * up;
            v = v < 0.0f ? f32v{} : v;
            store(to + i, v > 65504.0f ? splat(65504.0f) : v, extent);
        });
    }
    return {};
}

/// dst = narrow(max(src0 + src1, 0)): fp32 to half, half to int8, int16 to int8; saturates
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TADDRELUCONV(Dst& dst, Src0& src0, Src1& src1, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TADDRELUCONV, dst, src0, src1);
    cpu::combine_relu_narrow<false>(dst, src0, src1);
    return {};
}

/// dst = narrow(max(src0 - src1, 0)): fp32 to half, half to int8, int16 to int8; saturates
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TSUBRELUCONV(Dst& dst, Src0& src0, Src1& src1, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TSUBRELUCONV, dst, src0, src1);
    cpu::combine_relu_narrow<true>(dst, src0, src1);
    return {};
}

}  // namespace pto
