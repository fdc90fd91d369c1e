// attend_cube2: cube kernel of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles rank 64, selected 512, t 1; memory L0A 32768 B, L0B 65536 B, L0C 16384 B, L1 196608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_16x512 = Tile<TileType::Mat, bfloat16_t, 16, 512, BLayout::ColMajor, 16, 512, SLayout::RowMajor, 512>;
using MatB16_512x64 = Tile<TileType::Mat, bfloat16_t, 512, 64, BLayout::ColMajor, 512, 64, SLayout::RowMajor, 512>;
using LeftB16_16x512 = TileLeft<bfloat16_t, 16, 512, 16, 512>;
using RightB16_512x64 = TileRight<bfloat16_t, 512, 64, 512, 64>;
using AccF32_16x64 = TileAcc<float, 16, 64, 16, 64>;
using OPLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 512>, Stride<1, 1, 1, 2048, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 512, 64>, Stride<1, 1, 1, 576, 1>>;
using OPvGm = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ float *o_pv,
    __gm__ bfloat16_t *o_p_low,
    __gm__ bfloat16_t *rows,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t selected0_buffer = 0;  // which of 2 buffers this iteration of selected0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin) * 32;  // of t0, rank0 and selected0
    for (int32_t tile = block; tile < tiles; tile += nblk, selected0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 32;
        const int32_t rank0 = tile / 4 % 8 * 64;
        const int32_t selected0 = tile % 4 * 512;
        // o: attention(q, keys, keys[:, :, :rank], scale=0.0416666667, bias=bias)
        MatB16_16x512 o_p_low_tile; TASSIGN(o_p_low_tile, 0x00000 + selected0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(selected0_buffer));  // free again
        OPLowGm o_p_low_in(o_p_low + int64_t(t0) * 32768 + int64_t(selected0));
        TLOAD(o_p_low_tile, o_p_low_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + selected0_buffer));
        MatB16_512x64 rows_tile; TASSIGN(rows_tile, 0x10000 + selected0_buffer * 0x10000);  // L1 0x10000..0x30000, 2 copies
        RowsGm rows_in(rows + int64_t(t0) * 1179648 + int64_t(selected0) * 576 + int64_t(rank0));
        TLOAD(rows_tile, rows_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(selected0_buffer));
        LeftB16_16x512 o_p_low_tile_l0a; TASSIGN<0x00000>(o_p_low_tile_l0a);  // L0A 0x00000..0x08000
        wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free again
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + selected0_buffer));
        TEXTRACT(o_p_low_tile_l0a, o_p_low_tile, 0, 0);
        RightB16_512x64 rows_tile_l0b; TASSIGN<0x00000>(rows_tile_l0b);  // L0B 0x00000..0x10000
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(selected0_buffer));
        TEXTRACT(rows_tile_l0b, rows_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(selected0_buffer));
        AccF32_16x64 o_pv_acc; TASSIGN(o_pv_acc, 0x00000 + selected0_buffer * 0x02000);  // L0C 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        TMATMUL<AccPhase::Final>(o_pv_acc, o_p_low_tile_l0a, rows_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
        OPvGm o_pv_out(o_pv + int64_t(t0) * 8192 + int64_t(selected0) * t * 64 + int64_t(rank0));
        TSTORE<STPhase::Final>(o_pv_out, o_pv_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_cube2(
    __gm__ float *o_pv, __gm__ bfloat16_t *o_p_low, __gm__ bfloat16_t *rows, int32_t t_begin, int32_t t_end,
    int32_t t, int32_t nblk)
{
    run_block(o_pv, o_p_low, rows, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
