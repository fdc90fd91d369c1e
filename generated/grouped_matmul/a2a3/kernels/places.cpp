// places: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles at 1, at_2 1; memory UB 1408 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_16x8_c1 = Tile<TileType::Vec, int32_t, 16, 8, BLayout::RowMajor, 16, 1>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *end,
    __gm__ int32_t *upto,
    __gm__ int32_t *shift,
    __gm__ int32_t *count,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // end:   cumsum(count, axis=-1)
    VecI32_1x16 count_tile; TASSIGN<0x00000>(count_tile);  // UB 0x00000..0x00040
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecI32_16x8_c1 end_tile_moved; TASSIGN<0x00100>(end_tile_moved);  // UB 0x00100..0x00300
    VecI32_16x8_c1 end_tile_moved_tmp; TASSIGN<0x00300>(end_tile_moved_tmp);  // UB 0x00300..0x00500
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TTRANS(end_tile_moved, count_tile, end_tile_moved_tmp);
    for (int32_t at = 0; at < 15; ++at) {
        VecI32_1x8_c1 end_tile_moved_next; TASSIGN(end_tile_moved_next, 0x00120 + at * 0x00020);  // rows at + 1.. of end_tile_moved
        VecI32_1x8_c1 end_tile_moved_here; TASSIGN(end_tile_moved_here, 0x00100 + at * 0x00020);  // rows at.. of end_tile_moved
        pipe_barrier(PIPE_V);
        TADD(end_tile_moved_next, end_tile_moved_here, end_tile_moved_next);
    }
    VecI32_1x16 end_tile; TASSIGN<0x00040>(end_tile);  // UB 0x00040..0x00080
    VecI32_16x8_c1 end_tile_tmp; TASSIGN<0x00300>(end_tile_tmp);  // UB 0x00300..0x00500
    pipe_barrier(PIPE_V);
    TTRANS(end_tile, end_tile_moved, end_tile_tmp);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
    // need:  floor_div(count + (r - 1), r)
    VecI32_1x16 need_1; TASSIGN<0x00100>(need_1);  // UB 0x00100..0x00140
    pipe_barrier(PIPE_V);
    TADDS(need_1, count_tile, 31);
    VecI32_1x16 need; TASSIGN<0x00140>(need);  // UB 0x00140..0x00180
    pipe_barrier(PIPE_V);
    TSHRS(need, need_1, 5);
    // upto:  cumsum(need, axis=-1)
    VecI32_16x8_c1 upto_tile_moved; TASSIGN<0x00180>(upto_tile_moved);  // UB 0x00180..0x00380
    VecI32_16x8_c1 upto_tile_moved_tmp; TASSIGN<0x00380>(upto_tile_moved_tmp);  // UB 0x00380..0x00580
    pipe_barrier(PIPE_V);
    TTRANS(upto_tile_moved, need, upto_tile_moved_tmp);
    for (int32_t at_2 = 0; at_2 < 15; ++at_2) {
        VecI32_1x8_c1 upto_tile_moved_next; TASSIGN(upto_tile_moved_next, 0x001a0 + at_2 * 0x00020);  // rows at_2 + 1.. of upto_tile_moved
        VecI32_1x8_c1 upto_tile_moved_here; TASSIGN(upto_tile_moved_here, 0x00180 + at_2 * 0x00020);  // rows at_2.. of upto_tile_moved
        pipe_barrier(PIPE_V);
        TADD(upto_tile_moved_next, upto_tile_moved_here, upto_tile_moved_next);
    }
    VecI32_1x16 upto_tile; TASSIGN<0x00080>(upto_tile);  // UB 0x00080..0x000c0
    VecI32_16x8_c1 upto_tile_tmp; TASSIGN<0x00380>(upto_tile_tmp);  // UB 0x00380..0x00580
    pipe_barrier(PIPE_V);
    TTRANS(upto_tile, upto_tile_moved, upto_tile_tmp);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    // shift: reshape(end - count - (upto - need) * r, [groups])
    VecI32_1x16 shift_1; TASSIGN<0x00100>(shift_1);  // UB 0x00100..0x00140
    TSUB(shift_1, end_tile, count_tile);
    VecI32_1x16 shift_2; TASSIGN<0x00140>(shift_2);  // UB 0x00140..0x00180
    pipe_barrier(PIPE_V);
    TSUB(shift_2, upto_tile, need);
    pipe_barrier(PIPE_V);
    TMULS(shift_2, shift_2, 32);
    VecI32_1x16 shift_4; TASSIGN<0x000c0>(shift_4);  // UB 0x000c0..0x00100
    pipe_barrier(PIPE_V);
    TSUB(shift_4, shift_1, shift_2);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
    // end:   cumsum(count, axis=-1)
    CountGm end_out(end);
    TSTORE(end_out, end_tile);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    // upto:  cumsum(need, axis=-1)
    CountGm upto_out(upto);
    TSTORE(upto_out, upto_tile);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    // shift: reshape(end - count - (upto - need) * r, [groups])
    CountGm shift_out(shift);
    TSTORE(shift_out, shift_4);
#endif
}

}  // namespace

extern "C" __global__ AICORE void places(
    __gm__ int32_t *end, __gm__ int32_t *upto, __gm__ int32_t *shift, __gm__ int32_t *count, int32_t nblk)
{
    run_block(end, upto, shift, count, nblk, static_cast<int32_t>(get_block_idx()));
}
