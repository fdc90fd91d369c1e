// attend_to_out_vec: vector kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend, out; tiles batch 1, kv_heads 1, pages 1; memory UB 21984 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, 128>;
using VecF32_8x32_r1 = Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 1, 32>;
using VecF32_8x32 = Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 8, 32>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1>;
using VecB16_8x32 = Tile<TileType::Vec, bfloat16_t, 8, 32, BLayout::RowMajor, 8, 32>;
using VecB16_8x128 = Tile<TileType::Vec, bfloat16_t, 8, 128, BLayout::RowMajor, 8, 128>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, DYNAMIC, 1>>;
using QkSlotGm = GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>>;
using Acc6SlotGm = GlobalTensor<float, Shape<1, 1, 1, 8, 128>, Stride<1, 1, 1, 128, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 8, 128>, Stride<1, 1, 1, 128, 1>>;
using Acc3Pipe = TPipe<0, Direction::DIR_V2C, 1024, 4>;  // 4 tiles of up to 16 x 32, to the cube core
using Acc3Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
using Acc6Pipe = TPipe<2, Direction::DIR_C2V, 8192, 4, 2, true, true>;  // 4 tiles of up to 16 x 128, to both vector cores
using Acc6Slot = GlobalTensor<float, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
using QkPipe = TPipe<4, Direction::DIR_C2V, 2048, 4, 2, true, true>;  // 4 tiles of up to 16 x 32, to both vector cores
using QkSlot = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o,
    __gm__ int32_t *lengths,
    __gm__ float *bias,
    __gm__ bfloat16_t *acc_3_fifo,
    __gm__ float *acc_6_fifo,
    __gm__ float *qk_fifo,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    Acc3Pipe acc_3_pipe(acc_3_fifo + int64_t(block) * 2048, 0x0, 0x0);
    Acc6Pipe acc_6_pipe(acc_6_fifo + int64_t(block) * 8192, 0x0, 0x0);
    QkPipe qk_pipe(qk_fifo + int64_t(block) * 2048, 0x0, 0x0);
    int32_t kv_heads0_buffer = 0;  // which of 2 buffers this iteration of kv_heads0 uses
    int32_t pages0_buffer = 0;  // which of 2 buffers this iteration of pages0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (batch_end - batch_begin) * 2;  // of batch0 and kv_heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, kv_heads0_buffer ^= 1) {
        const int32_t batch0 = batch_begin + tile / 2;
        const int32_t kv_heads0 = tile % 2;
        // if: pages.start * block_size < lengths[:, None, None, None]
        const int64_t pages_here = (int64_t(lengths[int64_t(batch0)]) + 31) / 32;
        // m: full([batch, kv_heads, group, 1], -1.0e30, fp32)
        VecF32_1x8 m_row; TASSIGN<0x03d40>(m_row);  // as a row, same bytes as m
        TEXPANDS(m_row, -1e+30f);
        // l: full([batch, kv_heads, group, 1], 0, fp32)
        VecF32_1x8 l_row; TASSIGN<0x03d60>(l_row);  // as a row, same bytes as l
        TEXPANDS(l_row, 0.0f);
        // acc: full([batch, kv_heads, group, d], 0, fp32)
        VecF32_8x128 acc; TASSIGN<0x03d80>(acc);  // UB 0x03d80..0x04d80
        pipe_barrier(PIPE_V);
        TEXPANDS(acc, 0.0f);
        const int32_t pages0_end = pages_here < pages ? pages_here : pages;  // later iterations are left out
        for (int32_t pages0 = -3; pages0 < pages0_end; ++pages0, pages0_buffer ^= 1) {
            VecF32_1x8 a_row; TASSIGN<0x051a0>(a_row);  // as a row, same bytes as a
            if (const int32_t pages5 = pages0 + 3; pages5 < pages && pages5 < pages_here) {
                // s: qk * 0.08838834764831845 + reshape(bias[:, pages], [batch, 1, 1, block_size])
                VecF32_8x32_r1 bias_tile; TASSIGN(bias_tile, 0x00800 + pages0_buffer * 0x00080);  // UB 0x00800..0x00900, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(pages0_buffer));  // free again
                BiasGm bias_in(bias + int64_t(batch0) * pages * 32 + int64_t(pages5) * 32, {}, {int64_t(pages) * 32});
                TLOAD(bias_tile, bias_in);
                QkSlot qk_view(qk_fifo);
                TPOP<QkPipe, QkSlot, TileSplitAxis::TILE_NO_SPLIT>(qk_pipe, qk_view);
                __gm__ float *qk_slot = qk_view.data();
                VecF32_8x32 qk; TASSIGN(qk, 0x00000 + pages0_buffer * 0x00400);  // UB 0x00000..0x00800, 2 copies
                QkSlotGm qk_slot_in(qk_slot + int64_t(subblock) * 256);
                TLOAD(qk, qk_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(pages0_buffer));
                TFREE<QkPipe, QkSlot, TileSplitAxis::TILE_NO_SPLIT>(qk_pipe, qk_view);
                VecF32_8x32 s; TASSIGN<0x04d80>(s);  // UB 0x04d80..0x05180
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(pages0_buffer));
                TMULS(s, qk, 0.088388346f);
                pipe_barrier(PIPE_V);
                TCOLEXPANDADD(s, s, bias_tile);
                set_flag(PIPE_V, PIPE_MTE2, event_t(pages0_buffer));
                // m_new: maximum(m, amax(s, axis=-1, keepdim=true))
                VecF32_8x1 m_new_1; TASSIGN<0x05180>(m_new_1);  // UB 0x05180..0x051a0
                VecF32_8x32 m_new_1_tmp; TASSIGN<0x051a0>(m_new_1_tmp);  // UB 0x051a0..0x055a0
                pipe_barrier(PIPE_V);
                TROWMAX(m_new_1, s, m_new_1_tmp);
                VecF32_1x8 m_new_row; TASSIGN<0x05180>(m_new_row);  // as a row, same bytes as m_new
                VecF32_1x8 m_new_1_row; TASSIGN<0x05180>(m_new_1_row);  // as a row, same bytes as m_new_1
                pipe_barrier(PIPE_V);
                TMAX(m_new_row, m_row, m_new_1_row);
                // p: exp(s - m_new)
                VecF32_8x32 p; TASSIGN<0x04d80>(p);  // UB 0x04d80..0x05180
                VecF32_8x1 m_new; TASSIGN<0x05180>(m_new);  // UB 0x05180..0x051a0
                pipe_barrier(PIPE_V);
                TROWEXPANDSUB(p, s, m_new);
                pipe_barrier(PIPE_V);
                TEXP(p, p);
                // a: exp(m - m_new)
                VecF32_1x8 a_1_row; TASSIGN<0x051a0>(a_1_row);  // as a row, same bytes as a_1
                TSUB(a_1_row, m_row, m_new_row);
                pipe_barrier(PIPE_V);
                TEXP(a_row, a_1_row);
                pipe_barrier(PIPE_V);
                // l: l * a + sum(p, axis=-1, keepdim=true)
                TMUL(l_row, l_row, a_row);
                VecF32_8x1 l_2; TASSIGN<0x051c0>(l_2);  // UB 0x051c0..0x051e0
                VecF32_8x32 l_2_tmp; TASSIGN<0x051e0>(l_2_tmp);  // UB 0x051e0..0x055e0
                TROWSUM(l_2, p, l_2_tmp);
                VecF32_1x8 l_2_row; TASSIGN<0x051c0>(l_2_row);  // as a row, same bytes as l_2
                pipe_barrier(PIPE_V);
                TADD(l_row, l_row, l_2_row);
                // acc: acc * a + matmul(cast(p, bf16), page(v_cache, block_table[:, pages]), dtype=fp32)
                VecB16_8x32 acc_3; TASSIGN(acc_3, 0x00900 + pages0_buffer * 0x00200);  // UB 0x00900..0x00d00, 2 copies
                wait_flag(PIPE_MTE3, PIPE_V, event_t(pages0_buffer));  // free again
                TCVT(acc_3, p, RoundMode::CAST_RINT, SaturationMode::ON);
                set_flag(PIPE_V, PIPE_MTE3, event_t(pages0_buffer));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(pages0_buffer));
                TPUSH<Acc3Pipe, VecB16_8x32, TileSplitAxis::TILE_UP_DOWN>(acc_3_pipe, acc_3);
                set_flag(PIPE_MTE3, PIPE_V, event_t(pages0_buffer));
                // m_new: maximum(m, amax(s, axis=-1, keepdim=true))
                TMOV(m_row, m_new_row);
            }
            if (const int32_t pages4 = pages0; -1 < pages4 && pages4 < pages) {
                // acc: acc * a + matmul(cast(p, bf16), page(v_cache, block_table[:, pages]), dtype=fp32)
                Acc6Slot acc_6_view(acc_6_fifo);
                TPOP<Acc6Pipe, Acc6Slot, TileSplitAxis::TILE_NO_SPLIT>(acc_6_pipe, acc_6_view);
                __gm__ float *acc_6_slot = acc_6_view.data();
                VecF32_8x128 acc_6; TASSIGN(acc_6, 0x00d00 + pages0_buffer * 0x01000);  // UB 0x00d00..0x02d00, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + pages0_buffer));  // free again
                Acc6SlotGm acc_6_slot_in(acc_6_slot + int64_t(subblock) * 1024);
                TLOAD(acc_6, acc_6_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(2 + pages0_buffer));
                TFREE<Acc6Pipe, Acc6Slot, TileSplitAxis::TILE_NO_SPLIT>(acc_6_pipe, acc_6_view);
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + pages0_buffer));
                TADD(acc, acc, acc_6);
                set_flag(PIPE_V, PIPE_MTE2, event_t(2 + pages0_buffer));
            }
            if (const int32_t pages3 = pages0 + 1; -1 < pages3 && pages3 < pages && pages3 < pages_here) {
                VecF32_8x1 a_later; TASSIGN<0x03d00>(a_later);  // UB 0x03d00..0x03d20
                pipe_barrier(PIPE_V);
                TROWEXPANDMUL(acc, acc, a_later);
            }
            VecF32_1x8 a_later_2_row; TASSIGN<0x03d20>(a_later_2_row);  // as a row, same bytes as a_later_2
            if (const int32_t pages1 = pages0 + 2; -1 < pages1 && pages1 < pages && pages1 < pages_here) {
                // a: exp(m - m_new)
                VecF32_1x8 a_later_row; TASSIGN<0x03d00>(a_later_row);  // as a row, same bytes as a_later
                pipe_barrier(PIPE_V);
                TMOV(a_later_row, a_later_2_row);
            }
            if (const int32_t pages2 = pages0 + 3; pages2 < pages && pages2 < pages_here) {
                pipe_barrier(PIPE_V);
                TMOV(a_later_2_row, a_row);
            }
        }
        // o: cast(acc / l, bf16)
        VecF32_8x128 o_1; TASSIGN<0x03d80>(o_1);  // UB 0x03d80..0x04d80
        VecF32_8x1 l; TASSIGN<0x03d60>(l);  // UB 0x03d60..0x03d80
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(o_1, acc, l);
        VecB16_8x128 o_tile; TASSIGN(o_tile, 0x02d00 + kv_heads0_buffer * 0x00800);  // UB 0x02d00..0x03d00, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + kv_heads0_buffer));  // free again
        TCVT(o_tile, o_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_heads0_buffer));
        OGm o_out(o + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048 + int64_t(subblock) * 1024);
        TSTORE(o_out, o_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + kv_heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_to_out_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *o, __gm__ int32_t *lengths, __gm__ float *bias,
    __gm__ bfloat16_t *acc_3_fifo, __gm__ float *acc_6_fifo, __gm__ float *qk_fifo, int32_t batch_begin,
    int32_t batch_end, int32_t pages, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        o, lengths, bias, acc_3_fifo, acc_6_fifo, qk_fifo, batch_begin, batch_end, pages, nblk,
        static_cast<int32_t>(get_block_idx()), static_cast<int32_t>(get_subblockid()));
}
