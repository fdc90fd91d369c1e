// scores_vec: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scores; tiles kv 256, t 1; memory UB 138336 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using VecI32_1x256 = Tile<TileType::Vec, int32_t, 1, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x256 = Tile<TileType::Vec, float, 64, 256, BLayout::RowMajor, 64, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecI32_8x256_r1 = Tile<TileType::Vec, int32_t, 8, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x1_r1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 1, 1>;
using VecU8_8x32_r1 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 1, 32>;
using VecF16_8x256_r1 = Tile<TileType::Vec, half, 8, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecF16_1x256 = Tile<TileType::Vec, half, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_8x256_r1 = Tile<TileType::Vec, float, 8, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using WeightsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using SeenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using S2SlotGm = GlobalTensor<float, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using AllScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using S2Pipe = TPipe<0, Direction::DIR_C2V, 65536, 4>;  // 4 tiles of up to 64 x 256, to the vector core
using S2Slot = GlobalTensor<float, Shape<1, 1, 1, 64, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ float *all_scores,
    __gm__ float *weights,
    __gm__ int32_t *place,
    __gm__ int32_t *seen,
    __gm__ float *s_2_fifo,
    int64_t t_begin,
    int64_t t_end,
    int64_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    S2Pipe s_2_pipe(s_2_fifo + int64_t(block) * 65536, 0x0, 0x0);
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    for (int64_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
        VecF32_1x64 weights_tile_row; TASSIGN(weights_tile_row, 0x20000 + t0_buffer * 0x00100);  // as a row, same bytes as weights_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));  // free again
        WeightsGm weights_in(weights + int64_t(t0) * 64);
        TLOAD(weights_tile_row, weights_in);
        // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
        VecI32_1x8_c1 seen_tile_row; TASSIGN(seen_tile_row, 0x20a00 + t0_buffer * 0x00020);  // as a row, same bytes as seen_tile
        SeenGm seen_in(seen + int64_t(t0));
        TLOAD(seen_tile_row, seen_in);
        for (int64_t kv0 = 0; kv0 < kv; kv0 += 256, kv0_buffer ^= 1) {
            const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 256 ? kv - kv0 : 256);
            VecI32_1x256 place_tile(kv0_valid); TASSIGN(place_tile, 0x20200 + kv0_buffer * 0x00400);  // UB 0x20200..0x20a00, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer));  // free again
            PlaceGm place_in(place + int64_t(kv0), {kv0_valid});
            TLOAD(place_tile, place_in);
            // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
            S2Slot s_2_view(s_2_fifo);
            TPOP<S2Pipe, S2Slot, TileSplitAxis::TILE_NO_SPLIT>(s_2_pipe, s_2_view);
            __gm__ float *s_2_slot = s_2_view.data();
            VecF32_64x256 s(kv0_valid); TASSIGN(s, 0x00000 + kv0_buffer * 0x10000);  // UB 0x00000..0x20000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));  // free again
            S2SlotGm s_2_slot_in(s_2_slot, {kv0_valid}, {int64_t(kv0_valid)});
            TLOAD(s, s_2_slot_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
            TFREE<S2Pipe, S2Slot, TileSplitAxis::TILE_NO_SPLIT>(s_2_pipe, s_2_view);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
            TRELU(s, s);
            VecF32_64x1 weights_tile; TASSIGN(weights_tile, 0x20000 + t0_buffer * 0x00100);  // UB 0x20000..0x20200, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(s, s, weights_tile);
            // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
            VecI32_8x256_r1 all_scores_3_larger(kv0_valid); TASSIGN<0x21240>(all_scores_3_larger);  // UB 0x21240..0x21640
            TCOLEXPAND(all_scores_3_larger, place_tile);
            VecI32_8x1_r1 seen_tile; TASSIGN(seen_tile, 0x20a00 + t0_buffer * 0x00020);  // UB 0x20a00..0x20a40, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDMAX(all_scores_3_larger, all_scores_3_larger, seen_tile);
            VecI32_8x256_r1 place_tile_wide(kv0_valid); TASSIGN<0x21640>(place_tile_wide);  // UB 0x21640..0x21a40
            TCOLEXPAND(place_tile_wide, place_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer));
            VecU8_8x32_r1 all_scores_3_equal_bits; TASSIGN<0x21a40>(all_scores_3_equal_bits);  // UB 0x21a40..0x21a60
            pipe_barrier(PIPE_V);
            TCMP(all_scores_3_equal_bits, all_scores_3_larger, place_tile_wide, CmpMode::EQ);
            VecF16_8x256_r1 all_scores_3_equal(kv0_valid); TASSIGN<0x21240>(all_scores_3_equal);  // UB 0x21240..0x21440
            pipe_barrier(PIPE_V);
            TEXPANDS(all_scores_3_equal, 1.0f);
            VecF16_1x256 all_scores_3_equal_tmp; TASSIGN<0x21440>(all_scores_3_equal_tmp);  // UB 0x21440..0x21640
            pipe_barrier(PIPE_V);
            TSELS(all_scores_3_equal, all_scores_3_equal_bits, all_scores_3_equal, all_scores_3_equal_tmp, 0.0f);
            VecF16_8x256_r1 all_scores_3(kv0_valid); TASSIGN<0x21240>(all_scores_3);  // UB 0x21240..0x21440
            pipe_barrier(PIPE_V);
            TNEG(all_scores_3, all_scores_3_equal);
            pipe_barrier(PIPE_V);
            TADDS(all_scores_3, all_scores_3, 1.0f);
            VecF32_8x256_r1 all_scores_4(kv0_valid); TASSIGN<0x21440>(all_scores_4);  // UB 0x21440..0x21840
            TCOLSUM(all_scores_4, s);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));
            VecU8_8x32_r1 all_scores_block_2_bits; TASSIGN<0x21840>(all_scores_block_2_bits);  // UB 0x21840..0x21860
            pipe_barrier(PIPE_V);
            TCMPS(all_scores_block_2_bits, all_scores_3, 0.0f, CmpMode::NE);
            VecF32_8x256_r1 all_scores_block_2(kv0_valid); TASSIGN(all_scores_block_2, 0x20a40 + kv0_buffer * 0x00400);  // UB 0x20a40..0x21240, 2 copies
            VecF32_1x256 all_scores_block_2_tmp; TASSIGN<0x21860>(all_scores_block_2_tmp);  // UB 0x21860..0x21c60
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
    __gm__ uint64_t *ffts, __gm__ float *all_scores, __gm__ float *weights, __gm__ int32_t *place,
    __gm__ int32_t *seen, __gm__ float *s_2_fifo, int64_t t_begin, int64_t t_end, int64_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        all_scores, weights, place, seen, s_2_fifo, t_begin, t_end, kv, nblk,
        static_cast<int32_t>(get_block_idx()));
}
