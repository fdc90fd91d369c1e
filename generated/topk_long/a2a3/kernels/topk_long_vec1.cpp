// topk_long_vec1: vector kernel of `topk_long` for a2a3. Made by pyptogen; change the spec, not this file.
// stages topk_long; tiles keys 6144 / 2048, rows 1; memory UB 131072 B
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
using ScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using ScoresPairsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *scores_pairs,
    __gm__ float *scores,
    int32_t rows,
    int32_t keys,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t keys0_buffer = 0;  // which of 2 buffers this iteration of keys0 uses
    int32_t keys2_buffer = 0;  // which of 2 buffers this iteration of keys2 uses
    MrgSortExecutedNumList taken;  // how many pairs a merge took of each list
    // values, indices: topk(scores, 2048)
    VecI32_1x2048 positions; TASSIGN<0x00000>(positions);  // UB 0x00000..0x02000
    TCI<VecI32_1x2048, int32_t, 0>(positions, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t keys0_tiles = (keys + 6143) / 6144;
    const int32_t tiles = rows * keys0_tiles;  // of rows0 and keys0
    for (int32_t tile = block; tile < tiles; tile += nblk, keys0_buffer ^= 1) {
        const int32_t rows0 = tile / keys0_tiles;
        const int32_t keys0 = tile % keys0_tiles * 6144;
        const int32_t keys0_valid = keys - keys0 < 6144 ? keys - keys0 : 6144;
        VecI32_1x2048 positions_here; TASSIGN<0x0e000>(positions_here);  // UB 0x0e000..0x10000
        pipe_barrier(PIPE_V);
        TADDS(positions_here, positions, keys0);
        VecF32_1x4096 scores_pairs_tile; TASSIGN(scores_pairs_tile, 0x02000 + keys0_buffer * 0x04000);  // UB 0x02000..0x0a000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(keys0_buffer));  // free again
        for (int32_t keys2 = 0; keys2 < keys0_valid; keys2 += 2048, keys2_buffer ^= 1) {
            const int32_t keys2_valid = keys0_valid - keys2 < 2048 ? keys0_valid - keys2 : 2048;
            VecF32_1x2048 scores_tile(keys2_valid); TASSIGN(scores_tile, 0x0a000 + keys2_buffer * 0x02000);  // columns 0.. of scores_tile_whole
            wait_flag(PIPE_V, PIPE_MTE2, event_t(keys2_buffer));  // free again
            ScoresGm scores_in(scores + int64_t(keys) * rows0 + int64_t(keys0) + int64_t(keys2), {keys2_valid});
            TLOAD(scores_tile, scores_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(keys2_buffer));
            VecF32_1x2048_min scores_tile_whole_padded; TASSIGN(scores_tile_whole_padded, 0x0a000 + keys2_buffer * 0x02000);  // same bytes as scores_tile_whole
            wait_flag(PIPE_MTE2, PIPE_V, event_t(keys2_buffer));
            TFILLPAD_INPLACE(scores_tile_whole_padded, scores_tile);
            VecF32_1x4096 scores_pairs_tile_part_blocks; TASSIGN<0x10000>(scores_pairs_tile_part_blocks);  // UB 0x10000..0x14000
            VecF32_1x2048m scores_tile_whole; TASSIGN(scores_tile_whole, 0x0a000 + keys2_buffer * 0x02000);  // UB 0x0a000..0x0e000, 2 copies
            VecU32_1x2048 positions_here_uint32; TASSIGN<0x0e000>(positions_here_uint32);  // same bytes as positions_here
            pipe_barrier(PIPE_V);
            TSORT32(scores_pairs_tile_part_blocks, scores_tile_whole, positions_here_uint32);
            set_flag(PIPE_V, PIPE_MTE2, event_t(keys2_buffer));
            VecF32_1x4096 scores_pairs_tile_part; TASSIGN<0x14000>(scores_pairs_tile_part);  // UB 0x14000..0x18000
            pipe_barrier(PIPE_V);
            TMRGSORT(scores_pairs_tile_part, scores_pairs_tile_part_blocks, 64);
            pipe_barrier(PIPE_V);
            TMRGSORT(scores_pairs_tile_part_blocks, scores_pairs_tile_part, 256);
            pipe_barrier(PIPE_V);
            TMRGSORT(scores_pairs_tile_part, scores_pairs_tile_part_blocks, 1024);
            VecF32_1x8192 scores_pairs_tile_tmp; TASSIGN<0x18000>(scores_pairs_tile_tmp);  // UB 0x18000..0x20000
            VecF32_1x4096_c2048 scores_pairs_tile_part_first; TASSIGN<0x14000>(scores_pairs_tile_part_first);  // columns 0.. of scores_pairs_tile_part
            VecF32_1x4096_c2048 scores_pairs_tile_part_first_2; TASSIGN<0x16000>(scores_pairs_tile_part_first_2);  // columns 2048.. of scores_pairs_tile_part
            pipe_barrier(PIPE_V);
            if (keys2 == 0) {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096_c2048, VecF32_1x4096_c2048, false>(scores_pairs_tile, taken, scores_pairs_tile_tmp, scores_pairs_tile_part_first, scores_pairs_tile_part_first_2);
            } else {
                TMRGSORT<VecF32_1x4096, VecF32_1x8192, VecF32_1x4096, VecF32_1x4096, false>(scores_pairs_tile, taken, scores_pairs_tile_tmp, scores_pairs_tile, scores_pairs_tile_part);
            }
            TADDS(positions_here, positions_here, 2048);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(keys0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(keys0_buffer));
        ScoresPairsGm scores_pairs_out(scores_pairs + int64_t(rows0) * 90112 + int64_t(keys0) * 2 / 3);
        TSTORE(scores_pairs_out, scores_pairs_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(keys0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void topk_long_vec1(
    __gm__ float *scores_pairs, __gm__ float *scores, int32_t rows, int32_t keys, int32_t nblk)
{
    run_block(scores_pairs, scores, rows, keys, nblk, static_cast<int32_t>(get_block_idx()));
}
