// flash_attention_vec2: vector kernel of `flash_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages flash_attention; tiles heads 1, kv 128, sq 64; memory UB 132096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using OSumEndGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using O5Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void flash_attention_vec2(
    __gm__ bfloat16_t *o,
    __gm__ float *o_alpha,
    __gm__ float *o_5,
    __gm__ float *o_sum_end,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t kv,
    int32_t sq,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t heads0_slot = 0;  // which of 2 buffers this round of heads0 uses
    int32_t kv0_slot = 0;  // which of 2 buffers this round of kv0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free for the first round
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 64) {
        const int32_t sq0_valid = sq_end - sq0 < 64 ? sq_end - sq0 : 64;
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free again
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk, heads0_slot ^= 1) {
            // o: attention(q, k, v, scale=scale)  [flash_attention.yaml:22]
            VecF32_1x64 o_sum_end_tile_row(sq0_valid); TASSIGN(o_sum_end_tile_row, 0x10200 + heads0_slot * 0x00100);  // as a row, same bytes as o_sum_end_tile
            OSumEndGm o_sum_end_in(o_sum_end + int64_t(heads0) * sq + int64_t(sq0), {sq0_valid});
            TLOAD(o_sum_end_tile_row, o_sum_end_in);
            VecF32_64x128 o_o_acc(sq0_valid); TASSIGN(o_o_acc, 0x18400);  // UB 0x18400..0x20400
            pipe_barrier(PIPE_V);
            TEXPANDS(o_o_acc, 0.0f);
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 128, kv0_slot ^= 1) {
                const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
                VecF32_1x64 o_alpha_tile_row(sq0_valid); TASSIGN(o_alpha_tile_row, 0x00000 + kv0_slot * 0x00100);  // as a row, same bytes as o_alpha_tile
                wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_slot));  // free again
                OSumEndGm o_alpha_in(o_alpha + int64_t(heads0) * sq + int64_t(kv0) * sq + int64_t(sq0), {sq0_valid});
                TLOAD(o_alpha_tile_row, o_alpha_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv0_slot));
                VecF32_64x128 o_5_tile(sq0_valid); TASSIGN(o_5_tile, 0x00200 + kv0_slot * 0x08000);  // UB 0x00200..0x10200, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_slot));  // free again
                O5Gm o_5_in(o_5 + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128 + int64_t(kv0) * sq * 8, {sq0_valid});
                TLOAD(o_5_tile, o_5_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_slot));
                VecF32_64x1 o_alpha_tile(sq0_valid); TASSIGN(o_alpha_tile, 0x00000 + kv0_slot * 0x00100);  // UB 0x00000..0x00200, 2 copies
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv0_slot));
                TROWEXPANDMUL(o_o_acc, o_o_acc, o_alpha_tile);
                set_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_slot));
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_slot));
                TADD(o_o_acc, o_o_acc, o_5_tile);
                set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_slot));
            }
            VecF32_64x128 o_7(sq0_valid); TASSIGN(o_7, 0x18400);  // UB 0x18400..0x20400
            VecF32_64x1 o_sum_end_tile(sq0_valid); TASSIGN(o_sum_end_tile, 0x10200 + heads0_slot * 0x00100);  // UB 0x10200..0x10400, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDDIV(o_7, o_o_acc, o_sum_end_tile);
            VecB16_64x128 o_tile(sq0_valid); TASSIGN(o_tile, 0x10400 + heads0_slot * 0x04000);  // UB 0x10400..0x18400, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_slot));  // free again
            TCVT(o_tile, o_7, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_slot));
            OGm o_out(o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
            TSTORE(o_out, o_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_slot));
        }
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round
#endif
}
