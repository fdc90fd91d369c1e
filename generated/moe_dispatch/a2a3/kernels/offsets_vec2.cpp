// offsets_vec2: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles whole; memory UB 18688 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_48x64 = Tile<TileType::Vec, int32_t, 48, 64, BLayout::RowMajor, 48, 64>;
using VecI32_24x64 = Tile<TileType::Vec, int32_t, 24, 64, BLayout::RowMajor, 24, 64>;
using VecI32_12x64 = Tile<TileType::Vec, int32_t, 12, 64, BLayout::RowMajor, 12, 64>;
using VecI32_6x64 = Tile<TileType::Vec, int32_t, 6, 64, BLayout::RowMajor, 6, 64>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using CountPartsGm = GlobalTensor<int32_t, Shape<1, 1, 1, 48, 64>, Stride<1, 1, 1, 64, 1>>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *count,
    __gm__ int32_t *count_parts,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // count:  sum(each, axis=0, keepdim=true)
    VecI32_48x64 count_parts_tile; TASSIGN<0x00000>(count_parts_tile);  // UB 0x00000..0x03000
    CountPartsGm count_parts_in(count_parts);
    TLOAD(count_parts_tile, count_parts_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecI32_24x64 count_tile_folded; TASSIGN<0x03100>(count_tile_folded);  // UB 0x03100..0x04900
    VecI32_24x64 count_parts_tile_24; TASSIGN<0x00000>(count_parts_tile_24);  // rows 0.. of count_parts_tile
    VecI32_24x64 count_parts_tile_from_24; TASSIGN<0x01800>(count_parts_tile_from_24);  // rows 24.. of count_parts_tile
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADD(count_tile_folded, count_parts_tile_24, count_parts_tile_from_24);
    VecI32_12x64 count_tile_folded_12; TASSIGN<0x03100>(count_tile_folded_12);  // rows 0.. of count_tile_folded
    VecI32_12x64 count_tile_folded_from_12; TASSIGN<0x03d00>(count_tile_folded_from_12);  // rows 12.. of count_tile_folded
    pipe_barrier(PIPE_V);
    TADD(count_tile_folded_12, count_tile_folded_12, count_tile_folded_from_12);
    VecI32_6x64 count_tile_folded_6; TASSIGN<0x03100>(count_tile_folded_6);  // rows 0.. of count_tile_folded
    VecI32_6x64 count_tile_folded_from_6; TASSIGN<0x03700>(count_tile_folded_from_6);  // rows 6.. of count_tile_folded
    pipe_barrier(PIPE_V);
    TADD(count_tile_folded_6, count_tile_folded_6, count_tile_folded_from_6);
    VecI32_1x64 count_tile; TASSIGN<0x03000>(count_tile);  // UB 0x03000..0x03100
    pipe_barrier(PIPE_V);
    TCOLSUM(count_tile, count_tile_folded_6);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    CountGm count_out(count);
    TSTORE(count_out, count_tile);
#endif
}

}  // namespace

extern "C" __global__ AICORE void offsets_vec2(__gm__ int32_t *count, __gm__ int32_t *count_parts, int32_t nblk)
{
    run_block(count, count_parts, nblk, static_cast<int32_t>(get_block_idx()));
}
