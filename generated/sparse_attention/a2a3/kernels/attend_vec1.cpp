// attend_vec1: vector kernel of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles selected 512, t 1; memory UB 143808 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, 16, 512>;
using VecF32_8x512_r1 = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, 1, 512>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128>;
using VecB16_16x512 = Tile<TileType::Vec, bfloat16_t, 16, 512, BLayout::RowMajor, 16, 512>;
using OQkGm = GlobalTensor<float, Shape<1, 1, 1, 16, 512>, Stride<1, 1, 1, 2048, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 2048, 1>>;
using OAlphaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
using OPLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 512>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ float *o_alpha,
    __gm__ bfloat16_t *o_p_low,
    __gm__ float *o_sum_end,
    __gm__ float *o_qk,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t selected0_buffer = 0;  // which of 2 buffers this iteration of selected0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // o: attention(q, keys, keys[:, :, :rank], scale=0.0416666667, bias=bias)
        VecF32_1x16 o_max_row; TASSIGN<0x19100>(o_max_row);  // as a row, same bytes as o_max
        pipe_barrier(PIPE_V);
        TEXPANDS(o_max_row, -__builtin_inff());
        VecF32_1x16 o_sum_row; TASSIGN(o_sum_row, 0x00000 + t0_buffer * 0x00040);  // as a row, same bytes as o_sum
        wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + t0_buffer));  // free again
        TEXPANDS(o_sum_row, 0.0f);
        for (int32_t selected0 = 0; selected0 < 2048; selected0 += 512, selected0_buffer ^= 1) {
            VecF32_16x512 o_qk_tile; TASSIGN(o_qk_tile, 0x00080 + selected0_buffer * 0x08000);  // UB 0x00080..0x10080, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(selected0_buffer));  // free again
            OQkGm o_qk_in(o_qk + int64_t(t0) * 32768 + int64_t(selected0));
            TLOAD(o_qk_tile, o_qk_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + selected0_buffer));
            VecF32_8x512_r1 bias_tile; TASSIGN(bias_tile, 0x10080 + selected0_buffer * 0x00800);  // UB 0x10080..0x11080, 2 copies
            BiasGm bias_in(bias + int64_t(t0) * 2048 + int64_t(selected0));
            TLOAD(bias_tile, bias_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(selected0_buffer));
            VecF32_16x512 o_s; TASSIGN<0x19140>(o_s);  // UB 0x19140..0x21140
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + selected0_buffer));
            TMULS(o_s, o_qk_tile, 0.041666668f);
            VecF32_16x512 o_s_biased; TASSIGN<0x19140>(o_s_biased);  // UB 0x19140..0x21140
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(selected0_buffer));
            TCOLEXPANDADD(o_s_biased, o_s, bias_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(selected0_buffer));
            VecF32_16x1 o_block_max; TASSIGN<0x21140>(o_block_max);  // UB 0x21140..0x21180
            VecF32_16x128 o_block_max_tmp; TASSIGN<0x21180>(o_block_max_tmp);  // UB 0x21180..0x23180
            pipe_barrier(PIPE_V);
            TROWMAX(o_block_max, o_s_biased, o_block_max_tmp);
            VecF32_1x16 o_max_next_row; TASSIGN<0x21140>(o_max_next_row);  // as a row, same bytes as o_max_next
            VecF32_1x16 o_block_max_row; TASSIGN<0x21140>(o_block_max_row);  // as a row, same bytes as o_block_max
            pipe_barrier(PIPE_V);
            TMAX(o_max_next_row, o_max_row, o_block_max_row);
            VecF32_16x512 o_below_max; TASSIGN<0x19140>(o_below_max);  // UB 0x19140..0x21140
            VecF32_16x1 o_max_next; TASSIGN<0x21140>(o_max_next);  // UB 0x21140..0x21180
            pipe_barrier(PIPE_V);
            TROWEXPANDSUB(o_below_max, o_s_biased, o_max_next);
            VecF32_16x512 o_p; TASSIGN<0x19140>(o_p);  // UB 0x19140..0x21140
            pipe_barrier(PIPE_V);
            TEXP(o_p, o_below_max);
            VecF32_1x16 o_max_step_row; TASSIGN<0x21180>(o_max_step_row);  // as a row, same bytes as o_max_step
            TSUB(o_max_step_row, o_max_row, o_max_next_row);
            VecF32_1x16 o_alpha_tile_row; TASSIGN(o_alpha_tile_row, 0x11080 + selected0_buffer * 0x00040);  // as a row, same bytes as o_alpha_tile
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + selected0_buffer));  // free again
            TEXP(o_alpha_tile_row, o_max_step_row);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + selected0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + selected0_buffer));
            OAlphaGm o_alpha_out(o_alpha + int64_t(t0) * 16 + int64_t(selected0) * t);
            TSTORE(o_alpha_out, o_alpha_tile_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + selected0_buffer));
            VecF32_16x1 o_block_sum; TASSIGN<0x21180>(o_block_sum);  // UB 0x21180..0x211c0
            VecF32_16x128 o_block_sum_tmp; TASSIGN<0x211c0>(o_block_sum_tmp);  // UB 0x211c0..0x231c0
            pipe_barrier(PIPE_V);
            TROWSUM(o_block_sum, o_p, o_block_sum_tmp);
            TMUL(o_sum_row, o_sum_row, o_alpha_tile_row);
            VecF32_1x16 o_block_sum_row; TASSIGN<0x21180>(o_block_sum_row);  // as a row, same bytes as o_block_sum
            pipe_barrier(PIPE_V);
            TADD(o_sum_row, o_sum_row, o_block_sum_row);
            VecB16_16x512 o_p_low_tile; TASSIGN(o_p_low_tile, 0x11100 + selected0_buffer * 0x04000);  // UB 0x11100..0x19100, 2 copies
            wait_flag(PIPE_MTE3, PIPE_V, event_t(selected0_buffer));  // free again
            TCVT(o_p_low_tile, o_p, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(selected0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(selected0_buffer));
            OPLowGm o_p_low_out(o_p_low + int64_t(t0) * 32768 + int64_t(selected0));
            TSTORE(o_p_low_out, o_p_low_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(selected0_buffer));
            TMOV(o_max_row, o_max_next_row);
        }
        OAlphaGm o_sum_end_out(o_sum_end + int64_t(t0) * 16);
        TSTORE(o_sum_end_out, o_sum_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(4 + t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_vec1(
    __gm__ float *o_alpha, __gm__ bfloat16_t *o_p_low, __gm__ float *o_sum_end, __gm__ float *o_qk,
    __gm__ float *bias, int32_t t_begin, int32_t t_end, int32_t t, int32_t nblk)
{
    run_block(
        o_alpha, o_p_low, o_sum_end, o_qk, bias, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
