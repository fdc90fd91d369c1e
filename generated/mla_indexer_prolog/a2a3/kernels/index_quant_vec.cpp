// index_quant_vec: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_quant; tiles index_heads 32, t 1; memory UB 73984 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, 32, 1>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecI32_32x128 = Tile<TileType::Vec, int32_t, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF16_32x128 = Tile<TileType::Vec, half, 32, 128, BLayout::RowMajor, 32, 128>;
using VecI8_32x128 = Tile<TileType::Vec, int8_t, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF16_1x32 = Tile<TileType::Vec, half, 1, 32, BLayout::RowMajor, 1, 32>;
using IqHGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;
using IqGm = GlobalTensor<int8_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;
using IqScaleGm = GlobalTensor<half, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int8_t *iq,
    __gm__ half *iq_scale,
    __gm__ bfloat16_t *iq_h,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t index_heads0_buffer = 0;  // which of 2 buffers this iteration of index_heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin) * 2;  // of t0 and index_heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, index_heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 2;
        const int32_t index_heads0 = tile % 2 * 32;
        // f: cast(v, fp32)
        VecB16_32x128 iq_h_tile; TASSIGN(iq_h_tile, 0x00000 + index_heads0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(index_heads0_buffer));  // free again
        IqHGm iq_h_in(iq_h + int64_t(t0) * 8192 + int64_t(index_heads0) * 128);
        TLOAD(iq_h_tile, iq_h_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(index_heads0_buffer));
        VecF32_32x128 iq_f; TASSIGN<0x06080>(iq_f);  // UB 0x06080..0x0a080
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(index_heads0_buffer));
        TCVT(iq_f, iq_h_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(index_heads0_buffer));
        // s: 127 / maximum(amax(abs(f), axis=-1, keepdim=true), 1.0e-35)
        VecF32_32x128 iq_s_1; TASSIGN<0x0a080>(iq_s_1);  // UB 0x0a080..0x0e080
        pipe_barrier(PIPE_V);
        TABS(iq_s_1, iq_f);
        VecF32_32x1 iq_s_2; TASSIGN<0x0e080>(iq_s_2);  // UB 0x0e080..0x0e100
        VecF32_32x128 iq_s_2_tmp; TASSIGN<0x0e100>(iq_s_2_tmp);  // UB 0x0e100..0x12100
        pipe_barrier(PIPE_V);
        TROWMAX(iq_s_2, iq_s_1, iq_s_2_tmp);
        VecF32_1x32 iq_s_3_row; TASSIGN<0x0a080>(iq_s_3_row);  // as a row, same bytes as iq_s_3
        VecF32_1x32 iq_s_2_row; TASSIGN<0x0e080>(iq_s_2_row);  // as a row, same bytes as iq_s_2
        pipe_barrier(PIPE_V);
        TMAXS(iq_s_3_row, iq_s_2_row, 1e-35f);
        VecF32_1x32 iq_s_row; TASSIGN<0x0a100>(iq_s_row);  // as a row, same bytes as iq_s
        pipe_barrier(PIPE_V);
        TDIVS(iq_s_row, 127.0f, iq_s_3_row);
        // return: [cast(f * s, int8, mode=rint), cast(1 / s, fp16)]
        VecF32_32x128 iq_1; TASSIGN<0x06080>(iq_1);  // UB 0x06080..0x0a080
        VecF32_32x1 iq_s; TASSIGN<0x0a100>(iq_s);  // UB 0x0a100..0x0a180
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(iq_1, iq_f, iq_s);
        VecI32_32x128 iq_tile_int32; TASSIGN<0x0a180>(iq_tile_int32);  // UB 0x0a180..0x0e180
        pipe_barrier(PIPE_V);
        TCVT(iq_tile_int32, iq_1, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_32x128 iq_tile_fp16; TASSIGN<0x06080>(iq_tile_fp16);  // UB 0x06080..0x08080
        pipe_barrier(PIPE_V);
        TCVT(iq_tile_fp16, iq_tile_int32, RoundMode::CAST_NONE, SaturationMode::ON);
        VecI8_32x128 iq_tile; TASSIGN(iq_tile, 0x04000 + index_heads0_buffer * 0x01000);  // UB 0x04000..0x06000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + index_heads0_buffer));  // free again
        TCVT(iq_tile, iq_tile_fp16, RoundMode::CAST_NONE, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + index_heads0_buffer));
        VecF32_1x32 iq_scale_1_row; TASSIGN<0x06080>(iq_scale_1_row);  // as a row, same bytes as iq_scale_1
        pipe_barrier(PIPE_V);
        TDIVS(iq_scale_1_row, 1.0f, iq_s_row);
        VecF16_1x32 iq_scale_tile_row; TASSIGN(iq_scale_tile_row, 0x06000 + index_heads0_buffer * 0x00040);  // as a row, same bytes as iq_scale_tile
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(index_heads0_buffer));  // free again
        TCVT(iq_scale_tile_row, iq_scale_1_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(index_heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + index_heads0_buffer));
        IqGm iq_out(iq + int64_t(t0) * 8192 + int64_t(index_heads0) * 128);
        TSTORE(iq_out, iq_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + index_heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(index_heads0_buffer));
        IqScaleGm iq_scale_out(iq_scale + int64_t(t0) * 64 + int64_t(index_heads0));
        TSTORE(iq_scale_out, iq_scale_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(index_heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_quant_vec(
    __gm__ int8_t *iq, __gm__ half *iq_scale, __gm__ bfloat16_t *iq_h, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(iq, iq_scale, iq_h, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
