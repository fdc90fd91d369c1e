// offsets_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles i2 64, split 1; memory UB 49408 B
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
using CountPartsGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

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
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t split = block; split < 48; split += nblk) {
        // count:  sum(each, axis=0, keepdim=true)
        VecI32_64x64 totals; TASSIGN<0x08100>(totals);  // UB 0x08100..0x0c100
        pipe_barrier(PIPE_V);
        TEXPANDS(totals, 0);
        for (int32_t i2 = split * 64; i2 < t; i2 += 3072, i2_buffer ^= 1) {  // one tile in 48
            const int32_t i2_valid = t - i2 < 64 ? t - i2 : 64;
            VecI32_64x64m part(i2_valid); TASSIGN(part, 0x00000 + i2_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            WithinGm within_in(within + int64_t(i2) * 512 + 448, {i2_valid});
            TLOAD(part, within_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            VecI32_64x64m totals_here(i2_valid); TASSIGN<0x08100>(totals_here);  // rows 0.. of totals
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            TADD(totals_here, totals_here, part);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
        }
        VecI32_32x64 total_folded; TASSIGN<0x08100>(total_folded);  // UB 0x08100..0x0a100
        VecI32_32x64 totals_32; TASSIGN<0x08100>(totals_32);  // rows 0.. of totals
        VecI32_32x64 totals_from_32; TASSIGN<0x0a100>(totals_from_32);  // rows 32.. of totals
        pipe_barrier(PIPE_V);
        TADD(total_folded, totals_32, totals_from_32);
        VecI32_16x64 total_folded_16; TASSIGN<0x08100>(total_folded_16);  // rows 0.. of total_folded
        VecI32_16x64 total_folded_from_16; TASSIGN<0x09100>(total_folded_from_16);  // rows 16.. of total_folded
        pipe_barrier(PIPE_V);
        TADD(total_folded_16, total_folded_16, total_folded_from_16);
        VecI32_8x64 total_folded_8; TASSIGN<0x08100>(total_folded_8);  // rows 0.. of total_folded
        VecI32_8x64 total_folded_from_8; TASSIGN<0x08900>(total_folded_from_8);  // rows 8.. of total_folded
        pipe_barrier(PIPE_V);
        TADD(total_folded_8, total_folded_8, total_folded_from_8);
        VecI32_1x64 total; TASSIGN<0x08000>(total);  // UB 0x08000..0x08100
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCOLSUM(total, total_folded_8);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        CountPartsGm count_parts_out(count_parts + int64_t(split) * 64);
        TSTORE(count_parts_out, total);
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
