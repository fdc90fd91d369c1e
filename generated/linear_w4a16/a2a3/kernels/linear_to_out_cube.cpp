// linear_to_out_cube: cube kernel of `linear_w4a16` for a2a3. Made by pyptogen; change the spec, not this file.
// stages linear; tiles groups 1, n 96, t 256; memory L0A 65536 B, L0B 24576 B, L0C 98304 B, L1 180224 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_256x128 = Tile<TileType::Mat, bfloat16_t, 256, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using MatB16_128x96 = Tile<TileType::Mat, bfloat16_t, 128, 96, BLayout::ColMajor, 128, DYNAMIC, SLayout::RowMajor, 512>;
using LeftB16_256x128 = TileLeft<bfloat16_t, 256, 128, DYNAMIC, 128>;
using RightB16_128x96 = TileRightCompact<bfloat16_t, 128, 96, 128, DYNAMIC>;
using AccF32_256x96 = TileAccCompact<float, 256, 96, DYNAMIC, DYNAMIC>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using YG1SlotGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using YG1Pipe = TPipe<0, Direction::DIR_V2C, 24576, 3>;  // 3 tiles of up to 128 x 96, to the cube core
using YG1Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 96>, Stride<1, 1, 1, 96, 1>>;
using YGPipe = TPipe<2, Direction::DIR_C2V, 98304, 3, 2, true, true>;  // 3 tiles of up to 256 x 96, to both vector cores
using YGSlot = GlobalTensor<float, Shape<1, 1, 1, 256, 96>, Stride<1, 1, 1, 96, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *y_g_1_fifo,
    __gm__ float *y_g_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    YG1Pipe y_g_1_pipe(y_g_1_fifo + int64_t(block) * 36864, 0x0, 0x0);
    YGPipe y_g_pipe(y_g_fifo + int64_t(block) * 73728, 0x0, 0x0);
    int32_t groups0_buffer = 0;  // which of 2 buffers this iteration of groups0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 255) / 256 * 22;  // of t0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 22 * 256;
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        const int32_t n0 = tile % 22 * 96;
        const int32_t n0_valid = 2048 - n0 < 96 ? 2048 - n0 : 96;
        for (int32_t groups0 = 0; groups0 < 16; ++groups0, groups0_buffer ^= 1) {
            // y_g: matmul(x_g, cast(w_g, bf16), dtype=fp32)
            MatB16_256x128 x_g(t0_valid); TASSIGN(x_g, 0x00000 + groups0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + groups0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 2048 + int64_t(groups0) * 128, {t0_valid});
            TLOAD(x_g, x_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + groups0_buffer));
            YG1Slot y_g_1_view(y_g_1_fifo);
            TPOP<YG1Pipe, YG1Slot, TileSplitAxis::TILE_NO_SPLIT>(y_g_1_pipe, y_g_1_view);
            __gm__ bfloat16_t *y_g_1_slot = y_g_1_view.data();
            MatB16_128x96 y_g_1_l1(n0_valid); TASSIGN(y_g_1_l1, 0x20000 + groups0_buffer * 0x06000);  // L1 0x20000..0x2c000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(groups0_buffer));  // free again
            YG1SlotGm y_g_1_slot_in(y_g_1_slot, {n0_valid}, {int64_t(n0_valid)});
            TLOAD(y_g_1_l1, y_g_1_slot_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(groups0_buffer));
            TFREE<YG1Pipe, YG1Slot, TileSplitAxis::TILE_NO_SPLIT>(y_g_1_pipe, y_g_1_view);
            LeftB16_256x128 x_g_l0a(t0_valid); TASSIGN<0x00000>(x_g_l0a);  // L0A 0x00000..0x10000
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + groups0_buffer));
            TEXTRACT(x_g_l0a, x_g, 0, 0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + groups0_buffer));
            RightB16_128x96 y_g_1_l1_l0b(n0_valid); TASSIGN<0x00000>(y_g_1_l1_l0b);  // L0B 0x00000..0x06000
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(groups0_buffer));
            TEXTRACT(y_g_1_l1_l0b, y_g_1_l1, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(groups0_buffer));
            AccF32_256x96 y_g_acc(t0_valid, n0_valid); TASSIGN<0x00000>(y_g_acc);  // L0C 0x00000..0x18000
            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            TMATMUL<AccPhase::Final>(y_g_acc, x_g_l0a, y_g_1_l1_l0b);
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
            TPUSH<YGPipe, AccF32_256x96, TileSplitAxis::TILE_NO_SPLIT>(y_g_pipe, y_g_acc);
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_to_out_cube(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *x, __gm__ bfloat16_t *y_g_1_fifo, __gm__ float *y_g_fifo,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(x, y_g_1_fifo, y_g_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
