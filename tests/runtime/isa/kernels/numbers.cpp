#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 4;
constexpr int kCols = 96;

template <typename T>
using Vec = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>;
template <typename T>
using PerRow = Tile<TileType::Vec, T, 8, 1, BLayout::ColMajor, kRows, 1>;

enum Saturation { kDefault, kOn, kOff };

template <typename To, typename From>
void convert(To* to, const From* from, int mode, int saturation, int rows, int cols)
{
    Vec<To> d(rows, cols);
    Vec<From> s(rows, cols);
    Vec<float> scratch(rows, cols);
    TASSIGN(d, 0);
    TASSIGN(s, 0x10000);
    TASSIGN(scratch, 0x20000);
    fill_tile(d, to);
    fill_tile(s, from);
    const RoundMode round = static_cast<RoundMode>(mode);
    switch (saturation) {
        case kDefault: TCVT(d, s, round); break;
        case kOn: TCVT(d, s, round, SaturationMode::ON); break;
        default: TCVT(d, s, scratch, round, SaturationMode::OFF); break;
    }
    read_tile(to, d);
}

template <typename Para>
void fill_rows(Para& tile, const float* values)
{
    __builtin_memcpy(tile.data(), values, kRows * sizeof(float));
}

}  // namespace

#define CONVERT(A, FROM, B, TO)                                                                                   \
    extern "C" void convert_##A##_##B(TO* to, const FROM* from, int mode, int saturation, int rows, int cols)     \
    {                                                                                                             \
        convert<TO, FROM>(to, from, mode, saturation, rows, cols);                                                \
    }
#define BOTH_WAYS(A, FROM, B, TO) CONVERT(A, FROM, B, TO) CONVERT(B, TO, A, FROM)
BOTH_WAYS(fp32, float, e4m3, float8_e4m3_t)
BOTH_WAYS(fp32, float, e5m2, float8_e5m2_t)
BOTH_WAYS(fp32, float, hif8, hifloat8_t)
BOTH_WAYS(fp32, float, e2m1, float4_e2m1x2_t)
BOTH_WAYS(bf16, bfloat16_t, e1m2, float4_e1m2x2_t)
BOTH_WAYS(fp16, half, int4, int4b_t)
CONVERT(fp16, half, int8, int8_t)
CONVERT(fp16, half, uint8, uint8_t)
CONVERT(fp16, half, int16, int16_t)
CONVERT(fp32, float, int16, int16_t)
CONVERT(int32, int32_t, int16, int16_t)
CONVERT(fp32, float, int32, int32_t)

extern "C" void quantise(void* to, const float* from, const float* scale, const float* offset, int form, int rows, int cols)
{
    Vec<int8_t> sym(rows, cols);
    Vec<uint8_t> asym(rows, cols);
    Vec<float> s(rows, cols), scratch(rows, cols);
    PerRow<float> factor, shift;
    TASSIGN(sym, 0);
    TASSIGN(asym, 0);
    TASSIGN(s, 0x10000);
    TASSIGN(scratch, 0x20000);
    TASSIGN(factor, 0x30000);
    TASSIGN(shift, 0x30100);
    fill_tile(sym, to);
    fill_tile(s, from);
    fill_rows(factor, scale);
    fill_rows(shift, offset);
    switch (form) {
        case 0: TQUANT<QuantType::INT8_SYM>(sym, s, factor); break;
        case 1: TQUANT<QuantType::INT8_SYM>(sym, s, factor, scratch); break;
        case 2: TQUANT<QuantType::INT8_ASYM>(asym, s, factor, &shift); break;
        default: TQUANT<QuantType::INT8_ASYM>(asym, s, factor, scratch, &shift); break;
    }
    read_tile(to, sym);
}

template <typename From>
void dequantise(float* to, const From* from, const float* scale, const float* offset, int rows, int cols)
{
    Vec<float> d(rows, cols);
    Vec<From> s(rows, cols);
    PerRow<float> factor, shift;
    TASSIGN(d, 0);
    TASSIGN(s, 0x10000);
    TASSIGN(factor, 0x30000);
    TASSIGN(shift, 0x30100);
    fill_tile(d, to);
    fill_tile(s, from);
    fill_rows(factor, scale);
    fill_rows(shift, offset);
    TDEQUANT(d, s, factor, shift);
    read_tile(to, d);
}
extern "C" void dequantise_int8(float* to, const int8_t* from, const float* scale, const float* offset, int rows, int cols)
{
    dequantise(to, from, scale, offset, rows, cols);
}
extern "C" void dequantise_int16(
    float* to, const int16_t* from, const float* scale, const float* offset, int rows, int cols)
{
    dequantise(to, from, scale, offset, rows, cols);
}

extern "C" void add_dequantise(half* to, const int32_t* a, const int32_t* b, float scale, int rows, int cols)
{
    Vec<half> d(rows, cols);
    Vec<int32_t> x(rows, cols), y(rows, cols), scratch(rows, cols);
    TASSIGN(d, 0);
    TASSIGN(x, 0x10000);
    TASSIGN(y, 0x20000);
    TASSIGN(scratch, 0x30000);
    fill_tile(d, to);
    fill_tile(x, a);
    fill_tile(y, b);
    TADDDEQRELU(d, x, y, scale, scratch);
    read_tile(to, d);
}

