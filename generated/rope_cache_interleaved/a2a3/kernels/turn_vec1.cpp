// turn_vec1: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles cos_tile_2_at 1, cos_tile_at 1, heads 1, k_tile_2_at 1, k_tile_at 1, kv_heads 1, q_tile_2_at 1, q_tile_at 1, sin_tile_2_at 1, sin_tile_at 1, t 32; memory UB 135168 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_64x16_c1 = Tile<TileType::Vec, bfloat16_t, 64, 16, BLayout::RowMajor, 64, 1>;
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 1>, Stride<1, 1, 1, 2, 1>>;
using QTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 1024, 1>>;
using KTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec1(
    __gm__ bfloat16_t *q_turned_even,
    __gm__ bfloat16_t *q_turned_odd,
    __gm__ bfloat16_t *k_turned_even,
    __gm__ bfloat16_t *k_turned_odd,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *k,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t cos_tile_at_slot = 0;  // which of 2 buffers this round of cos_tile_at uses
    int32_t cos_tile_2_at_slot = 0;  // which of 2 buffers this round of cos_tile_2_at uses
    int32_t sin_tile_at_slot = 0;  // which of 2 buffers this round of sin_tile_at uses
    int32_t sin_tile_2_at_slot = 0;  // which of 2 buffers this round of sin_tile_2_at uses
    int32_t heads0_slot = 0;  // which of 2 buffers this round of heads0 uses
    int32_t q_tile_at_slot = 0;  // which of 2 buffers this round of q_tile_at uses
    int32_t q_tile_2_at_slot = 0;  // which of 2 buffers this round of q_tile_2_at uses
    int32_t kv_heads0_slot = 0;  // which of 2 buffers this round of kv_heads0 uses
    int32_t k_tile_at_slot = 0;  // which of 2 buffers this round of k_tile_at uses
    int32_t k_tile_2_at_slot = 0;  // which of 2 buffers this round of k_tile_2_at uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID6);  // copy 1 is free
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        for (int32_t cos_tile_at = 0; cos_tile_at < t0_valid; ++cos_tile_at, cos_tile_at_slot ^= 1) {
            // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
            VecB16_64x16_c1 cos_tile_apart; TASSIGN(cos_tile_apart, 0x08000 + cos_tile_at_slot * 0x00800);  // UB 0x08000..0x09000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(cos_tile_at_slot));  // free again
            CosGm cos_in(cos + int64_t(cos_tile_at) * 128 + int64_t(t0) * 128);
            TLOAD(cos_tile_apart, cos_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(cos_tile_at_slot));
            VecB16_1x64 cos_tile_line; TASSIGN(cos_tile_line, 0x10000 + cos_tile_at * 0x00080);  // rows cos_tile_at.. of cos_tile
            VecB16_64x16_c1 cos_tile_apart_tmp; TASSIGN(cos_tile_apart_tmp, 0x11000);  // UB 0x11000..0x11800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(cos_tile_at_slot));
            TTRANS(cos_tile_line, cos_tile_apart, cos_tile_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(cos_tile_at_slot));
        }
        VecF32_32x64 q_turned_cos1(t0_valid); TASSIGN(q_turned_cos1, 0x11000);  // UB 0x11000..0x13000
        VecB16_32x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x10000);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_cos1, cos_tile, RoundMode::CAST_RINT);
        for (int32_t cos_tile_2_at = 0; cos_tile_2_at < t0_valid; ++cos_tile_2_at, cos_tile_2_at_slot ^= 1) {
            VecB16_64x16_c1 cos_tile_2_apart; TASSIGN(cos_tile_2_apart, 0x09000 + cos_tile_2_at_slot * 0x00800);  // UB 0x09000..0x0a000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + cos_tile_2_at_slot));  // free again
            CosGm cos_in(cos + int64_t(cos_tile_2_at) * 128 + int64_t(t0) * 128 + 1);
            TLOAD(cos_tile_2_apart, cos_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + cos_tile_2_at_slot));
            VecB16_1x64 cos_tile_2_line; TASSIGN(cos_tile_2_line, 0x10000 + cos_tile_2_at * 0x00080);  // rows cos_tile_2_at.. of cos_tile_2
            VecB16_64x16_c1 cos_tile_2_apart_tmp; TASSIGN(cos_tile_2_apart_tmp, 0x13000);  // UB 0x13000..0x13800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + cos_tile_2_at_slot));
            TTRANS(cos_tile_2_line, cos_tile_2_apart, cos_tile_2_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + cos_tile_2_at_slot));
        }
        VecF32_32x64 q_turned_cos2(t0_valid); TASSIGN(q_turned_cos2, 0x13000);  // UB 0x13000..0x15000
        VecB16_32x64 cos_tile_2(t0_valid); TASSIGN(cos_tile_2, 0x10000);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_cos2, cos_tile_2, RoundMode::CAST_RINT);
        for (int32_t sin_tile_at = 0; sin_tile_at < t0_valid; ++sin_tile_at, sin_tile_at_slot ^= 1) {
            VecB16_64x16_c1 sin_tile_apart; TASSIGN(sin_tile_apart, 0x0a000 + sin_tile_at_slot * 0x00800);  // UB 0x0a000..0x0b000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + sin_tile_at_slot));  // free again
            CosGm sin_in(sin + int64_t(sin_tile_at) * 128 + int64_t(t0) * 128);
            TLOAD(sin_tile_apart, sin_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + sin_tile_at_slot));
            VecB16_1x64 sin_tile_line; TASSIGN(sin_tile_line, 0x10000 + sin_tile_at * 0x00080);  // rows sin_tile_at.. of sin_tile
            VecB16_64x16_c1 sin_tile_apart_tmp; TASSIGN(sin_tile_apart_tmp, 0x15000);  // UB 0x15000..0x15800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + sin_tile_at_slot));
            TTRANS(sin_tile_line, sin_tile_apart, sin_tile_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + sin_tile_at_slot));
        }
        VecF32_32x64 q_turned_sin1(t0_valid); TASSIGN(q_turned_sin1, 0x15000);  // UB 0x15000..0x17000
        VecB16_32x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x10000);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_sin1, sin_tile, RoundMode::CAST_RINT);
        for (int32_t sin_tile_2_at = 0; sin_tile_2_at < t0_valid; ++sin_tile_2_at, sin_tile_2_at_slot ^= 1) {
            VecB16_64x16_c1 sin_tile_2_apart; TASSIGN(sin_tile_2_apart, 0x0b000 + sin_tile_2_at_slot * 0x00800);  // UB 0x0b000..0x0c000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + sin_tile_2_at_slot));  // free again
            CosGm sin_in(sin + int64_t(sin_tile_2_at) * 128 + int64_t(t0) * 128 + 1);
            TLOAD(sin_tile_2_apart, sin_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(6 + sin_tile_2_at_slot));
            VecB16_1x64 sin_tile_2_line; TASSIGN(sin_tile_2_line, 0x10000 + sin_tile_2_at * 0x00080);  // rows sin_tile_2_at.. of sin_tile_2
            VecB16_64x16_c1 sin_tile_2_apart_tmp; TASSIGN(sin_tile_2_apart_tmp, 0x17000);  // UB 0x17000..0x17800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + sin_tile_2_at_slot));
            TTRANS(sin_tile_2_line, sin_tile_2_apart, sin_tile_2_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(6 + sin_tile_2_at_slot));
        }
        VecF32_32x64 q_turned_sin2(t0_valid); TASSIGN(q_turned_sin2, 0x17000);  // UB 0x17000..0x19000
        VecB16_32x64 sin_tile_2(t0_valid); TASSIGN(sin_tile_2, 0x10000);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_sin2, sin_tile_2, RoundMode::CAST_RINT);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // free again
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk, heads0_slot ^= 1) {
            for (int32_t q_tile_at = 0; q_tile_at < t0_valid; ++q_tile_at, q_tile_at_slot ^= 1) {
                VecB16_64x16_c1 q_tile_apart; TASSIGN(q_tile_apart, 0x0c000 + q_tile_at_slot * 0x00800);  // UB 0x0c000..0x0d000, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + q_tile_at_slot));  // free again
                CosGm q_in(q + int64_t(q_tile_at) * 2048 + int64_t(t0) * 2048 + int64_t(heads0) * 128);
                TLOAD(q_tile_apart, q_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(4 + q_tile_at_slot));
                VecB16_1x64 q_tile_line; TASSIGN(q_tile_line, 0x10000 + q_tile_at * 0x00080);  // rows q_tile_at.. of q_tile
                VecB16_64x16_c1 q_tile_apart_tmp; TASSIGN(q_tile_apart_tmp, 0x19000);  // UB 0x19000..0x19800
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + q_tile_at_slot));
                TTRANS(q_tile_line, q_tile_apart, q_tile_apart_tmp);
                set_flag(PIPE_V, PIPE_MTE2, event_t(4 + q_tile_at_slot));
            }
            VecF32_32x64 q_turned_x1(t0_valid); TASSIGN(q_turned_x1, 0x19000);  // UB 0x19000..0x1b000
            VecB16_32x64 q_tile(t0_valid); TASSIGN(q_tile, 0x10000);  // UB 0x10000..0x11000
            pipe_barrier(PIPE_V);
            TCVT(q_turned_x1, q_tile, RoundMode::CAST_RINT);
            for (int32_t q_tile_2_at = 0; q_tile_2_at < t0_valid; ++q_tile_2_at, q_tile_2_at_slot ^= 1) {
                VecB16_64x16_c1 q_tile_2_apart; TASSIGN(q_tile_2_apart, 0x0d000 + q_tile_2_at_slot * 0x00800);  // UB 0x0d000..0x0e000, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + q_tile_2_at_slot));  // free again
                CosGm q_in(q + int64_t(q_tile_2_at) * 2048 + int64_t(t0) * 2048 + int64_t(heads0) * 128 + 1);
                TLOAD(q_tile_2_apart, q_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(6 + q_tile_2_at_slot));
                VecB16_1x64 q_tile_2_line; TASSIGN(q_tile_2_line, 0x10000 + q_tile_2_at * 0x00080);  // rows q_tile_2_at.. of q_tile_2
                VecB16_64x16_c1 q_tile_2_apart_tmp; TASSIGN(q_tile_2_apart_tmp, 0x1b000);  // UB 0x1b000..0x1b800
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + q_tile_2_at_slot));
                TTRANS(q_tile_2_line, q_tile_2_apart, q_tile_2_apart_tmp);
                set_flag(PIPE_V, PIPE_MTE2, event_t(6 + q_tile_2_at_slot));
            }
            VecF32_32x64 q_turned_x2(t0_valid); TASSIGN(q_turned_x2, 0x1b000);  // UB 0x1b000..0x1d000
            VecB16_32x64 q_tile_2(t0_valid); TASSIGN(q_tile_2, 0x10000);  // UB 0x10000..0x11000
            pipe_barrier(PIPE_V);
            TCVT(q_turned_x2, q_tile_2, RoundMode::CAST_RINT);
            VecF32_32x64 q_turned_x1c1(t0_valid); TASSIGN(q_turned_x1c1, 0x1d000);  // UB 0x1d000..0x1f000
            TMUL(q_turned_x1c1, q_turned_x1, q_turned_cos1);
            VecF32_32x64 q_turned_x2s1(t0_valid); TASSIGN(q_turned_x2s1, 0x1f000);  // UB 0x1f000..0x21000
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x2s1, q_turned_x2, q_turned_sin1);
            VecF32_32x64 q_turned_low(t0_valid); TASSIGN(q_turned_low, 0x1d000);  // UB 0x1d000..0x1f000
            pipe_barrier(PIPE_V);
            TSUB(q_turned_low, q_turned_x1c1, q_turned_x2s1);
            VecF32_32x64 q_turned_x2c2(t0_valid); TASSIGN(q_turned_x2c2, 0x1b000);  // UB 0x1b000..0x1d000
            TMUL(q_turned_x2c2, q_turned_x2, q_turned_cos2);
            VecF32_32x64 q_turned_x1s2(t0_valid); TASSIGN(q_turned_x1s2, 0x19000);  // UB 0x19000..0x1b000
            TMUL(q_turned_x1s2, q_turned_x1, q_turned_sin2);
            VecF32_32x64 q_turned_high(t0_valid); TASSIGN(q_turned_high, 0x19000);  // UB 0x19000..0x1b000
            pipe_barrier(PIPE_V);
            TADD(q_turned_high, q_turned_x2c2, q_turned_x1s2);
            VecB16_32x64 q_turned_even_tile(t0_valid); TASSIGN(q_turned_even_tile, 0x00000 + heads0_slot * 0x01000);  // UB 0x00000..0x02000, 2 copies
            pipe_barrier(PIPE_ALL);
            TCVT(q_turned_even_tile, q_turned_low, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, event_t(6 + heads0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(6 + heads0_slot));
            QTurnedEvenGm q_turned_even_out(q_turned_even + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            TSTORE(q_turned_even_out, q_turned_even_tile);
            VecB16_32x64 q_turned_odd_tile(t0_valid); TASSIGN(q_turned_odd_tile, 0x02000 + heads0_slot * 0x01000);  // UB 0x02000..0x04000, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(5 + heads0_slot));  // free again
            TCVT(q_turned_odd_tile, q_turned_high, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, event_t(4 + heads0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + heads0_slot));
            QTurnedEvenGm q_turned_odd_out(q_turned_odd + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            TSTORE(q_turned_odd_out, q_turned_odd_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(5 + heads0_slot));
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0, kv_heads0_slot ^= 1) {
                for (int32_t k_tile_at = 0; k_tile_at < t0_valid; ++k_tile_at, k_tile_at_slot ^= 1) {
                    // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                    VecB16_64x16_c1 k_tile_apart; TASSIGN(k_tile_apart, 0x0e000 + k_tile_at_slot * 0x00800);  // UB 0x0e000..0x0f000, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(k_tile_at_slot));  // free again
                    CosGm k_in(k + int64_t(k_tile_at) * 512 + int64_t(t0) * 512 + int64_t(kv_heads0) * 128);
                    TLOAD(k_tile_apart, k_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(k_tile_at_slot));
                    VecB16_1x64 k_tile_line; TASSIGN(k_tile_line, 0x10000 + k_tile_at * 0x00080);  // rows k_tile_at.. of k_tile
                    VecB16_64x16_c1 k_tile_apart_tmp; TASSIGN(k_tile_apart_tmp, 0x19000);  // UB 0x19000..0x19800
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(k_tile_at_slot));
                    TTRANS(k_tile_line, k_tile_apart, k_tile_apart_tmp);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(k_tile_at_slot));
                }
                VecF32_32x64 k_turned_x1(t0_valid); TASSIGN(k_turned_x1, 0x19000);  // UB 0x19000..0x1b000
                VecB16_32x64 k_tile(t0_valid); TASSIGN(k_tile, 0x10000);  // UB 0x10000..0x11000
                pipe_barrier(PIPE_V);
                TCVT(k_turned_x1, k_tile, RoundMode::CAST_RINT);
                for (int32_t k_tile_2_at = 0; k_tile_2_at < t0_valid; ++k_tile_2_at, k_tile_2_at_slot ^= 1) {
                    VecB16_64x16_c1 k_tile_2_apart; TASSIGN(k_tile_2_apart, 0x0f000 + k_tile_2_at_slot * 0x00800);  // UB 0x0f000..0x10000, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + k_tile_2_at_slot));  // free again
                    CosGm k_in(k + int64_t(k_tile_2_at) * 512 + int64_t(t0) * 512 + int64_t(kv_heads0) * 128 + 1);
                    TLOAD(k_tile_2_apart, k_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(2 + k_tile_2_at_slot));
                    VecB16_1x64 k_tile_2_line; TASSIGN(k_tile_2_line, 0x10000 + k_tile_2_at * 0x00080);  // rows k_tile_2_at.. of k_tile_2
                    VecB16_64x16_c1 k_tile_2_apart_tmp; TASSIGN(k_tile_2_apart_tmp, 0x1b000);  // UB 0x1b000..0x1b800
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + k_tile_2_at_slot));
                    TTRANS(k_tile_2_line, k_tile_2_apart, k_tile_2_apart_tmp);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(2 + k_tile_2_at_slot));
                }
                VecF32_32x64 k_turned_x2(t0_valid); TASSIGN(k_turned_x2, 0x1b000);  // UB 0x1b000..0x1d000
                VecB16_32x64 k_tile_2(t0_valid); TASSIGN(k_tile_2, 0x10000);  // UB 0x10000..0x11000
                pipe_barrier(PIPE_V);
                TCVT(k_turned_x2, k_tile_2, RoundMode::CAST_RINT);
                VecF32_32x64 k_turned_x1c1(t0_valid); TASSIGN(k_turned_x1c1, 0x1d000);  // UB 0x1d000..0x1f000
                TMUL(k_turned_x1c1, k_turned_x1, q_turned_cos1);
                VecF32_32x64 k_turned_x2s1(t0_valid); TASSIGN(k_turned_x2s1, 0x1f000);  // UB 0x1f000..0x21000
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x2s1, k_turned_x2, q_turned_sin1);
                VecF32_32x64 k_turned_low(t0_valid); TASSIGN(k_turned_low, 0x1d000);  // UB 0x1d000..0x1f000
                pipe_barrier(PIPE_V);
                TSUB(k_turned_low, k_turned_x1c1, k_turned_x2s1);
                VecF32_32x64 k_turned_x2c2(t0_valid); TASSIGN(k_turned_x2c2, 0x1b000);  // UB 0x1b000..0x1d000
                TMUL(k_turned_x2c2, k_turned_x2, q_turned_cos2);
                VecF32_32x64 k_turned_x1s2(t0_valid); TASSIGN(k_turned_x1s2, 0x19000);  // UB 0x19000..0x1b000
                TMUL(k_turned_x1s2, k_turned_x1, q_turned_sin2);
                VecF32_32x64 k_turned_high(t0_valid); TASSIGN(k_turned_high, 0x19000);  // UB 0x19000..0x1b000
                pipe_barrier(PIPE_V);
                TADD(k_turned_high, k_turned_x2c2, k_turned_x1s2);
                VecB16_32x64 k_turned_even_tile(t0_valid); TASSIGN(k_turned_even_tile, 0x04000 + kv_heads0_slot * 0x01000);  // UB 0x04000..0x06000, 2 copies
                wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + kv_heads0_slot));  // free again
                TCVT(k_turned_even_tile, k_turned_low, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_heads0_slot));
                VecB16_32x64 k_turned_odd_tile(t0_valid); TASSIGN(k_turned_odd_tile, 0x06000 + kv_heads0_slot * 0x01000);  // UB 0x06000..0x08000, 2 copies
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_slot));  // free again
                TCVT(k_turned_odd_tile, k_turned_high, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_heads0_slot));
                KTurnedEvenGm k_turned_even_out(k_turned_even + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                TSTORE(k_turned_even_out, k_turned_even_tile);
                set_flag(PIPE_MTE3, PIPE_V, event_t(2 + kv_heads0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_slot));
                KTurnedEvenGm k_turned_odd_out(k_turned_odd + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                TSTORE(k_turned_odd_out, k_turned_odd_tile);
                set_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_slot));
            }
        }
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID6);  // of the last round of copy 1
#endif
}
