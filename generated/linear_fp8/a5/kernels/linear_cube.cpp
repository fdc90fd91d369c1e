// linear_cube: cube kernel of `linear_fp8` for a5. Made by pyptogen; change the spec, not this file.
// stages linear; tiles k 256, k.l0 128, n 256, t 256; memory L0A 65536 B, L0B 65536 B, L0C 262144 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x256 = TileAccCompact<float, 256, 256, DYNAMIC, 256>;
using MatE4m3_256x256 = Tile<TileType::Mat, float8_e4m3_t, 256, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatE4m3_256x256m = Tile<TileType::Mat, float8_e4m3_t, 256, 256, BLayout::ColMajor, 256, 256, SLayout::RowMajor, 512>;
using LeftE4m3_256x128 = TileLeftCompact<float8_e4m3_t, 256, 128, DYNAMIC, 128>;
using RightE4m3_128x256 = TileRight<float8_e4m3_t, 128, 256, 128, 256>;
using XQGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 2048, 1>>;
using WGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 256, 256>, Stride<1, 1, 1, 1024, 1>>;
using AccPipe = TPipe<0, Direction::DIR_C2V_GM, 262144, 4, 2, true, true>;  // 4 tiles of up to 256 x 256, to both vector cores
using AccSlot = GlobalTensor<float, Shape<1, 1, 1, 256, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ float8_e4m3_t *x_q,
    __gm__ float8_e4m3_t *w,
    __gm__ float *acc_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    AccPipe acc_pipe(acc_fifo + int64_t(block) * 262144, 0x0, 0x0);
    int32_t k0_buffer = 0;  // which of 2 buffers this iteration of k0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 255) / 256 * 4;  // of t0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 4 * 256;
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        const int32_t n0 = tile % 4 * 256;
        AccF32_256x256 acc_acc(t0_valid); TASSIGN<0x00000>(acc_acc);  // L0C 0x00000..0x40000
        for (int32_t k0 = 0; k0 < 2048; k0 += 256, k0_buffer ^= 1) {
            // acc: matmul(x_q, w)
            MatE4m3_256x256 x_q_tile(t0_valid); TASSIGN(x_q_tile, 0x00000 + k0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));  // free again
            XQGm x_q_in(x_q + int64_t(t0) * 2048 + int64_t(k0), {t0_valid});
            TLOAD(x_q_tile, x_q_in);
            MatE4m3_256x256m w_tile; TASSIGN(w_tile, 0x20000 + k0_buffer * 0x10000);  // L1 0x20000..0x40000, 2 copies
            WGm w_in(w + int64_t(k0) * 1024 + int64_t(n0));
            TLOAD(w_tile, w_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
            for (int32_t k1 = 0; k1 < 256; k1 += 128, k1_buffer ^= 1) {
                LeftE4m3_256x128 x_q_tile_l0a(t0_valid); TASSIGN(x_q_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_q_tile_l0a, x_q_tile, 0, k1);
                RightE4m3_128x256 w_tile_l0b; TASSIGN(w_tile_l0b, 0x00000 + k1_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                TEXTRACT(w_tile_l0b, w_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (k0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(acc_acc, x_q_tile_l0a, w_tile_l0b);
                } else if (k0 + k1 + 128 < 2048) {
                    TMATMUL_ACC<AccPhase::Partial>(acc_acc, acc_acc, x_q_tile_l0a, w_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(acc_acc, acc_acc, x_q_tile_l0a, w_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));
        }
        TPUSH<AccPipe, AccF32_256x256, TileSplitAxis::TILE_NO_SPLIT>(acc_pipe, acc_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_cube(
    __gm__ uint64_t *ffts, __gm__ float8_e4m3_t *x_q, __gm__ float8_e4m3_t *w, __gm__ float *acc_fifo,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(x_q, w, acc_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
