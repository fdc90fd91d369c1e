// linear_to_out_vec: vector kernel of `linear_w4a16` for a2a3. Made by pyptogen; change the spec, not this file.
// stages linear, out; tiles groups 1, n 96, t 256; memory UB 178368 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x96 = Tile<TileType::Vec, float, 128, 96, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecU8_64x96 = Tile<TileType::Vec, uint8_t, 64, 96, BLayout::RowMajor, 64, DYNAMIC>;
using VecI4_64x96 = Tile<TileType::Vec, int4b_t, 64, 96, BLayout::RowMajor, 64, DYNAMIC>;
using VecF16_64x96 = Tile<TileType::Vec, half, 64, 96, BLayout::RowMajor, 64, DYNAMIC>;
using VecF32_64x96 = Tile<TileType::Vec, float, 64, 96, BLayout::RowMajor, 64, DYNAMIC>;
using VecB16_64x96 = Tile<TileType::Vec, bfloat16_t, 64, 96, BLayout::RowMajor, 64, DYNAMIC>;
using VecB16_1x96 = Tile<TileType::Vec, bfloat16_t, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x96 = Tile<TileType::Vec, float, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_128x96 = Tile<TileType::Vec, bfloat16_t, 128, 96, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using WGm = GlobalTensor<uint8_t, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, 1024, 1>>;
using ScaleGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 2048, 1>>;
using YGSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 2048, 1>>;
using YG1Pipe = TPipe<0, Direction::DIR_V2C, 24576, 3>;  // 3 tiles of up to 128 x 96, to the cube core
using YG1Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 96>, Stride<1, 1, 1, 96, 1>>;
using YGPipe = TPipe<2, Direction::DIR_C2V, 98304, 3, 2, true, true>;  // 3 tiles of up to 256 x 96, to both vector cores
using YGSlot = GlobalTensor<float, Shape<1, 1, 1, 256, 96>, Stride<1, 1, 1, 96, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ uint8_t *w,
    __gm__ bfloat16_t *scale,
    __gm__ bfloat16_t *y_g_1_fifo,
    __gm__ float *y_g_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    YG1Pipe y_g_1_pipe(y_g_1_fifo + int64_t(block) * 36864, 0x0, 0x0);
    YGPipe y_g_pipe(y_g_fifo + int64_t(block) * 73728, 0x0, 0x0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    const int32_t tiles = (t_end - t_begin + 255) / 256 * 22;  // of t0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 22 * 256;
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        const int32_t t0_half = (t0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t t0_first = subblock * (t0_valid - t0_half);  // the first row of this core
        const int32_t n0 = tile % 22 * 96;
        const int32_t n0_valid = 2048 - n0 < 96 ? 2048 - n0 : 96;
        // total: full([t, n], 0, fp32)
        VecF32_128x96 total(t0_half, n0_valid); TASSIGN<0x168c0>(total);  // UB 0x168c0..0x228c0
        pipe_barrier(PIPE_V);
        TEXPANDS(total, 0.0f);
        for (int32_t groups0 = -2; groups0 < 16; ++groups0) {
            if (const int32_t groups2 = groups0 + 2; groups2 < 16) {
                // y_g: matmul(x_g, cast(w_g, bf16), dtype=fp32)
                VecU8_64x96 w_g_bytes(n0_valid / 2); TASSIGN<0x00000>(w_g_bytes);  // same bytes as w_g
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
                WGm w_in(w + int64_t(groups2) * 131072 + int64_t(subblock) * 65536 + int64_t(n0) / 2, {n0_valid / 2});
                TLOAD(w_g_bytes, w_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                VecI4_64x96 w_g(n0_valid); TASSIGN<0x00000>(w_g);  // UB 0x00000..0x01800
                VecF16_64x96 y_g_1_fp16(n0_valid); TASSIGN<0x228c0>(y_g_1_fp16);  // UB 0x228c0..0x258c0
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                TCVT(y_g_1_fp16, w_g, RoundMode::CAST_RINT, SaturationMode::ON);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                VecF32_64x96 y_g_1_fp32(n0_valid); TASSIGN<0x258c0>(y_g_1_fp32);  // UB 0x258c0..0x2b8c0
                pipe_barrier(PIPE_V);
                TCVT(y_g_1_fp32, y_g_1_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
                VecB16_64x96 y_g_1(n0_valid); TASSIGN<0x01800>(y_g_1);  // UB 0x01800..0x04800
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
                TCVT(y_g_1, y_g_1_fp32, RoundMode::CAST_RINT, SaturationMode::ON);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                TPUSH<YG1Pipe, VecB16_64x96, TileSplitAxis::TILE_UP_DOWN>(y_g_1_pipe, y_g_1);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
            }
            if (const int32_t groups1 = groups0; -1 < groups1 && groups1 < 16) {
                // total: total + y_g * cast(scale[groups], fp32)
                VecB16_1x96 scale_tile(n0_valid); TASSIGN<0x04800>(scale_tile);  // UB 0x04800..0x048c0
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
                ScaleGm scale_in(scale + int64_t(groups1) * 2048 + int64_t(n0), {n0_valid});
                TLOAD(scale_tile, scale_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                VecF32_1x96 total_1(n0_valid); TASSIGN<0x228c0>(total_1);  // UB 0x228c0..0x22a40
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                TCVT(total_1, scale_tile, RoundMode::CAST_RINT, SaturationMode::ON);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
                YGSlot y_g_view(y_g_fifo);
                TPOP<YGPipe, YGSlot, TileSplitAxis::TILE_NO_SPLIT>(y_g_pipe, y_g_view);
                __gm__ float *y_g_slot = y_g_view.data();
                VecF32_128x96 y_g(t0_half, n0_valid); TASSIGN<0x048c0>(y_g);  // UB 0x048c0..0x108c0
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
                YGSlotGm y_g_slot_in(y_g_slot + int64_t(n0_valid) * t0_first, {t0_half, n0_valid}, {int64_t(n0_valid)});
                TLOAD(y_g, y_g_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TFREE<YGPipe, YGSlot, TileSplitAxis::TILE_NO_SPLIT>(y_g_pipe, y_g_view);
                VecF32_128x96 total_2(t0_half, n0_valid); TASSIGN<0x048c0>(total_2);  // UB 0x048c0..0x108c0
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TCOLEXPANDMUL(total_2, y_g, total_1);
                pipe_barrier(PIPE_V);
                TADD(total, total, total_2);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            }
        }
        // y: cast(total, bf16)
        VecB16_128x96 y_tile(t0_half, n0_valid); TASSIGN<0x108c0>(y_tile);  // UB 0x108c0..0x168c0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TCVT(y_tile, total, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        YGm y_out(y + int64_t(t0) * 2048 + int64_t(t0_first) * 2048 + int64_t(n0), {t0_half, n0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void linear_to_out_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *y, __gm__ uint8_t *w, __gm__ bfloat16_t *scale,
    __gm__ bfloat16_t *y_g_1_fifo, __gm__ float *y_g_fifo, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        y, w, scale, y_g_1_fifo, y_g_fifo, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
