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
        case 0: TFMOD(d, a, b); break;
        case 1: TREM(d, a, b, tmp, event); break;
        case 2: TPOW(d, a, b, tmp); break;
        case 3: TFMODS<FmodSAlgorithm::HIGH_PRECISION>(d, a, scalar); break;
        case 4: TREMS<RemSAlgorithm::DEFAULT>(d, a, scalar, tmp); break;
        case 5: TPOWS<PowAlgorithm::HIGH_PRECISION>(d, a, scalar, tmp, event); break;
        default: break;
    }
    read_tile(to, d);
}

}  // namespace

#define REMAINDER(NAME, T)                                                                                       \
    extern "C" void remainder_##NAME(int op, T* to, const T* a, const T* b, const T* scalar, int rows, int cols) \
    {                                                                                                            \
        run<T>(op, to, a, b, *scalar, rows, cols);                                                               \
    }
REMAINDER(fp32, float)
REMAINDER(fp16, half)
REMAINDER(bf16, bfloat16_t)
REMAINDER(int8, int8_t)
REMAINDER(uint16, uint16_t)
REMAINDER(int32, int32_t)
REMAINDER(int64, int64_t)
