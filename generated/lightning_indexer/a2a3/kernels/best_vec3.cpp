// best_vec3: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages best; tiles kv 2048, t 1; memory UB 147456 B
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
using ScoreRowsGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;

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
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // score, chosen: topk(all_scores, selected)
    VecI32_1x2048 positions; TASSIGN<0x00000>(positions);  // UB 0x00000..0x02000
    TCI<VecI32_1x2048, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int64_t t0 = block; t0 < t; t0 += nblk, t0_buffer ^= 1) {
        VecI32_1x2048 positions_here; TASSIGN<0x12000>(positions_here);  // UB 0x12000..0x14000
        TMOV(positions_here, positions);
        VecF32_1x4096 score_whole_order; TASSIGN<0x0e000>(score_whole_order);  // UB 0x0e000..0x12000
        for (int64_t kv0 = 0; kv0 < kv; kv0 += 2048, kv0_buffer ^= 1) {
            const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 2048 ? kv - kv0 : 2048);
            VecF32_1x2048 score_rows_tile(kv0_valid); TASSIGN(score_rows_tile, 0x0a000 + kv0_buffer * 0x02000);  // columns 0.. of score_rows_tile_whole
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));  // free again
            ScoreRowsGm score_rows_in(score_rows + int64_t(kv) * t0 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TLOAD(score_rows_tile, score_rows_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
            VecF32_1x2048_min score_rows_tile_whole_padded; TASSIGN(score_rows_tile_whole_padded, 0x0a000 + kv0_buffer * 0x02000);  // same bytes as score_rows_tile_whole
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
            TFILLPAD_INPLACE(score_rows_tile_whole_padded, score_rows_tile);
            VecF32_1x4096 score_whole_order_part_blocks; TASSIGN<0x14000>(score_whole_order_part_blocks);  // UB 0x14000..0x18000
            VecF32_1x2048m score_rows_tile_whole; TASSIGN(score_rows_tile_whole, 0x0a000 + kv0_buffer * 0x02000);  // UB 0x0a000..0x0e000, 2 copies
            VecU32_1x2048 positions_here_uint32; TASSIGN<0x12000>(positions_here_uint32);  // same bytes as positions_here
            pipe_barrier(PIPE_V);
            TSORT32(score_whole_order_part_blocks, score_rows_tile_whole, positions_here_uint32);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));
            VecF32_1x4096 score_whole_order_part; TASSIGN<0x18000>(score_whole_order_part);  // UB 0x18000..0x1c000
            pipe_barrier(PIPE_V);
            TMRGSORT(score_whole_order_part, score_whole_order_part_blocks, 64);
            pipe_barrier(PIPE_V);
            TMRGSORT(score_whole_order_part_blocks, score_whole_order_part, 256);
            pipe_barrier(PIPE_V);
            TMRGSORT(score_whole_order_part, score_whole_order_part_blocks, 1024);
            VecF32_1x8192 score_whole_order_tmp; TASSIGN<0x1c000>(score_whole_order_tmp);  // UB 0x1c000..0x24000
            VecF32_1x4096_c2048 score_whole_order_part_first; TASSIGN<0x18000>(score_whole_order_part_first);  // columns 0.. of score_whole_order_part
            VecF32_1x4096_c2048 score_whole_order_part_first_2; TASSIGN<0x1a000>(score_whole_order_part_first_2);  // columns 2048.. of score_whole_order_part
            pipe_barrier(PIPE_V);
            if (kv0 == 0) {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096_c2048, VecF32_1x4096_c2048, false>(score_whole_order, taken, score_whole_order_tmp, score_whole_order_part_first, score_whole_order_part_first_2);
            } else {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096, VecF32_1x4096, false>(score_whole_order, taken, score_whole_order_tmp, score_whole_order, score_whole_order_part);
            }
            TADDS(positions_here, positions_here, 2048);
        }
        VecF32_1x2048m score_whole; TASSIGN(score_whole, 0x02000 + t0_buffer * 0x02000);  // UB 0x02000..0x06000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));  // free again
        TGATHER<VecF32_1x2048m, VecF32_1x4096, MaskPattern::P0101>(score_whole, score_whole_order);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        ScoreGm score_out(score + int64_t(t0) * 2048);
        TSTORE(score_out, score_whole);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));
        VecI32_1x4096 score_whole_order_int32; TASSIGN<0x0e000>(score_whole_order_int32);  // same bytes as score_whole_order
        VecI32_1x2048 chosen_whole; TASSIGN(chosen_whole, 0x06000 + t0_buffer * 0x02000);  // UB 0x06000..0x0a000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TGATHER<VecI32_1x2048, VecI32_1x4096, MaskPattern::P1010>(chosen_whole, score_whole_order_int32);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ChosenGm chosen_out(chosen + int64_t(t0) * 2048);
        TSTORE(chosen_out, chosen_whole);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void best_vec3(
    __gm__ float *score, __gm__ int32_t *chosen, __gm__ float *score_rows, int64_t t, int64_t kv, int32_t nblk)
{
    run_block(score, chosen, score_rows, t, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
