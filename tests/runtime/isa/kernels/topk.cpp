// The extreme elements of a row of global memory.
#include "common.hpp"

using namespace pto;

namespace {

template <bool Greatest, typename T>
void places(int32_t* found, T* row, int n, int k, int stride)
{
    Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, -1> where(k);
    Tile<TileType::Vec, int32_t, 1, 2400> rooms;  // of 520 candidates each
    TASSIGN(where, 0);
    TASSIGN(rooms, 0x4000);
    GlobalTensor<T, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, 1, -1>> from(
        row, Shape<1, 1, 1, 1, -1>(n), Stride<1, 1, 1, 1, -1>(stride));
    if constexpr (Greatest) {
        TTOPK(where, from, rooms);
    } else {
        TBOTTOMK(where, from, rooms);
    }
    read_tile(found, where);
}

}  // namespace

#define PLACES(NAME, T)                                                                                        \
    extern "C" void greatest_##NAME(int32_t* f, T* x, int n, int k, int s) { places<true>(f, x, n, k, s); }   \
    extern "C" void least_##NAME(int32_t* f, T* x, int n, int k, int s) { places<false>(f, x, n, k, s); }

PLACES(fp32, float)
PLACES(fp16, half)
PLACES(bf16, bfloat16_t)
PLACES(int32, int32_t)
PLACES(int16, int16_t)
PLACES(int8, int8_t)
PLACES(uint8, uint8_t)
PLACES(uint16, uint16_t)
