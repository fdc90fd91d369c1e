// activation: vector kernel of `linear_gelu` for a2a3. Made by pyptogen; change the spec, not this file.
// stages activation; tiles n 512, t 16; memory UB 182272 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecB16_16x512 = Tile<TileType::Vec, bfloat16_t, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using PGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 2048, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void activation(
    __gm__ bfloat16_t *y,
    __gm__ float *p,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        for (int32_t n0 = 0; n0 < 2048; n0 += 512) {
            // y: cast(gelu(p + bias), bf16)  [linear_gelu.yaml:21]
            VecF32_16x512 p_tile(t0_valid); TASSIGN(p_tile, 0x00000);  // UB 0x00000..0x08000
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
            PGm p_in(p + int64_t(t0) * 2048 + int64_t(n0), {t0_valid});
            TLOAD(p_tile, p_in);
            VecF32_1x512 y_bias_row; TASSIGN(y_bias_row, 0x08000);  // UB 0x08000..0x08800
            BiasGm bias_in(bias + int64_t(n0));
            TLOAD(y_bias_row, bias_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            VecF32_16x512 y_1(t0_valid); TASSIGN(y_1, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TCOLEXPANDADD(y_1, p_tile, y_bias_row);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            VecF32_16x512 y_half(t0_valid); TASSIGN(y_half, 0x14800);  // UB 0x14800..0x1c800
            pipe_barrier(PIPE_V);
            TMULS(y_half, y_1, 0.5f);
            VecF32_16x512 y_angle(t0_valid); TASSIGN(y_angle, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TMULS(y_angle, y_1, 0.70710677f);
            VecF32_16x512 y_inner(t0_valid); TASSIGN(y_inner, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TMAXS(y_inner, y_angle, -4.0f);
            VecF32_16x512 y_inner_2(t0_valid); TASSIGN(y_inner_2, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TMINS(y_inner_2, y_inner, 4.0f);
            VecF32_16x512 y_square(t0_valid); TASSIGN(y_square, 0x1c800);  // UB 0x1c800..0x24800
            pipe_barrier(PIPE_V);
            TMUL(y_square, y_inner_2, y_inner_2);
            VecF32_16x512 y_p(t0_valid); TASSIGN(y_p, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMULS(y_p, y_square, 1.9867327e-06f);
            VecF32_16x512 y_p_2(t0_valid); TASSIGN(y_p_2, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_p_2, y_p, 0.00028456512f);
            VecF32_16x512 y_p_3(t0_valid); TASSIGN(y_p_3, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMUL(y_p_3, y_p_2, y_square);
            VecF32_16x512 y_p_4(t0_valid); TASSIGN(y_p_4, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_p_4, y_p_3, 0.003883423f);
            VecF32_16x512 y_p_5(t0_valid); TASSIGN(y_p_5, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMUL(y_p_5, y_p_4, y_square);
            VecF32_16x512 y_p_6(t0_valid); TASSIGN(y_p_6, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_p_6, y_p_5, 0.053101983f);
            VecF32_16x512 y_p_7(t0_valid); TASSIGN(y_p_7, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMUL(y_p_7, y_p_6, y_square);
            VecF32_16x512 y_p_8(t0_valid); TASSIGN(y_p_8, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_p_8, y_p_7, 0.19354726f);
            VecF32_16x512 y_p_9(t0_valid); TASSIGN(y_p_9, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMUL(y_p_9, y_p_8, y_square);
            VecF32_16x512 y_p_10(t0_valid); TASSIGN(y_p_10, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_p_10, y_p_9, 1.1283791f);
            VecF32_16x512 y_above(t0_valid); TASSIGN(y_above, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TMUL(y_above, y_inner_2, y_p_10);
            VecF32_16x512 y_q(t0_valid); TASSIGN(y_q, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMULS(y_q, y_square, 3.7419617e-05f);
            VecF32_16x512 y_q_2(t0_valid); TASSIGN(y_q_2, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_q_2, y_q, 0.0011855855f);
            VecF32_16x512 y_q_3(t0_valid); TASSIGN(y_q_3, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMUL(y_q_3, y_q_2, y_square);
            VecF32_16x512 y_q_4(t0_valid); TASSIGN(y_q_4, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_q_4, y_q_3, 0.015207412f);
            VecF32_16x512 y_q_5(t0_valid); TASSIGN(y_q_5, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMUL(y_q_5, y_q_4, y_square);
            VecF32_16x512 y_q_6(t0_valid); TASSIGN(y_q_6, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_q_6, y_q_5, 0.115350865f);
            VecF32_16x512 y_q_7(t0_valid); TASSIGN(y_q_7, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TMUL(y_q_7, y_q_6, y_square);
            VecF32_16x512 y_q_8(t0_valid); TASSIGN(y_q_8, 0x24800);  // UB 0x24800..0x2c800
            pipe_barrier(PIPE_V);
            TADDS(y_q_8, y_q_7, 0.5048593f);
            VecF32_16x512 y_q_9(t0_valid); TASSIGN(y_q_9, 0x1c800);  // UB 0x1c800..0x24800
            pipe_barrier(PIPE_V);
            TMUL(y_q_9, y_q_8, y_square);
            VecF32_16x512 y_q_10(t0_valid); TASSIGN(y_q_10, 0x1c800);  // UB 0x1c800..0x24800
            pipe_barrier(PIPE_V);
            TADDS(y_q_10, y_q_9, 1.0f);
            VecF32_16x512 y_ratio(t0_valid); TASSIGN(y_ratio, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TDIV(y_ratio, y_above, y_q_10);
            VecF32_16x512 y_erf(t0_valid); TASSIGN(y_erf, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TMAXS(y_erf, y_ratio, -1.0f);
            VecF32_16x512 y_erf_2(t0_valid); TASSIGN(y_erf_2, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TMINS(y_erf_2, y_erf, 1.0f);
            VecF32_16x512 y_2(t0_valid); TASSIGN(y_2, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TADDS(y_2, y_erf_2, 1.0f);
            VecF32_16x512 y_3(t0_valid); TASSIGN(y_3, 0x0c800);  // UB 0x0c800..0x14800
            pipe_barrier(PIPE_V);
            TMUL(y_3, y_half, y_2);
            VecB16_16x512 y_tile(t0_valid); TASSIGN(y_tile, 0x08800);  // UB 0x08800..0x0c800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TCVT(y_tile, y_3, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            YGm y_out(y + int64_t(t0) * 2048 + int64_t(n0), {t0_valid});
            TSTORE(y_out, y_tile);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
#endif
}
