// attend_cube2: cube kernel of `block_sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles heads 1, kv_blocks 1, q_blocks 1; memory L0A 32768 B, L0B 65536 B, L0C 131072 B, L1 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x64 = Tile<TileType::Mat, bfloat16_t, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512>;
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512>;
using LeftB16_64x64 = TileLeft<bfloat16_t, 64, 64, 64, 64>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, 64, 128>;
using AccF32_64x128 = TileAcc<float, 64, 128, 64, 128>;
using Acc3Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using Acc4Gm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *acc_4,
    __gm__ int32_t *seen,
    __gm__ bfloat16_t *acc_3,
    __gm__ bfloat16_t *v,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t kv_blocks,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t kv_blocks0_buffer = 0;  // which of 4 buffers this iteration of kv_blocks0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    const int32_t tiles = (q_blocks_end - q_blocks_begin) * 8;  // of q_blocks0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t q_blocks0 = q_blocks_begin + tile / 8;
        const int32_t heads0 = tile % 8;
        for (int32_t kv_blocks0 = 0; kv_blocks0 < kv_blocks; ++kv_blocks0) {
            // if: reshape(seen[:, :, kv_blocks], [heads, q_blocks, 1, 1]) != 0
            const int64_t seen_here = seen[int64_t(heads0) * kv_blocks * q_blocks + int64_t(kv_blocks) * q_blocks0 + int64_t(kv_blocks0)];
            if (seen_here == 0) {  // this iteration is skipped
                continue;
            }
            // acc: acc * a + matmul(cast(p, bf16), block_of(v[:, kv_blocks]), dtype=fp32)
            MatB16_64x64 acc_3_tile; TASSIGN(acc_3_tile, 0x00000 + kv_blocks0_buffer * 0x02000);  // L1 0x00000..0x08000, 4 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv_blocks0_buffer));  // free again
            Acc3Gm acc_3_in(acc_3 + int64_t(kv_blocks0) * q_blocks * 32768 + int64_t(heads0) * q_blocks * 4096 + int64_t(q_blocks0) * 4096);
            TLOAD(acc_3_tile, acc_3_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + kv_blocks0_buffer));
            MatB16_64x128 v_tile; TASSIGN(v_tile, 0x08000 + kv_blocks0_buffer * 0x04000);  // L1 0x08000..0x18000, 4 copies
            VGm v_in(v + int64_t(heads0) * kv_blocks * 8192 + int64_t(kv_blocks0) * 8192);
            TLOAD(v_tile, v_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv_blocks0_buffer));
            LeftB16_64x64 acc_3_tile_l0a; TASSIGN(acc_3_tile_l0a, 0x00000 + kv_blocks0_buffer * 0x02000);  // L0A 0x00000..0x08000, 4 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(kv_blocks0_buffer));  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + kv_blocks0_buffer));
            TEXTRACT(acc_3_tile_l0a, acc_3_tile, 0, 0);
            RightB16_64x128 v_tile_l0b; TASSIGN(v_tile_l0b, 0x00000 + kv_blocks0_buffer * 0x04000);  // L0B 0x00000..0x10000, 4 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv_blocks0_buffer));
            TEXTRACT(v_tile_l0b, v_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(kv_blocks0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv_blocks0_buffer));
            AccF32_64x128 acc_4_acc; TASSIGN(acc_4_acc, 0x00000 + kv_blocks0_buffer * 0x08000);  // L0C 0x00000..0x20000, 4 copies
            wait_flag(PIPE_MTE1, PIPE_M, event_t(kv_blocks0_buffer));
            TMATMUL<AccPhase::Final>(acc_4_acc, acc_3_tile_l0a, v_tile_l0b);
            set_flag(PIPE_M, PIPE_MTE1, event_t(kv_blocks0_buffer));
            Acc4Gm acc_4_out(acc_4 + int64_t(kv_blocks0) * q_blocks * 65536 + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
            TSTORE<STPhase::Final>(acc_4_out, acc_4_acc);
            kv_blocks0_buffer = (kv_blocks0_buffer + 1) % 4;
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_cube2(
    __gm__ float *acc_4, __gm__ int32_t *seen, __gm__ bfloat16_t *acc_3, __gm__ bfloat16_t *v,
    int32_t q_blocks_begin, int32_t q_blocks_end, int32_t q_blocks, int32_t kv_blocks, int32_t nblk)
{
    run_block(
        acc_4, seen, acc_3, v, q_blocks_begin, q_blocks_end, q_blocks, kv_blocks, nblk,
        static_cast<int32_t>(get_block_idx()));
}
