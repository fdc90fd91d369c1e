// attend_vec2: vector kernel of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles rank 64, selected 512, t 1; memory UB 16640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using VecB16_16x64 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, 16, 64>;
using OSumEndGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
using OPvGm = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 512, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o,
    __gm__ float *o_alpha,
    __gm__ float *o_pv,
    __gm__ float *o_sum_end,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rank0_buffer = 0;  // which of 2 buffers this iteration of rank0 uses
    int32_t selected0_buffer = 0;  // which of 2 buffers this iteration of selected0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin) * 8;  // of t0 and rank0
    for (int32_t tile = block; tile < tiles; tile += nblk, rank0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 8;
        const int32_t rank0 = tile % 8 * 64;
        // o: attention(q, keys, keys[:, :, :rank], scale=0.0416666667, bias=bias)
        VecF32_1x16 o_sum_end_tile_row; TASSIGN(o_sum_end_tile_row, 0x02080 + rank0_buffer * 0x00040);  // as a row, same bytes as o_sum_end_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + rank0_buffer));  // free again
        OSumEndGm o_sum_end_in(o_sum_end + int64_t(t0) * 16);
        TLOAD(o_sum_end_tile_row, o_sum_end_in);
        VecF32_16x64 o_acc; TASSIGN<0x03100>(o_acc);  // UB 0x03100..0x04100
        pipe_barrier(PIPE_V);
        TEXPANDS(o_acc, 0.0f);
        for (int32_t selected0 = 0; selected0 < 2048; selected0 += 512, selected0_buffer ^= 1) {
            VecF32_1x16 o_alpha_tile_row; TASSIGN(o_alpha_tile_row, 0x00000 + selected0_buffer * 0x00040);  // as a row, same bytes as o_alpha_tile
            wait_flag(PIPE_V, PIPE_MTE2, event_t(selected0_buffer));  // free again
            OSumEndGm o_alpha_in(o_alpha + int64_t(t0) * 16 + int64_t(selected0) * t);
            TLOAD(o_alpha_tile_row, o_alpha_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + selected0_buffer));
            VecF32_16x64 o_pv_tile; TASSIGN(o_pv_tile, 0x00080 + selected0_buffer * 0x01000);  // UB 0x00080..0x02080, 2 copies
            OPvGm o_pv_in(o_pv + int64_t(t0) * 8192 + int64_t(selected0) * t * 64 + int64_t(rank0));
            TLOAD(o_pv_tile, o_pv_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(selected0_buffer));
            VecF32_16x1 o_alpha_tile; TASSIGN(o_alpha_tile, 0x00000 + selected0_buffer * 0x00040);  // UB 0x00000..0x00080, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + selected0_buffer));
            TROWEXPANDMUL(o_acc, o_acc, o_alpha_tile);
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(selected0_buffer));
            TADD(o_acc, o_acc, o_pv_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(selected0_buffer));
        }
        VecF32_16x64 o_2; TASSIGN<0x03100>(o_2);  // UB 0x03100..0x04100
        VecF32_16x1 o_sum_end_tile; TASSIGN(o_sum_end_tile, 0x02080 + rank0_buffer * 0x00040);  // UB 0x02080..0x02100, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(o_2, o_acc, o_sum_end_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + rank0_buffer));
        VecB16_16x64 o_tile; TASSIGN(o_tile, 0x02100 + rank0_buffer * 0x00800);  // UB 0x02100..0x03100, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rank0_buffer));  // free again
        TCVT(o_tile, o_2, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rank0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rank0_buffer));
        OGm o_out(o + int64_t(t0) * 8192 + int64_t(rank0));
        TSTORE(o_out, o_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rank0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_vec2(
    __gm__ bfloat16_t *o, __gm__ float *o_alpha, __gm__ float *o_pv, __gm__ float *o_sum_end, int32_t t_begin,
    int32_t t_end, int32_t t, int32_t nblk)
{
    run_block(o, o_alpha, o_pv, o_sum_end, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
