// add_vec3: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add; tiles i1 1, i2 96, i3 64; memory UB 50304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x96 = Tile<TileType::Vec, float, 1, 96, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x96 = Tile<TileType::Vec, float, 64, 96, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using EachGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 128, 1>>;
using Y1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_vec3(
    __gm__ float *y_1,
    __gm__ float *each,
    int32_t bag,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t i2_slot = 0;  // which of 2 buffers this round of i2 uses
    int32_t i3_slot = 0;  // which of 2 buffers this round of i3 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        for (int32_t i2 = 0; i2 < 128; i2 += 96, i2_slot ^= 1) {
            const int32_t i2_valid = 128 - i2 < 96 ? 128 - i2 : 96;
            // y: cast(sum(each, axis=1), bf16)  [embedding_bag.yaml:23]
            VecF32_1x96 total(i2_valid); TASSIGN(total, 0x00000 + i2_slot * 0x00180);  // UB 0x00000..0x00300, 2 copies
            wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_slot));  // free again
            TEXPANDS(total, 0.0f);
            for (int32_t i3 = 0; i3 < bag; i3 += 64, i3_slot ^= 1) {
                const int32_t i3_valid = bag - i3 < 64 ? bag - i3 : 64;
                VecF32_64x96 part(i3_valid, i2_valid); TASSIGN(part, 0x00300 + i3_slot * 0x06000);  // UB 0x00300..0x0c300, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(i3_slot));  // free again
                EachGm each_in(each + int64_t(bag) * i1 * 128 + int64_t(i3) * 128 + int64_t(i2), {i3_valid, i2_valid});
                TLOAD(part, each_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(i3_slot));
                VecF32_1x96 found(i2_valid); TASSIGN(found, 0x0c300);  // UB 0x0c300..0x0c480
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(i3_slot));
                TCOLSUM(found, part);
                set_flag(PIPE_V, PIPE_MTE2, event_t(i3_slot));
                pipe_barrier(PIPE_V);
                TADD(total, total, found);
            }
            set_flag(PIPE_V, PIPE_MTE3, event_t(i2_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_slot));
            Y1Gm y_1_out(y_1 + int64_t(i1) * 128 + int64_t(i2), {i2_valid});
            TSTORE(y_1_out, total);
            set_flag(PIPE_MTE3, PIPE_V, event_t(i2_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
