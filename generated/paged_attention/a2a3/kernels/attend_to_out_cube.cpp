// attend_to_out_cube: cube kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles batch 1, kv_heads 1, pages 1; memory L0A 20480 B, L0B 32768 B, L0C 40960 B, L1 53248 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_16x128 = Tile<TileType::Mat, bfloat16_t, 16, 128, BLayout::ColMajor, 16, 128, SLayout::RowMajor, 512>;
using MatZnB16_128x32 = Tile<TileType::Mat, bfloat16_t, 128, 32, BLayout::RowMajor, 128, 32, SLayout::ColMajor, 512>;
using LeftB16_16x128 = TileLeft<bfloat16_t, 16, 128, 16, 128>;
using RightB16_128x32 = TileRight<bfloat16_t, 128, 32, 128, 32>;
using AccF32_16x32 = TileAcc<float, 16, 32, 16, 32>;
using MatB16_32x128 = Tile<TileType::Mat, bfloat16_t, 32, 128, BLayout::ColMajor, 32, 128, SLayout::RowMajor, 512>;
using MatB16_16x32 = Tile<TileType::Mat, bfloat16_t, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 512>;
using LeftB16_16x32 = TileLeft<bfloat16_t, 16, 32, 16, 32>;
using RightB16_32x128 = TileRight<bfloat16_t, 32, 128, 32, 128>;
using AccF32_16x128 = TileAcc<float, 16, 128, 16, 128>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
using KCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 32>, Stride<1, 1, 1, 1, 256>, Layout::DN>;
using VCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 256, 1>>;
using Acc3SlotGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
using Acc3Pipe = TPipe<0, Direction::DIR_V2C, 1024, 4>;  // 4 tiles of up to 16 x 32, to the cube core
using Acc3Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
using Acc6Pipe = TPipe<2, Direction::DIR_C2V, 8192, 4, 2, true, true>;  // 4 tiles of up to 16 x 128, to both vector cores
using Acc6Slot = GlobalTensor<float, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
using QkPipe = TPipe<4, Direction::DIR_C2V, 2048, 4, 2, true, true>;  // 4 tiles of up to 16 x 32, to both vector cores
using QkSlot = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *lengths,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k_cache,
    __gm__ int32_t *block_table,
    __gm__ bfloat16_t *v_cache,
    __gm__ bfloat16_t *acc_3_fifo,
    __gm__ float *acc_6_fifo,
    __gm__ float *qk_fifo,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    Acc3Pipe acc_3_pipe(acc_3_fifo + int64_t(block) * 2048, 0x0, 0x0);
    Acc6Pipe acc_6_pipe(acc_6_fifo + int64_t(block) * 8192, 0x0, 0x0);
    QkPipe qk_pipe(qk_fifo + int64_t(block) * 2048, 0x0, 0x0);
    int32_t kv_heads0_buffer = 0;  // which of 2 buffers this iteration of kv_heads0 uses
    int32_t pages0_buffer = 0;  // which of 2 buffers this iteration of pages0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    const int32_t tiles = (batch_end - batch_begin) * 2;  // of batch0 and kv_heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, kv_heads0_buffer ^= 1) {
        const int32_t batch0 = batch_begin + tile / 2;
        const int32_t kv_heads0 = tile % 2;
        // if: pages.start * block_size < lengths[:, None, None, None]
        const int64_t pages_here = (int64_t(lengths[int64_t(batch0)]) + 31) / 32;
        // qk: matmul(q, transpose(page(k_cache, block_table[:, pages]), -2, -1), dtype=fp32)
        MatB16_16x128 q_tile; TASSIGN(q_tile, 0x00000 + kv_heads0_buffer * 0x02000);  // L1 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + kv_heads0_buffer));  // free again
        QGm q_in(q + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048);
        TLOAD(q_tile, q_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + kv_heads0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + kv_heads0_buffer));
        const int32_t pages0_end = pages_here < pages ? pages_here : pages;  // later iterations are left out
        for (int32_t pages0 = -3; pages0 < pages0_end; ++pages0, pages0_buffer ^= 1) {
            if (const int32_t pages2 = pages0 + 3; pages2 < pages && pages2 < pages_here) {
                const int64_t block_table_here = block_table[int64_t(batch0) * pages + int64_t(pages2)];
                MatZnB16_128x32 k_cache_tile; TASSIGN(k_cache_tile, 0x04000 + pages0_buffer * 0x02000);  // L1 0x04000..0x08000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + pages0_buffer));  // free again
                KCacheGm k_cache_in(k_cache + int64_t(block_table_here) * 8192 + int64_t(kv_heads0) * 128);
                TLOAD(k_cache_tile, k_cache_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + pages0_buffer));
                LeftB16_16x128 q_tile_l0a; TASSIGN(q_tile_l0a, 0x00000 + pages0_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(2 + pages0_buffer));  // free again
                TEXTRACT(q_tile_l0a, q_tile, 0, 0);
                RightB16_128x32 k_cache_tile_l0b; TASSIGN(k_cache_tile_l0b, 0x00000 + pages0_buffer * 0x02000);  // L0B 0x00000..0x04000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + pages0_buffer));
                TEXTRACT(k_cache_tile_l0b, k_cache_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(2 + pages0_buffer));
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + pages0_buffer));
                AccF32_16x32 qk_acc; TASSIGN(qk_acc, 0x00000 + pages0_buffer * 0x01000);  // L0C 0x00000..0x02000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(2 + pages0_buffer));
                TMATMUL<AccPhase::Final>(qk_acc, q_tile_l0a, k_cache_tile_l0b);
                set_flag(PIPE_M, PIPE_MTE1, event_t(2 + pages0_buffer));
                TPUSH<QkPipe, AccF32_16x32, TileSplitAxis::TILE_NO_SPLIT>(qk_pipe, qk_acc);
            }
            if (const int32_t pages1 = pages0; -1 < pages1 && pages1 < pages) {
                const int64_t block_table_here = block_table[int64_t(batch0) * pages + int64_t(pages1)];
                // acc: acc * a + matmul(cast(p, bf16), page(v_cache, block_table[:, pages]), dtype=fp32)
                MatB16_32x128 v_cache_tile; TASSIGN(v_cache_tile, 0x08000 + pages0_buffer * 0x02000);  // L1 0x08000..0x0c000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(pages0_buffer));  // free again
                VCacheGm v_cache_in(v_cache + int64_t(block_table_here) * 8192 + int64_t(kv_heads0) * 128);
                TLOAD(v_cache_tile, v_cache_in);
                Acc3Slot acc_3_view(acc_3_fifo);
                TPOP<Acc3Pipe, Acc3Slot, TileSplitAxis::TILE_NO_SPLIT>(acc_3_pipe, acc_3_view);
                __gm__ bfloat16_t *acc_3_slot = acc_3_view.data();
                MatB16_16x32 acc_3_l1; TASSIGN(acc_3_l1, 0x0c000 + pages0_buffer * 0x00800);  // L1 0x0c000..0x0d000, 2 copies
                Acc3SlotGm acc_3_slot_in(acc_3_slot);
                TLOAD(acc_3_l1, acc_3_slot_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(pages0_buffer));
                TFREE<Acc3Pipe, Acc3Slot, TileSplitAxis::TILE_NO_SPLIT>(acc_3_pipe, acc_3_view);
                LeftB16_16x32 acc_3_l1_l0a; TASSIGN(acc_3_l1_l0a, 0x04000 + pages0_buffer * 0x00800);  // L0A 0x04000..0x05000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(pages0_buffer));
                wait_flag(PIPE_M, PIPE_MTE1, event_t(pages0_buffer));  // free again
                TEXTRACT(acc_3_l1_l0a, acc_3_l1, 0, 0);
                RightB16_32x128 v_cache_tile_l0b; TASSIGN(v_cache_tile_l0b, 0x04000 + pages0_buffer * 0x02000);  // L0B 0x04000..0x08000, 2 copies
                TEXTRACT(v_cache_tile_l0b, v_cache_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(pages0_buffer));
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(pages0_buffer));
                AccF32_16x128 acc_6_acc; TASSIGN(acc_6_acc, 0x02000 + pages0_buffer * 0x04000);  // L0C 0x02000..0x0a000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(pages0_buffer));
                TMATMUL<AccPhase::Final>(acc_6_acc, acc_3_l1_l0a, v_cache_tile_l0b);
                set_flag(PIPE_M, PIPE_MTE1, event_t(pages0_buffer));
                TPUSH<Acc6Pipe, AccF32_16x128, TileSplitAxis::TILE_NO_SPLIT>(acc_6_pipe, acc_6_acc);
            }
        }
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + kv_heads0_buffer));
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_to_out_cube(
    __gm__ uint64_t *ffts, __gm__ int32_t *lengths, __gm__ bfloat16_t *q, __gm__ bfloat16_t *k_cache,
    __gm__ int32_t *block_table, __gm__ bfloat16_t *v_cache, __gm__ bfloat16_t *acc_3_fifo,
    __gm__ float *acc_6_fifo, __gm__ float *qk_fifo, int32_t batch_begin, int32_t batch_end, int32_t pages,
    int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        lengths, q, k_cache, block_table, v_cache, acc_3_fifo, acc_6_fifo, qk_fifo, batch_begin, batch_end, pages,
        nblk, static_cast<int32_t>(get_block_idx()));
}
