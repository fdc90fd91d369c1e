// quantise: vector kernel of `linear_mxfp8` for a5. Made by pyptogen; change the spec, not this file.
// stages quantise; tiles t 1; memory UB 37248 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_64x32 = Tile<TileType::Vec, bfloat16_t, 64, 32, BLayout::RowMajor, 64, 32>;
using VecF32_64x32 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, 64, 32>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecE4m3_64x32 = Tile<TileType::Vec, float8_e4m3_t, 64, 32, BLayout::RowMajor, 64, 32>;
using VecU8_1x64 = Tile<TileType::Vec, uint8_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecE8m0_1x64 = Tile<TileType::Vec, float8_e8m0_t, 1, 64, BLayout::RowMajor, 1, 64>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 32>, Stride<1, 1, 1, 32, 1>>;
using XQGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 64, 32>, Stride<1, 1, 1, 32, 1>>;
using XScaleGm = GlobalTensor<float8_e8m0_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float8_e4m3_t *x_q,
    __gm__ float8_e8m0_t *x_scale,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // x_q, x_scale: quant_mx(x)
        VecB16_64x32 x_tile; TASSIGN(x_tile, 0x00000 + t0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        XGm x_in(x + int64_t(t0) * 2048);
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_64x32 x_q_wide; TASSIGN<0x03080>(x_q_wide);  // UB 0x03080..0x05080
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(x_q_wide, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_64x32 x_q_abs; TASSIGN<0x05080>(x_q_abs);  // UB 0x05080..0x07080
        TABS(x_q_abs, x_q_wide);
        VecF32_64x1 x_q_peak; TASSIGN<0x07080>(x_q_peak);  // UB 0x07080..0x07180
        VecF32_64x32 x_q_peak_tmp; TASSIGN<0x07180>(x_q_peak_tmp);  // UB 0x07180..0x09180
        TROWMAX(x_q_peak, x_q_abs, x_q_peak_tmp);
        VecI32_1x64 x_q_bits_row; TASSIGN<0x05080>(x_q_bits_row);  // as a row, same bytes as x_q_bits
        VecI32_1x64 x_q_peak_int32_row; TASSIGN<0x07080>(x_q_peak_int32_row);  // same bytes as x_q_peak
        TMOV(x_q_bits_row, x_q_peak_int32_row);
        VecI32_1x64 x_q_exponent_row; TASSIGN<0x05180>(x_q_exponent_row);  // as a row, same bytes as x_q_exponent
        TSHRS(x_q_exponent_row, x_q_bits_row, 23);
        VecI32_1x64 x_q_lowered_row; TASSIGN<0x05080>(x_q_lowered_row);  // as a row, same bytes as x_q_lowered
        TSUBS(x_q_lowered_row, x_q_exponent_row, 8);
        VecI32_1x64 x_q_code_row; TASSIGN<0x05080>(x_q_code_row);  // as a row, same bytes as x_q_code
        TMAXS(x_q_code_row, x_q_lowered_row, 0);
        VecI32_1x64 x_q_inverted_negated_row; TASSIGN<0x05180>(x_q_inverted_negated_row);  // as a row, same bytes as x_q_inverted_negated
        TMULS(x_q_inverted_negated_row, x_q_code_row, -1);
        VecI32_1x64 x_q_inverted_row; TASSIGN<0x05180>(x_q_inverted_row);  // as a row, same bytes as x_q_inverted
        TADDS(x_q_inverted_row, x_q_inverted_negated_row, 254);
        VecI32_1x64 x_q_inverse_row; TASSIGN<0x05280>(x_q_inverse_row);  // as a row, same bytes as x_q_inverse
        TSHLS(x_q_inverse_row, x_q_inverted_row, 23);
        VecF32_1x64 x_q_factor_row; TASSIGN<0x05180>(x_q_factor_row);  // as a row, same bytes as x_q_factor
        VecF32_1x64 x_q_inverse_fp32_row; TASSIGN<0x05280>(x_q_inverse_fp32_row);  // same bytes as x_q_inverse
        TMOV(x_q_factor_row, x_q_inverse_fp32_row);
        VecF32_64x32 x_q_scaled; TASSIGN<0x03080>(x_q_scaled);  // UB 0x03080..0x05080
        VecF32_64x1 x_q_factor; TASSIGN<0x05180>(x_q_factor);  // UB 0x05180..0x05280
        TROWEXPANDMUL(x_q_scaled, x_q_wide, x_q_factor);
        VecE4m3_64x32 x_q_elements; TASSIGN(x_q_elements, 0x02000 + t0_buffer * 0x00800);  // UB 0x02000..0x03000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(x_q_elements, x_q_scaled, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        VecU8_1x64 x_q_code_byte_row; TASSIGN(x_q_code_byte_row, 0x03000 + t0_buffer * 0x00040);  // as a row, same bytes as x_q_code_byte
        TCVT(x_q_code_byte_row, x_q_code_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        XQGm x_q_out(x_q + int64_t(t0) * 2048);
        TSTORE(x_q_out, x_q_elements);
        VecE8m0_1x64 x_q_code_byte_fp8_e8m0_row; TASSIGN(x_q_code_byte_fp8_e8m0_row, 0x03000 + t0_buffer * 0x00040);  // same bytes as x_q_code_byte
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        XScaleGm x_scale_out(x_scale + int64_t(t0) * 64);
        TSTORE(x_scale_out, x_q_code_byte_fp8_e8m0_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void quantise(
    __gm__ float8_e4m3_t *x_q, __gm__ float8_e8m0_t *x_scale, __gm__ bfloat16_t *x, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(x_q, x_scale, x, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
