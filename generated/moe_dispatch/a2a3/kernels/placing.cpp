// placing: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages placing; tiles t 1; memory UB 14656 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF32_8x64 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using BeforeGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
using UptoGm = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *place,
    __gm__ int32_t *upto,
    __gm__ int32_t *before,
    __gm__ int32_t *chosen,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // after: sum(cast(chosen * (upto + before), fp32), axis=-1, keepdim=true)
    VecI32_1x64 before_tile; TASSIGN<0x01000>(before_tile);  // UB 0x01000..0x01100
    BeforeGm before_in(before);
    TLOAD(before_tile, before_in);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        VecI32_8x64 upto_tile; TASSIGN(upto_tile, 0x00000 + t0_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        UptoGm upto_in(upto + int64_t(t0) * 512);
        TLOAD(upto_tile, upto_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecI32_8x64 chosen_tile; TASSIGN(chosen_tile, 0x01100 + t0_buffer * 0x00800);  // UB 0x01100..0x02100, 2 copies
        UptoGm chosen_in(chosen + int64_t(t0) * 512);
        TLOAD(chosen_tile, chosen_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_8x64 after_1; TASSIGN<0x02140>(after_1);  // UB 0x02140..0x02940
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCOLEXPANDADD(after_1, upto_tile, before_tile);
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TMUL(after_1, chosen_tile, after_1);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_8x64 after_3; TASSIGN<0x02940>(after_3);  // UB 0x02940..0x03140
        pipe_barrier(PIPE_V);
        TCVT(after_3, after_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_8x1 after; TASSIGN<0x02140>(after);  // UB 0x02140..0x02160
        VecF32_8x64 after_tmp; TASSIGN<0x03140>(after_tmp);  // UB 0x03140..0x03940
        pipe_barrier(PIPE_V);
        TROWSUM(after, after_3, after_tmp);
        // place: reshape(cast(after, int32, mode=rint) - 1, [t, k])
        VecI32_1x8 place_1_row; TASSIGN<0x02160>(place_1_row);  // as a row, same bytes as place_1
        VecF32_1x8 after_row; TASSIGN<0x02140>(after_row);  // as a row, same bytes as after
        pipe_barrier(PIPE_V);
        TCVT(place_1_row, after_row, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI32_1x8 place_2_row; TASSIGN(place_2_row, 0x02100 + t0_buffer * 0x00020);  // as a row, same bytes as place_2
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TSUBS(place_2_row, place_1_row, 1);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        PlaceGm place_out(place + int64_t(t0) * 8);
        TSTORE(place_out, place_2_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void placing(
    __gm__ int32_t *place, __gm__ int32_t *upto, __gm__ int32_t *before, __gm__ int32_t *chosen, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    run_block(place, upto, before, chosen, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
