// scores_vec: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scores; tiles kv 128, t 1; memory UB 101984 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, DYNAMIC>;
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecI32_8x128_r1 = Tile<TileType::Vec, int32_t, 8, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x1_r1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 1, 1>;
using VecU8_8x32_c16_r1 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 1, 16>;
using VecF16_8x128_r1 = Tile<TileType::Vec, half, 8, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF16_1x128 = Tile<TileType::Vec, half, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using WeightsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using SeenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using S2Gm = GlobalTensor<float, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AllScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ float *all_scores,
    __gm__ float *s_2,
    __gm__ float *weights,
    __gm__ int32_t *place,
    __gm__ int32_t *seen,
    int64_t t_begin,
    int64_t t_end,
    int64_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    for (int64_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
        VecF32_1x64 weights_tile_row; TASSIGN(weights_tile_row, 0x10000 + t0_buffer * 0x00100);  // as a row, same bytes as weights_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));  // free again
        WeightsGm weights_in(weights + int64_t(t0) * 64);
        TLOAD(weights_tile_row, weights_in);
        // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
        VecI32_1x8_c1 seen_tile_row; TASSIGN(seen_tile_row, 0x10600 + t0_buffer * 0x00020);  // as a row, same bytes as seen_tile
        SeenGm seen_in(seen + int64_t(t0));
        TLOAD(seen_tile_row, seen_in);
        for (int64_t kv0 = 0; kv0 < kv; kv0 += 128, kv0_buffer ^= 1) {
            const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 128 ? kv - kv0 : 128);
            // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
            VecF32_64x128 s_2_tile(kv0_valid); TASSIGN(s_2_tile, 0x00000 + kv0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer));  // free again
            S2Gm s_2_in(s_2 + int64_t(kv) * t0 * 64 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TLOAD(s_2_tile, s_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv0_buffer));
            // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
            VecI32_1x128 place_tile(kv0_valid); TASSIGN(place_tile, 0x10200 + kv0_buffer * 0x00200);  // UB 0x10200..0x10600, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));  // free again
            PlaceGm place_in(place + int64_t(kv0), {kv0_valid});
            TLOAD(place_tile, place_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
            // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
            VecF32_64x128 s(kv0_valid); TASSIGN<0x10a40>(s);  // UB 0x10a40..0x18a40
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv0_buffer));
            TRELU(s, s_2_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer));
            VecF32_64x1 weights_tile; TASSIGN(weights_tile, 0x10000 + t0_buffer * 0x00100);  // UB 0x10000..0x10200, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(s, s, weights_tile);
            // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
            VecI32_8x128_r1 all_scores_3_larger(kv0_valid); TASSIGN<0x18a40>(all_scores_3_larger);  // UB 0x18a40..0x18c40
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
            TCOLEXPAND(all_scores_3_larger, place_tile);
            VecI32_8x1_r1 seen_tile; TASSIGN(seen_tile, 0x10600 + t0_buffer * 0x00020);  // UB 0x10600..0x10640, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDMAX(all_scores_3_larger, all_scores_3_larger, seen_tile);
            VecI32_8x128_r1 place_tile_wide(kv0_valid); TASSIGN<0x18c40>(place_tile_wide);  // UB 0x18c40..0x18e40
            TCOLEXPAND(place_tile_wide, place_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));
            VecU8_8x32_c16_r1 all_scores_3_equal_bits; TASSIGN<0x18e40>(all_scores_3_equal_bits);  // UB 0x18e40..0x18e60
            pipe_barrier(PIPE_V);
            TCMP(all_scores_3_equal_bits, all_scores_3_larger, place_tile_wide, CmpMode::EQ);
            VecF16_8x128_r1 all_scores_3_equal(kv0_valid); TASSIGN<0x18a40>(all_scores_3_equal);  // UB 0x18a40..0x18b40
            pipe_barrier(PIPE_V);
            TEXPANDS(all_scores_3_equal, 1.0f);
            VecF16_1x128 all_scores_3_equal_tmp; TASSIGN<0x18b40>(all_scores_3_equal_tmp);  // UB 0x18b40..0x18c40
            pipe_barrier(PIPE_V);
            TSELS(all_scores_3_equal, all_scores_3_equal_bits, all_scores_3_equal, all_scores_3_equal_tmp, 0.0f);
            VecF16_8x128_r1 all_scores_3(kv0_valid); TASSIGN<0x18a40>(all_scores_3);  // UB 0x18a40..0x18b40
            pipe_barrier(PIPE_V);
            TNEG(all_scores_3, all_scores_3_equal);
            pipe_barrier(PIPE_V);
            TADDS(all_scores_3, all_scores_3, 1.0f);
            VecF32_8x128_r1 all_scores_4(kv0_valid); TASSIGN<0x18b40>(all_scores_4);  // UB 0x18b40..0x18d40
            TCOLSUM(all_scores_4, s);
            VecU8_8x32_c16_r1 all_scores_block_2_bits; TASSIGN<0x10a40>(all_scores_block_2_bits);  // UB 0x10a40..0x10a60
            pipe_barrier(PIPE_V);
            TCMPS(all_scores_block_2_bits, all_scores_3, 0.0f, CmpMode::NE);
            VecF32_8x128_r1 all_scores_block_2(kv0_valid); TASSIGN(all_scores_block_2, 0x10640 + kv0_buffer * 0x00200);  // UB 0x10640..0x10a40, 2 copies
            VecF32_1x128 all_scores_block_2_tmp; TASSIGN<0x10a60>(all_scores_block_2_tmp);  // UB 0x10a60..0x10c60
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(kv0_buffer));  // free again
            TSELS(all_scores_block_2, all_scores_block_2_bits, all_scores_4, all_scores_block_2_tmp, -__builtin_inff());
            set_flag(PIPE_V, PIPE_MTE3, event_t(kv0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(kv0_buffer));
            AllScoresGm all_scores_out(all_scores + int64_t(kv) * t0 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TSTORE(all_scores_out, all_scores_block_2);
            set_flag(PIPE_MTE3, PIPE_V, event_t(kv0_buffer));
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scores_vec(
    __gm__ float *all_scores, __gm__ float *s_2, __gm__ float *weights, __gm__ int32_t *place, __gm__ int32_t *seen,
    int64_t t_begin, int64_t t_end, int64_t kv, int32_t nblk)
{
    run_block(
        all_scores, s_2, weights, place, seen, t_begin, t_end, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
