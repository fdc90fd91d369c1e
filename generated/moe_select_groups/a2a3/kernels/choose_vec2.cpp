// choose_vec2: vector kernel of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles i1 8, pairs_at 1; memory UB 20864 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x256 = Tile<TileType::Vec, int32_t, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_8x256 = Tile<TileType::Vec, float, 8, 256, BLayout::RowMajor, DYNAMIC, 256>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using VecU32_1x256 = Tile<TileType::Vec, uint32_t, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_1x32_c16 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 16>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x512_c16 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 16>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_8x16 = Tile<TileType::Vec, int32_t, 8, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_8x8 = Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, DYNAMIC, 8>;
using MaskedGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *expert,
    __gm__ float *masked,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // top, expert: topk(masked, k)
    VecI32_1x256 places; TASSIGN<0x00000>(places);  // UB 0x00000..0x00400
    TCI<VecI32_1x256, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 8; i1 < t; i1 += nblk * 8, i1_buffer ^= 1) {
        const int32_t i1_valid = t - i1 < 8 ? t - i1 : 8;
        VecF32_8x256 part(i1_valid); TASSIGN(part, 0x00400 + i1_buffer * 0x02000);  // UB 0x00400..0x04400, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        MaskedGm masked_in(masked + int64_t(i1) * 256, {i1_valid});
        TLOAD(part, masked_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        for (int32_t pairs_at = 0; pairs_at < i1_valid; ++pairs_at) {
            VecF32_1x512 pairs_pairs; TASSIGN<0x04800>(pairs_pairs);  // UB 0x04800..0x05000
            VecF32_1x256 part_line; TASSIGN(part_line, 0x00400 + i1_buffer * 0x02000 + pairs_at * 0x00400);  // rows pairs_at.. of part
            VecU32_1x256 places_uint32; TASSIGN<0x00000>(places_uint32);  // same bytes as places
            TSORT32(pairs_pairs, part_line, places_uint32);
            VecF32_1x32_c16 pairs_kept_list; TASSIGN<0x05100>(pairs_kept_list);  // columns 0.. of pairs_kept
            VecF32_1x64 pairs_merged; TASSIGN<0x05000>(pairs_merged);  // UB 0x05000..0x05100
            VecF32_1x512_c16 pairs_pairs_list; TASSIGN<0x04800>(pairs_pairs_list);  // columns 0.. of pairs_pairs
            VecF32_1x512_c16 pairs_pairs_list_2; TASSIGN<0x04900>(pairs_pairs_list_2);  // columns 64.. of pairs_pairs
            VecF32_1x512_c16 pairs_pairs_list_3; TASSIGN<0x04a00>(pairs_pairs_list_3);  // columns 128.. of pairs_pairs
            VecF32_1x512_c16 pairs_pairs_list_4; TASSIGN<0x04b00>(pairs_pairs_list_4);  // columns 192.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x32_c16, VecF32_1x64, VecF32_1x512_c16, VecF32_1x512_c16, VecF32_1x512_c16, VecF32_1x512_c16, false>(pairs_kept_list, taken, pairs_merged, pairs_pairs_list, pairs_pairs_list_2, pairs_pairs_list_3, pairs_pairs_list_4);
            VecF32_1x32_c16 pairs_kept_list_2; TASSIGN<0x05140>(pairs_kept_list_2);  // columns 16.. of pairs_kept
            VecF32_1x512_c16 pairs_pairs_list_5; TASSIGN<0x04c00>(pairs_pairs_list_5);  // columns 256.. of pairs_pairs
            VecF32_1x512_c16 pairs_pairs_list_6; TASSIGN<0x04d00>(pairs_pairs_list_6);  // columns 320.. of pairs_pairs
            VecF32_1x512_c16 pairs_pairs_list_7; TASSIGN<0x04e00>(pairs_pairs_list_7);  // columns 384.. of pairs_pairs
            VecF32_1x512_c16 pairs_pairs_list_8; TASSIGN<0x04f00>(pairs_pairs_list_8);  // columns 448.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x32_c16, VecF32_1x64, VecF32_1x512_c16, VecF32_1x512_c16, VecF32_1x512_c16, VecF32_1x512_c16, false>(pairs_kept_list_2, taken, pairs_merged, pairs_pairs_list_5, pairs_pairs_list_6, pairs_pairs_list_7, pairs_pairs_list_8);
            VecF32_1x16 pairs_line; TASSIGN(pairs_line, 0x04600 + pairs_at * 0x00040);  // rows pairs_at.. of pairs
            VecF32_1x32_c16 pairs_kept_list_3; TASSIGN<0x05100>(pairs_kept_list_3);  // columns 0.. of pairs_kept
            VecF32_1x32_c16 pairs_kept_list_4; TASSIGN<0x05140>(pairs_kept_list_4);  // columns 16.. of pairs_kept
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x16, VecF32_1x64, VecF32_1x32_c16, VecF32_1x32_c16, false>(pairs_line, taken, pairs_merged, pairs_kept_list_3, pairs_kept_list_4);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecI32_8x16 pairs_int32(i1_valid); TASSIGN<0x04600>(pairs_int32);  // same bytes as pairs
        VecI32_8x8 indices(i1_valid); TASSIGN(indices, 0x04400 + i1_buffer * 0x00100);  // UB 0x04400..0x04600, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_8x8, VecI32_8x16, MaskPattern::P1010>(indices, pairs_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        ExpertGm expert_out(expert + int64_t(i1) * 8, {i1_valid});
        TSTORE(expert_out, indices);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void choose_vec2(__gm__ int32_t *expert, __gm__ float *masked, int32_t t, int32_t nblk)
{
    run_block(expert, masked, t, nblk, static_cast<int32_t>(get_block_idx()));
}
