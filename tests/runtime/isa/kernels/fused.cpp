#include "common.hpp"

using namespace pto;

namespace {

template <typename T>
using Block = Tile<TileType::Vec, T, 6, 320, BLayout::RowMajor, -1, -1>;

template <typename T>
void run(int op, T* to, const T* first, const T* second, const T* third, T scalar, int rows, int cols)
{
    Block<T> d(rows, cols), a(rows, cols), b(rows, cols), c(rows, cols);
    RecordEvent event;
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(b, 0x10000);
    TASSIGN(c, 0x18000);
    fill_tile(d, to);
    fill_tile(a, first);
    fill_tile(b, second);
    fill_tile(c, third);
    switch (op) {
        case 0: TMULADDDST(d, a, b); break;
        case 1: TFUSEDMULADD(d, a, b, event); break;
        case 2: TFUSEDMULADDRELU(d, a, b); break;
        case 3: TSUBRELU(d, a, b); break;
        case 4: TAXPY(d, a, scalar); break;
        case 5: TADDC(d, a, b, c); break;
        case 6: TSUBC(d, a, b, c); break;
        case 7: TADDSC(d, a, scalar, b); break;
        case 8: TSUBSC(d, a, scalar, b); break;
        case 9: TPRELU(d, a, b, c, event); break;
        case 10: TLRELU(d, a, scalar); break;
        default: break;
    }
    read_tile(to, d);
}

}  // namespace

extern "C" void axpy_mixed(float* to, const half* from, float scalar, int rows, int cols)
{
    Block<float> d(rows, cols);
    Block<half> a(rows, cols);
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    fill_tile(d, to);
    fill_tile(a, from);
    TAXPY(d, a, static_cast<half>(scalar));
    read_tile(to, d);
}

#define FUSED(NAME, T)                                                                                          \
    extern "C" void fused_##NAME(                                                                               \
        int op, T* to, const T* a, const T* b, const T* c, float scalar, int rows, int cols)                    \
    {                                                                                                           \
        run<T>(op, to, a, b, c, static_cast<T>(scalar), rows, cols);                                            \
    }
FUSED(fp32, float)
FUSED(fp16, half)
FUSED(bf16, bfloat16_t)
FUSED(int16, int16_t)
FUSED(int32, int32_t)
