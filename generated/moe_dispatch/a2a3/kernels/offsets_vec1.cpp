// offsets_vec1: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages offsets; tiles i2 64, split 1; memory UB 33280 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using CountPartsGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *count_parts,
    __gm__ int32_t *chosen,
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
        // count:  sum(chosen, axis=0, keepdim=true)
        VecI32_1x64 total; TASSIGN<0x00000>(total);  // UB 0x00000..0x00100
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TEXPANDS(total, 0);
        for (int32_t i2 = split * 64; i2 < t * 8; i2 += 3072, i2_buffer ^= 1) {  // one tile in 48
            const int32_t i2_valid = t * 8 - i2 < 64 ? t * 8 - i2 : 64;
            VecI32_64x64 part(i2_valid); TASSIGN(part, 0x00100 + i2_buffer * 0x04000);  // UB 0x00100..0x08100, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));  // free again
            ChosenGm chosen_in(chosen + int64_t(i2) * 64, {i2_valid});
            TLOAD(part, chosen_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            VecI32_1x64 found; TASSIGN<0x08100>(found);  // UB 0x08100..0x08200
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_buffer));
            TCOLSUM(found, part);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_buffer));
            pipe_barrier(PIPE_V);
            TADD(total, total, found);
        }
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
    __gm__ int32_t *count_parts, __gm__ int32_t *chosen, int32_t t, int32_t nblk)
{
    run_block(count_parts, chosen, t, nblk, static_cast<int32_t>(get_block_idx()));
}
