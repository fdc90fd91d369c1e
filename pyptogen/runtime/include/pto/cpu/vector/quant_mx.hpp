// TQUANT to the microscaling formats: groups of 32 elements with one e8m0 scale, data in fp8 e4m3 or fp4 e2m1.
//
// Scale of a group, OCP: the exponent of its largest magnitude less that of the format's largest value. NV: the largest
// magnitude over the format's largest value, up to a power of two. A NaN in a group makes an fp4 group NaN (all codes
// 7); in an fp8 group only its own code is NaN.
#pragma once

#include <pto/common/modes.hpp>
#include <pto/cpu/vector/cvt_small.hpp>

namespace pto {

// Steps of the quantisation by the names that users of the public simulator know them by.
namespace cpu_quant {

constexpr uint8_t kNanScale = 0xff;
constexpr int kGroup = 32;

inline uint16_t AbsBf16BitsFromFloat(float value)
{
    return static_cast<uint16_t>(__builtin_bit_cast(uint32_t, value) >> 16 & 0x7fffU);
}
inline float Bf16BitsToFloat(uint16_t bits) { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }

/// The e8m0 code of a group from its largest magnitude.
template <QuantType Type, QuantScaleAlg Algorithm>
inline uint8_t ComputeMxSharedExponent(float largest)
{
    constexpr bool kFp8 = Type == QuantType::MXFP8;
    const bool scaled = Algorithm == QuantScaleAlg::NV;
    const float value = scaled ? largest * (kFp8 ? 1.0f / 448.0f : 1.0f / 6.0f) : largest;
    const uint32_t bits = __builtin_bit_cast(uint32_t, value) & 0x7fffffffU;
    const uint32_t exponent = bits >> 23, fraction = bits & 0x7fffffU;
    if (exponent == 0xff && fraction != 0) {
        return kNanScale;
    }
    if (!scaled) {
        constexpr uint32_t kLargest = kFp8 ? 8 : 2;  // exponent of 448 and of 6
        return static_cast<uint8_t>(exponent <= kLargest ? 0 : exponent - kLargest);
    }
    if (exponent == 0xff) {
        return 0xfe;
    }
    // Up to a power of two; code 0 is 2^-127, half the least normal number.
    const bool up = exponent == 0 ? fraction > 0x400000U : fraction > 0 && exponent != 0xfe;
    return static_cast<uint8_t>(exponent + (up ? 1 : 0));
}

/// What the elements of a group are multiplied by: 1 / scale; NaN for a NaN group.
template <QuantType Type, QuantScaleAlg Algorithm>
inline float ComputeMxGroupScaling(float largest, uint8_t code)
{
    if (code == kNanScale) {
        return largest;
    }
    return code == 0xfe ? 0x1p-127f : __builtin_bit_cast(float, (254U - code) << 23);
}

/// The e4m3 code of a value, to nearest even, saturated; OCP has no negative zero.
template <QuantScaleAlg Algorithm>
inline uint8_t EncodeE4M3Fn(float value)
{
    const uint8_t code = float8_e4m3_t::encode(value, RoundMode::CAST_RINT, true);
    return Algorithm == QuantScaleAlg::OCP && code == 0x80 ? uint8_t(0) : code;
}

/// The e2m1 code of a value, to nearest even, saturated.
inline uint8_t EncodeE2M1Magic(float value) { return float4_e2m1x2_t::encode(value, RoundMode::CAST_RINT, true); }

/// value * scaling, rounded to bf16 where the source is bf16.
template <typename T>
inline float ApplyE2M1ScaleForSource(T value, float scaling)
{
    const float scaled = static_cast<float>(value) * scaling;
    return cpu::is_same<T, bfloat16_t> ? static_cast<float>(bfloat16_t(scaled)) : scaled;
}

/// The largest magnitude of group `group` along Axis, at row (Axis 1) or column (Axis 0) `line`; elements outside the
/// valid region count as zero.
template <int Axis, QuantType Type, QuantScaleAlg Algorithm, typename Src>
inline float ComputeMxGroupMax(Src& src, int line, int group)
{
    const int extent = static_cast<int>(Axis == 1 ? src.GetValidCol() : src.GetValidRow());
    const int end = group * kGroup + kGroup < extent ? group * kGroup + kGroup : extent;
    float largest = 0.0f;
    uint16_t largest_bits = 0;
    for (int i = group * kGroup; i < end; ++i) {
        const int64_t at = Axis == 1 ? int64_t(line) * Src::RowStride + i : int64_t(i) * Src::RowStride + line;
        const float value = static_cast<float>(src.data()[at]);
        if constexpr (Type == QuantType::MXFP4_E2M1 && Algorithm == QuantScaleAlg::OCP) {
            const uint16_t bits = AbsBf16BitsFromFloat(value);
            largest_bits = bits > largest_bits ? bits : largest_bits;
        } else {
            if (Type == QuantType::MXFP4_E2M1 && value != value) {
                return value;
            }
            const float magnitude = __builtin_fabsf(value);
            largest = magnitude > largest ? magnitude : largest;
        }
    }
    return Type == QuantType::MXFP4_E2M1 && Algorithm == QuantScaleAlg::OCP ? Bf16BitsToFloat(largest_bits) : largest;
}

}  // namespace cpu_quant

namespace cpu {

/// Four-bit codes of all rows one after the other, as wide as those of src. Columns of such a tile count bytes: that is
/// how kernels for devices declare it.
template <typename Dst, typename Src>
inline constexpr bool kFlatCodes = is_packed4_v<typename Dst::DType> && Dst::Rows == 1 && Src::Rows != 1;

template <int Axis, QuantType Type, typename Dst, typename Src>
constexpr void check_mx_quant_tiles()
{
    static_assert(Axis == 0 || Axis == 1, "TQUANT groups along axis 0 (rows) or 1 (columns)");
    static_assert(Type == QuantType::MXFP8 || Type == QuantType::MXFP4_E2M1, "TQUANT to MX makes MXFP8 or MXFP4_E2M1");
    static_assert(
        (kFlatCodes<Dst, Src> ? 2 * Dst::Numel >= Src::Numel : Dst::Rows == Src::Rows && Dst::Cols >= Src::Cols),
        "TQUANT to MX needs tiles of as many rows, the destination as wide as the source at least, or a "
        "destination of one row of four-bit elements for all");
    static_assert(
        (Axis == 1 ? Src::Cols : Src::Rows) % cpu_quant::kGroup == 0, "TQUANT to MX needs whole groups of 32 elements");
    static_assert(
        Type != QuantType::MXFP8 || sizeof(typename Dst::DType) == 1, "TQUANT to MXFP8 writes bytes (int8_t)");
    static_assert(
        Type != QuantType::MXFP4_E2M1 || is_same<typename Dst::DType, float4_e2m1x2_t>,
        "TQUANT to MXFP4_E2M1 writes float4_e2m1x2_t");
}

/// The data of one group: codes of value * scaling.
template <int Axis, QuantType Type, QuantScaleAlg Algorithm, typename Dst, typename Src>
PTO_INLINE void quantise_mx_group(Dst& dst, Src& src, int line, int group, float scaling)
{
    using T = typename Src::DType;
    const int extent = static_cast<int>(Axis == 1 ? src.GetValidCol() : src.GetValidRow());
    const int first = group * cpu_quant::kGroup;
    const int count = extent - first < cpu_quant::kGroup ? extent - first : cpu_quant::kGroup;
    for (int i = 0; i < count; ++i) {
        const int64_t r = Axis == 1 ? line : first + i, c = Axis == 1 ? first + i : line;
        const T value = src.data()[r * Src::RowStride + c];
        if constexpr (Type == QuantType::MXFP8) {
            const uint8_t code = cpu_quant::EncodeE4M3Fn<Algorithm>(static_cast<float>(value) * scaling);
            reinterpret_cast<uint8_t*>(dst.data())[r * Dst::RowStride + c] = code;
        } else {
            const float scaled = cpu_quant::ApplyE2M1ScaleForSource<T>(value, scaling);
            const uint8_t code = scaling == scaling ? cpu_quant::EncodeE2M1Magic(scaled) : uint8_t(7);
            constexpr int64_t kApart = kFlatCodes<Dst, Src> ? Src::RowStride : Dst::RowStride;
            store_element(dst.data(), r * kApart + c, float4_e2m1x2_t::FromRaw(code));
        }
    }
}

/// All groups. The largest magnitudes and factors lie one after the other, group by group, line by line (Axis 0: lines
/// of groups). The exponents are a tile of the same shape, or, in a tile of one row, lie in that order as well.
template <
    int Axis, QuantType Type, QuantScaleAlg Algorithm, bool Interleave, typename Dst, typename Src, typename Exp,
    typename Max, typename Scaling>
PTO_INLINE void quantise_mx(Dst& dst, Src& src, Exp& exp, Max& max, Scaling& scaling)
{
    PTO_OPERANDS(TQUANT, dst, src, exp, max, scaling);
    check_mx_quant_tiles<Axis, Type, Dst, Src>();
    constexpr int kGroup = cpu_quant::kGroup;
    const int lines = static_cast<int>(Axis == 1 ? src.GetValidRow() : src.GetValidCol());
    const int extent = static_cast<int>(Axis == 1 ? src.GetValidCol() : src.GetValidRow());
    const int groups = (extent + kGroup - 1) / kGroup;
    constexpr int kAllGroups = (Axis == 1 ? Src::Cols : Src::Rows) / kGroup;
    auto* codes = reinterpret_cast<uint8_t*>(exp.data());
    for (int line = 0; line < lines; ++line) {
        for (int group = 0; group < groups; ++group) {
            const float largest = cpu_quant::ComputeMxGroupMax<Axis, Type, Algorithm>(src, line, group);
            const uint8_t code = cpu_quant::ComputeMxSharedExponent<Type, Algorithm>(largest);
            const float factor = cpu_quant::ComputeMxGroupScaling<Type, Algorithm>(largest, code);
            const int64_t flat = Axis == 1 ? int64_t(line) * kAllGroups + group : int64_t(group) * lines + line;
            const int64_t row = Axis == 1 ? line : group, col = Axis == 1 ? group : line;
            max.data()[flat] = static_cast<typename Max::DType>(largest);
            scaling.data()[flat] = static_cast<typename Scaling::DType>(factor);
            if constexpr (Interleave) {
                codes[row / 2 * Exp::RowStride + 2 * col + row % 2] = code;
            } else {
                codes[Exp::Rows == 1 ? flat : row * Exp::RowStride + col * Exp::ColStride] = code;
            }
            quantise_mx_group<Axis, Type, Algorithm>(dst, src, line, group, factor);
        }
        if (Interleave && groups % 2 != 0) {
            codes[groups / 2 * Exp::RowStride + 2 * line + 1] = 0;
        }
    }
}

constexpr bool is_mx_fp4(MxQuantAlg algorithm)
{
    return algorithm == MxQuantAlg::OcpMxFp4E2M1 || algorithm == MxQuantAlg::NvMxFp4E2M1;
}
constexpr bool is_mx_nv(MxQuantAlg algorithm)
{
    return algorithm == MxQuantAlg::NvMxFp8E4M3 || algorithm == MxQuantAlg::NvMxFp4E2M1;
}

}  // namespace cpu

/// Quantises groups of 32 columns to MXFP8 or MXFP4_E2M1; exp, max and scaling receive each group's e8m0 code, largest
/// magnitude and factor.
template <
    auto QuantisedType, typename Dst, typename Src, typename Exp, typename Max, typename Scaling,
    auto Algorithm = QuantScaleAlg::OCP, typename... Events>
    requires is_tile_data_v<Exp>
PTO_INST RecordEvent TQUANT(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling, const Events&... events)
{
    TSYNC(events...);
    cpu::quantise_mx<1, QuantisedType, Algorithm, false>(dst, src, *exp, *max, *scaling);
    return {};
}

/// The same to MXFP8, with the exponents also in the order of a Zz operand: fractals of 16 rows by 2 groups.
template <
    auto QuantisedType, auto StoreMode, typename Dst, typename Src, typename Exp, typename Max, typename Scaling,
    typename... Events>
    requires(is_tile_data_v<Exp> && cpu::is_same<decltype(StoreMode), VecStoreMode>)
PTO_INST RecordEvent
TQUANT(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling, Exp* exp_zz, const Events&... events)
{
    TSYNC(events...);
    static_assert(
        QuantisedType == QuantType::MXFP8 && StoreMode == VecStoreMode::NZ,
        "TQUANT with reordered exponents makes MXFP8 in VecStoreMode::NZ");
    cpu::quantise_mx<1, QuantisedType, QuantScaleAlg::OCP, false>(dst, src, *exp, *max, *scaling);
    constexpr int64_t kGroups = Src::Cols / cpu_quant::kGroup;
    const int64_t rows = src.GetValidRow(), groups = src.GetValidCol() / cpu_quant::kGroup;
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t g = 0; g < groups; ++g) {
            const int64_t fractal = r / 16 * (groups / 2) + g / 2;
            exp_zz->data()[fractal * 32 + r % 16 * 2 + g % 2] =
                exp->data()[Exp::Rows == 1 ? r * kGroups + g : r * Exp::RowStride + g];
        }
    }
    return {};
}

