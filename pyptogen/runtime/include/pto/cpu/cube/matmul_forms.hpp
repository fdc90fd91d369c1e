// TMATMUL_BIAS, TGEMV, TGEMV_ACC and TGEMV_BIAS.
//
// With a bias the accumulator starts as the bias row and the products are added to it. A matrix-vector product is the
// matrix product of the left tile's valid rows: one, on the devices.
#pragma once

#include <pto/cpu/cube/matmul.hpp>

namespace pto {

namespace cpu {

/// Every one of the first `rows` rows of an accumulator becomes the bias row, `cols` columns of it; the columns up to the
/// next multiple of 32 become zero.
template <typename Acc, typename Bias>
PTO_INLINE void fill_with_bias(Acc& c, Bias& bias, int64_t rows, int64_t cols)
{
    using T = typename Acc::DType;
    static_assert(
        Bias::Loc == TileType::Bias && Bias::Rows == 1 && !Bias::isBoxedLayout && Bias::isRowMajor,
        "TMATMUL and TGEMV: bias must be a row-major Bias tile of one row");
    static_assert(is_same<typename Bias::DType, T>, "TMATMUL and TGEMV: bias needs the element type of dst");
    char* base = reinterpret_cast<char*>(c.data());
    for (int64_t col = 0; col < round_up(cols, 32); col += kF32Lanes) {
        const int64_t left = cols - col;
        const vec<T> row = left >= kF32Lanes ? load(bias.data() + col, Full{})
                           : left > 0        ? load(bias.data() + col, Part{static_cast<int>(left)})
                                             : vec<T>{};
        for (int64_t r = 0; r < rows; ++r) {
            store_bits(base + acc_offset<Acc>(r, col / 16) + col % 16 * 4, row);
        }
    }
}

template <typename Acc, typename Left, typename Right, typename Bias>
PTO_INLINE void multiply_with_bias(Acc& c, Left& a, Right& b, Bias& bias)
{
    fill_with_bias(c, bias, a.GetValidRow(), b.GetValidCol());
    multiply(c, a, b, true);
}

}  // namespace cpu

/// cMatrix = aMatrix bMatrix + biasData, the bias row added to every row
template <typename TileRes, typename TileLeft, typename TileRight, typename TileBias, typename... Events>
    requires(is_tile_data_v<TileBias>)
PTO_INST RecordEvent
TMATMUL_BIAS(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, TileBias& biasData, const Events&... events)
{
    TSYNC(events...);
    cpu::multiply_with_bias(cMatrix, aMatrix, bMatrix, biasData);
    return {};
}
template <
    AccPhase Phase, typename TileRes, typename TileLeft, typename TileRight, typename TileBias, typename... Events>
    requires(is_tile_data_v<TileBias>)
PTO_INST RecordEvent
TMATMUL_BIAS(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, TileBias& biasData, const Events&... events)
{
    return TMATMUL_BIAS(cMatrix, aMatrix, bMatrix, biasData, events...);
}

/// cMatrix = aMatrix bMatrix for a vector aMatrix
template <typename TileRes, typename TileLeft, typename TileRight, typename... Events>
PTO_INST RecordEvent TGEMV(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    TSYNC(events...);
    cpu::multiply(cMatrix, aMatrix, bMatrix, false);
    return {};
}
template <AccPhase Phase, typename TileRes, typename TileLeft, typename TileRight, typename... Events>
PTO_INST RecordEvent TGEMV(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    return TGEMV(cMatrix, aMatrix, bMatrix, events...);
}

/// cOutMatrix = cInMatrix + aMatrix bMatrix for a vector aMatrix; the two accumulators are usually one, whose type is given once
template <typename TileRes, typename TileLeft, typename TileRight, typename TileIn, typename... Events>
    requires(is_tile_data_v<TileRight>)
PTO_INST RecordEvent
TGEMV_ACC(TileRes& cOutMatrix, TileIn& cInMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    TSYNC(events...);
    cpu::copy_accumulator(cOutMatrix, cInMatrix, aMatrix.GetValidRow());
    cpu::multiply(cOutMatrix, aMatrix, bMatrix, true);
    return {};
}
template <AccPhase Phase, typename TileRes, typename TileLeft, typename TileRight, typename TileIn, typename... Events>
    requires(is_tile_data_v<TileRight>)
PTO_INST RecordEvent
TGEMV_ACC(TileRes& cOutMatrix, TileIn& cInMatrix, TileLeft& aMatrix, TileRight& bMatrix, const Events&... events)
{
    return TGEMV_ACC(cOutMatrix, cInMatrix, aMatrix, bMatrix, events...);
}

/// cMatrix = aMatrix bMatrix + biasData for a vector aMatrix
template <typename TileRes, typename TileLeft, typename TileRight, typename TileBias, typename... Events>
    requires(is_tile_data_v<TileBias>)
PTO_INST RecordEvent
TGEMV_BIAS(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, TileBias& biasData, const Events&... events)
{
    TSYNC(events...);
    cpu::multiply_with_bias(cMatrix, aMatrix, bMatrix, biasData);
    return {};
}
template <
    AccPhase Phase, typename TileRes, typename TileLeft, typename TileRight, typename TileBias, typename... Events>
    requires(is_tile_data_v<TileBias>)
PTO_INST RecordEvent
TGEMV_BIAS(TileRes& cMatrix, TileLeft& aMatrix, TileRight& bMatrix, TileBias& biasData, const Events&... events)
{
    return TGEMV_BIAS(cMatrix, aMatrix, bMatrix, biasData, events...);
}

}  // namespace pto
