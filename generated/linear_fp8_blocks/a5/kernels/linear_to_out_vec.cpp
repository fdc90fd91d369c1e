// linear_to_out_vec: vector kernel of `linear_fp8_blocks` for a5. Made by pyptogen; change the spec, not this file.
// stages linear, out; tiles k_blocks 1, n_blocks 1, t 256; memory UB 242240 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x128 = Tile<TileType::Vec, float, 128, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_128x8_c1 = Tile<TileType::Vec, float, 128, 8, BLayout::RowMajor, DYNAMIC, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_128x1 = Tile<TileType::Vec, float, 128, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_128x128 = Tile<TileType::Vec, bfloat16_t, 128, 128, BLayout::RowMajor, DYNAMIC, 128>;
using XScaleGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 12, 1>>;
using WScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using Part1SlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 768, 1>>;
using Part1Pipe = TPipe<0, Direction::DIR_C2V_GM, 131072, 4, 2, true, true>;  // 4 tiles of up to 256 x 128, to both vector cores
using Part1Slot = GlobalTensor<float, Shape<1, 1, 1, 256, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    __gm__ float *part_1_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    Part1Pipe part_1_pipe(part_1_fifo + int64_t(block) * 131072, 0x0, 0x0);
    int32_t k_blocks0_buffer = 0;  // which of 2 buffers this iteration of k_blocks0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 255) / 256 * 6;  // of t0 and n_blocks0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 6 * 256;
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        const int32_t t0_half = (t0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t t0_first = subblock * (t0_valid - t0_half);  // the first row of this core
        const int32_t n_blocks0 = tile % 6;
        // total: full([t, n_blocks * block], 0, fp32)
        VecF32_128x128 total(t0_half); TASSIGN<0x2a040>(total);  // UB 0x2a040..0x3a040
        TEXPANDS(total, 0.0f);
        for (int32_t k_blocks0 = 0; k_blocks0 < 12; ++k_blocks0, k_blocks0_buffer ^= 1) {
            // scale: reshape(x_scale[:, k_blocks], [t, 1, 1]) * reshape(w_scale[k_blocks], [1, n_blocks, 1])
            VecF32_128x8_c1 x_scale_tile_apart(t0_half); TASSIGN(x_scale_tile_apart, 0x28040 + k_blocks0_buffer * 0x01000);  // UB 0x28040..0x2a040, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + k_blocks0_buffer));  // free again
            XScaleGm x_scale_in(x_scale + int64_t(t0) * 12 + int64_t(t0_first) * 12 + int64_t(k_blocks0), {t0_half});
            TLOAD(x_scale_tile_apart, x_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + k_blocks0_buffer));
            VecF32_1x8_c1 w_scale_tile_row; TASSIGN(w_scale_tile_row, 0x00000 + k_blocks0_buffer * 0x00020);  // as a row, same bytes as w_scale_tile
            WScaleGm w_scale_in(w_scale + int64_t(k_blocks0) * 6 + int64_t(n_blocks0));
            TLOAD(w_scale_tile_row, w_scale_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + k_blocks0_buffer));
            VecF32_1x128 x_scale_tile_row(t0_half); TASSIGN<0x3a040>(x_scale_tile_row);  // as a row, same bytes as x_scale_tile
            VecF32_128x8_c1 x_scale_tile_apart_tmp(t0_half); TASSIGN<0x3a240>(x_scale_tile_apart_tmp);  // UB 0x3a240..0x3b240
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + k_blocks0_buffer));
            TTRANS(x_scale_tile_row, x_scale_tile_apart, x_scale_tile_apart_tmp);
            VecF32_1x128 w_scale_tile_wide_row(t0_half); TASSIGN<0x3a240>(w_scale_tile_wide_row);  // as a row, same bytes as w_scale_tile_wide
            VecF32_8x1_r1 w_scale_tile; TASSIGN(w_scale_tile, 0x00000 + k_blocks0_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + k_blocks0_buffer));
            TROWEXPAND(w_scale_tile_wide_row, w_scale_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + k_blocks0_buffer));
            VecF32_1x128 scale_row(t0_half); TASSIGN<0x3a040>(scale_row);  // as a row, same bytes as scale
            TMUL(scale_row, x_scale_tile_row, w_scale_tile_wide_row);
            // total: total + reshape(part * scale, [t, n_blocks * block])
            Part1Slot part_1_view(part_1_fifo);
            TPOP<Part1Pipe, Part1Slot, TileSplitAxis::TILE_NO_SPLIT>(part_1_pipe, part_1_view);
            __gm__ float *part_1_slot = part_1_view.data();
            VecF32_128x128 part_1(t0_half); TASSIGN(part_1, 0x00040 + k_blocks0_buffer * 0x10000);  // UB 0x00040..0x20040, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(k_blocks0_buffer));  // free again
            Part1SlotGm part_1_slot_in(part_1_slot + int64_t(t0_first) * 128, {t0_half});
            TLOAD(part_1, part_1_slot_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(k_blocks0_buffer));
            TFREE<Part1Pipe, Part1Slot, TileSplitAxis::TILE_NO_SPLIT>(part_1_pipe, part_1_view);
            VecF32_128x128 total_1(t0_half); TASSIGN(total_1, 0x00040 + k_blocks0_buffer * 0x10000);  // UB 0x00040..0x20040, 2 copies
            VecF32_128x1 scale(t0_half); TASSIGN<0x3a040>(scale);  // UB 0x3a040..0x3a240
            wait_flag(PIPE_MTE2, PIPE_V, event_t(k_blocks0_buffer));
            TROWEXPANDMUL(total_1, part_1, scale);
            TADD(total, total, total_1);
            set_flag(PIPE_V, PIPE_MTE2, event_t(k_blocks0_buffer));
        }
        // y: reshape(cast(total, bf16), [t, n_blocks, block])
        VecB16_128x128 y_1(t0_half); TASSIGN<0x20040>(y_1);  // UB 0x20040..0x28040
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(y_1, total, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        YGm y_out(y + int64_t(t0) * 768 + int64_t(t0_first) * 768 + int64_t(n_blocks0) * 128, {t0_half});
        TSTORE(y_out, y_1);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_to_out_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *y, __gm__ float *x_scale, __gm__ float *w_scale,
    __gm__ float *part_1_fifo, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        y, x_scale, w_scale, part_1_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
