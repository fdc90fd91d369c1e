// linear_cube: cube kernel of `linear_mxfp8` for a5. Made by pyptogen; change the spec, not this file.
// stages linear; tiles k 512, k.l0 64, n 256, t 128; memory L0A 16384 B, L0B 32768 B, L0C 262144 B, L1 425984 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x256 = TileAccCompact<float, 128, 256, DYNAMIC, 256>;
using MatE4m3_128x512 = Tile<TileType::Mat, float8_e4m3_t, 128, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatE4m3_512x256 = Tile<TileType::Mat, float8_e4m3_t, 512, 256, BLayout::ColMajor, 512, 256, SLayout::RowMajor, 512>;
using MatE8m0_128x16 = Tile<TileType::Mat, float8_e8m0_t, 128, 16, BLayout::RowMajor, DYNAMIC, 16, SLayout::RowMajor, 32>;
using MatE8m0_16x256 = Tile<TileType::Mat, float8_e8m0_t, 16, 256, BLayout::ColMajor, 16, 256, SLayout::ColMajor, 32>;
using LeftE4m3_128x64 = TileLeftCompact<float8_e4m3_t, 128, 64, DYNAMIC, 64>;
using RightE4m3_64x256 = TileRight<float8_e4m3_t, 64, 256, 64, 256>;
using ScaleLeftE8m0_128x2 = TileLeftScale<float8_e8m0_t, 128, 2, DYNAMIC, 2>;
using ScaleRightE8m0_2x256 = TileRightScale<float8_e8m0_t, 2, 256, 2, 256>;
using XQGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 2048, 1>>;
using WGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 512, 256>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
using XScaleGm = GlobalTensor<float8_e8m0_t, Shape<1, 1, DYNAMIC, 8, 2>, Stride<1, 1, 64, 2, 1>, Layout::MX_A_ND>;
using WScaleGm = GlobalTensor<float8_e8m0_t, Shape<1, 1, 256, 8, 2>, Stride<1, 1, 64, 2, 1>, Layout::MX_B_DN>;
using AccPipe = TPipe<0, Direction::DIR_C2V_GM, 131072, 4, 2, true, true>;  // 4 tiles of up to 128 x 256, to both vector cores
using AccSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ float8_e4m3_t *x_q,
    __gm__ float8_e4m3_t *w,
    __gm__ float8_e8m0_t *x_scale,
    __gm__ float8_e8m0_t *w_scale,
    __gm__ float *acc_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    AccPipe acc_pipe(acc_fifo + int64_t(block) * 131072, 0x0, 0x0);
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    int32_t k0_buffer = 0;  // which of 2 buffers this iteration of k0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 4;  // of t0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk, n0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 4 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t n0 = tile % 4 * 256;
        AccF32_128x256 acc_acc(t0_valid); TASSIGN(acc_acc, 0x00000 + n0_buffer * 0x20000);  // L0C 0x00000..0x40000, 2 copies
        for (int32_t k0 = 0; k0 < 2048; k0 += 512, k0_buffer ^= 1) {
            // acc: scaled_mm(x_q, w.T, x_scale, w_scale.T, dtype=fp32)
            MatE4m3_128x512 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x00000 + k0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));  // free again
            XQGm x_q_in(x_q + int64_t(t0) * 2048 + int64_t(k0), {t0_valid});
            TLOAD(x_q_tile, x_q_in);
            MatE4m3_512x256 w_tile; TASSIGN(w_tile, 0x20000 + k0_buffer * 0x20000);  // L1 0x20000..0x60000, 2 copies
            WGm w_in(w + int64_t(n0) * 2048 + int64_t(k0));
            TLOAD(w_tile, w_in);
            MatE8m0_128x16 x_scale_tile(t0_valid); TASSIGN(x_scale_tile, 0x60000 + k0_buffer * 0x02000);  // L1 0x60000..0x64000, 2 copies
            XScaleGm x_scale_in(x_scale + int64_t(t0) * 64 + int64_t(k0) / 32, {t0_valid});
            TLOAD(x_scale_tile, x_scale_in);
            MatE8m0_16x256 w_scale_tile; TASSIGN(w_scale_tile, 0x64000 + k0_buffer * 0x02000);  // L1 0x64000..0x68000, 2 copies
            WScaleGm w_scale_in(w_scale + int64_t(n0) * 64 + int64_t(k0) / 32);
            TLOAD(w_scale_tile, w_scale_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 64, k1_buffer ^= 1) {
                LeftE4m3_128x64 x_q_tile_l0a(t0_valid); TASSIGN(x_q_tile_l0a, 0x00000 + k1_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_q_tile_l0a, x_q_tile, 0, k1);
                RightE4m3_64x256 w_tile_l0b; TASSIGN(w_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                TEXTRACT(w_tile_l0b, w_tile, k1, 0);
                ScaleLeftE8m0_128x2 x_q_tile_l0a_scales(t0_valid); TASSIGN(x_q_tile_l0a_scales, 0x00000 + k1_buffer * 0x00200);  // scales of x_q_tile_l0a
                TEXTRACT(x_q_tile_l0a_scales, x_scale_tile, 0, k1 / 32);
                ScaleRightE8m0_2x256 w_tile_l0b_scales; TASSIGN(w_tile_l0b_scales, 0x00000 + k1_buffer * 0x00400);  // scales of w_tile_l0b
                TEXTRACT(w_tile_l0b_scales, w_scale_tile, k1 / 32, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (k0 + k1 == 0) {
                    TMATMUL_MX<AccPhase::Partial>(acc_acc, x_q_tile_l0a, x_q_tile_l0a_scales, w_tile_l0b, w_tile_l0b_scales);
                } else if (k0 + k1 + 64 < 2048) {
                    TMATMUL_MX<AccPhase::Partial>(acc_acc, acc_acc, x_q_tile_l0a, x_q_tile_l0a_scales, w_tile_l0b, w_tile_l0b_scales);
                } else {
                    TMATMUL_MX<AccPhase::Final>(acc_acc, acc_acc, x_q_tile_l0a, x_q_tile_l0a_scales, w_tile_l0b, w_tile_l0b_scales);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));
        }
        TPUSH<AccPipe, AccF32_128x256, TileSplitAxis::TILE_NO_SPLIT>(acc_pipe, acc_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_cube(
    __gm__ uint64_t *ffts, __gm__ float8_e4m3_t *x_q, __gm__ float8_e4m3_t *w, __gm__ float8_e8m0_t *x_scale,
    __gm__ float8_e8m0_t *w_scale, __gm__ float *acc_fifo, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(x_q, w, x_scale, w_scale, acc_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
