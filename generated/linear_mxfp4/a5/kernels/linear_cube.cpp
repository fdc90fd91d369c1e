// linear_cube: cube kernel of `linear_mxfp4` for a5. Made by pyptogen; change the spec, not this file.
// stages linear; tiles k 1024, k.l0 128, n 128, t 256; memory L0A 65536 B, L0B 32768 B, L0C 262144 B, L1 413696 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x128 = TileAccCompact<float, 256, 128, DYNAMIC, 128>;
using MatE4m3_256x1024 = Tile<TileType::Mat, float8_e4m3_t, 256, 1024, BLayout::ColMajor, DYNAMIC, 1024, SLayout::RowMajor, 512>;
using MatE4m3_1024x128 = Tile<TileType::Mat, float8_e4m3_t, 1024, 128, BLayout::ColMajor, 1024, 128, SLayout::RowMajor, 512>;
using MatE8m0_256x32 = Tile<TileType::Mat, float8_e8m0_t, 256, 32, BLayout::RowMajor, DYNAMIC, 32, SLayout::RowMajor, 32>;
using MatE8m0_32x128 = Tile<TileType::Mat, float8_e8m0_t, 32, 128, BLayout::ColMajor, 32, 128, SLayout::ColMajor, 32>;
using LeftE4m3_256x128 = TileLeftCompact<float8_e4m3_t, 256, 128, DYNAMIC, 128>;
using RightE4m3_128x128 = TileRight<float8_e4m3_t, 128, 128, 128, 128>;
using ScaleLeftE8m0_256x4 = TileLeftScale<float8_e8m0_t, 256, 4, DYNAMIC, 4>;
using ScaleRightE8m0_4x128 = TileRightScale<float8_e8m0_t, 4, 128, 4, 128>;
using XWideGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 2048, 1>>;
using WWideGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 1024, 128>, Stride<1, 1, 1, 1, 2048>, Layout::DN>;
using XScaleGm = GlobalTensor<float8_e8m0_t, Shape<1, 1, DYNAMIC, 16, 2>, Stride<1, 1, 64, 2, 1>, Layout::MX_A_ND>;
using WScaleGm = GlobalTensor<float8_e8m0_t, Shape<1, 1, 128, 16, 2>, Stride<1, 1, 64, 2, 1>, Layout::MX_B_DN>;
using AccPipe = TPipe<0, Direction::DIR_C2V_GM, 131072, 2, 2, true>;  // 2 tiles of up to 256 x 128, to both vector cores
using AccSlot = GlobalTensor<float, Shape<1, 1, 1, 256, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float8_e4m3_t *x_wide,
    __gm__ float8_e4m3_t *w_wide,
    __gm__ float8_e8m0_t *x_scale,
    __gm__ float8_e8m0_t *w_scale,
    __gm__ float *acc_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    AccPipe acc_pipe(acc_fifo + int64_t(block) * 65536, 0x0, 0x0);
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 255) / 256 * 8;  // of t0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk, n0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 8 * 256;
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        const int32_t n0 = tile % 8 * 128;
        AccF32_256x128 acc_acc(t0_valid); TASSIGN(acc_acc, 0x00000 + n0_buffer * 0x20000);  // L0C 0x00000..0x40000, 2 copies
        wait_flag(PIPE_FIX, PIPE_M, event_t(n0_buffer));  // free again
        for (int32_t k0 = 0; k0 < 2048; k0 += 1024) {
            // acc: scaled_mm(x_wide, w_wide.T, x_scale, w_scale.T, dtype=fp32)
            MatE4m3_256x1024 x_wide_tile(t0_valid); TASSIGN<0x00000>(x_wide_tile);  // L1 0x00000..0x40000
            wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // free again
            XWideGm x_wide_in(x_wide + int64_t(t0) * 2048 + int64_t(k0), {t0_valid});
            TLOAD(x_wide_tile, x_wide_in);
            MatE4m3_1024x128 w_wide_tile; TASSIGN<0x40000>(w_wide_tile);  // L1 0x40000..0x60000
            WWideGm w_wide_in(w_wide + int64_t(n0) * 2048 + int64_t(k0));
            TLOAD(w_wide_tile, w_wide_in);
            MatE8m0_256x32 x_scale_tile(t0_valid); TASSIGN<0x60000>(x_scale_tile);  // L1 0x60000..0x64000
            XScaleGm x_scale_in(x_scale + int64_t(t0) * 64 + int64_t(k0) / 32, {t0_valid});
            TLOAD(x_scale_tile, x_scale_in);
            MatE8m0_32x128 w_scale_tile; TASSIGN<0x64000>(w_scale_tile);  // L1 0x64000..0x65000
            WScaleGm w_scale_in(w_scale + int64_t(n0) * 64 + int64_t(k0) / 32);
            TLOAD(w_scale_tile, w_scale_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
            for (int32_t k1 = 0; k1 < 1024; k1 += 128, k1_buffer ^= 1) {
                LeftE4m3_256x128 x_wide_tile_l0a(t0_valid); TASSIGN(x_wide_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_wide_tile_l0a, x_wide_tile, 0, k1);
                RightE4m3_128x128 w_wide_tile_l0b; TASSIGN(w_wide_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                TEXTRACT(w_wide_tile_l0b, w_wide_tile, k1, 0);
                ScaleLeftE8m0_256x4 x_wide_tile_l0a_scales(t0_valid); TASSIGN(x_wide_tile_l0a_scales, 0x00000 + k1_buffer * 0x00800);  // beside x_wide_tile_l0a
                TEXTRACT(x_wide_tile_l0a_scales, x_scale_tile, 0, k1 / 32);
                ScaleRightE8m0_4x128 w_wide_tile_l0b_scales; TASSIGN(w_wide_tile_l0b_scales, 0x00000 + k1_buffer * 0x00400);  // beside w_wide_tile_l0b
                TEXTRACT(w_wide_tile_l0b_scales, w_scale_tile, k1 / 32, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (k0 + k1 == 0) {
                    TMATMUL_MX(acc_acc, x_wide_tile_l0a, x_wide_tile_l0a_scales, w_wide_tile_l0b, w_wide_tile_l0b_scales);
                } else {
                    TMATMUL_MX(acc_acc, acc_acc, x_wide_tile_l0a, x_wide_tile_l0a_scales, w_wide_tile_l0b, w_wide_tile_l0b_scales);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
        }
        set_flag(PIPE_M, PIPE_FIX, event_t(n0_buffer));
        wait_flag(PIPE_M, PIPE_FIX, event_t(n0_buffer));
        TPUSH<AccPipe, AccF32_256x128, TileSplitAxis::TILE_NO_SPLIT>(acc_pipe, acc_acc);
        set_flag(PIPE_FIX, PIPE_M, event_t(n0_buffer));
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_cube(
    __gm__ uint64_t *ffts, __gm__ float8_e4m3_t *x_wide, __gm__ float8_e4m3_t *w_wide,
    __gm__ float8_e8m0_t *x_scale, __gm__ float8_e8m0_t *w_scale, __gm__ float *acc_fifo, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        x_wide, w_wide, x_scale, w_scale, acc_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
