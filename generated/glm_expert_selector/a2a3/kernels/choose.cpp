// choose: vector kernel of `glm_expert_selector` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles i1 1; memory UB 14400 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x512 = Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x512_c160 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 160>;
using VecF32_1x512_min = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512, SLayout::NoneBox, 512, PadValue::Min>;
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecU32_1x512 = Tile<TileType::Vec, uint32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecI32_1x1024_c16 = Tile<TileType::Vec, int32_t, 1, 1024, BLayout::RowMajor, 1, 16>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using ChoiceGm = GlobalTensor<float, Shape<1, 1, 1, 1, 160>, Stride<1, 1, 1, 1, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 1, 1>>;

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
    // top, expert: topk(choice, k)
    VecI32_1x512 places; TASSIGN<0x01040>(places);  // UB 0x01040..0x01840
    TCI<VecI32_1x512, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block; i1 < t; i1 += nblk, i1_buffer ^= 1) {
        VecF32_1x512_c160 part_in; TASSIGN(part_in, 0x00000 + i1_buffer * 0x00800);  // columns 0.. of part
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        ChoiceGm choice_in(choice + int64_t(i1) * 160);
        TLOAD(part_in, choice_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecF32_1x512_min part_padded; TASSIGN(part_padded, 0x00000 + i1_buffer * 0x00800);  // same bytes as part
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        TFILLPAD_INPLACE(part_padded, part_in);
        VecF32_1x1024 pairs; TASSIGN<0x01840>(pairs);  // UB 0x01840..0x02840
        VecF32_1x512 part; TASSIGN(part, 0x00000 + i1_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
        VecU32_1x512 places_uint32; TASSIGN<0x01040>(places_uint32);  // same bytes as places
        pipe_barrier(PIPE_V);
        TSORT32(pairs, part, places_uint32);
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecF32_1x1024 pairs_2; TASSIGN<0x02840>(pairs_2);  // UB 0x02840..0x03840
        pipe_barrier(PIPE_V);
        TMRGSORT(pairs_2, pairs, 64);
        pipe_barrier(PIPE_V);
        TMRGSORT(pairs, pairs_2, 256);
        VecI32_1x1024_c16 best_int32; TASSIGN<0x01840>(best_int32);  // same bytes as best
        VecI32_1x8 indices; TASSIGN(indices, 0x01000 + i1_buffer * 0x00020);  // UB 0x01000..0x01040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_1x8, VecI32_1x1024_c16, MaskPattern::P1010>(indices, best_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        ExpertGm expert_out(expert + int64_t(i1) * 8);
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
