// What an accumulator may become on its way out, as types: layout, quantisation mode, relu.
#pragma once

#include <pto/common/type.hpp>

namespace pto {

enum ClipReluMode_t { NOCLIP_RELU = 0, CLIP_RELU = 1 };

enum class LayoutMode_t : uint8_t { NZ2ND = 0, NZ2DN = 2, NZ2NZ = 1 };

enum class DequantType { SCALAR = 0, TENSOR = 1 };

/// From F32 (f), F16 or S32 accumulators; a leading V takes one quantisation word per column, the others one per tensor.
enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VREQ8 = 2,
    REQ8 = 3,
    VDEQF16 = 4,
    DEQF16 = 5,
    VSHIFTS322S16 = 12,
    SHIFTS322S16 = 13,
    F322BF16 = 16,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24,
    QF322F16_PRE = 32,
    QF322BF16_PRE = 34,
    QS322BF16_PRE = 35,
    VQS322BF16_PRE = 36,
};

template <QuantMode_t Mode>
inline constexpr bool is_vector_quant_v =
    Mode == VQF322B8_PRE || Mode == VREQ8 || Mode == VDEQF16 || Mode == VSHIFTS322S16 || Mode == VQS322BF16_PRE;

/// How TPUSH<Pipe, Tile, FixpipeParams<…>> lets an accumulator leave.
template <
    LayoutMode_t layoutMode = LayoutMode_t::NZ2ND, QuantMode_t quantMode = NoQuant,
    ReluPreMode reluMode = ReluPreMode::NoRelu, STPhase phase = STPhase::Unspecified, uint8_t subBlockId = 0,
    AtomicType atomicT = AtomicType::AtomicNone, ClipReluMode_t clipReluMode = NOCLIP_RELU, bool isChannelSplit = false>
struct FixpipeParams {
    static constexpr LayoutMode_t LayoutMode = layoutMode;
    static constexpr QuantMode_t QuantPre = quantMode;
    static constexpr ReluPreMode ReluMode = reluMode;
    static constexpr STPhase Phase = phase;
    static constexpr uint8_t SubBlockId = subBlockId;
    static constexpr AtomicType AtomicT = atomicT;
    static constexpr ClipReluMode_t ClipReluMode = clipReluMode;
    static constexpr bool IsChannelSplit = isChannelSplit;
};

namespace detail {

template <bool Condition, typename Then, typename Else>
struct Choose {
    using type = Then;
};
template <typename Then, typename Else>
struct Choose<false, Then, Else> {
    using type = Else;
};

template <QuantMode_t Mode>
inline constexpr bool gives_half = Mode == F322F16 || Mode == QF322F16_PRE || Mode == DEQF16 || Mode == VDEQF16;
template <QuantMode_t Mode>
inline constexpr bool gives_bf16 =
    Mode == F322BF16 || Mode == QF322BF16_PRE || Mode == QS322BF16_PRE || Mode == VQS322BF16_PRE;
template <QuantMode_t Mode>
inline constexpr bool gives_int8 = Mode == QF322B8_PRE || Mode == REQ8 || Mode == VQF322B8_PRE || Mode == VREQ8;
template <QuantMode_t Mode>
inline constexpr bool gives_int16 = Mode == SHIFTS322S16 || Mode == VSHIFTS322S16;

}  // namespace detail

/// The element type that a quantisation mode makes of SrcType.
template <QuantMode_t Mode, typename SrcType>
using FixpipeConsDType_t = typename detail::Choose<
    detail::gives_half<Mode>, half,
    typename detail::Choose<
        detail::gives_bf16<Mode>, bfloat16_t,
        typename detail::Choose<
            detail::gives_int8<Mode>, int8_t,
            typename detail::Choose<detail::gives_int16<Mode>, int16_t, SrcType>::type>::type>::type>::type;

}  // namespace pto
