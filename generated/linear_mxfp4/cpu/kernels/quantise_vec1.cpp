// quantise_vec1: vector kernel of `linear_mxfp4` for cpu. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles t 1; memory UB 13056 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x32 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, 64, 32>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecU8_1x64 = Tile<TileType::Vec, uint8_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecE8m0_1x64 = Tile<TileType::Vec, float8_e8m0_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecB16_64x32 = Tile<TileType::Vec, bfloat16_t, 64, 32, BLayout::RowMajor, 64, 32>;
using VecE2m1_64x64_c32 = Tile<TileType::Vec, float4_e2m1x2_t, 64, 64, BLayout::RowMajor, 64, 32>;
using VecU8_64x32_c16 = Tile<TileType::Vec, uint8_t, 64, 32, BLayout::RowMajor, 64, 16>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 32>, Stride<1, 1, 1, 32, 1>>;
using XScaleGm = GlobalTensor<float8_e8m0_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using XQGm = GlobalTensor<uint8_t, Shape<1, 1, 1, 64, 16>, Stride<1, 1, 1, 16, 1>>;
}  // namespace

extern "C" __global__ AICORE void quantise_vec1(
    __gm__ uint8_t *x_q,
    __gm__ float8_e8m0_t *x_scale,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        VecF32_64x32 x_q_wide; TASSIGN(x_q_wide, 0x00000);  // UB 0x00000..0x02000
        VecF32_64x1 x_q_peak; TASSIGN(x_q_peak, 0x02000);  // UB 0x02000..0x02100
        XGm x_in(x + int64_t(t0) * 2048);
        TPASS(64, 32, [&](auto at, auto &x_q_peak_max) {
            // x_q, x_scale: quant_mx(x, quant_dtype=fp4_e2m1)
            const auto x_tile = at.load(x_in);
            at.store(x_q_wide, x_tile);
            const auto x_q_abs = at.abs(x_tile);
            x_q_peak_max.take(at, x_q_abs);
        }, RowMax(x_q_peak));
        VecI32_1x64 x_q_bits_row; TASSIGN(x_q_bits_row, 0x02100);  // as a row, same bytes as x_q_bits
        VecI32_1x64 x_q_peak_int32_row; TASSIGN(x_q_peak_int32_row, 0x02000);  // same bytes as x_q_peak
        TMOV(x_q_bits_row, x_q_peak_int32_row);
        VecI32_1x64 x_q_exponent_row; TASSIGN(x_q_exponent_row, 0x02000);  // as a row, same bytes as x_q_exponent
        TSHRS(x_q_exponent_row, x_q_bits_row, 23);
        VecI32_1x64 x_q_lowered_row; TASSIGN(x_q_lowered_row, 0x02100);  // as a row, same bytes as x_q_lowered
        TSUBS(x_q_lowered_row, x_q_exponent_row, 2);
        VecI32_1x64 x_q_code_row; TASSIGN(x_q_code_row, 0x02000);  // as a row, same bytes as x_q_code
        TMAXS(x_q_code_row, x_q_lowered_row, 0);
        VecI32_1x64 x_q_inverted_negated_row; TASSIGN(x_q_inverted_negated_row, 0x02100);  // as a row, same bytes as x_q_inverted_negated
        TMULS(x_q_inverted_negated_row, x_q_code_row, -1);
        VecI32_1x64 x_q_inverted_row; TASSIGN(x_q_inverted_row, 0x02200);  // as a row, same bytes as x_q_inverted
        TADDS(x_q_inverted_row, x_q_inverted_negated_row, 254);
        VecI32_1x64 x_q_inverse_row; TASSIGN(x_q_inverse_row, 0x02100);  // as a row, same bytes as x_q_inverse
        TSHLS(x_q_inverse_row, x_q_inverted_row, 23);
        VecF32_1x64 x_q_factor_row; TASSIGN(x_q_factor_row, 0x02200);  // as a row, same bytes as x_q_factor
        VecF32_1x64 x_q_inverse_fp32_row; TASSIGN(x_q_inverse_fp32_row, 0x02100);  // same bytes as x_q_inverse
        TMOV(x_q_factor_row, x_q_inverse_fp32_row);
        VecU8_1x64 x_q_code_byte_row; TASSIGN(x_q_code_byte_row, 0x02100);  // as a row, same bytes as x_q_code_byte
        TCVT(x_q_code_byte_row, x_q_code_row, RoundMode::CAST_RINT);
        VecE8m0_1x64 x_q_code_byte_fp8_e8m0_row; TASSIGN(x_q_code_byte_fp8_e8m0_row, 0x02100);  // same bytes as x_q_code_byte
        XScaleGm x_scale_out(x_scale + int64_t(t0) * 64);
        TSTORE(x_scale_out, x_q_code_byte_fp8_e8m0_row);
        VecF32_64x1 x_q_factor; TASSIGN(x_q_factor, 0x02200);  // UB 0x02200..0x02300
        VecB16_64x32 x_q_brain; TASSIGN(x_q_brain, 0x02300);  // UB 0x02300..0x03300
        TPASS(64, 32, [&](auto at) {
            const auto x_q_wide_v = at.load(x_q_wide);
            const auto x_q_scaled = x_q_wide_v * at.column(x_q_factor);
            at.store(x_q_brain, x_q_scaled);
        });
        VecE2m1_64x64_c32 x_q_elements; TASSIGN(x_q_elements, 0x00000);  // UB 0x00000..0x01000
        TCVT(x_q_elements, x_q_brain, RoundMode::CAST_RINT);
        VecU8_64x32_c16 x_q_elements_bytes; TASSIGN(x_q_elements_bytes, 0x00000);  // same bytes as x_q_elements
        XQGm x_q_out(x_q + int64_t(t0) * 1024);
        TSTORE(x_q_out, x_q_elements_bytes);
    }
#endif
}
