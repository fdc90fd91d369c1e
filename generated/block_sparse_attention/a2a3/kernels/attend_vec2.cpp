// attend_vec2: vector kernel of `block_sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles heads 1, kv_blocks 1, q_blocks 1; memory UB 131584 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using Acc4Gm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *acc_end,
    __gm__ int32_t *seen,
    __gm__ float *a,
    __gm__ float *acc_4,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t kv_blocks,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    int32_t kv_blocks0_buffer = 0;  // which of 2 buffers this iteration of kv_blocks0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (q_blocks_end - q_blocks_begin) * 8;  // of q_blocks0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t q_blocks0 = q_blocks_begin + tile / 8;
        const int32_t heads0 = tile % 8;
        // acc: full([heads, q_blocks, size, d], 0, fp32)
        VecF32_64x128 acc; TASSIGN(acc, 0x00000 + heads0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
        TEXPANDS(acc, 0.0f);
        for (int32_t kv_blocks0 = 0; kv_blocks0 < kv_blocks; ++kv_blocks0) {
            // if: reshape(seen[:, :, kv_blocks], [heads, q_blocks, 1, 1]) != 0
            const int64_t seen_here = seen[int64_t(heads0) * kv_blocks * q_blocks + int64_t(kv_blocks) * q_blocks0 + int64_t(kv_blocks0)];
            if (seen_here == 0) {  // this iteration is skipped
                continue;
            }
            // acc: acc * a + matmul(cast(p, bf16), block_of(v[:, kv_blocks]), dtype=fp32)
            VecF32_1x64 a_tile_row; TASSIGN(a_tile_row, 0x10000 + kv_blocks0_buffer * 0x00100);  // as a row, same bytes as a_tile
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv_blocks0_buffer));  // free again
            AGm a_in(a + int64_t(kv_blocks0) * q_blocks * 512 + int64_t(heads0) * q_blocks * 64 + int64_t(q_blocks0) * 64);
            TLOAD(a_tile_row, a_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv_blocks0_buffer));
            VecF32_64x128 acc_4_tile; TASSIGN(acc_4_tile, 0x10200 + kv_blocks0_buffer * 0x08000);  // UB 0x10200..0x20200, 2 copies
            Acc4Gm acc_4_in(acc_4 + int64_t(kv_blocks0) * q_blocks * 65536 + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
            TLOAD(acc_4_tile, acc_4_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv_blocks0_buffer));
            VecF32_64x1 a_tile; TASSIGN(a_tile, 0x10000 + kv_blocks0_buffer * 0x00100);  // UB 0x10000..0x10200, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv_blocks0_buffer));
            TROWEXPANDMUL(acc, acc, a_tile);
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv_blocks0_buffer));
            TADD(acc, acc, acc_4_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv_blocks0_buffer));
            kv_blocks0_buffer ^= 1;
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        // acc: full([heads, q_blocks, size, d], 0, fp32)
        Acc4Gm acc_end_out(acc_end + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
        TSTORE(acc_end_out, acc);
        set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_vec2(
    __gm__ float *acc_end, __gm__ int32_t *seen, __gm__ float *a, __gm__ float *acc_4, int32_t q_blocks_begin,
    int32_t q_blocks_end, int32_t q_blocks, int32_t kv_blocks, int32_t nblk)
{
    run_block(
        acc_end, seen, a, acc_4, q_blocks_begin, q_blocks_end, q_blocks, kv_blocks, nblk,
        static_cast<int32_t>(get_block_idx()));
}
