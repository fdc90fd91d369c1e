// turn_vec5: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, kv_heads 1, t 32; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using QTurnedRopedGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using QTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KTurnedRopedGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
using KTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec5(
    __gm__ bfloat16_t *q_turned,
    __gm__ bfloat16_t *k_turned,
    __gm__ float *q_turned_roped,
    __gm__ float *k_turned_roped,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t heads0_slot = 0;  // which of 2 buffers this round of heads0 uses
    int32_t kv_heads0_slot = 0;  // which of 2 buffers this round of kv_heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk, heads0_slot ^= 1) {
            // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
            VecF32_32x128 q_turned_roped_tile(t0_valid); TASSIGN(q_turned_roped_tile, 0x00000 + heads0_slot * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_slot));  // free again
            QTurnedRopedGm q_turned_roped_in(q_turned_roped + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(q_turned_roped_tile, q_turned_roped_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_slot));
            VecB16_32x128 q_turned_tile(t0_valid); TASSIGN(q_turned_tile, 0x08000 + heads0_slot * 0x02000);  // UB 0x08000..0x0c000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + heads0_slot));  // free again
            TCVT(q_turned_tile, q_turned_roped_tile, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + heads0_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + heads0_slot));
            QTurnedGm q_turned_out(q_turned + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TSTORE(q_turned_out, q_turned_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + heads0_slot));
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0, kv_heads0_slot ^= 1) {
                // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                VecF32_32x128 k_turned_roped_tile(t0_valid); TASSIGN(k_turned_roped_tile, 0x0c000 + kv_heads0_slot * 0x04000);  // UB 0x0c000..0x14000, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(kv_heads0_slot));  // free again
                KTurnedRopedGm k_turned_roped_in(k_turned_roped + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TLOAD(k_turned_roped_tile, k_turned_roped_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(kv_heads0_slot));
                VecB16_32x128 k_turned_tile(t0_valid); TASSIGN(k_turned_tile, 0x14000 + kv_heads0_slot * 0x02000);  // UB 0x14000..0x18000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_V, event_t(kv_heads0_slot));
                wait_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_slot));  // free again
                TCVT(k_turned_tile, k_turned_roped_tile, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_slot));
                set_flag(PIPE_V, PIPE_MTE2, event_t(kv_heads0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_slot));
                KTurnedGm k_turned_out(k_turned + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TSTORE(k_turned_out, k_turned_tile);
                set_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_slot));
            }
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
#endif
}