/// Quantises groups of 32 columns (Axis 1) or 32 rows (Axis 0).
template <
    int Axis, auto Algorithm, typename Dst = void, typename Src = void, typename Exp = void, typename Max = void,
    typename Scaling = void, typename... Events>
    requires cpu::is_same<decltype(Algorithm), MxQuantAlg>
PTO_INST RecordEvent TQUANT(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling, const Events&... events)
{
    TSYNC(events...);
    static_assert(Algorithm != MxQuantAlg::Hif4, "TQUANT to HiFloat4 exists on A6 only");
    cpu::quantise_mx<
        Axis, cpu::is_mx_fp4(Algorithm) ? QuantType::MXFP4_E2M1 : QuantType::MXFP8,
        cpu::is_mx_nv(Algorithm) ? QuantScaleAlg::NV : QuantScaleAlg::OCP, false>(dst, src, *exp, *max, *scaling);
    return {};
}

/// The same with the exponents of two neighbouring groups of rows side by side (Interleave, Axis 0 only).
template <
    int Axis, auto Algorithm, bool Interleave, typename Dst = void, typename Src = void, typename Exp = void,
    typename Max = void, typename Scaling = void, typename... Events>
    requires cpu::is_same<decltype(Algorithm), MxQuantAlg>
PTO_INST RecordEvent TQUANT(Dst& dst, Src& src, Exp* exp, Max* max, Scaling* scaling, const Events&... events)
{
    TSYNC(events...);
    static_assert(Algorithm != MxQuantAlg::Hif4, "TQUANT to HiFloat4 exists on A6 only");
    static_assert(!Interleave || Axis == 0, "TQUANT interleaves the exponents of groups of rows (Axis 0) only");
    cpu::quantise_mx<
        Axis, cpu::is_mx_fp4(Algorithm) ? QuantType::MXFP4_E2M1 : QuantType::MXFP8,
        cpu::is_mx_nv(Algorithm) ? QuantScaleAlg::NV : QuantScaleAlg::OCP, Interleave>(dst, src, *exp, *max, *scaling);
    return {};
}

}  // namespace pto
