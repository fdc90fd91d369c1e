#include "common.hpp"

using namespace pto;

namespace {

template <typename T>
using Block = Tile<TileType::Vec, T, 6, 320, BLayout::RowMajor, -1, -1>;

template <typename T>
void run(int op, T* to, const T* first, const T* second, T scalar, int rows, int cols)
{
    Block<T> d(rows, cols), a(rows, cols), b(rows, cols), tmp(rows, cols);
    RecordEvent event;
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(b, 0x10000);
    TASSIGN(tmp, 0x18000);
    fill_tile(d, to);
    fill_tile(a, first);
    fill_tile(b, second);
    switch (op) {
        case 0: TAND(d, a, b); break;
        case 1: TOR(d, a, b, event); break;
        case 2: TXOR(d, a, b, tmp); break;
        case 3: TNOT(d, a); break;
        case 4: TSHL(d, a, b); break;
        case 5: TSHR(d, a, b); break;
        case 6: TANDS(d, a, scalar); break;
        case 7: TORS(d, a, scalar); break;
        case 8: TXORS(d, a, scalar, tmp, event); break;
        case 9: TSHLS(d, a, scalar); break;
        case 10: TSHRS(d, a, scalar); break;
        default: break;
    }
    read_tile(to, d);
}

template <typename T>
void run_and(T* to, const T* first, const T* second, int rows, int cols)
{
    Block<T> d(rows, cols), a(rows, cols), b(rows, cols);
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(b, 0x10000);
    fill_tile(d, to);
    fill_tile(a, first);
    fill_tile(b, second);
    TAND(d, a, b);
    read_tile(to, d);
}

}  // namespace

#define BITWISE(NAME, T)                                                                                       \
    extern "C" void bitwise_##NAME(int op, T* to, const T* a, const T* b, const T* scalar, int rows, int cols) \
    {                                                                                                          \
        run<T>(op, to, a, b, *scalar, rows, cols);                                                             \
    }
BITWISE(int8, int8_t)
BITWISE(uint8, uint8_t)
BITWISE(int16, int16_t)
BITWISE(uint16, uint16_t)
BITWISE(int32, int32_t)
BITWISE(uint32, uint32_t)
BITWISE(int64, int64_t)
BITWISE(uint64, uint64_t)

extern "C" void and_fp32(float* to, const float* a, const float* b, int rows, int cols) { run_and(to, a, b, rows, cols); }
extern "C" void and_fp16(half* to, const half* a, const half* b, int rows, int cols) { run_and(to, a, b, rows, cols); }
extern "C" void and_bf16(bfloat16_t* to, const bfloat16_t* a, const bfloat16_t* b, int rows, int cols)
{
    run_and(to, a, b, rows, cols);
}
