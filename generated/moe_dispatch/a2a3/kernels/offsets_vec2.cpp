// offsets_vec2: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles once 1; memory UB 18944 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_48x64 = Tile<TileType::Vec, int32_t, 48, 64, BLayout::RowMajor, 48, 64>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_24x64 = Tile<TileType::Vec, int32_t, 24, 64, BLayout::RowMajor, 24, 64>;
using VecI32_12x64 = Tile<TileType::Vec, int32_t, 12, 64, BLayout::RowMajor, 12, 64>;
using VecI32_6x64 = Tile<TileType::Vec, int32_t, 6, 64, BLayout::RowMajor, 6, 64>;
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t once = block; once < 1; once += nblk) {
        // count:  sum(each, axis=0, keepdim=true)
        VecI32_48x64 part; TASSIGN<0x00000>(part);  // UB 0x00000..0x03000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        CountPartsGm count_parts_in(count_parts);
        TLOAD(part, count_parts_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecI32_1x64 total; TASSIGN<0x03000>(total);  // UB 0x03000..0x03100
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TEXPANDS(total, 0);
        VecI32_24x64 found_folded; TASSIGN<0x03100>(found_folded);  // UB 0x03100..0x04900
        VecI32_24x64 part_24; TASSIGN<0x00000>(part_24);  // rows 0.. of part
        VecI32_24x64 part_from_24; TASSIGN<0x01800>(part_from_24);  // rows 24.. of part
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TADD(found_folded, part_24, part_from_24);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecI32_12x64 found_folded_12; TASSIGN<0x03100>(found_folded_12);  // rows 0.. of found_folded
        VecI32_12x64 found_folded_from_12; TASSIGN<0x03d00>(found_folded_from_12);  // rows 12.. of found_folded
        pipe_barrier(PIPE_V);
        TADD(found_folded_12, found_folded_12, found_folded_from_12);
        VecI32_6x64 found_folded_6; TASSIGN<0x03100>(found_folded_6);  // rows 0.. of found_folded
        VecI32_6x64 found_folded_from_6; TASSIGN<0x03700>(found_folded_from_6);  // rows 6.. of found_folded
        pipe_barrier(PIPE_V);
        TADD(found_folded_6, found_folded_6, found_folded_from_6);
        VecI32_1x64 found; TASSIGN<0x04900>(found);  // UB 0x04900..0x04a00
        pipe_barrier(PIPE_V);
        TCOLSUM(found, found_folded_6);
        pipe_barrier(PIPE_V);
        TADD(total, total, found);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        CountGm count_out(count);
        TSTORE(count_out, total);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void offsets_vec2(__gm__ int32_t *count, __gm__ int32_t *count_parts, int32_t nblk)
{
    run_block(count, count_parts, nblk, static_cast<int32_t>(get_block_idx()));
}
