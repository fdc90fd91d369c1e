// best_vec5: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages best; tiles t 1; memory UB 57632 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecU8_1x256 = Tile<TileType::Vec, uint8_t, 1, 256, BLayout::RowMajor, 1, 256>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *index,
    __gm__ float *score,
    __gm__ int32_t *chosen,
    int64_t t_begin,
    int64_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int64_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_buffer ^= 1) {
        // index: where(score == -inf, -1, chosen)
        VecF32_1x2048 score_tile; TASSIGN(score_tile, 0x00000 + t0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        ScoreGm score_in(score + int64_t(t0) * 2048);
        TLOAD(score_tile, score_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecI32_1x2048 chosen_tile; TASSIGN(chosen_tile, 0x04000 + t0_buffer * 0x02000);  // UB 0x04000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        ChosenGm chosen_in(chosen + int64_t(t0) * 2048);
        TLOAD(chosen_tile, chosen_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecU8_1x256 index_1_bits; TASSIGN<0x0c000>(index_1_bits);  // UB 0x0c000..0x0c100
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCMPS(index_1_bits, score_tile, -__builtin_inff(), CmpMode::EQ);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecI32_1x2048 index_tile_then; TASSIGN<0x0c100>(index_tile_then);  // UB 0x0c100..0x0e100
        TEXPANDS(index_tile_then, -1);
        VecI32_1x2048 index_tile; TASSIGN(index_tile, 0x08000 + t0_buffer * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        VecI32_1x8 index_tile_tmp; TASSIGN<0x0e100>(index_tile_tmp);  // UB 0x0e100..0x0e120
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TSEL(index_tile, index_1_bits, index_tile_then, chosen_tile, index_tile_tmp);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ChosenGm index_out(index + int64_t(t0) * 2048);
        TSTORE(index_out, index_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void best_vec5(
    __gm__ int32_t *index, __gm__ float *score, __gm__ int32_t *chosen, int64_t t_begin, int64_t t_end,
    int32_t nblk)
{
    run_block(index, score, chosen, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
