// cross_entropy_vec10: vector kernel of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 4096; memory UB 98816 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF16_1x4096 = Tile<TileType::Vec, half, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecU8_1x512 = Tile<TileType::Vec, uint8_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x4096m = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using CountsGm = GlobalTensor<half, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using Loss1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *loss,
    __gm__ half *counts,
    __gm__ float *loss_1,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 4096; rows0 < rows_end; rows0 += nblk * 4096, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 4096 ? rows_end - rows0 : 4096;
        // loss: where(counts, reshape(total - named, [rows]), 0)
        VecF16_1x4096 counts_tile(rows0_valid); TASSIGN(counts_tile, 0x00000 + rows0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        CountsGm counts_in(counts + int64_t(rows0), {rows0_valid});
        TLOAD(counts_tile, counts_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        VecF32_1x4096 loss_1_tile(rows0_valid); TASSIGN(loss_1_tile, 0x04000 + rows0_buffer * 0x04000);  // UB 0x04000..0x0c000, 2 copies
        Loss1Gm loss_1_in(loss_1 + int64_t(rows0), {rows0_valid});
        TLOAD(loss_1_tile, loss_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        VecU8_1x512 loss_tile_bits; TASSIGN<0x14000>(loss_tile_bits);  // UB 0x14000..0x14200
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        TCMPS(loss_tile_bits, counts_tile, 0.0f, CmpMode::NE);
        VecF32_1x4096 loss_tile(rows0_valid); TASSIGN(loss_tile, 0x0c000 + rows0_buffer * 0x04000);  // UB 0x0c000..0x14000, 2 copies
        VecF32_1x4096m loss_tile_tmp; TASSIGN<0x14200>(loss_tile_tmp);  // UB 0x14200..0x18200
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TSELS(loss_tile, loss_tile_bits, loss_1_tile, loss_tile_tmp, 0.0f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        Loss1Gm loss_out(loss + int64_t(rows0), {rows0_valid});
        TSTORE(loss_out, loss_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec10(
    __gm__ float *loss, __gm__ half *counts, __gm__ float *loss_1, int32_t rows_begin, int32_t rows_end,
    int32_t nblk)
{
    run_block(loss, counts, loss_1, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
