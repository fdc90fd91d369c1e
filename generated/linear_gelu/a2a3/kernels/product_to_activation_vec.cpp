// product_to_activation_vec: vector kernel of `linear_gelu` for a2a3. Made by pyptogen; change the spec, not this file.
// stages activation; tiles n 128, t 128 / 16; memory UB 58368 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_16x128 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using PSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using PPipe = TPipe<0, Direction::DIR_C2V, 65536, 2, 2, true, true>;  // 2 tiles of up to 128 x 128, to both vector cores
using PSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ float *bias,
    __gm__ float *p_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    PPipe p_pipe(p_fifo + int64_t(block) * 32768, 0x0, 0x0);
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    int32_t t1_buffer = 0;  // which of 2 buffers this iteration of t1 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 128) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t t0_half = (t0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t t0_first = subblock * (t0_valid - t0_half);  // the first row of this core
        for (int32_t n0 = block * 128; n0 < 2048; n0 += nblk * 128, n0_buffer ^= 1) {
            // y: cast(gelu(p + bias), bf16)
            VecF32_1x128 bias_tile; TASSIGN(bias_tile, 0x04000 + n0_buffer * 0x00200);  // UB 0x04000..0x04400, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + n0_buffer));  // free again
            BiasGm bias_in(bias + int64_t(n0));
            TLOAD(bias_tile, bias_in);
            PSlot p_view(p_fifo);
            TPOP<PPipe, PSlot, TileSplitAxis::TILE_NO_SPLIT>(p_pipe, p_view);
            __gm__ float *p_slot = p_view.data();
            for (int32_t t1 = t0 + t0_first; t1 < t0 + t0_first + t0_half; t1 += 16, t1_buffer ^= 1) {
                const int32_t t1_valid = t0 + t0_first + t0_half - t1 < 16 ? t0 + t0_first + t0_half - t1 : 16;
                VecF32_16x128 p(t1_valid); TASSIGN(p, 0x00000 + t1_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(t1_buffer));  // free again
                PSlotGm p_slot_in(p_slot + int64_t(t1) * 128 - int64_t(t0) * 128, {t1_valid});
                TLOAD(p, p_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(t1_buffer));
                VecF32_16x128 y_1(t1_valid); TASSIGN<0x06400>(y_1);  // UB 0x06400..0x08400
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(t1_buffer));
                TCOLEXPANDADD(y_1, p, bias_tile);
                set_flag(PIPE_V, PIPE_MTE2, event_t(t1_buffer));
                VecF32_16x128 y_half(t1_valid); TASSIGN<0x08400>(y_half);  // UB 0x08400..0x0a400
                pipe_barrier(PIPE_V);
                TMULS(y_half, y_1, 0.5f);
                VecF32_16x128 y_angle(t1_valid); TASSIGN<0x06400>(y_angle);  // UB 0x06400..0x08400
                pipe_barrier(PIPE_V);
                TMULS(y_angle, y_1, 0.70710677f);
                VecF32_16x128 y_inner(t1_valid); TASSIGN<0x06400>(y_inner);  // UB 0x06400..0x08400
                pipe_barrier(PIPE_V);
                TMAXS(y_inner, y_angle, -4.0f);
                pipe_barrier(PIPE_V);
                TMINS(y_inner, y_inner, 4.0f);
                VecF32_16x128 y_square(t1_valid); TASSIGN<0x0a400>(y_square);  // UB 0x0a400..0x0c400
                pipe_barrier(PIPE_V);
                TMUL(y_square, y_inner, y_inner);
                VecF32_16x128 y_p(t1_valid); TASSIGN<0x0c400>(y_p);  // UB 0x0c400..0x0e400
                pipe_barrier(PIPE_V);
                TMULS(y_p, y_square, 1.9867327e-06f);
                pipe_barrier(PIPE_V);
                TADDS(y_p, y_p, 0.00028456512f);
                pipe_barrier(PIPE_V);
                TMUL(y_p, y_p, y_square);
                pipe_barrier(PIPE_V);
                TADDS(y_p, y_p, 0.003883423f);
                pipe_barrier(PIPE_V);
                TMUL(y_p, y_p, y_square);
                pipe_barrier(PIPE_V);
                TADDS(y_p, y_p, 0.053101983f);
                pipe_barrier(PIPE_V);
                TMUL(y_p, y_p, y_square);
                pipe_barrier(PIPE_V);
                TADDS(y_p, y_p, 0.19354726f);
                pipe_barrier(PIPE_V);
                TMUL(y_p, y_p, y_square);
                pipe_barrier(PIPE_V);
                TADDS(y_p, y_p, 1.1283791f);
                VecF32_16x128 y_above(t1_valid); TASSIGN<0x06400>(y_above);  // UB 0x06400..0x08400
                pipe_barrier(PIPE_V);
                TMUL(y_above, y_inner, y_p);
                VecF32_16x128 y_q(t1_valid); TASSIGN<0x0c400>(y_q);  // UB 0x0c400..0x0e400
                pipe_barrier(PIPE_V);
                TMULS(y_q, y_square, 3.7419617e-05f);
                pipe_barrier(PIPE_V);
                TADDS(y_q, y_q, 0.0011855855f);
                pipe_barrier(PIPE_V);
                TMUL(y_q, y_q, y_square);
                pipe_barrier(PIPE_V);
                TADDS(y_q, y_q, 0.015207412f);
                pipe_barrier(PIPE_V);
                TMUL(y_q, y_q, y_square);
                pipe_barrier(PIPE_V);
                TADDS(y_q, y_q, 0.115350865f);
                pipe_barrier(PIPE_V);
                TMUL(y_q, y_q, y_square);
                pipe_barrier(PIPE_V);
                TADDS(y_q, y_q, 0.5048593f);
                VecF32_16x128 y_q_9(t1_valid); TASSIGN<0x0a400>(y_q_9);  // UB 0x0a400..0x0c400
                pipe_barrier(PIPE_V);
                TMUL(y_q_9, y_q, y_square);
                pipe_barrier(PIPE_V);
                TADDS(y_q_9, y_q_9, 1.0f);
                VecF32_16x128 y_ratio(t1_valid); TASSIGN<0x06400>(y_ratio);  // UB 0x06400..0x08400
                pipe_barrier(PIPE_V);
                TDIV(y_ratio, y_above, y_q_9);
                VecF32_16x128 y_erf(t1_valid); TASSIGN<0x06400>(y_erf);  // UB 0x06400..0x08400
                pipe_barrier(PIPE_V);
                TMAXS(y_erf, y_ratio, -1.0f);
                pipe_barrier(PIPE_V);
                TMINS(y_erf, y_erf, 1.0f);
                VecF32_16x128 y_2(t1_valid); TASSIGN<0x06400>(y_2);  // UB 0x06400..0x08400
                pipe_barrier(PIPE_V);
                TADDS(y_2, y_erf, 1.0f);
                pipe_barrier(PIPE_V);
                TMUL(y_2, y_half, y_2);
                VecB16_16x128 y_tile(t1_valid); TASSIGN(y_tile, 0x04400 + t1_buffer * 0x01000);  // UB 0x04400..0x06400, 2 copies
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, event_t(t1_buffer));  // free again
                TCVT(y_tile, y_2, RoundMode::CAST_RINT, SaturationMode::ON);
                set_flag(PIPE_V, PIPE_MTE3, event_t(t1_buffer));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(t1_buffer));
                YGm y_out(y + int64_t(t1) * 2048 + int64_t(n0), {t1_valid});
                TSTORE(y_out, y_tile);
                set_flag(PIPE_MTE3, PIPE_V, event_t(t1_buffer));
            }
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + n0_buffer));
            TFREE<PPipe, PSlot, TileSplitAxis::TILE_NO_SPLIT>(p_pipe, p_view);
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void product_to_activation_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *y, __gm__ float *bias, __gm__ float *p_fifo, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        y, bias, p_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
