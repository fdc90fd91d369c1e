// choose: vector kernel of `glm_expert_selector` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles i1 16, pairs_at 1; memory UB 24768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x160 = Tile<TileType::Vec, int32_t, 1, 160, BLayout::RowMajor, 1, 160>;
using VecF32_16x160 = Tile<TileType::Vec, float, 16, 160, BLayout::RowMajor, DYNAMIC, 160>;
using VecF32_1x320 = Tile<TileType::Vec, float, 1, 320, BLayout::RowMajor, 1, 320>;
using VecF32_1x160 = Tile<TileType::Vec, float, 1, 160, BLayout::RowMajor, 1, 160>;
using VecU32_1x160 = Tile<TileType::Vec, uint32_t, 1, 160, BLayout::RowMajor, 1, 160>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_1x320_c16 = Tile<TileType::Vec, float, 1, 320, BLayout::RowMajor, 1, 16>;
using VecI32_16x16 = Tile<TileType::Vec, int32_t, 16, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_16x8 = Tile<TileType::Vec, int32_t, 16, 8, BLayout::RowMajor, DYNAMIC, 8>;
using ChoiceGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 160>, Stride<1, 1, 1, 160, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *expert,
    __gm__ float *choice,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // top, expert: topk(choice, k)
    VecI32_1x160 places; TASSIGN<0x00000>(places);  // UB 0x00000..0x00280
    TCI<VecI32_1x160, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 16; i1 < t; i1 += nblk * 16, i1_buffer ^= 1) {
        const int32_t i1_valid = t - i1 < 16 ? t - i1 : 16;
        VecF32_16x160 part(i1_valid); TASSIGN(part, 0x00280 + i1_buffer * 0x02800);  // UB 0x00280..0x05280, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        ChoiceGm choice_in(choice + int64_t(i1) * 160, {i1_valid});
        TLOAD(part, choice_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        for (int32_t pairs_at = 0; pairs_at < i1_valid; ++pairs_at) {
            VecF32_1x320 pairs_pairs; TASSIGN<0x05a80>(pairs_pairs);  // UB 0x05a80..0x05f80
            VecF32_1x160 part_line; TASSIGN(part_line, 0x00280 + i1_buffer * 0x02800 + pairs_at * 0x00280);  // rows pairs_at.. of part
            VecU32_1x160 places_uint32; TASSIGN<0x00000>(places_uint32);  // same bytes as places
            pipe_barrier(PIPE_V);
            TSORT32(pairs_pairs, part_line, places_uint32);
            VecF32_1x16 pairs_kept; TASSIGN<0x06080>(pairs_kept);  // UB 0x06080..0x060c0
            VecF32_1x64 pairs_merged; TASSIGN<0x05f80>(pairs_merged);  // UB 0x05f80..0x06080
            VecF32_1x320_c16 pairs_pairs_list; TASSIGN<0x05a80>(pairs_pairs_list);  // columns 0.. of pairs_pairs
            VecF32_1x320_c16 pairs_pairs_list_2; TASSIGN<0x05b80>(pairs_pairs_list_2);  // columns 64.. of pairs_pairs
            VecF32_1x320_c16 pairs_pairs_list_3; TASSIGN<0x05c80>(pairs_pairs_list_3);  // columns 128.. of pairs_pairs
            VecF32_1x320_c16 pairs_pairs_list_4; TASSIGN<0x05d80>(pairs_pairs_list_4);  // columns 192.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x16, VecF32_1x64, VecF32_1x320_c16, VecF32_1x320_c16, VecF32_1x320_c16, VecF32_1x320_c16, false>(pairs_kept, taken, pairs_merged, pairs_pairs_list, pairs_pairs_list_2, pairs_pairs_list_3, pairs_pairs_list_4);
            VecF32_1x16 pairs_line; TASSIGN(pairs_line, 0x05680 + pairs_at * 0x00040);  // rows pairs_at.. of pairs
            VecF32_1x320_c16 pairs_pairs_list_5; TASSIGN<0x05e80>(pairs_pairs_list_5);  // columns 256.. of pairs_pairs
            pipe_barrier(PIPE_V);
            TMRGSORT<VecF32_1x16, VecF32_1x64, VecF32_1x16, VecF32_1x320_c16, false>(pairs_line, taken, pairs_merged, pairs_kept, pairs_pairs_list_5);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecI32_16x16 pairs_int32(i1_valid); TASSIGN<0x05680>(pairs_int32);  // same bytes as pairs
        VecI32_16x8 indices(i1_valid); TASSIGN(indices, 0x05280 + i1_buffer * 0x00200);  // UB 0x05280..0x05680, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_16x8, VecI32_16x16, MaskPattern::P1010>(indices, pairs_int32);
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

extern "C" __global__ AICORE void choose(__gm__ int32_t *expert, __gm__ float *choice, int32_t t, int32_t nblk)
{
    run_block(expert, choice, t, nblk, static_cast<int32_t>(get_block_idx()));
}
