// attend_cube1: cube kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles batch 1, kv_heads 1, slots 128; memory L0A 16384 B, L0B 65536 B, L0C 32768 B, L1 81920 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_16x128 = Tile<TileType::Mat, bfloat16_t, 16, 128, BLayout::ColMajor, 16, 128, SLayout::RowMajor, 512>;
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, DYNAMIC, SLayout::RowMajor, 512>;
using LeftB16_16x128 = TileLeft<bfloat16_t, 16, 128, 16, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, DYNAMIC>;
using AccF32_16x128 = TileAcc<float, 16, 128, 16, DYNAMIC>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using OQkGm = GlobalTensor<float, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void attend_cube1(
    __gm__ float *o_qk,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t kv_heads0_slot = 0;  // which of 2 buffers this round of kv_heads0 uses
    int32_t slots0_slot = 0;  // which of 2 buffers this round of slots0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // free for the first round
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4);  // copy 1 is free
    for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk) {
        wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // free again
        for (int32_t kv_heads0 = 0; kv_heads0 < 2; ++kv_heads0, kv_heads0_slot ^= 1) {
            // o: attention(q, k, v, bias=bias[:, None, None, :])  [paged_attention.yaml:40]
            MatB16_16x128 q_tile; TASSIGN(q_tile, 0x00000 + kv_heads0_slot * 0x02000);  // L1 0x00000..0x04000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(3 + kv_heads0_slot));  // free again
            QGm q_in(q + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048);
            TLOAD(q_tile, q_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv_heads0_slot));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv_heads0_slot));
            for (int32_t slots0 = 0; slots0 < pages * 32; slots0 += 128, slots0_slot ^= 1) {
                const int32_t slots0_valid = pages * 32 - slots0 < 128 ? pages * 32 - slots0 : 128;
                MatB16_128x128 k_tile(slots0_valid); TASSIGN(k_tile, 0x04000 + slots0_slot * 0x08000);  // L1 0x04000..0x14000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(slots0_slot));  // free again
                KGm k_in(k + int64_t(batch0) * pages * 8192 + int64_t(kv_heads0) * pages * 4096 + int64_t(slots0) * 128, {slots0_valid});
                TLOAD(k_tile, k_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(slots0_slot));
                LeftB16_16x128 q_tile_l0a; TASSIGN(q_tile_l0a, 0x00000 + slots0_slot * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(slots0_slot));  // free again
                TEXTRACT(q_tile_l0a, q_tile, 0, 0);
                RightB16_128x128 k_tile_l0b(slots0_valid); TASSIGN(k_tile_l0b, 0x00000 + slots0_slot * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(slots0_slot));
                TEXTRACT(k_tile_l0b, k_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(slots0_slot));
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(slots0_slot));
                AccF32_16x128 o_qk_acc(slots0_valid); TASSIGN(o_qk_acc, 0x00000 + slots0_slot * 0x04000);  // L0C 0x00000..0x08000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(slots0_slot));
                wait_flag(PIPE_FIX, PIPE_M, event_t(slots0_slot));  // free again
                TMATMUL(o_qk_acc, q_tile_l0a, k_tile_l0b);
                set_flag(PIPE_M, PIPE_FIX, event_t(slots0_slot));
                set_flag(PIPE_M, PIPE_MTE1, event_t(slots0_slot));
                wait_flag(PIPE_M, PIPE_FIX, event_t(slots0_slot));
                OQkGm o_qk_out(o_qk + int64_t(batch0) * pages * 1024 + int64_t(kv_heads0) * pages * 512 + int64_t(slots0), {slots0_valid}, {int64_t(pages) * 32});
                TSTORE(o_qk_out, o_qk_acc);
                set_flag(PIPE_FIX, PIPE_M, event_t(slots0_slot));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(3 + kv_heads0_slot));
        }
        set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // of the last round
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 1
#endif
}
