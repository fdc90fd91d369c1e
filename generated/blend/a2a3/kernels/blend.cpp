// blend: vector kernel of `blend` for a2a3. Made by pyptogen; change the spec, not this file.
// stages blend; tiles rows 16; memory UB 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, 8, 1024>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, 8, 1024>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ float *a,
    __gm__ float *b,
    float alpha,
    float beta,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    for (int32_t i0 = rows_begin + block * 16; i0 < rows_end; i0 += nblk * 16) {
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        // a0: load(a[16*i:16*i+8, :])
        VecF32_8x1024 a0; TASSIGN<0x00000>(a0);  // UB 0x00000..0x08000
        AGm a_in(a + int64_t(i0) * 1024);
        TLOAD(a0, a_in);
        // b0: load(b[16*i:16*i+8, :])
        VecF32_8x1024 b0; TASSIGN<0x08000>(b0);  // UB 0x08000..0x10000
        AGm b_in(b + int64_t(i0) * 1024);
        TLOAD(b0, b_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
        // a1: load(a[16*i+8:16*i+16, :])
        VecF32_8x1024 a1; TASSIGN<0x10000>(a1);  // UB 0x10000..0x18000
        AGm a_in_2(a + int64_t(i0) * 1024 + 8192);
        TLOAD(a1, a_in_2);
        // b1: load(b[16*i+8:16*i+16, :])
        VecF32_8x1024 b1; TASSIGN<0x18000>(b1);  // UB 0x18000..0x20000
        AGm b_in_2(b + int64_t(i0) * 1024 + 8192);
        TLOAD(b1, b_in_2);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        // a0: muls(a0, alpha)
        TMULS(a0, a0, alpha);
        // b0: muls(b0, beta)
        TMULS(b0, b0, beta);
        pipe_barrier(PIPE_V);
        // a0: add(a0, b0)
        TADD(a0, a0, b0);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        // a1: muls(a1, alpha)
        TMULS(a1, a1, alpha);
        // b1: muls(b1, beta)
        TMULS(b1, b1, beta);
        pipe_barrier(PIPE_V);
        // a1: add(a1, b1)
        TADD(a1, a1, b1);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        // store(a0, y[16*i:16*i+8, :])
        AGm y_out(y + int64_t(i0) * 1024);
        TSTORE(y_out, a0);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        // store(a1, y[16*i+8:16*i+16, :])
        AGm y_out_2(y + int64_t(i0) * 1024 + 8192);
        TSTORE(y_out_2, a1);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
#endif
}

}  // namespace

extern "C" __global__ AICORE void blend(
    __gm__ float *y, __gm__ float *a, __gm__ float *b, float alpha, float beta, int32_t rows_begin,
    int32_t rows_end, int32_t nblk)
{
    run_block(y, a, b, alpha, beta, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
