// Exponentials of differences with a broadcast operand: the inner step of softmax.
#pragma once

#include <pto/cpu/lanes/math.hpp>
#include <pto/cpu/vector/expand.hpp>

namespace pto {

namespace cpu {

struct ExpDif {
    template <typename T>
    PTO_INLINE static vec<T> apply(vec<T> a, vec<T> b)
    {
        return exp_f32(a - b);
    }
};

/// True, or the one error of tiles of other elements.
template <typename Tile>
constexpr bool takes_exponentials()
{
    constexpr bool kFloats = is_float<typename Tile::DType>;
    static_assert(kFloats, "this instruction takes fp32, half or bfloat16_t tiles");
    return kFloats;
}

}  // namespace cpu

/// dst = e to the power (src0 - src1) where one operand is a column. A scratch tile may follow; it is not needed here.
template <typename Dst, typename Src0, typename Src1, typename... Rest>
PTO_INST RecordEvent TROWEXPANDEXPDIF(Dst& dst, Src0& src0, Src1& src1, const Rest&...)
{
    if constexpr (cpu::takes_exponentials<Dst>()) {
        cpu::expand_rows_either<cpu::ExpDif>(dst, src0, src1);
    }
    return {};
}

/// dst = e to the power (src0 - src1) where src1 is a row
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TCOLEXPANDEXPDIF(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    if constexpr (cpu::takes_exponentials<Dst>()) {
        cpu::expand_cols<cpu::ExpDif>(dst, src0, src1);
    }
    return {};
}

}  // namespace pto
