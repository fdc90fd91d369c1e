// best_vec2: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages best; tiles kv 6144 / 2048, t 1; memory UB 131072 B
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
using ScoreRowsGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using ScoreRowsPairsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *score_rows_pairs,
    __gm__ float *score_rows,
    int64_t t,
    int64_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    int32_t kv2_buffer = 0;  // which of 2 buffers this iteration of kv2 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // score, chosen: topk(all_scores, selected)
    VecI32_1x2048 positions; TASSIGN<0x00000>(positions);  // UB 0x00000..0x02000
    TCI<VecI32_1x2048, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int64_t kv0_tiles = (kv + 6143) / 6144;
    const int64_t tiles = t * kv0_tiles;  // of t0 and kv0
    for (int64_t tile = block; tile < tiles; tile += nblk, kv0_buffer ^= 1) {
        const int64_t t0 = tile / kv0_tiles;
        const int64_t kv0 = tile % kv0_tiles * 6144;
        const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 6144 ? kv - kv0 : 6144);
        VecI32_1x2048 positions_here; TASSIGN<0x0e000>(positions_here);  // UB 0x0e000..0x10000
        pipe_barrier(PIPE_V);
        TADDS(positions_here, positions, kv0);
        VecF32_1x4096 score_rows_pairs_tile; TASSIGN(score_rows_pairs_tile, 0x02000 + kv0_buffer * 0x04000);  // UB 0x02000..0x0a000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(kv0_buffer));  // free again
        for (int64_t kv2 = 0; kv2 < kv0_valid; kv2 += 2048, kv2_buffer ^= 1) {
            const int32_t kv2_valid = static_cast<int32_t>(kv0_valid - kv2 < 2048 ? kv0_valid - kv2 : 2048);
            VecF32_1x2048 score_rows_tile(kv2_valid); TASSIGN(score_rows_tile, 0x0a000 + kv2_buffer * 0x02000);  // columns 0.. of score_rows_tile_whole
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv2_buffer));  // free again
            ScoreRowsGm score_rows_in(score_rows + int64_t(kv) * t0 + int64_t(kv0) + int64_t(kv2), {kv2_valid});
            TLOAD(score_rows_tile, score_rows_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv2_buffer));
            VecF32_1x2048_min score_rows_tile_whole_padded; TASSIGN(score_rows_tile_whole_padded, 0x0a000 + kv2_buffer * 0x02000);  // same bytes as score_rows_tile_whole
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv2_buffer));
            TFILLPAD_INPLACE(score_rows_tile_whole_padded, score_rows_tile);
            VecF32_1x4096 score_rows_pairs_tile_part_blocks; TASSIGN<0x10000>(score_rows_pairs_tile_part_blocks);  // UB 0x10000..0x14000
            VecF32_1x2048m score_rows_tile_whole; TASSIGN(score_rows_tile_whole, 0x0a000 + kv2_buffer * 0x02000);  // UB 0x0a000..0x0e000, 2 copies
            VecU32_1x2048 positions_here_uint32; TASSIGN<0x0e000>(positions_here_uint32);  // same bytes as positions_here
            pipe_barrier(PIPE_V);
            TSORT32(score_rows_pairs_tile_part_blocks, score_rows_tile_whole, positions_here_uint32);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv2_buffer));
            VecF32_1x4096 score_rows_pairs_tile_part; TASSIGN<0x14000>(score_rows_pairs_tile_part);  // UB 0x14000..0x18000
            pipe_barrier(PIPE_V);
            TMRGSORT(score_rows_pairs_tile_part, score_rows_pairs_tile_part_blocks, 64);
            pipe_barrier(PIPE_V);
            TMRGSORT(score_rows_pairs_tile_part_blocks, score_rows_pairs_tile_part, 256);
            pipe_barrier(PIPE_V);
            TMRGSORT(score_rows_pairs_tile_part, score_rows_pairs_tile_part_blocks, 1024);
            VecF32_1x8192 score_rows_pairs_tile_tmp; TASSIGN<0x18000>(score_rows_pairs_tile_tmp);  // UB 0x18000..0x20000
            VecF32_1x4096_c2048 score_rows_pairs_tile_part_first; TASSIGN<0x14000>(score_rows_pairs_tile_part_first);  // columns 0.. of score_rows_pairs_tile_part
            VecF32_1x4096_c2048 score_rows_pairs_tile_part_first_2; TASSIGN<0x16000>(score_rows_pairs_tile_part_first_2);  // columns 2048.. of score_rows_pairs_tile_part
            pipe_barrier(PIPE_V);
            if (kv2 == 0) {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096_c2048, VecF32_1x4096_c2048, false>(score_rows_pairs_tile, taken, score_rows_pairs_tile_tmp, score_rows_pairs_tile_part_first, score_rows_pairs_tile_part_first_2);
            } else {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096, VecF32_1x4096, false>(score_rows_pairs_tile, taken, score_rows_pairs_tile_tmp, score_rows_pairs_tile, score_rows_pairs_tile_part);
            }
            TADDS(positions_here, positions_here, 2048);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(kv0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(kv0_buffer));
        ScoreRowsPairsGm score_rows_pairs_out(score_rows_pairs + int64_t(t0) * 90112 + int64_t(kv0) * 2 / 3);
        TSTORE(score_rows_pairs_out, score_rows_pairs_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(kv0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void best_vec2(
    __gm__ float *score_rows_pairs, __gm__ float *score_rows, int64_t t, int64_t kv, int32_t nblk)
{
    run_block(score_rows_pairs, score_rows, t, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