template <typename To, typename From>
void narrow(To* to, const From* a, const From* b, int subtract, int rows, int cols)
{
    Vec<To> d(rows, cols);
    Vec<From> x(rows, cols), y(rows, cols);
    TASSIGN(d, 0);
    TASSIGN(x, 0x10000);
    TASSIGN(y, 0x20000);
    fill_tile(d, to);
    fill_tile(x, a);
    fill_tile(y, b);
    if (subtract != 0) {
        TSUBRELUCONV(d, x, y);
    } else {
        TADDRELUCONV(d, x, y);
    }
    read_tile(to, d);
}
#define NARROW(A, FROM, B, TO)                                                                                    \
    extern "C" void narrow_##A##_##B(TO* to, const FROM* a, const FROM* b, int subtract, int rows, int cols)      \
    {                                                                                                             \
        narrow<TO, FROM>(to, a, b, subtract, rows, cols);                                                         \
    }
NARROW(fp32, float, fp16, half)
NARROW(fp16, half, int8, int8_t)
NARROW(int16, int16_t, int8, int8_t)

// Microscaling: 64 x 64 elements, so that both axes have whole groups.
namespace {

constexpr int kMx = 64;
template <typename T>
using MxTile = Tile<TileType::Vec, T, kMx, kMx, BLayout::RowMajor, -1, -1>;
using Flat = Tile<TileType::Vec, float, 1, kMx * kMx / 32>;
using ByColumns = Tile<TileType::Vec, uint8_t, kMx, 32, BLayout::RowMajor, kMx, 2>;
using ByRows = Tile<TileType::Vec, uint8_t, 32, kMx, BLayout::RowMajor, 2, kMx>;
using Interleaved = Tile<TileType::Vec, uint8_t, 1, 2 * kMx>;

// Forms that kernels for devices have: a destination wider than the source with exponents of their own type, and codes of
// four bits one row after the other.
using Wide = Tile<TileType::Vec, int8_t, kMx, kMx + 32>;
using OneRow = Tile<TileType::Vec, float4_e2m1x2_t, 1, kMx * kMx / 2>;
using OwnType = Tile<TileType::Vec, float8_e8m0_t, 32, kMx, BLayout::RowMajor, 2, kMx>;

template <typename Tile>
Tile tile_of(int rows, int cols)
{
    if constexpr (Tile::ValidRow == DYNAMIC) {
        return Tile(rows, cols);
    } else {
        return Tile();
    }
}

template <int Axis, MxQuantAlg Algorithm, bool Interleave, typename Exp, typename Dst, typename To, typename From>
void quantise_mx(To* to, uint8_t* exponents, float* largest, float* factors, const From* from, int rows, int cols)
{
    Dst d = tile_of<Dst>(rows, cols);
    MxTile<From> s(rows, cols);
    Exp e;
    Flat m, f;
    TASSIGN(d, 0);
    TASSIGN(s, 0x10000);
    TASSIGN(e, 0x20000);
    TASSIGN(m, 0x30000);
    TASSIGN(f, 0x40000);
    fill_tile(d, to);
    fill_tile(s, from);
    fill_tile(e, reinterpret_cast<typename Exp::DType*>(exponents));
    fill_tile(m, largest);
    fill_tile(f, factors);
    TQUANT<Axis, Algorithm, Interleave>(d, s, &e, &m, &f);
    if constexpr (Dst::Rows == 1) {
        __builtin_memcpy(to, d.data(), kMx * kMx / 2);
    } else {
        read_tile(to, d);
    }
    read_tile(reinterpret_cast<typename Exp::DType*>(exponents), e);
    read_tile(largest, m);
    read_tile(factors, f);
}

}  // namespace

#define MX(NAME, AXIS, ALGORITHM, INTERLEAVE, EXP, TO, FROM) MX_INTO(NAME, AXIS, ALGORITHM, INTERLEAVE, EXP, MxTile<TO>, TO, FROM)
#define MX_INTO(NAME, AXIS, ALGORITHM, INTERLEAVE, EXP, DST, TO, FROM)                                                      \
    extern "C" void mx_##NAME(                                                                                    \
        TO* to, uint8_t* exponents, float* largest, float* factors, const FROM* from, int rows, int cols)         \
    {                                                                                                             \
        quantise_mx<AXIS, MxQuantAlg::ALGORITHM, INTERLEAVE, EXP, DST>(                                                \
            to, exponents, largest, factors, from, rows, cols);                                                   \
    }
MX(fp8_ocp_1, 1, OcpMxFp8E4M3, false, ByColumns, int8_t, float)
MX(fp8_nv_1, 1, NvMxFp8E4M3, false, ByColumns, int8_t, float)
MX(fp8_ocp_0, 0, OcpMxFp8E4M3, false, ByRows, int8_t, float)
MX(fp8_nv_0, 0, NvMxFp8E4M3, true, Interleaved, int8_t, float)
MX(fp4_ocp_1, 1, OcpMxFp4E2M1, false, ByColumns, float4_e2m1x2_t, half)
MX(fp4_nv_1, 1, NvMxFp4E2M1, false, ByColumns, float4_e2m1x2_t, half)
MX_INTO(fp8_wide, 0, OcpMxFp8E4M3, false, OwnType, Wide, int8_t, float)
MX_INTO(fp4_flat, 1, OcpMxFp4E2M1, false, ByColumns, OneRow, float4_e2m1x2_t, half)
