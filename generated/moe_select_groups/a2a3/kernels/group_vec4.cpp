// group_vec4: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages group; tiles i1 64, pairs_at 1; memory UB 49280 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_64x32_c8 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_64x32_min = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, DYNAMIC, 32, SLayout::NoneBox, 512, PadValue::Min>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecU32_1x32 = Tile<TileType::Vec, uint32_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecI32_64x64 = Tile<TileType::Vec, int32_t, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecI32_64x32 = Tile<TileType::Vec, int32_t, 64, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecI32_64x32_c4 = Tile<TileType::Vec, int32_t, 64, 32, BLayout::RowMajor, DYNAMIC, 4>;
using G1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using GroupGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 4>, Stride<1, 1, 1, 4, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *group,
    __gm__ float *g_1,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    // g, group: topk(sum(best, axis=-1), kept)
    VecI32_1x32 places; TASSIGN<0x00000>(places);  // UB 0x00000..0x00080
    TCI<VecI32_1x32, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 64; i1 < t; i1 += nblk * 64, i1_buffer ^= 1) {
        const int32_t i1_valid = t - i1 < 64 ? t - i1 : 64;
        VecF32_64x32_c8 part(i1_valid); TASSIGN(part, 0x04080 + i1_buffer * 0x02000);  // columns 0.. of part_whole
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        G1Gm g_1_in(g_1 + int64_t(i1) * 8, {i1_valid});
        TLOAD(part, g_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecF32_64x32_min part_whole_padded(i1_valid); TASSIGN(part_whole_padded, 0x04080 + i1_buffer * 0x02000);  // same bytes as part_whole
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        TFILLPAD_INPLACE(part_whole_padded, part);
        for (int32_t pairs_at = 0; pairs_at < i1_valid; ++pairs_at) {
            VecF32_1x64 pairs_line; TASSIGN(pairs_line, 0x08080 + pairs_at * 0x00100);  // rows pairs_at.. of pairs
            VecF32_1x32 part_whole_line; TASSIGN(part_whole_line, 0x04080 + i1_buffer * 0x02000 + pairs_at * 0x00080);  // rows pairs_at.. of part_whole
            VecU32_1x32 places_uint32; TASSIGN<0x00000>(places_uint32);  // same bytes as places
            pipe_barrier(PIPE_V);
            TSORT32(pairs_line, part_whole_line, places_uint32);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecI32_64x64 pairs_int32(i1_valid); TASSIGN<0x08080>(pairs_int32);  // same bytes as pairs
        VecI32_64x32 indices(i1_valid); TASSIGN(indices, 0x00080 + i1_buffer * 0x02000);  // UB 0x00080..0x04080, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_64x32, VecI32_64x64, MaskPattern::P1010>(indices, pairs_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        VecI32_64x32_c4 indices_out(i1_valid); TASSIGN(indices_out, 0x00080 + i1_buffer * 0x02000);  // columns 0.. of indices
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        GroupGm group_out(group + int64_t(i1) * 4, {i1_valid});
        TSTORE(group_out, indices_out);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void group_vec4(__gm__ int32_t *group, __gm__ float *g_1, int32_t t, int32_t nblk)
{
    run_block(group, g_1, t, nblk, static_cast<int32_t>(get_block_idx()));
}
