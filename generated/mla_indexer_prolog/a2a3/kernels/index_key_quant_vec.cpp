// index_key_quant_vec: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_key_quant; tiles t 32; memory UB 75904 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_32x128 = Tile<TileType::Vec, int32_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF16_32x128 = Tile<TileType::Vec, half, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecI8_32x128 = Tile<TileType::Vec, int8_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF16_1x32 = Tile<TileType::Vec, half, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecI8_1x128 = Tile<TileType::Vec, int8_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF16_32x16 = Tile<TileType::Vec, half, 32, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF16_32x1 = Tile<TileType::Vec, half, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF16_1x16_c1 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 1>;
using IkHGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using IkCacheGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using IkScaleGm = GlobalTensor<half, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int8_t *ik_cache,
    __gm__ half *ik_scale,
    __gm__ bfloat16_t *ik_h,
    __gm__ int64_t *slot,
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
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // f: cast(v, fp32)
        VecB16_32x128 ik_h_tile(t0_valid); TASSIGN(ik_h_tile, 0x00000 + t0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        IkHGm ik_h_in(ik_h + int64_t(t0) * 128, {t0_valid});
        TLOAD(ik_h_tile, ik_h_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_32x128 ik_f_2(t0_valid); TASSIGN<0x06800>(ik_f_2);  // UB 0x06800..0x0a800
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(ik_f_2, ik_h_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        // s: 127 / maximum(amax(abs(f), axis=-1, keepdim=true), 1.0e-35)
        VecF32_32x128 ik_s_1(t0_valid); TASSIGN<0x0a800>(ik_s_1);  // UB 0x0a800..0x0e800
        pipe_barrier(PIPE_V);
        TABS(ik_s_1, ik_f_2);
        VecF32_32x1 ik_s_2(t0_valid); TASSIGN<0x0e800>(ik_s_2);  // UB 0x0e800..0x0e880
        VecF32_32x128 ik_s_2_tmp(t0_valid); TASSIGN<0x0e880>(ik_s_2_tmp);  // UB 0x0e880..0x12880
        pipe_barrier(PIPE_V);
        TROWMAX(ik_s_2, ik_s_1, ik_s_2_tmp);
        VecF32_1x32 ik_s_3_row(t0_valid); TASSIGN<0x0a800>(ik_s_3_row);  // as a row, same bytes as ik_s_3
        VecF32_1x32 ik_s_2_row(t0_valid); TASSIGN<0x0e800>(ik_s_2_row);  // as a row, same bytes as ik_s_2
        pipe_barrier(PIPE_V);
        TMAXS(ik_s_3_row, ik_s_2_row, 1e-35f);
        VecF32_1x32 ik_s_4_row(t0_valid); TASSIGN<0x0a880>(ik_s_4_row);  // as a row, same bytes as ik_s_4
        pipe_barrier(PIPE_V);
        TDIVS(ik_s_4_row, 127.0f, ik_s_3_row);
        // return: [cast(f * s, int8, mode=rint), cast(1 / s, fp16)]
        VecF32_32x128 ik_1(t0_valid); TASSIGN<0x06800>(ik_1);  // UB 0x06800..0x0a800
        VecF32_32x1 ik_s_4(t0_valid); TASSIGN<0x0a880>(ik_s_4);  // UB 0x0a880..0x0a900
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(ik_1, ik_f_2, ik_s_4);
        VecI32_32x128 ik_int32(t0_valid); TASSIGN<0x0a900>(ik_int32);  // UB 0x0a900..0x0e900
        pipe_barrier(PIPE_V);
        TCVT(ik_int32, ik_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_32x128 ik_fp16(t0_valid); TASSIGN<0x06800>(ik_fp16);  // UB 0x06800..0x08800
        pipe_barrier(PIPE_V);
        TCVT(ik_fp16, ik_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_32x128 ik(t0_valid); TASSIGN(ik, 0x04000 + t0_buffer * 0x01000);  // UB 0x04000..0x06000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));  // free again
        TCVT(ik, ik_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        VecF32_1x32 ik_s_5_row(t0_valid); TASSIGN<0x06800>(ik_s_5_row);  // as a row, same bytes as ik_s_5
        pipe_barrier(PIPE_V);
        TDIVS(ik_s_5_row, 1.0f, ik_s_4_row);
        VecF16_1x32 ik_s_row(t0_valid); TASSIGN<0x06880>(ik_s_row);  // as a row, same bytes as ik_s
        pipe_barrier(PIPE_V);
        TCVT(ik_s_row, ik_s_5_row, RoundMode::CAST_RINT, SaturationMode::ON);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_buffer));
        // rows of ik to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            // ik_cache: scatter_update(ik_cache, slot, ik, dim=0)
            VecI8_1x128 ik_one; TASSIGN(ik_one, 0x04000 + row * 0x00080 + t0_buffer * 0x01000);  // row of ik
            IkCacheGm ik_cache_out(ik_cache + int64_t(slot_i) * 128);
            TSTORE(ik_cache_out, ik_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_buffer));
        // ik_scale: scatter_update(ik_scale, slot, ik_s, dim=0)
        VecF16_32x16 ik_s_wide(t0_valid); TASSIGN(ik_s_wide, 0x06000 + t0_buffer * 0x00400);  // UB 0x06000..0x06800, 2 copies
        VecF16_32x1 ik_s(t0_valid); TASSIGN<0x06880>(ik_s);  // UB 0x06880..0x068c0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TROWEXPAND(ik_s_wide, ik_s);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // rows of ik_s_wide to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            VecF16_1x16_c1 ik_s_wide_one; TASSIGN(ik_s_wide_one, 0x06000 + row * 0x00020 + t0_buffer * 0x00400);  // row of ik_s_wide
            IkScaleGm ik_scale_out(ik_scale + int64_t(slot_i));
            TSTORE(ik_scale_out, ik_s_wide_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_key_quant_vec(
    __gm__ int8_t *ik_cache, __gm__ half *ik_scale, __gm__ bfloat16_t *ik_h, __gm__ int64_t *slot, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    run_block(ik_cache, ik_scale, ik_h, slot, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
