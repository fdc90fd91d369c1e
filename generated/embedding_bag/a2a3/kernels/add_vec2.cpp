// add_vec2: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add; tiles bag 1, t 1; memory UB 2112 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using Each2Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using Each3Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_vec2(
    __gm__ float *each,
    __gm__ float *each_2,
    __gm__ float *each_3,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t bag0_slot = 0;  // which of 2 buffers this round of bag0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        for (int32_t bag0 = 0; bag0 < bag; ++bag0, bag0_slot ^= 1) {
            // each: cast(reshape(rows, [t, bag, h]), fp32) * cast(there, fp32)[:, :, None]  [embedding_bag.yaml:22]
            VecF32_8x128_r1 each_2_tile; TASSIGN(each_2_tile, 0x00000 + bag0_slot * 0x00200);  // UB 0x00000..0x00400, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(bag0_slot));  // free again
            Each2Gm each_2_in(each_2 + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128);
            TLOAD(each_2_tile, each_2_in);
            VecF32_1x8_c1 each_3_tile_row; TASSIGN(each_3_tile_row, 0x00400 + bag0_slot * 0x00020);  // as a row, same bytes as each_3_tile
            Each3Gm each_3_in(each_3 + int64_t(bag) * t0 + int64_t(bag0));
            TLOAD(each_3_tile_row, each_3_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(bag0_slot));
            VecF32_8x128_r1 each_tile; TASSIGN(each_tile, 0x00440 + bag0_slot * 0x00200);  // UB 0x00440..0x00840, 2 copies
            VecF32_8x1_r1 each_3_tile; TASSIGN(each_3_tile, 0x00400 + bag0_slot * 0x00020);  // UB 0x00400..0x00440, 2 copies
            wait_flag(PIPE_MTE2, PIPE_V, event_t(bag0_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(bag0_slot));  // free again
            TROWEXPANDMUL(each_tile, each_2_tile, each_3_tile);
            set_flag(PIPE_V, PIPE_MTE3, event_t(bag0_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(bag0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(bag0_slot));
            Each2Gm each_out(each + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128);
            TSTORE(each_out, each_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(bag0_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
