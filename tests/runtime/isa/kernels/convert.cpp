#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 4;
constexpr int kCols = 288;

template <typename To, typename From>
void convert(To* to, const From* from, int mode, int saturate, int rows, int cols)
{
    Tile<TileType::Vec, To, kRows, kCols, BLayout::RowMajor, -1, -1> d(rows, cols);
    Tile<TileType::Vec, From, kRows, kCols, BLayout::RowMajor, -1, -1> s(rows, cols);
    TASSIGN(d, 0);
    TASSIGN(s, 0x10000);
    fill_tile(d, to);
    fill_tile(s, from);
    TCVT(d, s, static_cast<RoundMode>(mode), saturate != 0 ? SaturationMode::ON : SaturationMode::OFF);
    read_tile(to, d);
}

}  // namespace

#define CONVERT(A, FROM, B, TO)                                                                               \
    extern "C" void convert_##A##_##B(TO* to, const FROM* from, int mode, int saturate, int rows, int cols)   \
    {                                                                                                         \
        convert<TO, FROM>(to, from, mode, saturate, rows, cols);                                              \
    }
CONVERT(fp32, float, fp16, half)
CONVERT(fp32, float, bf16, bfloat16_t)
CONVERT(fp32, float, int32, int32_t)
CONVERT(fp32, float, int16, int16_t)
CONVERT(fp32, float, int8, int8_t)
CONVERT(fp32, float, int64, int64_t)
CONVERT(fp32, float, fp32, float)
CONVERT(fp16, half, fp32, float)
CONVERT(fp16, half, int8, int8_t)
CONVERT(fp16, half, uint8, uint8_t)
CONVERT(fp16, half, int32, int32_t)
CONVERT(bf16, bfloat16_t, fp32, float)
CONVERT(bf16, bfloat16_t, int32, int32_t)
CONVERT(bf16, bfloat16_t, fp16, half)
CONVERT(int32, int32_t, fp32, float)
CONVERT(int32, int32_t, fp16, half)
CONVERT(int32, int32_t, bf16, bfloat16_t)
CONVERT(int32, int32_t, int16, int16_t)
CONVERT(int32, int32_t, int8, int8_t)
CONVERT(int32, int32_t, int64, int64_t)
CONVERT(int16, int16_t, fp32, float)
CONVERT(int8, int8_t, fp32, float)
CONVERT(int8, int8_t, fp16, half)
CONVERT(uint8, uint8_t, fp16, half)
CONVERT(int64, int64_t, int32, int32_t)
CONVERT(int64, int64_t, fp32, float)
