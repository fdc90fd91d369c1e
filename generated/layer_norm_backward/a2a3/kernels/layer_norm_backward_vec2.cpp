// layer_norm_backward_vec2: vector kernel of `layer_norm_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages layer_norm_backward; tiles cols 96, rows 96; memory UB 110976 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_96x96 = Tile<TileType::Vec, float, 96, 96, BLayout::RowMajor, 96, DYNAMIC>;
using VecF32_96x96m = Tile<TileType::Vec, float, 96, 96, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_48x96 = Tile<TileType::Vec, float, 48, 96, BLayout::RowMajor, 48, DYNAMIC>;
using VecF32_24x96 = Tile<TileType::Vec, float, 24, 96, BLayout::RowMajor, 24, DYNAMIC>;
using VecF32_12x96 = Tile<TileType::Vec, float, 12, 96, BLayout::RowMajor, 12, DYNAMIC>;
using VecF32_6x96 = Tile<TileType::Vec, float, 6, 96, BLayout::RowMajor, 6, DYNAMIC>;
using VecF32_1x96 = Tile<TileType::Vec, float, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using DGamma1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 4096, 1>>;
using DGammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ float *d_gamma,
    __gm__ float *d_gamma_1,
    int32_t rows,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t cols0 = block * 96; cols0 < 4096; cols0 += nblk * 96) {
        const int32_t cols0_valid = 4096 - cols0 < 96 ? 4096 - cols0 : 96;
        // d_gamma: sum(d_y * n, axis=0)
        VecF32_96x96 d_gamma_2_rows(cols0_valid); TASSIGN<0x12180>(d_gamma_2_rows);  // UB 0x12180..0x1b180
        pipe_barrier(PIPE_V);
        TEXPANDS(d_gamma_2_rows, 0.0f);
        for (int32_t rows0 = 0; rows0 < rows; rows0 += 96, rows0_buffer ^= 1) {
            const int32_t rows0_valid = rows - rows0 < 96 ? rows - rows0 : 96;
            VecF32_96x96m d_gamma_1_tile(rows0_valid, cols0_valid); TASSIGN(d_gamma_1_tile, 0x00000 + rows0_buffer * 0x09000);  // UB 0x00000..0x12000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
            DGamma1Gm d_gamma_1_in(d_gamma_1 + int64_t(rows0) * 4096 + int64_t(cols0), {rows0_valid, cols0_valid});
            TLOAD(d_gamma_1_tile, d_gamma_1_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            VecF32_96x96m d_gamma_2_rows_here(rows0_valid, cols0_valid); TASSIGN<0x12180>(d_gamma_2_rows_here);  // rows 0.. of d_gamma_2_rows
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
            TADD(d_gamma_2_rows_here, d_gamma_2_rows_here, d_gamma_1_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        }
        VecF32_48x96 d_gamma_2_folded(cols0_valid); TASSIGN<0x12180>(d_gamma_2_folded);  // UB 0x12180..0x16980
        VecF32_48x96 d_gamma_2_rows_48(cols0_valid); TASSIGN<0x12180>(d_gamma_2_rows_48);  // rows 0.. of d_gamma_2_rows
        VecF32_48x96 d_gamma_2_rows_from_48(cols0_valid); TASSIGN<0x16980>(d_gamma_2_rows_from_48);  // rows 48.. of d_gamma_2_rows
        pipe_barrier(PIPE_V);
        TADD(d_gamma_2_folded, d_gamma_2_rows_48, d_gamma_2_rows_from_48);
        VecF32_24x96 d_gamma_2_folded_24(cols0_valid); TASSIGN<0x12180>(d_gamma_2_folded_24);  // rows 0.. of d_gamma_2_folded
        VecF32_24x96 d_gamma_2_folded_from_24(cols0_valid); TASSIGN<0x14580>(d_gamma_2_folded_from_24);  // rows 24.. of d_gamma_2_folded
        pipe_barrier(PIPE_V);
        TADD(d_gamma_2_folded_24, d_gamma_2_folded_24, d_gamma_2_folded_from_24);
        VecF32_12x96 d_gamma_2_folded_12(cols0_valid); TASSIGN<0x12180>(d_gamma_2_folded_12);  // rows 0.. of d_gamma_2_folded
        VecF32_12x96 d_gamma_2_folded_from_12(cols0_valid); TASSIGN<0x13380>(d_gamma_2_folded_from_12);  // rows 12.. of d_gamma_2_folded
        pipe_barrier(PIPE_V);
        TADD(d_gamma_2_folded_12, d_gamma_2_folded_12, d_gamma_2_folded_from_12);
        VecF32_6x96 d_gamma_2_folded_6(cols0_valid); TASSIGN<0x12180>(d_gamma_2_folded_6);  // rows 0.. of d_gamma_2_folded
        VecF32_6x96 d_gamma_2_folded_from_6(cols0_valid); TASSIGN<0x12a80>(d_gamma_2_folded_from_6);  // rows 6.. of d_gamma_2_folded
        pipe_barrier(PIPE_V);
        TADD(d_gamma_2_folded_6, d_gamma_2_folded_6, d_gamma_2_folded_from_6);
        VecF32_1x96 d_gamma_2(cols0_valid); TASSIGN<0x12000>(d_gamma_2);  // UB 0x12000..0x12180
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCOLSUM(d_gamma_2, d_gamma_2_folded_6);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        DGammaGm d_gamma_out(d_gamma + int64_t(cols0), {cols0_valid});
        TSTORE(d_gamma_out, d_gamma_2);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void layer_norm_backward_vec2(
    __gm__ float *d_gamma, __gm__ float *d_gamma_1, int32_t rows, int32_t nblk)
{
    run_block(d_gamma, d_gamma_1, rows, nblk, static_cast<int32_t>(get_block_idx()));
}
