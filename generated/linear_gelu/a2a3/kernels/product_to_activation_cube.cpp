// product_to_activation_cube: cube kernel of `linear_gelu` for a2a3. Made by pyptogen; change the spec, not this file.
// stages product; tiles k 256, k.l0 64, n 128, t 128; memory L0A 32768 B, L0B 32768 B, L0C 131072 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using MatB16_128x256 = Tile<TileType::Mat, bfloat16_t, 128, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatB16_256x128 = Tile<TileType::Mat, bfloat16_t, 256, 128, BLayout::ColMajor, 256, 128, SLayout::RowMajor, 512>;
using LeftB16_128x64 = TileLeft<bfloat16_t, 128, 64, DYNAMIC, 64>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, 64, 128>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 8, 16, 16, 16>, Stride<1, 16384, 256, 16, 1>, Layout::NZ>;
using PPipe = TPipe<0, Direction::DIR_C2V, 65536, 2, 2, true, true>;  // 2 tiles of up to 128 x 128, to both vector cores
using PSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w,
    __gm__ float *p_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    PPipe p_pipe(p_fifo + int64_t(block) * 32768, 0x0, 0x0);
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    int32_t k0_buffer = 0;  // which of 2 buffers this iteration of k0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 128) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        for (int32_t n0 = block * 128; n0 < 2048; n0 += nblk * 128, n0_buffer ^= 1) {
            AccF32_128x128 p_acc(t0_valid); TASSIGN(p_acc, 0x00000 + n0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
            for (int32_t k0 = 0; k0 < 1024; k0 += 256, k0_buffer ^= 1) {
                // p: matmul(x, w, dtype=fp32)
                MatB16_128x256 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + k0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));  // free again
                XGm x_in(x + int64_t(t0) * 1024 + int64_t(k0), {t0_valid});
                TLOAD(x_tile, x_in);
                MatB16_256x128 w_tile; TASSIGN(w_tile, 0x20000 + k0_buffer * 0x10000);  // L1 0x20000..0x40000, 2 copies
                WGm w_in(w + int64_t(n0) * 1024 + int64_t(k0) * 16);
                TLOAD(w_tile, w_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
                for (int32_t k1 = 0; k1 < 256; k1 += 64, k1_buffer ^= 1) {
                    LeftB16_128x64 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + k1_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                    wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                    TEXTRACT(x_tile_l0a, x_tile, 0, k1);
                    RightB16_64x128 w_tile_l0b; TASSIGN(w_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                    TEXTRACT(w_tile_l0b, w_tile, k1, 0);
                    set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                    wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                    if (k0 + k1 == 0) {
                        TMATMUL<AccPhase::Partial>(p_acc, x_tile_l0a, w_tile_l0b);
                    } else if (k0 + k1 + 64 < 1024) {
                        TMATMUL_ACC<AccPhase::Partial>(p_acc, p_acc, x_tile_l0a, w_tile_l0b);
                    } else {
                        TMATMUL_ACC<AccPhase::Final>(p_acc, p_acc, x_tile_l0a, w_tile_l0b);
                    }
                    set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
                }
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));
            }
            TPUSH<PPipe, AccF32_128x128, TileSplitAxis::TILE_NO_SPLIT>(p_pipe, p_acc);
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void product_to_activation_cube(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *x, __gm__ bfloat16_t *w, __gm__ float *p_fifo, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(x, w, p_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
