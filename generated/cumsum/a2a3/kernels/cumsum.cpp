// cumsum: vector kernel of `cumsum` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cumsum; tiles i1 768, i2 1; memory UB 12288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x768 = Tile<TileType::Vec, float, 1, 768, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_768x1 = Tile<TileType::Vec, float, 768, 1, BLayout::ColMajor, DYNAMIC, 1>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void cumsum(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i1_slot = 0;  // which of 2 buffers this round of i1 uses
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    for (int32_t i1 = block * 768; i1 < rows; i1 += nblk * 768, i1_slot ^= 1) {
        const int32_t i1_valid = rows - i1 < 768 ? rows - i1 : 768;
        // y: cumsum(x, axis=-1)  [cumsum.yaml:15]
        VecF32_1x768 total_row(i1_valid); TASSIGN(total_row, 0x00000 + i1_slot * 0x00c00);  // as a row, same bytes as total
        TEXPANDS(total_row, 0.0f);
        for (int32_t i2 = 0; i2 < 1024; ++i2, i2_slot ^= 1) {
            VecF32_768x1 part(i1_valid); TASSIGN(part, 0x01800 + i2_slot * 0x00c00);  // UB 0x01800..0x03000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i2_slot));  // free again
            XGm x_in(x + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TLOAD(part, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i2_slot));
            VecF32_1x768 part_row(i1_valid); TASSIGN(part_row, 0x01800 + i2_slot * 0x00c00);  // as a row, same bytes as part
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i2_slot));
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
            TADD(total_row, total_row, part_row);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i2_slot));
            VecF32_768x1 total(i1_valid); TASSIGN(total, 0x00000 + i1_slot * 0x00c00);  // UB 0x00000..0x01800, 2 copies
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            XGm y_out(y + int64_t(i1) * 1024 + int64_t(i2), {i1_valid});
            TSTORE(y_out, total);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        }
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
#endif
}
