// attend_vec1: vector kernel of `block_sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles heads 1, kv_blocks 1, q_blocks 1; memory UB 83712 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, 64>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecB16_64x64 = Tile<TileType::Vec, bfloat16_t, 64, 64, BLayout::RowMajor, 64, 64>;
using S2Gm = GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using Acc3Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ float *a,
    __gm__ bfloat16_t *acc_3,
    __gm__ float *l_end,
    __gm__ int32_t *seen,
    __gm__ float *s_2,
    float scale,
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // 2 buffers are free at first
    const int32_t tiles = (q_blocks_end - q_blocks_begin) * 8;  // of q_blocks0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t q_blocks0 = q_blocks_begin + tile / 8;
        const int32_t heads0 = tile % 8;
        // m: full([heads, q_blocks, size, 1], -1.0e30, fp32)
        VecF32_1x64 m_row; TASSIGN<0x0c400>(m_row);  // as a row, same bytes as m
        pipe_barrier(PIPE_V);
        TEXPANDS(m_row, -1e+30f);
        // l: full([heads, q_blocks, size, 1], 0, fp32)
        VecF32_1x64 l_row; TASSIGN(l_row, 0x00000 + heads0_buffer * 0x00100);  // as a row, same bytes as l
        wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + heads0_buffer));  // free again
        TEXPANDS(l_row, 0.0f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + heads0_buffer));
        for (int32_t kv_blocks0 = 0; kv_blocks0 < kv_blocks; ++kv_blocks0) {
            // if: reshape(seen[:, :, kv_blocks], [heads, q_blocks, 1, 1]) != 0
            const int64_t seen_here = seen[int64_t(heads0) * kv_blocks * q_blocks + int64_t(kv_blocks) * q_blocks0 + int64_t(kv_blocks0)];
            if (seen_here == 0) {  // this iteration is skipped
                continue;
            }
            // s: matmul(q, transpose(block_of(k[:, kv_blocks]), -2, -1), dtype=fp32) * scale
            VecF32_64x64 s_2_tile; TASSIGN(s_2_tile, 0x00200 + kv_blocks0_buffer * 0x04000);  // UB 0x00200..0x08200, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv_blocks0_buffer));  // free again
            S2Gm s_2_in(s_2 + int64_t(kv_blocks0) * q_blocks * 32768 + int64_t(heads0) * q_blocks * 4096 + int64_t(q_blocks0) * 4096);
            TLOAD(s_2_tile, s_2_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv_blocks0_buffer));
            VecF32_64x64 s; TASSIGN<0x0c500>(s);  // UB 0x0c500..0x10500
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv_blocks0_buffer));
            TMULS(s, s_2_tile, scale);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv_blocks0_buffer));
            // m_new: maximum(m, amax(s, axis=-1, keepdim=true))
            VecF32_64x1 m_new_1; TASSIGN<0x10500>(m_new_1);  // UB 0x10500..0x10600
            VecF32_64x64 m_new_1_tmp; TASSIGN<0x10600>(m_new_1_tmp);  // UB 0x10600..0x14600
            pipe_barrier(PIPE_V);
            TROWMAX(m_new_1, s, m_new_1_tmp);
            VecF32_1x64 m_new_row; TASSIGN<0x10500>(m_new_row);  // as a row, same bytes as m_new
            VecF32_1x64 m_new_1_row; TASSIGN<0x10500>(m_new_1_row);  // as a row, same bytes as m_new_1
            pipe_barrier(PIPE_V);
            TMAX(m_new_row, m_row, m_new_1_row);
            // p: exp(s - m_new)
            VecF32_64x64 p; TASSIGN<0x0c500>(p);  // UB 0x0c500..0x10500
            VecF32_64x1 m_new; TASSIGN<0x10500>(m_new);  // UB 0x10500..0x10600
            pipe_barrier(PIPE_V);
            TROWEXPANDSUB(p, s, m_new);
            pipe_barrier(PIPE_V);
            TEXP(p, p);
            // a: exp(m - m_new)
            VecF32_1x64 a_1_row; TASSIGN<0x10600>(a_1_row);  // as a row, same bytes as a_1
            TSUB(a_1_row, m_row, m_new_row);
            VecF32_1x64 a_tile_row; TASSIGN(a_tile_row, 0x08200 + kv_blocks0_buffer * 0x00100);  // as a row, same bytes as a_tile
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + kv_blocks0_buffer));  // free again
            TEXP(a_tile_row, a_1_row);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_blocks0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_blocks0_buffer));
            AGm a_out(a + int64_t(kv_blocks0) * q_blocks * 512 + int64_t(heads0) * q_blocks * 64 + int64_t(q_blocks0) * 64);
            TSTORE(a_out, a_tile_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + kv_blocks0_buffer));
            pipe_barrier(PIPE_V);
            // l: l * a + sum(p, axis=-1, keepdim=true)
            TMUL(l_row, l_row, a_tile_row);
            VecF32_64x1 l_2; TASSIGN<0x10600>(l_2);  // UB 0x10600..0x10700
            VecF32_64x64 l_2_tmp; TASSIGN<0x10700>(l_2_tmp);  // UB 0x10700..0x14700
            TROWSUM(l_2, p, l_2_tmp);
            VecF32_1x64 l_2_row; TASSIGN<0x10600>(l_2_row);  // as a row, same bytes as l_2
            pipe_barrier(PIPE_V);
            TADD(l_row, l_row, l_2_row);
            // acc: acc * a + matmul(cast(p, bf16), block_of(v[:, kv_blocks]), dtype=fp32)
            VecB16_64x64 acc_3_tile; TASSIGN(acc_3_tile, 0x08400 + kv_blocks0_buffer * 0x02000);  // UB 0x08400..0x0c400, 2 copies
            wait_flag(PIPE_MTE3, PIPE_V, event_t(kv_blocks0_buffer));  // free again
            TCVT(acc_3_tile, p, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(kv_blocks0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(kv_blocks0_buffer));
            Acc3Gm acc_3_out(acc_3 + int64_t(kv_blocks0) * q_blocks * 32768 + int64_t(heads0) * q_blocks * 4096 + int64_t(q_blocks0) * 4096);
            TSTORE(acc_3_out, acc_3_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(kv_blocks0_buffer));
            // m_new: maximum(m, amax(s, axis=-1, keepdim=true))
            TMOV(m_row, m_new_row);
            kv_blocks0_buffer ^= 1;
        }
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + heads0_buffer));
        // l: full([heads, q_blocks, size, 1], 0, fp32)
        AGm l_end_out(l_end + int64_t(heads0) * q_blocks * 64 + int64_t(q_blocks0) * 64);
        TSTORE(l_end_out, l_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(4 + heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void attend_vec1(
    __gm__ float *a, __gm__ bfloat16_t *acc_3, __gm__ float *l_end, __gm__ int32_t *seen, __gm__ float *s_2,
    float scale, int32_t q_blocks_begin, int32_t q_blocks_end, int32_t q_blocks, int32_t kv_blocks, int32_t nblk)
{
    run_block(
        a, acc_3, l_end, seen, s_2, scale, q_blocks_begin, q_blocks_end, q_blocks, kv_blocks, nblk,
        static_cast<int32_t>(get_block_idx()));
}
