// layer_norm_backward_vec1: vector kernel of `layer_norm_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages layer_norm_backward; tiles rows 1; memory UB 148032 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x4096_c2048_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 2048>;
using VecF32_8x4096_c1024_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 1024>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using GammaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;

AICORE inline void run_block(
    __gm__ float *d_x,
    __gm__ float *d_gamma_1,
    __gm__ float *x,
    __gm__ float *d_y,
    __gm__ float *gamma,
    float eps,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    // g: d_y * gamma
    VecF32_1x4096 gamma_tile; TASSIGN<0x18000>(gamma_tile);  // UB 0x18000..0x1c000
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk, rows0_buffer ^= 1) {
        // c: x - mean(x, axis=-1, keepdim=true)
        VecF32_8x4096_r1 x_tile; TASSIGN(x_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));  // free again
        XGm x_in(x + int64_t(rows0) * 4096);
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        // g: d_y * gamma
        VecF32_8x4096_r1 d_y_tile; TASSIGN(d_y_tile, 0x08000 + rows0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        XGm d_y_in(d_y + int64_t(rows0) * 4096);
        TLOAD(d_y_tile, d_y_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        // c: x - mean(x, axis=-1, keepdim=true)
        VecF32_8x4096_r1 c_1; TASSIGN(c_1, 0x1c000);  // UB 0x1c000..0x20000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        TMULS(c_1, x_tile, 0.00024414062f);
        VecF32_8x4096_c2048_r1 c_1_2048; TASSIGN(c_1_2048, 0x1c000);  // columns 0.. of c_1
        VecF32_8x4096_c2048_r1 c_1_from_2048; TASSIGN(c_1_from_2048, 0x1e000);  // columns 2048.. of c_1
        pipe_barrier(PIPE_V);
        TADD(c_1_2048, c_1_2048, c_1_from_2048);
        VecF32_8x4096_c1024_r1 c_1_1024; TASSIGN(c_1_1024, 0x1c000);  // columns 0.. of c_1
        VecF32_8x4096_c1024_r1 c_1_from_1024; TASSIGN(c_1_from_1024, 0x1d000);  // columns 1024.. of c_1
        pipe_barrier(PIPE_V);
        TADD(c_1_1024, c_1_1024, c_1_from_1024);
        VecF32_8x1_r1 c_2; TASSIGN<0x20000>(c_2);  // UB 0x20000..0x20020
        VecF32_8x128_r1 c_2_tmp; TASSIGN<0x20020>(c_2_tmp);  // UB 0x20020..0x20220
        pipe_barrier(PIPE_V);
        TROWSUM(c_2, c_1_1024, c_2_tmp);
        VecF32_8x4096_r1 c; TASSIGN(c, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(c, x_tile, c_2);
        // r: rsqrt(mean(c * c, axis=-1, keepdim=true) + eps)
        VecF32_8x4096_r1 r_1; TASSIGN(r_1, 0x1c000);  // UB 0x1c000..0x20000
        pipe_barrier(PIPE_V);
        TMUL(r_1, c, c);
        VecF32_8x4096_r1 r_2; TASSIGN(r_2, 0x1c000);  // UB 0x1c000..0x20000
        pipe_barrier(PIPE_V);
        TMULS(r_2, r_1, 0.00024414062f);
        VecF32_8x4096_c2048_r1 r_2_2048; TASSIGN(r_2_2048, 0x1c000);  // columns 0.. of r_2
        VecF32_8x4096_c2048_r1 r_2_from_2048; TASSIGN(r_2_from_2048, 0x1e000);  // columns 2048.. of r_2
        pipe_barrier(PIPE_V);
        TADD(r_2_2048, r_2_2048, r_2_from_2048);
        VecF32_8x4096_c1024_r1 r_2_1024; TASSIGN(r_2_1024, 0x1c000);  // columns 0.. of r_2
        VecF32_8x4096_c1024_r1 r_2_from_1024; TASSIGN(r_2_from_1024, 0x1d000);  // columns 1024.. of r_2
        pipe_barrier(PIPE_V);
        TADD(r_2_1024, r_2_1024, r_2_from_1024);
        VecF32_8x1_r1 r_3; TASSIGN<0x20000>(r_3);  // UB 0x20000..0x20020
        VecF32_8x128_r1 r_3_tmp; TASSIGN<0x20020>(r_3_tmp);  // UB 0x20020..0x20220
        pipe_barrier(PIPE_V);
        TROWSUM(r_3, r_2_1024, r_3_tmp);
        VecF32_1x8_c1 r_4_row; TASSIGN<0x1c000>(r_4_row);  // as a row, same bytes as r_4
        VecF32_1x8_c1 r_3_row; TASSIGN<0x20000>(r_3_row);  // as a row, same bytes as r_3
        pipe_barrier(PIPE_V);
        TADDS(r_4_row, r_3_row, eps);
        VecF32_1x8_c1 r_row; TASSIGN<0x1c000>(r_row);  // as a row, same bytes as r
        pipe_barrier(PIPE_V);
        TRSQRT(r_row, r_4_row);
        // n: c * r
        VecF32_8x4096_r1 n; TASSIGN(n, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        VecF32_8x1_r1 r; TASSIGN<0x1c000>(r);  // UB 0x1c000..0x1c020
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(n, c, r);
        // g: d_y * gamma
        VecF32_8x4096_r1 g; TASSIGN(g, 0x1c020);  // UB 0x1c020..0x20020
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        TCOLEXPANDMUL(g, d_y_tile, gamma_tile);
        // d_x: (g - mean(g, axis=-1, keepdim=true) - n * mean(g * n, axis=-1, keepdim=true)) * r
        VecF32_8x4096_r1 d_x_1; TASSIGN(d_x_1, 0x20020);  // UB 0x20020..0x24020
        pipe_barrier(PIPE_V);
        TMULS(d_x_1, g, 0.00024414062f);
        VecF32_8x4096_c2048_r1 d_x_1_2048; TASSIGN(d_x_1_2048, 0x20020);  // columns 0.. of d_x_1
        VecF32_8x4096_c2048_r1 d_x_1_from_2048; TASSIGN(d_x_1_from_2048, 0x22020);  // columns 2048.. of d_x_1
        pipe_barrier(PIPE_V);
        TADD(d_x_1_2048, d_x_1_2048, d_x_1_from_2048);
        VecF32_8x4096_c1024_r1 d_x_1_1024; TASSIGN(d_x_1_1024, 0x20020);  // columns 0.. of d_x_1
        VecF32_8x4096_c1024_r1 d_x_1_from_1024; TASSIGN(d_x_1_from_1024, 0x21020);  // columns 1024.. of d_x_1
        pipe_barrier(PIPE_V);
        TADD(d_x_1_1024, d_x_1_1024, d_x_1_from_1024);
        VecF32_8x1_r1 d_x_2; TASSIGN<0x24020>(d_x_2);  // UB 0x24020..0x24040
        VecF32_8x128_r1 d_x_2_tmp; TASSIGN<0x24040>(d_x_2_tmp);  // UB 0x24040..0x24240
        pipe_barrier(PIPE_V);
        TROWSUM(d_x_2, d_x_1_1024, d_x_2_tmp);
        VecF32_8x4096_r1 d_x_3; TASSIGN(d_x_3, 0x10000 + rows0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(d_x_3, g, d_x_2);
        VecF32_8x4096_r1 d_x_4; TASSIGN(d_x_4, 0x1c020);  // UB 0x1c020..0x20020
        pipe_barrier(PIPE_V);
        TMUL(d_x_4, g, n);
        VecF32_8x4096_r1 d_x_5; TASSIGN(d_x_5, 0x1c020);  // UB 0x1c020..0x20020
        pipe_barrier(PIPE_V);
        TMULS(d_x_5, d_x_4, 0.00024414062f);
        VecF32_8x4096_c2048_r1 d_x_5_2048; TASSIGN(d_x_5_2048, 0x1c020);  // columns 0.. of d_x_5
        VecF32_8x4096_c2048_r1 d_x_5_from_2048; TASSIGN(d_x_5_from_2048, 0x1e020);  // columns 2048.. of d_x_5
        pipe_barrier(PIPE_V);
        TADD(d_x_5_2048, d_x_5_2048, d_x_5_from_2048);
        VecF32_8x4096_c1024_r1 d_x_5_1024; TASSIGN(d_x_5_1024, 0x1c020);  // columns 0.. of d_x_5
        VecF32_8x4096_c1024_r1 d_x_5_from_1024; TASSIGN(d_x_5_from_1024, 0x1d020);  // columns 1024.. of d_x_5
        pipe_barrier(PIPE_V);
        TADD(d_x_5_1024, d_x_5_1024, d_x_5_from_1024);
        VecF32_8x1_r1 d_x_6; TASSIGN<0x20020>(d_x_6);  // UB 0x20020..0x20040
        VecF32_8x128_r1 d_x_6_tmp; TASSIGN<0x20040>(d_x_6_tmp);  // UB 0x20040..0x20240
        pipe_barrier(PIPE_V);
        TROWSUM(d_x_6, d_x_5_1024, d_x_6_tmp);
        VecF32_8x4096_r1 d_x_7; TASSIGN(d_x_7, 0x1c020);  // UB 0x1c020..0x20020
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(d_x_7, n, d_x_6);
        pipe_barrier(PIPE_V);
        TSUB(d_x_3, d_x_3, d_x_7);
        VecF32_8x4096_r1 d_x_tile; TASSIGN(d_x_tile, 0x10000 + rows0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(d_x_tile, d_x_3, r);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // d_gamma: sum(d_y * n, axis=0)
        VecF32_8x4096_r1 d_gamma_1_tile; TASSIGN(d_gamma_1_tile, 0x00000 + rows0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        TMUL(d_gamma_1_tile, d_y_tile, n);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // d_x: (g - mean(g, axis=-1, keepdim=true) - n * mean(g * n, axis=-1, keepdim=true)) * r
        XGm d_x_out(d_x + int64_t(rows0) * 4096);
        TSTORE(d_x_out, d_x_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        // d_gamma: sum(d_y * n, axis=0)
        XGm d_gamma_1_out(d_gamma_1 + int64_t(rows0) * 4096);
        TSTORE(d_gamma_1_out, d_gamma_1_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(rows0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void layer_norm_backward_vec1(
    __gm__ float *d_x, __gm__ float *d_gamma_1, __gm__ float *x, __gm__ float *d_y, __gm__ float *gamma, float eps,
    int32_t rows_begin, int32_t rows_end, int32_t nblk)
{
    run_block(
        d_x, d_gamma_1, x, d_y, gamma, eps, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
