// linear_to_out_cube: cube kernel of `linear_fp8_blocks` for a5. Made by pyptogen; change the spec, not this file.
// stages linear; tiles k_blocks 1, n_blocks 1, t 256; memory L0A 65536 B, L0B 32768 B, L0C 262144 B, L1 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatE4m3_256x128 = Tile<TileType::Mat, float8_e4m3_t, 256, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using MatE4m3_128x128 = Tile<TileType::Mat, float8_e4m3_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512>;
using LeftE4m3_256x128 = TileLeftCompact<float8_e4m3_t, 256, 128, DYNAMIC, 128>;
using RightE4m3_128x128 = TileRight<float8_e4m3_t, 128, 128, 128, 128>;
using AccF32_256x128 = TileAccCompact<float, 256, 128, DYNAMIC, 128>;
using XGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1536, 1>>;
using WGm = GlobalTensor<float8_e4m3_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 768, 1>>;
using Part1Pipe = TPipe<0, Direction::DIR_C2V_GM, 131072, 4, 2, true, true>;  // 4 tiles of up to 256 x 128, to both vector cores
using Part1Slot = GlobalTensor<float, Shape<1, 1, 1, 256, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float8_e4m3_t *x,
    __gm__ float8_e4m3_t *w,
    __gm__ float *part_1_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    Part1Pipe part_1_pipe(part_1_fifo + int64_t(block) * 131072, 0x0, 0x0);
    int32_t k_blocks0_buffer = 0;  // which of 2 buffers this iteration of k_blocks0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 255) / 256 * 6;  // of t0 and n_blocks0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 6 * 256;
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        const int32_t n_blocks0 = tile % 6;
        for (int32_t k_blocks0 = 0; k_blocks0 < 12; ++k_blocks0, k_blocks0_buffer ^= 1) {
            // part:  reshape(matmul(x_k, w_k), [t, n_blocks, block])
            MatE4m3_256x128 x_k(t0_valid); TASSIGN(x_k, 0x00000 + k_blocks0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(k_blocks0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 1536 + int64_t(k_blocks0) * 128, {t0_valid});
            TLOAD(x_k, x_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + k_blocks0_buffer));
            MatE4m3_128x128 w_k; TASSIGN(w_k, 0x10000 + k_blocks0_buffer * 0x04000);  // L1 0x10000..0x18000, 2 copies
            WGm w_in(w + int64_t(k_blocks0) * 98304 + int64_t(n_blocks0) * 128);
            TLOAD(w_k, w_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(k_blocks0_buffer));
            LeftE4m3_256x128 x_k_l0a(t0_valid); TASSIGN(x_k_l0a, 0x00000 + k_blocks0_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(k_blocks0_buffer));  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + k_blocks0_buffer));
            TEXTRACT(x_k_l0a, x_k, 0, 0);
            RightE4m3_128x128 w_k_l0b; TASSIGN(w_k_l0b, 0x00000 + k_blocks0_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(k_blocks0_buffer));
            TEXTRACT(w_k_l0b, w_k, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(k_blocks0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(k_blocks0_buffer));
            AccF32_256x128 part_1_acc(t0_valid); TASSIGN(part_1_acc, 0x00000 + k_blocks0_buffer * 0x20000);  // L0C 0x00000..0x40000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_M, event_t(k_blocks0_buffer));
            TMATMUL<AccPhase::Final>(part_1_acc, x_k_l0a, w_k_l0b);
            set_flag(PIPE_M, PIPE_MTE1, event_t(k_blocks0_buffer));
            TPUSH<Part1Pipe, AccF32_256x128, TileSplitAxis::TILE_NO_SPLIT>(part_1_pipe, part_1_acc);
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_to_out_cube(
    __gm__ uint64_t *ffts, __gm__ float8_e4m3_t *x, __gm__ float8_e4m3_t *w, __gm__ float *part_1_fifo,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(x, w, part_1_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
