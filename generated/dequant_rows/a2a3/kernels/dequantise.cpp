// dequantise: vector kernel of `dequant_rows` for a2a3. Made by pyptogen; change the spec, not this file.
// stages dequantise; tiles rows 16; memory UB 98368 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_16x1024 = Tile<TileType::Vec, int32_t, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1024 = Tile<TileType::Vec, float, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_16x1024 = Tile<TileType::Vec, bfloat16_t, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using AccGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using ScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ int32_t *acc,
    __gm__ float *scale,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    for (int32_t i0 = rows_begin + block * 16; i0 < rows_end; i0 += nblk * 16) {
        const int32_t i0_valid = rows_end - i0 < 16 ? rows_end - i0 : 16;
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        // TLOAD(at, acc[16*i:16*i+16, :])
        VecI32_16x1024 at(i0_valid); TASSIGN<0x00000>(at);  // UB 0x00000..0x10000
        AccGm acc_in(acc + int64_t(i0) * 1024, {i0_valid});
        TLOAD(at, acc_in);
        // TLOAD(st_row, scale[16*i:16*i+16, 0])
        VecF32_1x16 st_row(i0_valid); TASSIGN<0x18000>(st_row);  // UB 0x18000..0x18040
        ScaleGm scale_in(scale + int64_t(i0), {i0_valid});
        TLOAD(st_row, scale_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        // TCVT(ft, at, rint)
        VecF32_16x1024 ft(i0_valid); TASSIGN<0x00000>(ft);  // UB 0x00000..0x10000
        TCVT(ft, at, RoundMode::CAST_RINT, SaturationMode::ON);
        pipe_barrier(PIPE_V);
        // TROWEXPANDMUL(ft, ft, st)
        VecF32_16x1 st(i0_valid); TASSIGN<0x18000>(st);  // UB 0x18000..0x18040
        TROWEXPANDMUL(ft, ft, st);
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        // TCVT(yt, ft, rint)
        VecB16_16x1024 yt(i0_valid); TASSIGN<0x10000>(yt);  // UB 0x10000..0x18000
        TCVT(yt, ft, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        // TSTORE(y[16*i:16*i+16, :], yt)
        YGm y_out(y + int64_t(i0) * 1024, {i0_valid});
        TSTORE(y_out, yt);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
#endif
}

}  // namespace

extern "C" __global__ AICORE void dequantise(
    __gm__ bfloat16_t *y, __gm__ int32_t *acc, __gm__ float *scale, int32_t rows_begin, int32_t rows_end,
    int32_t nblk)
{
    run_block(y, acc, scale, rows_begin, rows_end, nblk, static_cast<int32_t>(get_block_idx()));
}
