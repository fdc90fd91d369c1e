// attend_vec2: vector kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles batch 1, kv_heads 1, slots 128; memory UB 33024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using VecB16_16x128 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, 16, 128>;
using OSumEndGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
using OPvGm = GlobalTensor<float, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void attend_vec2(
    __gm__ bfloat16_t *o,
    __gm__ float *o_alpha,
    __gm__ float *o_pv,
    __gm__ float *o_sum_end,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t batch,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t kv_heads0_slot = 0;  // which of 2 buffers this round of kv_heads0 uses
    int32_t slots0_slot = 0;  // which of 2 buffers this round of slots0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // copy 1 is free
    for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk) {
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free again
        for (int32_t kv_heads0 = 0; kv_heads0 < 2; ++kv_heads0, kv_heads0_slot ^= 1) {
            // o: attention(q, k, v, bias=bias[:, None, None, :])  [paged_attention.yaml:40]
            VecF32_1x16 o_sum_end_tile_row; TASSIGN(o_sum_end_tile_row, 0x04080 + kv_heads0_slot * 0x00040);  // as a row, same bytes as o_sum_end_tile
            wait_flag(PIPE_V, PIPE_MTE2, event_t(5 + kv_heads0_slot));  // free again
            OSumEndGm o_sum_end_in(o_sum_end + int64_t(batch0) * 32 + int64_t(kv_heads0) * 16);
            TLOAD(o_sum_end_tile_row, o_sum_end_in);
            VecF32_16x128 o_acc; TASSIGN(o_acc, 0x06100);  // UB 0x06100..0x08100
            pipe_barrier(PIPE_V);
            TEXPANDS(o_acc, 0.0f);
            for (int32_t slots0 = 0; slots0 < pages * 32; slots0 += 128, slots0_slot ^= 1) {
                const int32_t slots0_valid = pages * 32 - slots0 < 128 ? pages * 32 - slots0 : 128;
                VecF32_1x16 o_alpha_tile_row; TASSIGN(o_alpha_tile_row, 0x00000 + slots0_slot * 0x00040);  // as a row, same bytes as o_alpha_tile
                wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + slots0_slot));  // free again
                OSumEndGm o_alpha_in(o_alpha + int64_t(batch0) * 32 + int64_t(kv_heads0) * 16 + int64_t(batch) * slots0);
                TLOAD(o_alpha_tile_row, o_alpha_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(2 + slots0_slot));
                VecF32_16x128 o_pv_tile; TASSIGN(o_pv_tile, 0x00080 + slots0_slot * 0x02000);  // UB 0x00080..0x04080, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(slots0_slot));  // free again
                OPvGm o_pv_in(o_pv + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048 + int64_t(batch) * slots0 * 32);
                TLOAD(o_pv_tile, o_pv_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(slots0_slot));
                VecF32_16x1 o_alpha_tile; TASSIGN(o_alpha_tile, 0x00000 + slots0_slot * 0x00040);  // UB 0x00000..0x00080, 2 copies
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + slots0_slot));
                TROWEXPANDMUL(o_acc, o_acc, o_alpha_tile);
                set_flag(PIPE_V, PIPE_MTE2, event_t(2 + slots0_slot));
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(slots0_slot));
                TADD(o_acc, o_acc, o_pv_tile);
                set_flag(PIPE_V, PIPE_MTE2, event_t(slots0_slot));
            }
            VecF32_16x128 o_2; TASSIGN(o_2, 0x06100);  // UB 0x06100..0x08100
            VecF32_16x1 o_sum_end_tile; TASSIGN(o_sum_end_tile, 0x04080 + kv_heads0_slot * 0x00040);  // UB 0x04080..0x04100, 2 copies
            pipe_barrier(PIPE_V);
            TROWEXPANDDIV(o_2, o_acc, o_sum_end_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(5 + kv_heads0_slot));
            VecB16_16x128 o_tile; TASSIGN(o_tile, 0x04100 + kv_heads0_slot * 0x01000);  // UB 0x04100..0x06100, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_slot));  // free again
            TCVT(o_tile, o_2, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_slot));
            OGm o_out(o + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048);
            TSTORE(o_out, o_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_slot));
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
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // of the last round of copy 1
#endif
}
