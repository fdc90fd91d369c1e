// group_vec1: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles i1 64, pairs_at 1; memory UB 49280 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_64x32 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecU32_1x32 = Tile<TileType::Vec, uint32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_64x32_c2 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, DYNAMIC, 2>;
using CGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 32, 1>>;
using BestGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2>, Stride<1, 1, 1, 2, 1>>;

AICORE inline void run_block(
    __gm__ float *best,
    __gm__ float *c,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    // best, best_at: topk(c, 2)
    VecI32_1x32 places; TASSIGN<0x00000>(places);  // UB 0x00000..0x00080
    TCI<VecI32_1x32, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 64; i1 < t * 8; i1 += nblk * 64, i1_buffer ^= 1) {
        const int32_t i1_valid = t * 8 - i1 < 64 ? t * 8 - i1 : 64;
        VecF32_64x32 part(i1_valid); TASSIGN(part, 0x00080 + i1_buffer * 0x02000);  // UB 0x00080..0x04080, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        CGm c_in(c + int64_t(i1) * 32, {i1_valid});
        TLOAD(part, c_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        for (int32_t pairs_at = 0; pairs_at < i1_valid; ++pairs_at) {
            VecF32_1x64 pairs_line; TASSIGN(pairs_line, 0x08080 + pairs_at * 0x00100);  // rows pairs_at.. of pairs
            VecF32_1x32 part_line; TASSIGN(part_line, 0x00080 + i1_buffer * 0x02000 + pairs_at * 0x00080);  // rows pairs_at.. of part
            VecU32_1x32 places_uint32; TASSIGN<0x00000>(places_uint32);  // same bytes as places
            pipe_barrier(PIPE_V);
            TSORT32(pairs_line, part_line, places_uint32);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecF32_64x64 pairs(i1_valid); TASSIGN<0x08080>(pairs);  // UB 0x08080..0x0c080
        VecF32_64x32 values(i1_valid); TASSIGN(values, 0x04080 + i1_buffer * 0x02000);  // UB 0x04080..0x08080, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecF32_64x32, VecF32_64x64, MaskPattern::P0101>(values, pairs);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        VecF32_64x32_c2 values_out(i1_valid); TASSIGN(values_out, 0x04080 + i1_buffer * 0x02000);  // columns 0.. of values
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        BestGm best_out(best + int64_t(i1) * 2, {i1_valid});
        TSTORE(best_out, values_out);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void group_vec1(__gm__ float *best, __gm__ float *c, int32_t t, int32_t nblk)
{
    run_block(best, c, t, nblk, static_cast<int32_t>(get_block_idx()));
}
