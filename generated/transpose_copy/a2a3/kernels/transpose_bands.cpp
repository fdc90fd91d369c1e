// y[cols, rows] = x[rows, cols] transposed, in squares of 64 x 64. Blocks take bands of 64 rows of x in turn.
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

extern "C" __global__ AICORE void transpose_bands(__gm__ float *y, __gm__ float *x, int32_t rows, int32_t nblk)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    constexpr int32_t cols = 256;
    using Square = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
    using Turned = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, DYNAMIC>;
    using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, cols, 1>>;
    using YGm = GlobalTensor<float, Shape<1, 1, 1, 64, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
    const int32_t block = static_cast<int32_t>(get_block_idx());
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // the squares are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    for (int32_t r0 = block * 64; r0 < rows; r0 += nblk * 64) {
        const int32_t valid = rows - r0 < 64 ? rows - r0 : 64;
        for (int32_t c0 = 0; c0 < cols; c0 += 64) {
            Square square(valid);
            TASSIGN(square, 0x0000);
            Turned turned(valid);
            TASSIGN(turned, 0x4000);
            Square scratch(valid);
            TASSIGN(scratch, 0x8000);
            XGm from(x + int64_t(r0) * cols + c0, {valid});
            YGm to(y + int64_t(c0) * rows + r0, {valid}, {rows});
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            TLOAD(square, from);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
            TTRANS(turned, square, scratch);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            TSTORE(to, turned);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
#endif
}
