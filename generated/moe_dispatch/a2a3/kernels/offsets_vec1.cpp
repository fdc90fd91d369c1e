// offsets_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles count_part 1, t 64; memory UB 49408 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, 64, 64>;
using VecI32_64x64m = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecI32_32x64 = Tile<TileType::Vec, int32_t, 32, 64, BLayout::RowMajor, 32, 64>;
using VecI32_16x64 = Tile<TileType::Vec, int32_t, 16, 64, BLayout::RowMajor, 16, 64>;
using VecI32_8x64 = Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64>;
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using WithinGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 512, 1>>;
using CountPartsGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *count_parts,
    __gm__ int32_t *within,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t count_part0 = block; count_part0 < 48; count_part0 += nblk) {
        // count:  sum(each, axis=0, keepdim=true)
        VecI32_64x64 count_parts_rows; TASSIGN<0x08100>(count_parts_rows);  // UB 0x08100..0x0c100
        pipe_barrier(PIPE_V);
        TEXPANDS(count_parts_rows, 0);
        for (int32_t t0 = count_part0 * 64; t0 < t; t0 += 3072, t0_buffer ^= 1) {  // one tile in 48
            const int32_t t0_valid = t - t0 < 64 ? t - t0 : 64;
            VecI32_64x64m each(t0_valid); TASSIGN(each, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
            WithinGm within_in(within + int64_t(t0) * 512 + 448, {t0_valid});
            TLOAD(each, within_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
            VecI32_64x64m count_parts_rows_here(t0_valid); TASSIGN<0x08100>(count_parts_rows_here);  // rows 0.. of count_parts_rows
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
            TADD(count_parts_rows_here, count_parts_rows_here, each);
            set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        }
        VecI32_32x64 count_parts_tile_folded; TASSIGN<0x08100>(count_parts_tile_folded);  // UB 0x08100..0x0a100
        VecI32_32x64 count_parts_rows_32; TASSIGN<0x08100>(count_parts_rows_32);  // rows 0.. of count_parts_rows
        VecI32_32x64 count_parts_rows_from_32; TASSIGN<0x0a100>(count_parts_rows_from_32);  // rows 32.. of count_parts_rows
        pipe_barrier(PIPE_V);
        TADD(count_parts_tile_folded, count_parts_rows_32, count_parts_rows_from_32);
        VecI32_16x64 count_parts_tile_folded_16; TASSIGN<0x08100>(count_parts_tile_folded_16);  // rows 0.. of count_parts_tile_folded
        VecI32_16x64 count_parts_tile_folded_from_16; TASSIGN<0x09100>(count_parts_tile_folded_from_16);  // rows 16.. of count_parts_tile_folded
        pipe_barrier(PIPE_V);
        TADD(count_parts_tile_folded_16, count_parts_tile_folded_16, count_parts_tile_folded_from_16);
        VecI32_8x64 count_parts_tile_folded_8; TASSIGN<0x08100>(count_parts_tile_folded_8);  // rows 0.. of count_parts_tile_folded
        VecI32_8x64 count_parts_tile_folded_from_8; TASSIGN<0x08900>(count_parts_tile_folded_from_8);  // rows 8.. of count_parts_tile_folded
        pipe_barrier(PIPE_V);
        TADD(count_parts_tile_folded_8, count_parts_tile_folded_8, count_parts_tile_folded_from_8);
        VecI32_1x64 count_parts_tile; TASSIGN<0x08000>(count_parts_tile);  // UB 0x08000..0x08100
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCOLSUM(count_parts_tile, count_parts_tile_folded_8);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        CountPartsGm count_parts_out(count_parts + int64_t(count_part0) * 64);
        TSTORE(count_parts_out, count_parts_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void offsets_vec1(
    __gm__ int32_t *count_parts, __gm__ int32_t *within, int32_t t, int32_t nblk)
{
    run_block(count_parts, within, t, nblk, static_cast<int32_t>(get_block_idx()));
}
