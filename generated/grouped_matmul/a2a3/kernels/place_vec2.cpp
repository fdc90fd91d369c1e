// place_vec2: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages place; tiles t 256; memory UB 45120 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x256 = Tile<TileType::Vec, int32_t, 1, 256, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_256x16 = Tile<TileType::Vec, int32_t, 256, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_256x1 = Tile<TileType::Vec, int32_t, 256, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_256x32_c2 = Tile<TileType::Vec, uint8_t, 256, 32, BLayout::RowMajor, DYNAMIC, 2>;
using VecF16_256x16 = Tile<TileType::Vec, half, 256, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using EndGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
using Past1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *owner,
    __gm__ int32_t *past_1,
    __gm__ int32_t *end,
    int32_t full,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // past:  sum(cast(reshape(arange(t), [t, 1]) >= end, int32), axis=-1, keepdim=true)
    VecI32_1x16 end_tile; TASSIGN<0x00800>(end_tile);  // UB 0x00800..0x00840
    EndGm end_in(end);
    TLOAD(end_tile, end_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = block * 256; t0 < full * 32; t0 += nblk * 256, t0_buffer ^= 1) {
        const int32_t t0_valid = full * 32 - t0 < 256 ? full * 32 - t0 : 256;
        VecI32_1x256 past_1_tile_row(t0_valid); TASSIGN(past_1_tile_row, 0x00000 + t0_buffer * 0x00400);  // as a row, same bytes as past_1_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        Past1Gm past_1_in(past_1 + int64_t(t0), {t0_valid});
        TLOAD(past_1_tile_row, past_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_256x16 past_3_larger_wide_ones(t0_valid); TASSIGN<0x01040>(past_3_larger_wide_ones);  // UB 0x01040..0x05040
        pipe_barrier(PIPE_V);
        TEXPANDS(past_3_larger_wide_ones, 1);
        VecI32_256x16 past_3_larger_wide(t0_valid); TASSIGN<0x01040>(past_3_larger_wide);  // UB 0x01040..0x05040
        VecI32_256x1 past_1_tile(t0_valid); TASSIGN(past_1_tile, 0x00000 + t0_buffer * 0x00400);  // UB 0x00000..0x00800, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWEXPANDMUL(past_3_larger_wide, past_3_larger_wide_ones, past_1_tile);
        VecI32_256x16 past_3_larger(t0_valid); TASSIGN<0x01040>(past_3_larger);  // UB 0x01040..0x05040
        pipe_barrier(PIPE_V);
        TCOLEXPANDMAX(past_3_larger, past_3_larger_wide, end_tile);
        VecI32_256x16 past_1_tile_wide_ones(t0_valid); TASSIGN<0x05040>(past_1_tile_wide_ones);  // UB 0x05040..0x09040
        TEXPANDS(past_1_tile_wide_ones, 1);
        VecI32_256x16 past_1_tile_wide(t0_valid); TASSIGN<0x05040>(past_1_tile_wide);  // UB 0x05040..0x09040
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(past_1_tile_wide, past_1_tile_wide_ones, past_1_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecU8_256x32_c2 past_3_bits(t0_valid); TASSIGN<0x09040>(past_3_bits);  // UB 0x09040..0x0b040
        pipe_barrier(PIPE_V);
        TCMP(past_3_bits, past_3_larger, past_1_tile_wide, CmpMode::EQ);
        VecF16_256x16 past_3(t0_valid); TASSIGN<0x01040>(past_3);  // UB 0x01040..0x03040
        pipe_barrier(PIPE_V);
        TEXPANDS(past_3, 1.0f);
        VecF16_1x16 past_3_tmp; TASSIGN<0x03040>(past_3_tmp);  // UB 0x03040..0x03060
        pipe_barrier(PIPE_V);
        TSELS(past_3, past_3_bits, past_3, past_3_tmp, 0.0f);
        VecI32_256x16 past_4(t0_valid); TASSIGN<0x03040>(past_4);  // UB 0x03040..0x07040
        pipe_barrier(PIPE_V);
        TCVT(past_4, past_3, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI32_256x1 past(t0_valid); TASSIGN<0x01040>(past);  // UB 0x01040..0x01440
        VecI32_256x16 past_tmp(t0_valid); TASSIGN<0x07040>(past_tmp);  // UB 0x07040..0x0b040
        pipe_barrier(PIPE_V);
        TROWSUM(past, past_4, past_tmp);
        // owner: reshape(minimum(past, groups - 1), [t])
        VecI32_1x256 owner_1_row(t0_valid); TASSIGN(owner_1_row, 0x00840 + t0_buffer * 0x00400);  // as a row, same bytes as owner_1
        VecI32_1x256 past_row(t0_valid); TASSIGN<0x01040>(past_row);  // as a row, same bytes as past
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TMINS(owner_1_row, past_row, 15);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        Past1Gm owner_out(owner + int64_t(t0), {t0_valid});
        TSTORE(owner_out, owner_1_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void place_vec2(
    __gm__ int32_t *owner, __gm__ int32_t *past_1, __gm__ int32_t *end, int32_t full, int32_t nblk)
{
    run_block(owner, past_1, end, full, nblk, static_cast<int32_t>(get_block_idx()));
}
