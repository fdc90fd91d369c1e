// along_rows_vec2: vector kernel of `reductions` for a2a3. Made by pyptogen; change the spec, not this file.
// stages along_rows; tiles i2 12; memory UB 55488 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using Product2Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using ProductGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void along_rows_vec2(
    __gm__ float *product,
    __gm__ float *product_2,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t i2 = block * 12; i2 < rows; i2 += nblk * 12, i2_slot ^= 1) {
        const int32_t i2_valid = rows - i2 < 12 ? rows - i2 : 12;
        // product: prod(1 + x * 0.01)  [reductions.yaml:27]
        VecF32_16x512 part(i2_valid); TASSIGN(part, 0x00080 + i2_slot * 0x06000);  // UB 0x00080..0x0c080, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_slot));  // free again
        Product2Gm product_2_in(product_2 + int64_t(i2) * 512, {i2_valid});
        TLOAD(part, product_2_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(i2_slot));
        VecF32_1x16 total_2_row(i2_valid); TASSIGN(total_2_row, 0x00000 + i2_slot * 0x00040);  // as a row, same bytes as total_2
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_slot));  // free again
        TEXPANDS(total_2_row, 1.0f);
        VecF32_16x1 found(i2_valid); TASSIGN(found, 0x0c080);  // UB 0x0c080..0x0c0c0
        VecF32_16x128 found_tmp(i2_valid); TASSIGN(found_tmp, 0x0c0c0);  // UB 0x0c0c0..0x0d8c0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_slot));
        TROWPROD(found, part, found_tmp);
        set_flag(PIPE_V, PIPE_MTE2, event_t(i2_slot));
        VecF32_1x16 found_row(i2_valid); TASSIGN(found_row, 0x0c080);  // as a row, same bytes as found
        pipe_barrier(PIPE_V);
        TMUL(total_2_row, total_2_row, found_row);
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_slot));
        ProductGm product_out(product + int64_t(i2), {i2_valid});
        TSTORE(product_out, total_2_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
