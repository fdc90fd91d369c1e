// key_quant_vec: vector kernel of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_quant; tiles t 4; memory UB 9504 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x128 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_16x128 = Tile<TileType::Vec, int32_t, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF16_16x128 = Tile<TileType::Vec, half, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecI8_16x128 = Tile<TileType::Vec, int8_t, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecI8_1x128 = Tile<TileType::Vec, int8_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF16_16x16 = Tile<TileType::Vec, half, 16, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF16_16x1 = Tile<TileType::Vec, half, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF16_1x16_c1 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 1>;
using KHGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KCacheGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using KScaleCacheGm = GlobalTensor<half, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int8_t *k_cache,
    __gm__ half *k_scale_cache,
    __gm__ bfloat16_t *k_h,
    __gm__ int64_t *k_index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 4; t0 < t_end; t0 += nblk * 4, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 4 ? t_end - t0 : 4;
        // f: cast(v, fp32)
        VecB16_16x128 k_h_tile(t0_valid); TASSIGN(k_h_tile, 0x00000 + t0_buffer * 0x00400);  // UB 0x00000..0x00800, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        KHGm k_h_in(k_h + int64_t(t0) * 128, {t0_valid});
        TLOAD(k_h_tile, k_h_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_16x128 k_q_f(t0_valid); TASSIGN<0x00d00>(k_q_f);  // UB 0x00d00..0x01500
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(k_q_f, k_h_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        // s: 127 / maximum(amax(abs(f), axis=-1, keepdim=true), 1.0e-35)
        VecF32_16x128 k_q_s_1(t0_valid); TASSIGN<0x01500>(k_q_s_1);  // UB 0x01500..0x01d00
        pipe_barrier(PIPE_V);
        TABS(k_q_s_1, k_q_f);
        VecF32_16x1 k_q_s_2(t0_valid); TASSIGN<0x01d00>(k_q_s_2);  // UB 0x01d00..0x01d20
        VecF32_16x128 k_q_s_2_tmp(t0_valid); TASSIGN<0x01d20>(k_q_s_2_tmp);  // UB 0x01d20..0x02520
        pipe_barrier(PIPE_V);
        TROWMAX(k_q_s_2, k_q_s_1, k_q_s_2_tmp);
        VecF32_1x16 k_q_s_3_row(t0_valid); TASSIGN<0x01500>(k_q_s_3_row);  // as a row, same bytes as k_q_s_3
        VecF32_1x16 k_q_s_2_row(t0_valid); TASSIGN<0x01d00>(k_q_s_2_row);  // as a row, same bytes as k_q_s_2
        pipe_barrier(PIPE_V);
        TMAXS(k_q_s_3_row, k_q_s_2_row, 1e-35f);
        VecF32_1x16 k_q_s_row(t0_valid); TASSIGN<0x01520>(k_q_s_row);  // as a row, same bytes as k_q_s
        pipe_barrier(PIPE_V);
        TDIVS(k_q_s_row, 127.0f, k_q_s_3_row);
        // return: [cast(f * s, int8, mode=rint), cast(1 / s, fp16)]
        VecF32_16x128 k_q_1(t0_valid); TASSIGN<0x00d00>(k_q_1);  // UB 0x00d00..0x01500
        VecF32_16x1 k_q_s(t0_valid); TASSIGN<0x01520>(k_q_s);  // UB 0x01520..0x01540
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(k_q_1, k_q_f, k_q_s);
        VecI32_16x128 k_q_int32(t0_valid); TASSIGN<0x01540>(k_q_int32);  // UB 0x01540..0x01d40
        pipe_barrier(PIPE_V);
        TCVT(k_q_int32, k_q_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_16x128 k_q_fp16(t0_valid); TASSIGN<0x00d00>(k_q_fp16);  // UB 0x00d00..0x01100
        pipe_barrier(PIPE_V);
        TCVT(k_q_fp16, k_q_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_16x128 k_q(t0_valid); TASSIGN(k_q, 0x00800 + t0_buffer * 0x00200);  // UB 0x00800..0x00c00, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));  // free again
        TCVT(k_q, k_q_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        VecF32_1x16 k_s_1_row(t0_valid); TASSIGN<0x00d00>(k_s_1_row);  // as a row, same bytes as k_s_1
        pipe_barrier(PIPE_V);
        TDIVS(k_s_1_row, 1.0f, k_q_s_row);
        VecF16_1x16 k_s_row(t0_valid); TASSIGN<0x00d20>(k_s_row);  // as a row, same bytes as k_s
        pipe_barrier(PIPE_V);
        TCVT(k_s_row, k_s_1_row, RoundMode::CAST_RINT, SaturationMode::ON);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // rows of k_q to the slots in k_index
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot = k_index[int64_t(row) + int64_t(t0)];
            if (slot < 0) {  // this row is not kept
                continue;
            }
            // k_cache:       scatter_update(k_cache, k_index, k_q, dim=-2)
            VecI8_1x128 k_q_one; TASSIGN(k_q_one, 0x00800 + row * 0x00080 + t0_buffer * 0x00200);  // row of k_q
            KCacheGm k_cache_out(k_cache + int64_t(slot) * 128);
            TSTORE(k_cache_out, k_q_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));
        // k_scale_cache: scatter_update(k_scale_cache, k_index, k_s, dim=-2)
        VecF16_16x16 k_s_wide(t0_valid); TASSIGN(k_s_wide, 0x00c00 + t0_buffer * 0x00080);  // UB 0x00c00..0x00d00, 2 copies
        VecF16_16x1 k_s(t0_valid); TASSIGN<0x00d20>(k_s);  // UB 0x00d20..0x00d40
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TROWEXPAND(k_s_wide, k_s);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // rows of k_s_wide to the slots in k_index
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot = k_index[int64_t(row) + int64_t(t0)];
            if (slot < 0) {  // this row is not kept
                continue;
            }
            VecF16_1x16_c1 k_s_wide_one; TASSIGN(k_s_wide_one, 0x00c00 + row * 0x00020 + t0_buffer * 0x00080);  // row of k_s_wide
            KScaleCacheGm k_scale_cache_out(k_scale_cache + int64_t(slot));
            TSTORE(k_scale_cache_out, k_s_wide_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_quant_vec(
    __gm__ int8_t *k_cache, __gm__ half *k_scale_cache, __gm__ bfloat16_t *k_h, __gm__ int64_t *k_index,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(k_cache, k_scale_cache, k_h, k_index, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
