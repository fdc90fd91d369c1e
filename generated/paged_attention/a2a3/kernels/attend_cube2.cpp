// attend_cube2: cube kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles batch 1, kv_heads 1, slots 128; memory L0A 16384 B, L0B 65536 B, L0C 32768 B, L1 81920 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_16x128 = Tile<TileType::Mat, bfloat16_t, 16, 128, BLayout::ColMajor, 16, DYNAMIC, SLayout::RowMajor, 512>;
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftB16_16x128 = TileLeft<bfloat16_t, 16, 128, 16, DYNAMIC>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, DYNAMIC, 128>;
using AccF32_16x128 = TileAcc<float, 16, 128, 16, 128>;
using OPLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OPvGm = GlobalTensor<float, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void attend_cube2(
    __gm__ float *o_pv,
    __gm__ bfloat16_t *o_p_low,
    __gm__ bfloat16_t *v,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t batch,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t slots0_slot = 0;  // which of 2 buffers this round of slots0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk) {
        for (int32_t kv_heads0 = 0; kv_heads0 < 2; ++kv_heads0) {
            for (int32_t slots0 = 0; slots0 < pages * 32; slots0 += 128, slots0_slot ^= 1) {
                const int32_t slots0_valid = pages * 32 - slots0 < 128 ? pages * 32 - slots0 : 128;
                // o: attention(q, k, v, bias=bias[:, None, None, :])  [paged_attention.yaml:40]
                MatB16_16x128 o_p_low_tile(slots0_valid); TASSIGN(o_p_low_tile, 0x00000 + slots0_slot * 0x02000);  // L1 0x00000..0x04000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + slots0_slot));  // free again
                OPLowGm o_p_low_in(o_p_low + int64_t(batch0) * pages * 1024 + int64_t(kv_heads0) * pages * 512 + int64_t(slots0), {slots0_valid}, {int64_t(pages) * 32});
                TLOAD(o_p_low_tile, o_p_low_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + slots0_slot));
                MatB16_128x128 v_tile(slots0_valid); TASSIGN(v_tile, 0x04000 + slots0_slot * 0x08000);  // L1 0x04000..0x14000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(slots0_slot));  // free again
                VGm v_in(v + int64_t(batch0) * pages * 8192 + int64_t(kv_heads0) * pages * 4096 + int64_t(slots0) * 128, {slots0_valid});
                TLOAD(v_tile, v_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(slots0_slot));
                LeftB16_16x128 o_p_low_tile_l0a(slots0_valid); TASSIGN(o_p_low_tile_l0a, 0x00000 + slots0_slot * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(slots0_slot));  // free again
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + slots0_slot));
                TEXTRACT(o_p_low_tile_l0a, o_p_low_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + slots0_slot));
                RightB16_128x128 v_tile_l0b(slots0_valid); TASSIGN(v_tile_l0b, 0x00000 + slots0_slot * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(slots0_slot));
                TEXTRACT(v_tile_l0b, v_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(slots0_slot));
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(slots0_slot));
                AccF32_16x128 o_pv_acc; TASSIGN(o_pv_acc, 0x00000 + slots0_slot * 0x04000);  // L0C 0x00000..0x08000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(slots0_slot));
                wait_flag(PIPE_FIX, PIPE_M, event_t(slots0_slot));  // free again
                TMATMUL(o_pv_acc, o_p_low_tile_l0a, v_tile_l0b);
                set_flag(PIPE_M, PIPE_FIX, event_t(slots0_slot));
                set_flag(PIPE_M, PIPE_MTE1, event_t(slots0_slot));
                wait_flag(PIPE_M, PIPE_FIX, event_t(slots0_slot));
                OPvGm o_pv_out(o_pv + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048 + int64_t(batch) * slots0 * 32);
                TSTORE(o_pv_out, o_pv_acc);
                set_flag(PIPE_FIX, PIPE_M, event_t(slots0_slot));
            }
        }
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
#endif
}
