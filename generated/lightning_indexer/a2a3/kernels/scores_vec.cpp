// scores_vec: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages scores; tiles kv 256, t 1; memory UB 101984 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecI32_8x128_r1 = Tile<TileType::Vec, int32_t, 8, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x1_r1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 1, 1>;
using VecU8_8x32_r1 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, 1, 32>;
using VecF16_8x128_r1 = Tile<TileType::Vec, half, 8, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF16_1x256 = Tile<TileType::Vec, half, 1, 256, BLayout::RowMajor, 1, 256>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, DYNAMIC>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, DYNAMIC>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using WeightsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using SeenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using S2SlotGm = GlobalTensor<float, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using AllScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using S2Pipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 2, true, true>;  // 4 tiles of up to 64 x 256, to both vector cores
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
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    S2Pipe s_2_pipe(s_2_fifo + int64_t(block) * 65536, 0x0, 0x0);
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int64_t kv0_tiles = (kv + 255) / 256;
    const int64_t tiles = (t_end - t_begin) * kv0_tiles;  // of t0 and kv0
    for (int64_t tile = block; tile < tiles; tile += nblk, kv0_buffer ^= 1) {
        const int64_t t0 = t_begin + tile / kv0_tiles;
        const int64_t kv0 = tile % kv0_tiles * 256;
        const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 256 ? kv - kv0 : 256);
        const int32_t kv0_half = (kv0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t kv0_first = subblock * (kv0_valid - kv0_half);  // the first row of this core
        // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
        VecF32_1x64 weights_tile_row; TASSIGN(weights_tile_row, 0x10000 + kv0_buffer * 0x00100);  // as a row, same bytes as weights_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer));  // free again
        WeightsGm weights_in(weights + int64_t(t0) * 64);
        TLOAD(weights_tile_row, weights_in);
        // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
        VecI32_1x8_c1 seen_tile_row; TASSIGN(seen_tile_row, 0x10600 + kv0_buffer * 0x00020);  // as a row, same bytes as seen_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));  // free again
        SeenGm seen_in(seen + int64_t(t0));
        TLOAD(seen_tile_row, seen_in);
        VecI32_1x128 place_tile(kv0_half); TASSIGN(place_tile, 0x10200 + kv0_buffer * 0x00200);  // UB 0x10200..0x10600, 2 copies
        PlaceGm place_in(place + int64_t(kv0) + int64_t(kv0_first), {kv0_half});
        TLOAD(place_tile, place_in);
        // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
        S2Slot s_2_view(s_2_fifo);
        TPOP<S2Pipe, S2Slot, TileSplitAxis::TILE_NO_SPLIT>(s_2_pipe, s_2_view);
        __gm__ float *s_2_slot = s_2_view.data();
        VecF32_64x128 s_2(kv0_half); TASSIGN(s_2, 0x00000 + kv0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        S2SlotGm s_2_slot_in(s_2_slot + int64_t(kv0_first), {kv0_half}, {int64_t(kv0_valid)});
        TLOAD(s_2, s_2_slot_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
        TFREE<S2Pipe, S2Slot, TileSplitAxis::TILE_NO_SPLIT>(s_2_pipe, s_2_view);
        VecF32_64x128 s_3(kv0_half); TASSIGN<0x10a40>(s_3);  // UB 0x10a40..0x18a40
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
        TRELU(s_3, s_2);
        VecF32_64x128 s(kv0_half); TASSIGN<0x10a40>(s);  // UB 0x10a40..0x18a40
        VecF32_64x1 weights_tile; TASSIGN(weights_tile, 0x10000 + kv0_buffer * 0x00100);  // UB 0x10000..0x10200, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(s, s_3, weights_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer));
        // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
        VecI32_8x128_r1 all_scores_3_larger(kv0_half); TASSIGN<0x18a40>(all_scores_3_larger);  // UB 0x18a40..0x18c40
        TCOLEXPAND(all_scores_3_larger, place_tile);
        VecI32_8x1_r1 seen_tile; TASSIGN(seen_tile, 0x10600 + kv0_buffer * 0x00020);  // UB 0x10600..0x10640, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDMAX(all_scores_3_larger, all_scores_3_larger, seen_tile);
        VecI32_8x128_r1 place_tile_wide(kv0_half); TASSIGN<0x18c40>(place_tile_wide);  // UB 0x18c40..0x18e40
        TCOLEXPAND(place_tile_wide, place_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));
        VecU8_8x32_r1 all_scores_3_equal_bits; TASSIGN<0x18e40>(all_scores_3_equal_bits);  // UB 0x18e40..0x18e60
        pipe_barrier(PIPE_V);
        TCMP(all_scores_3_equal_bits, all_scores_3_larger, place_tile_wide, CmpMode::EQ);
        VecF16_8x128_r1 all_scores_3_equal(kv0_half); TASSIGN<0x18a40>(all_scores_3_equal);  // UB 0x18a40..0x18b40
        pipe_barrier(PIPE_V);
        TEXPANDS(all_scores_3_equal, 1.0f);
        VecF16_1x256 all_scores_3_equal_tmp; TASSIGN<0x18b40>(all_scores_3_equal_tmp);  // UB 0x18b40..0x18d40
        pipe_barrier(PIPE_V);
        TSELS(all_scores_3_equal, all_scores_3_equal_bits, all_scores_3_equal, all_scores_3_equal_tmp, 0.0f);
        VecF16_8x128_r1 all_scores_3(kv0_half); TASSIGN<0x18a40>(all_scores_3);  // UB 0x18a40..0x18b40
        pipe_barrier(PIPE_V);
        TNEG(all_scores_3, all_scores_3_equal);
        pipe_barrier(PIPE_V);
        TADDS(all_scores_3, all_scores_3, 1.0f);
        VecF32_32x128 all_scores_4_folded(kv0_half); TASSIGN<0x10a40>(all_scores_4_folded);  // UB 0x10a40..0x14a40
        VecF32_32x128 s_32(kv0_half); TASSIGN<0x10a40>(s_32);  // rows 0.. of s
        VecF32_32x128 s_from_32(kv0_half); TASSIGN<0x14a40>(s_from_32);  // rows 32.. of s
        TADD(all_scores_4_folded, s_32, s_from_32);
        VecF32_16x128 all_scores_4_folded_16(kv0_half); TASSIGN<0x10a40>(all_scores_4_folded_16);  // rows 0.. of all_scores_4_folded
        VecF32_16x128 all_scores_4_folded_from_16(kv0_half); TASSIGN<0x12a40>(all_scores_4_folded_from_16);  // rows 16.. of all_scores_4_folded
        pipe_barrier(PIPE_V);
        TADD(all_scores_4_folded_16, all_scores_4_folded_16, all_scores_4_folded_from_16);
        VecF32_8x128 all_scores_4_folded_8(kv0_half); TASSIGN<0x10a40>(all_scores_4_folded_8);  // rows 0.. of all_scores_4_folded
        VecF32_8x128 all_scores_4_folded_from_8(kv0_half); TASSIGN<0x11a40>(all_scores_4_folded_from_8);  // rows 8.. of all_scores_4_folded
        pipe_barrier(PIPE_V);
        TADD(all_scores_4_folded_8, all_scores_4_folded_8, all_scores_4_folded_from_8);
        VecF32_8x128_r1 all_scores_4(kv0_half); TASSIGN<0x14a40>(all_scores_4);  // UB 0x14a40..0x14c40
        pipe_barrier(PIPE_V);
        TCOLSUM(all_scores_4, all_scores_4_folded_8);
        VecU8_8x32_r1 all_scores_block_2_bits; TASSIGN<0x10a40>(all_scores_block_2_bits);  // UB 0x10a40..0x10a60
        pipe_barrier(PIPE_V);
        TCMPS(all_scores_block_2_bits, all_scores_3, 0.0f, CmpMode::NE);
        VecF32_8x128_r1 all_scores_block_2(kv0_half); TASSIGN(all_scores_block_2, 0x10640 + kv0_buffer * 0x00200);  // UB 0x10640..0x10a40, 2 copies
        VecF32_1x256 all_scores_block_2_tmp; TASSIGN<0x10a60>(all_scores_block_2_tmp);  // UB 0x10a60..0x10e60
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(kv0_buffer));  // free again
        TSELS(all_scores_block_2, all_scores_block_2_bits, all_scores_4, all_scores_block_2_tmp, -__builtin_inff());
        set_flag(PIPE_V, PIPE_MTE3, event_t(kv0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(kv0_buffer));
        AllScoresGm all_scores_out(all_scores + int64_t(kv) * t0 + int64_t(kv0) + int64_t(kv0_first), {kv0_half}, {int64_t(kv)});
        TSTORE(all_scores_out, all_scores_block_2);
        set_flag(PIPE_MTE3, PIPE_V, event_t(kv0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void scores_vec(
    __gm__ uint64_t *ffts, __gm__ float *all_scores, __gm__ float *weights, __gm__ int32_t *place,
    __gm__ int32_t *seen, __gm__ float *s_2_fifo, int64_t t_begin, int64_t t_end, int64_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        all_scores, weights, place, seen, s_2_fifo, t_begin, t_end, kv, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
