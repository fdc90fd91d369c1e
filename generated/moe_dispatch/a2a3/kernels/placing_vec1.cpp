// placing_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages placing; tiles t 1; memory UB 22272 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_8x64_r1 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 1, 64>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF32_8x64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1>;
using VecF32_8x8_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using BeforeGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using AheadGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
using UptoGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
using Place2Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ float *upto,
    __gm__ float *place_2,
    __gm__ int32_t *ahead,
    __gm__ int32_t *before,
    __gm__ int32_t *within,
    __gm__ int32_t *chosen,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    // rank:  within + reshape(ahead + before, [t, 1, experts])
    VecI32_1x64 before_tile; TASSIGN<0x00400>(before_tile);  // UB 0x00400..0x00500
    BeforeGm before_in(before);
    TLOAD(before_tile, before_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // 4 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer = (t0_buffer + 1) % 4) {
        VecI32_8x64_r1 ahead_tile; TASSIGN(ahead_tile, 0x00000 + t0_buffer * 0x00100);  // UB 0x00000..0x00400, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));  // free again
        AheadGm ahead_in(ahead + int64_t(t0) * 64);
        TLOAD(ahead_tile, ahead_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecI32_8x64 within_tile; TASSIGN(within_tile, 0x00500 + t0_buffer * 0x00800);  // UB 0x00500..0x02500, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        WithinGm within_in(within + int64_t(t0) * 512);
        TLOAD(within_tile, within_in);
        // upto:  sum(cast(chosen * rank, fp32), axis=-1)
        VecI32_8x64 chosen_tile; TASSIGN(chosen_tile, 0x02500 + t0_buffer * 0x00800);  // UB 0x02500..0x04500, 4 copies
        WithinGm chosen_in(chosen + int64_t(t0) * 512);
        TLOAD(chosen_tile, chosen_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        // rank:  within + reshape(ahead + before, [t, 1, experts])
        VecI32_8x64_r1 rank_1; TASSIGN<0x04600>(rank_1);  // UB 0x04600..0x04700
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TCOLEXPANDADD(rank_1, ahead_tile, before_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));
        VecI32_8x64 rank; TASSIGN<0x04700>(rank);  // UB 0x04700..0x04f00
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCOLEXPANDADD(rank, within_tile, rank_1);
        // upto:  sum(cast(chosen * rank, fp32), axis=-1)
        VecI32_8x64 upto_1; TASSIGN<0x04700>(upto_1);  // UB 0x04700..0x04f00
        pipe_barrier(PIPE_V);
        TMUL(upto_1, chosen_tile, rank);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_8x64 upto_2; TASSIGN<0x04f00>(upto_2);  // UB 0x04f00..0x05700
        pipe_barrier(PIPE_V);
        TCVT(upto_2, upto_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x1 upto_3; TASSIGN(upto_3, 0x04500 + t0_buffer * 0x00020);  // UB 0x04500..0x04580, 4 copies
        VecF32_8x64 upto_3_tmp; TASSIGN<0x04600>(upto_3_tmp);  // UB 0x04600..0x04e00
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TROWSUM(upto_3, upto_2, upto_3_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + t0_buffer));
        // place: cast(where(upto == 0, 1e9, upto - 1), int32, mode=rint)
        VecF32_8x8_r1 place_2_tile; TASSIGN(place_2_tile, 0x04580 + t0_buffer * 0x00020);  // UB 0x04580..0x04600, 4 copies
        VecF32_1x8 upto_3_row; TASSIGN(upto_3_row, 0x04500 + t0_buffer * 0x00020);  // as a row, same bytes as upto_3
        pipe_barrier(PIPE_V);
        TSUBS(place_2_tile, upto_3_row, 1.0f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + t0_buffer));
        // upto:  sum(cast(chosen * rank, fp32), axis=-1)
        UptoGm upto_out(upto + int64_t(t0) * 8);
        TSTORE(upto_out, upto_3_row);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // place: cast(where(upto == 0, 1e9, upto - 1), int32, mode=rint)
        Place2Gm place_2_out(place_2 + int64_t(t0) * 8);
        TSTORE(place_2_out, place_2_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void placing_vec1(
    __gm__ float *upto, __gm__ float *place_2, __gm__ int32_t *ahead, __gm__ int32_t *before,
    __gm__ int32_t *within, __gm__ int32_t *chosen, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        upto, place_2, ahead, before, within, chosen, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
