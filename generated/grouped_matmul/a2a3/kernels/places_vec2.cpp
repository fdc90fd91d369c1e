// places_vec2: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles end_tile_moved_at 1; memory UB 1152 B
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
    VecI32_16x8_c1 end_tile_moved; TASSIGN<0x00080>(end_tile_moved);  // UB 0x00080..0x00280
    VecI32_16x8_c1 end_tile_moved_tmp; TASSIGN<0x00280>(end_tile_moved_tmp);  // UB 0x00280..0x00480
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TTRANS(end_tile_moved, count_tile, end_tile_moved_tmp);
    for (int32_t end_tile_moved_at = 0; end_tile_moved_at < 15; ++end_tile_moved_at) {
        VecI32_1x8_c1 end_tile_moved_line_2; TASSIGN(end_tile_moved_line_2, 0x000a0 + end_tile_moved_at * 0x00020);  // rows end_tile_moved_at + 1.. of end_tile_moved
        VecI32_1x8_c1 end_tile_moved_line; TASSIGN(end_tile_moved_line, 0x00080 + end_tile_moved_at * 0x00020);  // rows end_tile_moved_at.. of end_tile_moved
        pipe_barrier(PIPE_V);
        TADD(end_tile_moved_line_2, end_tile_moved_line, end_tile_moved_line_2);
    }
    VecI32_1x16 end_tile; TASSIGN<0x00040>(end_tile);  // UB 0x00040..0x00080
    VecI32_16x8_c1 end_tile_tmp; TASSIGN<0x00280>(end_tile_tmp);  // UB 0x00280..0x00480
    pipe_barrier(PIPE_V);
    TTRANS(end_tile, end_tile_moved, end_tile_tmp);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    CountGm end_out(end);
    TSTORE(end_out, end_tile);
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec2(__gm__ int32_t *end, __gm__ int32_t *count, int32_t nblk)
{
    run_block(end, count, nblk, static_cast<int32_t>(get_block_idx()));
}
