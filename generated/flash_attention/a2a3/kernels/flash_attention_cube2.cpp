// flash_attention_cube2: cube kernel of `flash_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages flash_attention; tiles heads 1, kv 128, sq 64; memory L0A 32768 B, L0B 65536 B, L0C 65536 B, L1 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor, 512>;
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, DYNAMIC>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, DYNAMIC, 128>;
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using OPLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using O5Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void flash_attention_cube2(
    __gm__ float *o_5,
    __gm__ bfloat16_t *o_p_low,
    __gm__ bfloat16_t *v,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t kv,
    int32_t sq,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t kv0_slot = 0;  // which of 2 buffers this round of kv0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 64) {
        const int32_t sq0_valid = sq_end - sq0 < 64 ? sq_end - sq0 : 64;
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 128, kv0_slot ^= 1) {
                const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
                // o: attention(q, k, v, scale=scale)  [flash_attention.yaml:22]
                MatB16_64x128 o_p_low_tile(sq0_valid, kv0_valid); TASSIGN(o_p_low_tile, 0x00000 + kv0_slot * 0x04000);  // L1 0x00000..0x08000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + kv0_slot));  // free again
                OPLowGm o_p_low_in(o_p_low + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TLOAD(o_p_low_tile, o_p_low_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv0_slot));
                MatB16_128x128 o_v_block(kv0_valid); TASSIGN(o_v_block, 0x08000 + kv0_slot * 0x08000);  // L1 0x08000..0x18000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv0_slot));  // free again
                VGm v_in(v + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
                TLOAD(o_v_block, v_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv0_slot));
                LeftB16_64x128 o_p_low_tile_l0a(sq0_valid, kv0_valid); TASSIGN(o_p_low_tile_l0a, 0x00000 + kv0_slot * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(kv0_slot));  // free again
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv0_slot));
                TEXTRACT(o_p_low_tile_l0a, o_p_low_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + kv0_slot));
                RightB16_128x128 o_v_block_l0b(kv0_valid); TASSIGN(o_v_block_l0b, 0x00000 + kv0_slot * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv0_slot));
                TEXTRACT(o_v_block_l0b, o_v_block, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(kv0_slot));
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv0_slot));
                AccF32_64x128 o_5_acc(sq0_valid); TASSIGN(o_5_acc, 0x00000 + kv0_slot * 0x08000);  // L0C 0x00000..0x10000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(kv0_slot));
                wait_flag(PIPE_FIX, PIPE_M, event_t(kv0_slot));  // free again
                TMATMUL(o_5_acc, o_p_low_tile_l0a, o_v_block_l0b);
                set_flag(PIPE_M, PIPE_FIX, event_t(kv0_slot));
                set_flag(PIPE_M, PIPE_MTE1, event_t(kv0_slot));
                wait_flag(PIPE_M, PIPE_FIX, event_t(kv0_slot));
                O5Gm o_5_out(o_5 + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128 + int64_t(kv0) * sq * 8, {sq0_valid});
                TSTORE(o_5_out, o_5_acc);
                set_flag(PIPE_FIX, PIPE_M, event_t(kv0_slot));
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
