// linear_vec: vector kernel of `linear_mxfp8` for a5. Made by pyptogen; change the spec, not this file.
// stages linear; tiles n 256, t 128; memory UB 198656 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_64x256 = Tile<TileType::Vec, float, 64, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecB16_64x256 = Tile<TileType::Vec, bfloat16_t, 64, 256, BLayout::RowMajor, DYNAMIC, 256>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
using AccSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;
using AccPipe = TPipe<0, Direction::DIR_C2V_GM, 131072, 4, 2, true, true>;  // 4 tiles of up to 128 x 256, to both vector cores
using AccSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ float *bias,
    __gm__ float *acc_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    AccPipe acc_pipe(acc_fifo + int64_t(block) * 131072, 0x0, 0x0);
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 4;  // of t0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk, n0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 4 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t t0_half = (t0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t t0_first = subblock * (t0_valid - t0_half);  // the first row of this core
        const int32_t n0 = tile % 4 * 256;
        // y:   cast(acc + bias, bf16)
        VecF32_1x256 bias_tile; TASSIGN(bias_tile, 0x20000 + n0_buffer * 0x00400);  // UB 0x20000..0x20800, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + n0_buffer));  // free again
        BiasGm bias_in(bias + int64_t(n0));
        TLOAD(bias_tile, bias_in);
        AccSlot acc_view(acc_fifo);
        TPOP<AccPipe, AccSlot, TileSplitAxis::TILE_NO_SPLIT>(acc_pipe, acc_view);
        __gm__ float *acc_slot = acc_view.data();
        VecF32_64x256 acc(t0_half); TASSIGN(acc, 0x00000 + n0_buffer * 0x10000);  // UB 0x00000..0x20000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));  // free again
        AccSlotGm acc_slot_in(acc_slot + int64_t(t0_first) * 256, {t0_half});
        TLOAD(acc, acc_slot_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        TFREE<AccPipe, AccSlot, TileSplitAxis::TILE_NO_SPLIT>(acc_pipe, acc_view);
        VecF32_64x256 y_1(t0_half); TASSIGN(y_1, 0x00000 + n0_buffer * 0x10000);  // UB 0x00000..0x20000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        TCOLEXPANDADD(y_1, acc, bias_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + n0_buffer));
        VecB16_64x256 y_tile(t0_half); TASSIGN(y_tile, 0x20800 + n0_buffer * 0x08000);  // UB 0x20800..0x30800, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        YGm y_out(y + int64_t(t0) * 1024 + int64_t(t0_first) * 1024 + int64_t(n0), {t0_half});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *y, __gm__ float *bias, __gm__ float *acc_fifo, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        y, bias, acc_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
