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

}  // namespace cpu

/// dst = e to the power (src0 - src1) where one operand is a column. A scratch tile may follow; it is not needed here.
template <typename Dst, typename Src0, typename Src1, typename... Rest>
PTO_INST RecordEvent TROWEXPANDEXPDIF(Dst& dst, Src0& src0, Src1& src1, const Rest&...)
{
    PTO_OPERANDS(TROWEXPANDEXPDIF, dst, src0, src1);
    PTO_EXPECT_COLUMN_OPERAND("TROWEXPANDEXPDIF");
    if constexpr (cpu::is_float<typename Dst::DType>) {
        cpu::expand_rows_either<cpu::ExpDif>(dst, src0, src1);
    }
    return {};
}

/// dst = e to the power (src0 - src1) where src1 is a row
template <typename Dst, typename Src0, typename Src1, typename... Events>
PTO_INST RecordEvent TCOLEXPANDEXPDIF(Dst& dst, Src0& src0, Src1& src1, const Events&...)
{
    PTO_OPERANDS(TCOLEXPANDEXPDIF, dst, src0, src1);
    if constexpr (cpu::is_float<typename Dst::DType>) {
        cpu::expand_cols<cpu::ExpDif>(dst, src0, src1);
    }
    return {};
}

}  // namespace pto
