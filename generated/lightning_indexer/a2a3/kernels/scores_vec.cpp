// scores_vec: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scores; tiles kv 128, t 1; memory UB 99840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, DYNAMIC>;
using WeightsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using S2Gm = GlobalTensor<float, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using AllScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void scores_vec(
    __gm__ float *all_scores,
    __gm__ float *s_2,
    __gm__ float *weights,
    int32_t t_begin,
    int32_t t_end,
    int32_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    int32_t kv0_slot = 0;  // which of 2 buffers this round of kv0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 copies are free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_slot ^= 1) {
        // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]  [lightning_indexer.yaml:26]
        VecF32_1x64 weights_tile_row; TASSIGN(weights_tile_row, 0x10000 + t0_slot * 0x00100);  // as a row, same bytes as weights_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));  // free again
        WeightsGm weights_in(weights + int64_t(t0) * 64);
        TLOAD(weights_tile_row, weights_in);
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 128, kv0_slot ^= 1) {
            const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
            VecF32_64x128 s_2_tile(kv0_valid); TASSIGN(s_2_tile, 0x00000 + kv0_slot * 0x08000);  // UB 0x00000..0x10000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_slot));  // free again
            S2Gm s_2_in(s_2 + int64_t(kv) * t0 * 64 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TLOAD(s_2_tile, s_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_slot));
            VecF32_64x128 s(kv0_valid); TASSIGN(s, 0x10600);  // UB 0x10600..0x18600
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_slot));
            TRELU(s, s_2_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_slot));
            VecF32_64x1 weights_tile; TASSIGN(weights_tile, 0x10000 + t0_slot * 0x00100);  // UB 0x10000..0x10200, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(s, s, weights_tile);
            // all_scores: sum(s, axis=1)  [lightning_indexer.yaml:28]
            VecF32_8x128_r1 all_scores_1(kv0_valid); TASSIGN(all_scores_1, 0x10200 + kv0_slot * 0x00200);  // UB 0x10200..0x10600, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(kv0_slot));  // free again
            TCOLSUM(all_scores_1, s);
            set_flag(PIPE_V, PIPE_MTE3, event_t(kv0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(kv0_slot));
            AllScoresGm all_scores_out(all_scores + int64_t(kv) * t0 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TSTORE(all_scores_out, all_scores_1);
            set_flag(PIPE_MTE3, PIPE_V, event_t(kv0_slot));
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last rounds of 2 copies
#endif
}
