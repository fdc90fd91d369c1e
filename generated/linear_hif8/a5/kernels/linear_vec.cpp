// linear_vec: vector kernel of `linear_hif8` for a5. Made by pyptogen; change the spec, not this file.
// stages linear; tiles n 256, t 256; memory UB 197632 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_128x256 = Tile<TileType::Vec, float, 128, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecB16_128x256 = Tile<TileType::Vec, bfloat16_t, 128, 256, BLayout::RowMajor, DYNAMIC, 256>;
using WScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
using AccSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;
using AccPipe = TPipe<0, Direction::DIR_C2V_GM, 262144, 4, 2, true, true>;  // 4 tiles of up to 256 x 256, to both vector cores
using AccSlot = GlobalTensor<float, Shape<1, 1, 1, 256, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ float *w_scale,
    __gm__ float *acc_fifo,
    float x_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    AccPipe acc_pipe(acc_fifo + int64_t(block) * 262144, 0x0, 0x0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free at first
    const int32_t tiles = (t_end - t_begin + 255) / 256 * 4;  // of t0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 4 * 256;
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        const int32_t t0_half = (t0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t t0_first = subblock * (t0_valid - t0_half);  // the first row of this core
        const int32_t n0 = tile % 4 * 256;
        // y:   cast(acc * x_scale * w_scale, bf16)
        VecF32_1x256 w_scale_tile; TASSIGN<0x20000>(w_scale_tile);  // UB 0x20000..0x20400
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
        WScaleGm w_scale_in(w_scale + int64_t(n0));
        TLOAD(w_scale_tile, w_scale_in);
        AccSlot acc_view(acc_fifo);
        TPOP<AccPipe, AccSlot, TileSplitAxis::TILE_NO_SPLIT>(acc_pipe, acc_view);
        __gm__ float *acc_slot = acc_view.data();
        VecF32_128x256 acc(t0_half); TASSIGN<0x00000>(acc);  // UB 0x00000..0x20000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        AccSlotGm acc_slot_in(acc_slot + int64_t(t0_first) * 256, {t0_half});
        TLOAD(acc, acc_slot_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TFREE<AccPipe, AccSlot, TileSplitAxis::TILE_NO_SPLIT>(acc_pipe, acc_view);
        VecF32_128x256 y_1(t0_half); TASSIGN<0x00000>(y_1);  // UB 0x00000..0x20000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TMULS(y_1, acc, x_scale);
        TCOLEXPANDMUL(y_1, y_1, w_scale_tile);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        VecB16_128x256 y_tile(t0_half); TASSIGN<0x20400>(y_tile);  // UB 0x20400..0x30400
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(y_tile, y_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        YGm y_out(y + int64_t(t0) * 1024 + int64_t(t0_first) * 1024 + int64_t(n0), {t0_half});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *y, __gm__ float *w_scale, __gm__ float *acc_fifo, float x_scale,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        y, w_scale, acc_fifo, x_scale, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
