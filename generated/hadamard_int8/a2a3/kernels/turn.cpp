// turn: cube kernel of `hadamard_int8` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles rows 64; memory L0A 32768 B, L0B 65536 B, L0C 65536 B, L1 65536 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512>;
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using AccF32_64x128 = TileAccCompact<float, 64, 128, DYNAMIC, 128>;
using HGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using RGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *r,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *h,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    // r: matmul(x, h, dtype=fp32)
    MatB16_128x128 h_tile; TASSIGN<0x08000>(h_tile);  // L1 0x08000..0x10000
    HGm h_in(h);
    TLOAD(h_tile, h_in);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 64; rows0 < rows_end; rows0 += nblk * 64, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 64 ? rows_end - rows0 : 64;
        MatB16_64x128 x_tile(rows0_valid); TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 128, {rows0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(rows0_buffer));
        LeftB16_64x128 x_tile_l0a(rows0_valid); TASSIGN(x_tile_l0a, 0x00000 + rows0_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(rows0_buffer));
        wait_flag(PIPE_M, PIPE_MTE1, event_t(rows0_buffer));  // free again
        TEXTRACT(x_tile_l0a, x_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(rows0_buffer));
        RightB16_128x128 h_tile_l0b; TASSIGN(h_tile_l0b, 0x00000 + rows0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
        TEXTRACT(h_tile_l0b, h_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, event_t(rows0_buffer));
        AccF32_64x128 r_acc(rows0_valid); TASSIGN(r_acc, 0x00000 + rows0_buffer * 0x08000);  // L0C 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, event_t(rows0_buffer));
        TMATMUL<AccPhase::Final>(r_acc, x_tile_l0a, h_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, event_t(rows0_buffer));
        RGm r_out(r + int64_t(rows0) * 128, {rows0_valid});
        TSTORE<STPhase::Final>(r_out, r_acc);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void turn(
    __gm__ float *r, __gm__ bfloat16_t *x, __gm__ bfloat16_t *h, int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(r, x, h, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
