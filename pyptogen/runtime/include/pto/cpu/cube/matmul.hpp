// TMATMUL and TMATMUL_ACC.
//
// Accumulation is in fp32 or int32, along K in ascending order. On the matrix unit, and where bf16 goes by dot products,
// bf16 denormals count as zero.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/cube/bodies.hpp>
#include <pto/cpu/cube/held_operands.hpp>
#include <pto/cpu/cube/matmul_amx.hpp>
#include <pto/cpu/cube/matmul_avx2.hpp>
#include <pto/cpu/cube/matmul_dots.hpp>
#include <pto/cpu/cube/matmul_rounded.hpp>
#include <pto/cpu/cube/matmul_split.hpp>
#include <pto/cpu/cube/matmul_vector.hpp>
#include <pto/cpu/cube/matmul_widened.hpp>
#include <pto/cpu/isa/products.hpp>

namespace pto {

namespace cpu {

/// Whether valid parts can be multiplied, as far as their types say: M rows and N columns that the accumulator has room
/// for, and one K. The capacities of the operands need not be alike.
template <typename Acc, typename Left, typename Right>
constexpr bool are_extents_of_a_product()
{
    const auto fits = [](int valid, int room) { return valid == DYNAMIC || valid <= room; };
    constexpr int kLeft = Left::ValidCol, kRight = Right::ValidRow;
    const bool one_k = kLeft == DYNAMIC || kRight == DYNAMIC || kLeft == kRight;
    return one_k && fits(kLeft, Right::Rows) && fits(kRight, Left::Cols) && fits(Left::ValidRow, Acc::Rows) &&
           fits(Right::ValidCol, Acc::Cols);
}

/// Whether tiles can be multiplied; the compiler is told why not.
template <typename Acc, typename Left, typename Right>
constexpr bool are_factors()
{
    using A = typename Left::DType;
    using B = typename Right::DType;
    using C = typename Acc::DType;
    static_assert(
        Acc::Loc == TileType::Acc && Left::Loc == TileType::Left && Right::Loc == TileType::Right,
        "TMATMUL takes an Acc, a Left and a Right tile");
    static_assert(
        are_extents_of_a_product<Acc, Left, Right>(), "TMATMUL: the valid parts must be M x N, M x K and K x N");
    constexpr bool kAlike = is_same<A, B> || isa::multiplies<A, B>;
    constexpr bool kTaken = isa::sums_in<A, C>;
    static_assert(kAlike, "TMATMUL needs the same element type in both operands, or e4m3 and e5m2");
    static_assert(
        kTaken, "TMATMUL multiplies fp32, half, bfloat16_t, e4m3, e5m2 or hifloat8_t into fp32, or int8 into int32");
    return kAlike && kTaken;
}

template <typename Acc, typename Left, typename Right>
PTO_INLINE void multiply_factors(Acc& c, Left& a, Right& b, bool accumulate)
{
    using T = typename Left::DType;
    using C [[maybe_unused]] = typename Acc::DType;
    const int m = static_cast<int>(a.GetValidRow());
    const int n_panels = static_cast<int>((b.GetValidCol() + 31) / 32);
    const int k_steps = (static_cast<int>(a.GetValidCol()) + kStepK<T> - 1) / kStepK<T>;
    if (m <= 0 || n_panels <= 0) {
        return;
    }
    const int64_t left_panel = left_panel_bytes<Left>, right_panel = b.operandPanelBytes;
    constexpr int64_t kAccPanel = acc_panel_bytes<Acc>;
    if constexpr (is_held_type<T>) {
        if (thread_held.operands &&
            hold_product(
                {reinterpret_cast<char*>(c.address()), kAccPanel, reinterpret_cast<const char*>(a.address()),
                 left_panel, b.operand, right_panel, m, n_panels, k_steps, accumulate},
                multiply_tiles<T, false>)) {
            return;
        }
    }
    [[maybe_unused]] const char* own_right = reinterpret_cast<const char*>(b.data());
    const TilePlan plan{
        reinterpret_cast<char*>(c.data()),
        kAccPanel,
        reinterpret_cast<const char*>(a.data()),
        left_panel,
        b.operand,
        right_panel,
        m,
        n_panels,
        k_steps,
        accumulate};
    if constexpr (is_same<T, float>) {
        if (__builtin_expect(in_ctrl(MAD_MODE_BIT), 0)) {
            multiply_rounded<kRoundedPlaces>(plan, in_ctrl(MAD_ROUND_MODE_BIT));
            return;
        }
    }
    if constexpr (kHasMatrixUnit && !is_same<T, float> && !is_byte_float<T>) {
        multiply_on_unit<T, C>(plan, b.operand == own_right);
    } else if constexpr (kHasAvx2 && !is_byte_float<T>) {
        multiply_registers<T>(plan);
    } else if constexpr (is_same<T, float>) {
        multiply_vectors<MultiplyAdds<float>>(plan, nullptr);
    } else if constexpr (HasDots<T>) {
        multiply_dots<T>(plan);
    } else {
        multiply_widened<T, C, typename Right::DType>(
            plan.c, kAccPanel, plan.a, left_panel, b.operand, right_panel, m, n_panels, k_steps, accumulate);
    }
}

/// c = a b, or c += a b.
template <typename Acc, typename Left, typename Right>
PTO_INLINE void multiply(Acc& c, Left& a, Right& b, bool accumulate)
{
    if constexpr (are_factors<Acc, Left, Right>()) {
        multiply_factors(c, a, b, accumulate);
    }
}

/// The first `rows` rows of an accumulator to another one of the same shape, unless the two are one.
template <typename Acc, typename From>
PTO_INLINE void copy_accumulator(Acc& to, From& from, int64_t rows)
{
    static_assert(
        is_same<typename Acc::DType, typename From::DType> && Acc::Rows == From::Rows && Acc::Cols == From::Cols,
        "TMATMUL_ACC and TGEMV_ACC: both accumulators need the same element type and shape");
    if (to.address() != from.address()) {
        copy_bytes(to.data(), from.data(), (rows + 31) / 32 * acc_panel_bytes<Acc>);
    }
}

}  // namespace cpu

/// cMatrix = aMatrix bMatrix: m = a's valid rows, k = a's valid columns, n = b's valid columns
template <typename TileRes, typename TileLeft, typename TileRight, typename... Events>
PTO_INST RecordEvent TMATMUL(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    TSYNC(events...);
    cpu::multiply(cMatrix, aMatrix, bMatrix, false);
    return {};
}
template <AccPhase Phase, typename TileRes, typename TileLeft, typename TileRight, typename... Events>
PTO_INST RecordEvent TMATMUL(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    TSYNC(events...);
    cpu::multiply(cMatrix, aMatrix, bMatrix, false);
    return {};
}

/// cMatrix += aMatrix bMatrix
template <
    AccPhase Phase = AccPhase::Unspecified, typename TileRes, typename TileLeft, typename TileRight, typename... Events>
    requires(is_tile_data_v<TileRight> && (... && !is_tile_data_v<Events>))
PTO_INST RecordEvent TMATMUL_ACC(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    TSYNC(events...);
    cpu::multiply(cMatrix, aMatrix, bMatrix, true);
    return {};
}

/// cOutMatrix = cInMatrix + aMatrix bMatrix; the two accumulators are usually one, whose type is given once
template <typename TileRes, typename TileLeft, typename TileRight, typename TileIn, typename... Events>
    requires(is_tile_data_v<TileRight>)
PTO_INST RecordEvent
TMATMUL_ACC(TileRes& cOutMatrix, TileIn& cInMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    TSYNC(events...);
    cpu::copy_accumulator(cOutMatrix, cInMatrix, aMatrix.GetValidRow());
    cpu::multiply(cOutMatrix, aMatrix, bMatrix, true);
    return {};
}
template <AccPhase Phase, typename TileRes, typename TileLeft, typename TileRight, typename TileIn, typename... Events>
    requires(is_tile_data_v<TileRight>)
PTO_INST RecordEvent
TMATMUL_ACC(TileRes& cOutMatrix, TileIn& cInMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    return TMATMUL_ACC(cOutMatrix, cInMatrix, aMatrix, bMatrix, events...);
}

}  // namespace pto
