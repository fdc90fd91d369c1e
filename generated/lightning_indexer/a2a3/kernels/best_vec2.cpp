// best_vec2: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages best; tiles i1 1, n0 2048; memory UB 147456 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x2048_min = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048, SLayout::NoneBox, 512, PadValue::Min>;
using VecF32_1x2048m = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecU32_1x2048 = Tile<TileType::Vec, uint32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecF32_1x8192 = Tile<TileType::Vec, float, 1, 8192, BLayout::RowMajor, 1, 8192>;
using VecF32_1x4096_c2048 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 2048>;
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, 4096>;
using ScoreRowsGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *score,
    __gm__ int32_t *chosen,
    __gm__ float *score_rows,
    int64_t t,
    int64_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // score, chosen: topk(all_scores, selected)
    VecI32_1x2048 places; TASSIGN<0x00000>(places);  // UB 0x00000..0x02000
    TCI<VecI32_1x2048, int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int64_t i1 = block; i1 < t; i1 += nblk, i1_buffer ^= 1) {
        VecI32_1x2048 places_here; TASSIGN<0x12000>(places_here);  // UB 0x12000..0x14000
        TMOV(places_here, places);
        VecF32_1x4096 pairs_kept; TASSIGN<0x0e000>(pairs_kept);  // UB 0x0e000..0x12000
        for (int64_t n0 = 0; n0 < kv; n0 += 2048, n0_buffer ^= 1) {
            const int32_t n0_valid = static_cast<int32_t>(kv - n0 < 2048 ? kv - n0 : 2048);
            VecF32_1x2048 part(n0_valid); TASSIGN(part, 0x0a000 + n0_buffer * 0x02000);  // columns 0.. of part_whole
            wait_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));  // free again
            ScoreRowsGm score_rows_in(score_rows + int64_t(i1) * kv + int64_t(n0), {n0_valid});
            TLOAD(part, score_rows_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
            VecF32_1x2048_min part_whole_padded; TASSIGN(part_whole_padded, 0x0a000 + n0_buffer * 0x02000);  // same bytes as part_whole
            wait_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
            TFILLPAD_INPLACE(part_whole_padded, part);
            VecF32_1x4096 pairs_blocks; TASSIGN<0x14000>(pairs_blocks);  // UB 0x14000..0x18000
            VecF32_1x2048m part_whole; TASSIGN(part_whole, 0x0a000 + n0_buffer * 0x02000);  // UB 0x0a000..0x0e000, 2 copies
            VecU32_1x2048 places_here_uint32; TASSIGN<0x12000>(places_here_uint32);  // same bytes as places_here
            pipe_barrier(PIPE_V);
            TSORT32(pairs_blocks, part_whole, places_here_uint32);
            set_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));
            VecF32_1x4096 pairs; TASSIGN<0x18000>(pairs);  // UB 0x18000..0x1c000
            pipe_barrier(PIPE_V);
            TMRGSORT(pairs, pairs_blocks, 64);
            pipe_barrier(PIPE_V);
            TMRGSORT(pairs_blocks, pairs, 256);
            pipe_barrier(PIPE_V);
            TMRGSORT(pairs, pairs_blocks, 1024);
            VecF32_1x8192 merged; TASSIGN<0x1c000>(merged);  // UB 0x1c000..0x24000
            VecF32_1x4096_c2048 half; TASSIGN<0x18000>(half);  // columns 0.. of pairs
            VecF32_1x4096_c2048 half_2; TASSIGN<0x1a000>(half_2);  // columns 2048.. of pairs
            pipe_barrier(PIPE_V);
            if (n0 == 0) {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096_c2048, VecF32_1x4096_c2048, false>(pairs_kept, taken, merged, half, half_2);
            } else {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096, VecF32_1x4096, false>(pairs_kept, taken, merged, pairs_kept, pairs);
            }
            TADDS(places_here, places_here, 2048);
        }
        VecF32_1x2048m values; TASSIGN(values, 0x02000 + i1_buffer * 0x02000);  // UB 0x02000..0x06000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));  // free again
        TGATHER<VecF32_1x2048m, VecF32_1x4096, MaskPattern::P0101>(values, pairs_kept);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + i1_buffer));
        ScoreGm score_out(score + int64_t(i1) * 2048);
        TSTORE(score_out, values);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + i1_buffer));
        VecI32_1x4096 pairs_kept_int32; TASSIGN<0x0e000>(pairs_kept_int32);  // same bytes as pairs_kept
        VecI32_1x2048 indices; TASSIGN(indices, 0x06000 + i1_buffer * 0x02000);  // UB 0x06000..0x0a000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));  // free again
        TGATHER<VecI32_1x2048, VecI32_1x4096, MaskPattern::P1010>(indices, pairs_kept_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i1_buffer));
        ChosenGm chosen_out(chosen + int64_t(i1) * 2048);
        TSTORE(chosen_out, indices);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i1_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void best_vec2(
    __gm__ float *score, __gm__ int32_t *chosen, __gm__ float *score_rows, int64_t t, int64_t kv, int32_t nblk)
{
    run_block(score, chosen, score_rows, t, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
