#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 6;
constexpr int kCols = 320;

template <typename T>
using Block = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>;

template <typename T>
void run(int op, T* to, const T* first, const T* second, float value, int rows, int cols)
{
    Block<T> d(rows, cols), a(rows, cols), b(rows, cols);
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(b, 0x10000);
    fill_tile(d, to);
    fill_tile(a, first);
    fill_tile(b, second);
    const T scalar = static_cast<T>(value);
    switch (op) {
        case 0: TADD(d, a, b); break;
        case 1: TSUB(d, a, b); break;
        case 2: TMUL(d, a, b); break;
        case 3: TDIV(d, a, b); break;
        case 4: TMAX(d, a, b); break;
        case 5: TMIN(d, a, b); break;
        case 6: TADDS(d, a, scalar); break;
        case 7: TSUBS(d, a, scalar); break;
        case 8: TMULS(d, a, scalar); break;
        case 9: TDIVS(d, a, scalar); break;
        case 10: TDIVS(d, scalar, a); break;
        case 11: TMAXS(d, a, scalar); break;
        case 12: TMINS(d, a, scalar); break;
        case 13: TEXPANDS(d, scalar); break;
        case 14: TABS(d, a); break;
        case 15: TNEG(d, a); break;
        case 16: TRELU(d, a); break;
        default: break;
    }
    read_tile(to, d);
}

template <typename T>
void run_float(int op, T* to, const T* first, int rows, int cols)
{
    Block<T> d(rows, cols), a(rows, cols);
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    fill_tile(d, to);
    fill_tile(a, first);
    switch (op) {
        case 0: TEXP(d, a); break;
        case 1: TLOG(d, a); break;
        case 2: TSQRT(d, a); break;
        case 3: TRSQRT(d, a); break;
        case 4: TRECIP(d, a); break;
        default: break;
    }
    read_tile(to, d);
}

}  // namespace

#define ELEMENTWISE(NAME, T)                                                                                       \
    extern "C" void elementwise_##NAME(int op, T* to, const T* a, const T* b, float value, int rows, int cols)     \
    {                                                                                                              \
        run<T>(op, to, a, b, value, rows, cols);                                                                   \
    }
ELEMENTWISE(fp32, float)
ELEMENTWISE(fp16, half)
ELEMENTWISE(bf16, bfloat16_t)
ELEMENTWISE(int8, int8_t)
ELEMENTWISE(uint8, uint8_t)
ELEMENTWISE(int16, int16_t)
ELEMENTWISE(uint16, uint16_t)
ELEMENTWISE(int32, int32_t)
ELEMENTWISE(uint32, uint32_t)
ELEMENTWISE(int64, int64_t)
ELEMENTWISE(uint64, uint64_t)

#define UNARY(NAME, T)                                                                          \
    extern "C" void unary_##NAME(int op, T* to, const T* a, int rows, int cols)                 \
    {                                                                                           \
        run_float<T>(op, to, a, rows, cols);                                                    \
    }
UNARY(fp32, float)
UNARY(fp16, half)
UNARY(bf16, bfloat16_t)
