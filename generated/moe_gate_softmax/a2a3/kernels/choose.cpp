// choose: vector kernel of `moe_gate_softmax` for a2a3. Made by pyptogen; change the spec, not this file.
// stages choose; tiles i1 1; memory UB 14592 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x512 = Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecU32_1x512 = Tile<TileType::Vec, uint32_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x1024_c32 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, 32>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_1x16_c10 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 10>;
using VecI32_1x1024_c32 = Tile<TileType::Vec, int32_t, 1, 1024, BLayout::RowMajor, 1, 32>;
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x16_c10 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 10>;
using LGm = GlobalTensor<float, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
using TopGm = GlobalTensor<float, Shape<1, 1, 1, 1, 10>, Stride<1, 1, 1, 1, 1>>;
using ExpertGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 10>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *top,
    __gm__ int32_t *expert,
    __gm__ float *l,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    // top, expert: topk(l, k)
    VecI32_1x512 places; TASSIGN<0x01100>(places);  // UB 0x01100..0x01900
    TCI<VecI32_1x512, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t i1 = block; i1 < t; i1 += nblk, i1_buffer ^= 1) {
        VecF32_1x512 part; TASSIGN(part, 0x00000 + i1_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
        LGm l_in(l + int64_t(i1) * 512);
        TLOAD(part, l_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        VecF32_1x1024 pairs; TASSIGN<0x01900>(pairs);  // UB 0x01900..0x02900
        VecU32_1x512 places_uint32; TASSIGN<0x01100>(places_uint32);  // same bytes as places
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
        TSORT32(pairs, part, places_uint32);
        set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
        VecF32_1x1024 pairs_2; TASSIGN<0x02900>(pairs_2);  // UB 0x02900..0x03900
        pipe_barrier(PIPE_V);
        TMRGSORT(pairs_2, pairs, 64);
        pipe_barrier(PIPE_V);
        TMRGSORT(pairs, pairs_2, 256);
        VecF32_1x1024_c32 best; TASSIGN<0x01900>(best);  // columns 0.. of pairs
        VecF32_1x16 values; TASSIGN(values, 0x01000 + i1_buffer * 0x00040);  // UB 0x01000..0x01080, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));  // free again
        TGATHER<VecF32_1x16, VecF32_1x1024_c32, MaskPattern::P0101>(values, best);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        VecF32_1x16_c10 values_out; TASSIGN(values_out, 0x01000 + i1_buffer * 0x00040);  // columns 0.. of values
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        TopGm top_out(top + int64_t(i1) * 10);
        TSTORE(top_out, values_out);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));
        VecI32_1x1024_c32 best_int32; TASSIGN<0x01900>(best_int32);  // same bytes as best
        VecI32_1x16 indices; TASSIGN(indices, 0x01080 + i1_buffer * 0x00040);  // UB 0x01080..0x01100, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_1x16, VecI32_1x1024_c32, MaskPattern::P1010>(indices, best_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        VecI32_1x16_c10 indices_out; TASSIGN(indices_out, 0x01080 + i1_buffer * 0x00040);  // columns 0.. of indices
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        ExpertGm expert_out(expert + int64_t(i1) * 10);
        TSTORE(expert_out, indices_out);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void choose(
    __gm__ float *top, __gm__ int32_t *expert, __gm__ float *l, int32_t t, int32_t nblk)
{
    run_block(top, expert, l, t, nblk, static_cast<int32_t>(get_block_idx()));
}
