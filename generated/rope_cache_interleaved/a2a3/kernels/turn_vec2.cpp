// turn_vec2: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, k_turned_x_tile_2_at 1, k_turned_x_tile_at 1, kv_heads 1, q_turned_cos_tile_2_at 1, q_turned_cos_tile_at 1, q_turned_sin_tile_2_at 1, q_turned_sin_tile_at 1, q_turned_x_tile_2_at 1, q_turned_x_tile_at 1, t 32; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x8_c1 = Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, 64, 1>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using QTurnedCosGm = GlobalTensor<float, Shape<1, 1, 1, 64, 1>, Stride<1, 1, 1, 2, 1>>;
using QTurnedLowGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 1024, 1>>;
using KTurnedLowGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec2(
    __gm__ float *q_turned_low,
    __gm__ float *q_turned_high,
    __gm__ float *k_turned_low,
    __gm__ float *k_turned_high,
    __gm__ float *q_turned_x,
    __gm__ float *q_turned_cos,
    __gm__ float *q_turned_sin,
    __gm__ float *k_turned_x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t q_turned_cos_tile_at_slot = 0;  // which of 2 buffers this round of q_turned_cos_tile_at uses
    int32_t q_turned_sin_tile_at_slot = 0;  // which of 2 buffers this round of q_turned_sin_tile_at uses
    int32_t q_turned_cos_tile_2_at_slot = 0;  // which of 2 buffers this round of q_turned_cos_tile_2_at uses
    int32_t q_turned_sin_tile_2_at_slot = 0;  // which of 2 buffers this round of q_turned_sin_tile_2_at uses
    int32_t heads0_slot = 0;  // which of 2 buffers this round of heads0 uses
    int32_t q_turned_x_tile_at_slot = 0;  // which of 2 buffers this round of q_turned_x_tile_at uses
    int32_t q_turned_x_tile_2_at_slot = 0;  // which of 2 buffers this round of q_turned_x_tile_2_at uses
    int32_t kv_heads0_slot = 0;  // which of 2 buffers this round of kv_heads0 uses
    int32_t k_turned_x_tile_at_slot = 0;  // which of 2 buffers this round of k_turned_x_tile_at uses
    int32_t k_turned_x_tile_2_at_slot = 0;  // which of 2 buffers this round of k_turned_x_tile_2_at uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // copy 1 is free
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        for (int32_t q_turned_cos_tile_at = 0; q_turned_cos_tile_at < t0_valid; ++q_turned_cos_tile_at, q_turned_cos_tile_at_slot ^= 1) {
            // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
            VecF32_64x8_c1 q_turned_cos_tile_apart; TASSIGN(q_turned_cos_tile_apart, 0x10000 + q_turned_cos_tile_at_slot * 0x00800);  // UB 0x10000..0x11000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(q_turned_cos_tile_at_slot));  // free again
            QTurnedCosGm q_turned_cos_in(q_turned_cos + int64_t(q_turned_cos_tile_at) * 128 + int64_t(t0) * 128);
            TLOAD(q_turned_cos_tile_apart, q_turned_cos_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(q_turned_cos_tile_at_slot));
            VecF32_1x64 q_turned_cos_tile_line; TASSIGN(q_turned_cos_tile_line, 0x18000 + q_turned_cos_tile_at * 0x00100);  // rows q_turned_cos_tile_at.. of q_turned_cos_tile
            VecF32_64x8_c1 q_turned_cos_tile_apart_tmp; TASSIGN(q_turned_cos_tile_apart_tmp, 0x1a000);  // UB 0x1a000..0x1a800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(q_turned_cos_tile_at_slot));
            TTRANS(q_turned_cos_tile_line, q_turned_cos_tile_apart, q_turned_cos_tile_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(q_turned_cos_tile_at_slot));
        }
        for (int32_t q_turned_sin_tile_at = 0; q_turned_sin_tile_at < t0_valid; ++q_turned_sin_tile_at, q_turned_sin_tile_at_slot ^= 1) {
            VecF32_64x8_c1 q_turned_sin_tile_apart; TASSIGN(q_turned_sin_tile_apart, 0x11000 + q_turned_sin_tile_at_slot * 0x00800);  // UB 0x11000..0x12000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + q_turned_sin_tile_at_slot));  // free again
            QTurnedCosGm q_turned_sin_in(q_turned_sin + int64_t(q_turned_sin_tile_at) * 128 + int64_t(t0) * 128);
            TLOAD(q_turned_sin_tile_apart, q_turned_sin_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + q_turned_sin_tile_at_slot));
            VecF32_1x64 q_turned_sin_tile_line; TASSIGN(q_turned_sin_tile_line, 0x1a000 + q_turned_sin_tile_at * 0x00100);  // rows q_turned_sin_tile_at.. of q_turned_sin_tile
            VecF32_64x8_c1 q_turned_sin_tile_apart_tmp; TASSIGN(q_turned_sin_tile_apart_tmp, 0x1c000);  // UB 0x1c000..0x1c800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + q_turned_sin_tile_at_slot));
            TTRANS(q_turned_sin_tile_line, q_turned_sin_tile_apart, q_turned_sin_tile_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + q_turned_sin_tile_at_slot));
        }
        for (int32_t q_turned_cos_tile_2_at = 0; q_turned_cos_tile_2_at < t0_valid; ++q_turned_cos_tile_2_at, q_turned_cos_tile_2_at_slot ^= 1) {
            VecF32_64x8_c1 q_turned_cos_tile_2_apart; TASSIGN(q_turned_cos_tile_2_apart, 0x12000 + q_turned_cos_tile_2_at_slot * 0x00800);  // UB 0x12000..0x13000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + q_turned_cos_tile_2_at_slot));  // free again
            QTurnedCosGm q_turned_cos_in(q_turned_cos + int64_t(q_turned_cos_tile_2_at) * 128 + int64_t(t0) * 128 + 1);
            TLOAD(q_turned_cos_tile_2_apart, q_turned_cos_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + q_turned_cos_tile_2_at_slot));
            VecF32_1x64 q_turned_cos_tile_2_line; TASSIGN(q_turned_cos_tile_2_line, 0x1c000 + q_turned_cos_tile_2_at * 0x00100);  // rows q_turned_cos_tile_2_at.. of q_turned_cos_tile_2
            VecF32_64x8_c1 q_turned_cos_tile_2_apart_tmp; TASSIGN(q_turned_cos_tile_2_apart_tmp, 0x1e000);  // UB 0x1e000..0x1e800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + q_turned_cos_tile_2_at_slot));
            TTRANS(q_turned_cos_tile_2_line, q_turned_cos_tile_2_apart, q_turned_cos_tile_2_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + q_turned_cos_tile_2_at_slot));
        }
        for (int32_t q_turned_sin_tile_2_at = 0; q_turned_sin_tile_2_at < t0_valid; ++q_turned_sin_tile_2_at, q_turned_sin_tile_2_at_slot ^= 1) {
            VecF32_64x8_c1 q_turned_sin_tile_2_apart; TASSIGN(q_turned_sin_tile_2_apart, 0x13000 + q_turned_sin_tile_2_at_slot * 0x00800);  // UB 0x13000..0x14000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + q_turned_sin_tile_2_at_slot));  // free again
            QTurnedCosGm q_turned_sin_in(q_turned_sin + int64_t(q_turned_sin_tile_2_at) * 128 + int64_t(t0) * 128 + 1);
            TLOAD(q_turned_sin_tile_2_apart, q_turned_sin_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(6 + q_turned_sin_tile_2_at_slot));
            VecF32_1x64 q_turned_sin_tile_2_line; TASSIGN(q_turned_sin_tile_2_line, 0x1e000 + q_turned_sin_tile_2_at * 0x00100);  // rows q_turned_sin_tile_2_at.. of q_turned_sin_tile_2
            VecF32_64x8_c1 q_turned_sin_tile_2_apart_tmp; TASSIGN(q_turned_sin_tile_2_apart_tmp, 0x20000);  // UB 0x20000..0x20800
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + q_turned_sin_tile_2_at_slot));
            TTRANS(q_turned_sin_tile_2_line, q_turned_sin_tile_2_apart, q_turned_sin_tile_2_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(6 + q_turned_sin_tile_2_at_slot));
        }
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk, heads0_slot ^= 1) {
            for (int32_t q_turned_x_tile_at = 0; q_turned_x_tile_at < t0_valid; ++q_turned_x_tile_at, q_turned_x_tile_at_slot ^= 1) {
                VecF32_64x8_c1 q_turned_x_tile_apart; TASSIGN(q_turned_x_tile_apart, 0x14000 + q_turned_x_tile_at_slot * 0x00800);  // UB 0x14000..0x15000, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + q_turned_x_tile_at_slot));  // free again
                QTurnedCosGm q_turned_x_in(q_turned_x + int64_t(q_turned_x_tile_at) * 2048 + int64_t(t0) * 2048 + int64_t(heads0) * 128);
                TLOAD(q_turned_x_tile_apart, q_turned_x_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(4 + q_turned_x_tile_at_slot));
                VecF32_1x64 q_turned_x_tile_line; TASSIGN(q_turned_x_tile_line, 0x20000 + q_turned_x_tile_at * 0x00100);  // rows q_turned_x_tile_at.. of q_turned_x_tile
                VecF32_64x8_c1 q_turned_x_tile_apart_tmp; TASSIGN(q_turned_x_tile_apart_tmp, 0x22000);  // UB 0x22000..0x22800
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + q_turned_x_tile_at_slot));
                TTRANS(q_turned_x_tile_line, q_turned_x_tile_apart, q_turned_x_tile_apart_tmp);
                set_flag(PIPE_V, PIPE_MTE2, event_t(4 + q_turned_x_tile_at_slot));
            }
            VecF32_32x64 q_turned_x1c1(t0_valid); TASSIGN(q_turned_x1c1, 0x22000);  // UB 0x22000..0x24000
            VecF32_32x64 q_turned_x_tile(t0_valid); TASSIGN(q_turned_x_tile, 0x20000);  // UB 0x20000..0x22000
            VecF32_32x64 q_turned_cos_tile(t0_valid); TASSIGN(q_turned_cos_tile, 0x18000);  // UB 0x18000..0x1a000
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x1c1, q_turned_x_tile, q_turned_cos_tile);
            for (int32_t q_turned_x_tile_2_at = 0; q_turned_x_tile_2_at < t0_valid; ++q_turned_x_tile_2_at, q_turned_x_tile_2_at_slot ^= 1) {
                VecF32_64x8_c1 q_turned_x_tile_2_apart; TASSIGN(q_turned_x_tile_2_apart, 0x15000 + q_turned_x_tile_2_at_slot * 0x00800);  // UB 0x15000..0x16000, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + q_turned_x_tile_2_at_slot));  // free again
                QTurnedCosGm q_turned_x_in(q_turned_x + int64_t(q_turned_x_tile_2_at) * 2048 + int64_t(t0) * 2048 + int64_t(heads0) * 128 + 1);
                TLOAD(q_turned_x_tile_2_apart, q_turned_x_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(6 + q_turned_x_tile_2_at_slot));
                VecF32_1x64 q_turned_x_tile_2_line; TASSIGN(q_turned_x_tile_2_line, 0x24000 + q_turned_x_tile_2_at * 0x00100);  // rows q_turned_x_tile_2_at.. of q_turned_x_tile_2
                VecF32_64x8_c1 q_turned_x_tile_2_apart_tmp; TASSIGN(q_turned_x_tile_2_apart_tmp, 0x26000);  // UB 0x26000..0x26800
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + q_turned_x_tile_2_at_slot));
                TTRANS(q_turned_x_tile_2_line, q_turned_x_tile_2_apart, q_turned_x_tile_2_apart_tmp);
                set_flag(PIPE_V, PIPE_MTE2, event_t(6 + q_turned_x_tile_2_at_slot));
            }
            VecF32_32x64 q_turned_x2s1(t0_valid); TASSIGN(q_turned_x2s1, 0x26000);  // UB 0x26000..0x28000
            VecF32_32x64 q_turned_x_tile_2(t0_valid); TASSIGN(q_turned_x_tile_2, 0x24000);  // UB 0x24000..0x26000
            VecF32_32x64 q_turned_sin_tile(t0_valid); TASSIGN(q_turned_sin_tile, 0x1a000);  // UB 0x1a000..0x1c000
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x2s1, q_turned_x_tile_2, q_turned_sin_tile);
            VecF32_32x64 q_turned_low_tile(t0_valid); TASSIGN(q_turned_low_tile, 0x00000 + heads0_slot * 0x02000);  // UB 0x00000..0x04000, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + heads0_slot));  // free again
            TSUB(q_turned_low_tile, q_turned_x1c1, q_turned_x2s1);
            set_flag(PIPE_V, PIPE_MTE3, event_t(6 + heads0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(6 + heads0_slot));
            QTurnedLowGm q_turned_low_out(q_turned_low + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            TSTORE(q_turned_low_out, q_turned_low_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(4 + heads0_slot));
            VecF32_32x64 q_turned_x2c2(t0_valid); TASSIGN(q_turned_x2c2, 0x22000);  // UB 0x22000..0x24000
            VecF32_32x64 q_turned_cos_tile_2(t0_valid); TASSIGN(q_turned_cos_tile_2, 0x1c000);  // UB 0x1c000..0x1e000
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x2c2, q_turned_x_tile_2, q_turned_cos_tile_2);
            VecF32_32x64 q_turned_x1s2(t0_valid); TASSIGN(q_turned_x1s2, 0x20000);  // UB 0x20000..0x22000
            VecF32_32x64 q_turned_sin_tile_2(t0_valid); TASSIGN(q_turned_sin_tile_2, 0x1e000);  // UB 0x1e000..0x20000
            TMUL(q_turned_x1s2, q_turned_x_tile, q_turned_sin_tile_2);
            VecF32_32x64 q_turned_high_tile(t0_valid); TASSIGN(q_turned_high_tile, 0x04000 + heads0_slot * 0x02000);  // UB 0x04000..0x08000, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + heads0_slot));  // free again
            TADD(q_turned_high_tile, q_turned_x2c2, q_turned_x1s2);
            set_flag(PIPE_V, PIPE_MTE3, event_t(4 + heads0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + heads0_slot));
            QTurnedLowGm q_turned_high_out(q_turned_high + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            TSTORE(q_turned_high_out, q_turned_high_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(2 + heads0_slot));
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0, kv_heads0_slot ^= 1) {
                for (int32_t k_turned_x_tile_at = 0; k_turned_x_tile_at < t0_valid; ++k_turned_x_tile_at, k_turned_x_tile_at_slot ^= 1) {
                    // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                    VecF32_64x8_c1 k_turned_x_tile_apart; TASSIGN(k_turned_x_tile_apart, 0x16000 + k_turned_x_tile_at_slot * 0x00800);  // UB 0x16000..0x17000, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(k_turned_x_tile_at_slot));  // free again
                    QTurnedCosGm k_turned_x_in(k_turned_x + int64_t(k_turned_x_tile_at) * 512 + int64_t(t0) * 512 + int64_t(kv_heads0) * 128);
                    TLOAD(k_turned_x_tile_apart, k_turned_x_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(k_turned_x_tile_at_slot));
                    VecF32_1x64 k_turned_x_tile_line; TASSIGN(k_turned_x_tile_line, 0x20000 + k_turned_x_tile_at * 0x00100);  // rows k_turned_x_tile_at.. of k_turned_x_tile
                    VecF32_64x8_c1 k_turned_x_tile_apart_tmp; TASSIGN(k_turned_x_tile_apart_tmp, 0x22000);  // UB 0x22000..0x22800
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(k_turned_x_tile_at_slot));
                    TTRANS(k_turned_x_tile_line, k_turned_x_tile_apart, k_turned_x_tile_apart_tmp);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(k_turned_x_tile_at_slot));
                }
                VecF32_32x64 k_turned_x1c1(t0_valid); TASSIGN(k_turned_x1c1, 0x22000);  // UB 0x22000..0x24000
                VecF32_32x64 k_turned_x_tile(t0_valid); TASSIGN(k_turned_x_tile, 0x20000);  // UB 0x20000..0x22000
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x1c1, k_turned_x_tile, q_turned_cos_tile);
                for (int32_t k_turned_x_tile_2_at = 0; k_turned_x_tile_2_at < t0_valid; ++k_turned_x_tile_2_at, k_turned_x_tile_2_at_slot ^= 1) {
                    VecF32_64x8_c1 k_turned_x_tile_2_apart; TASSIGN(k_turned_x_tile_2_apart, 0x17000 + k_turned_x_tile_2_at_slot * 0x00800);  // UB 0x17000..0x18000, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + k_turned_x_tile_2_at_slot));  // free again
                    QTurnedCosGm k_turned_x_in(k_turned_x + int64_t(k_turned_x_tile_2_at) * 512 + int64_t(t0) * 512 + int64_t(kv_heads0) * 128 + 1);
                    TLOAD(k_turned_x_tile_2_apart, k_turned_x_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(2 + k_turned_x_tile_2_at_slot));
                    VecF32_1x64 k_turned_x_tile_2_line; TASSIGN(k_turned_x_tile_2_line, 0x24000 + k_turned_x_tile_2_at * 0x00100);  // rows k_turned_x_tile_2_at.. of k_turned_x_tile_2
                    VecF32_64x8_c1 k_turned_x_tile_2_apart_tmp; TASSIGN(k_turned_x_tile_2_apart_tmp, 0x26000);  // UB 0x26000..0x26800
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + k_turned_x_tile_2_at_slot));
                    TTRANS(k_turned_x_tile_2_line, k_turned_x_tile_2_apart, k_turned_x_tile_2_apart_tmp);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(2 + k_turned_x_tile_2_at_slot));
                }
                VecF32_32x64 k_turned_x2s1(t0_valid); TASSIGN(k_turned_x2s1, 0x26000);  // UB 0x26000..0x28000
                VecF32_32x64 k_turned_x_tile_2(t0_valid); TASSIGN(k_turned_x_tile_2, 0x24000);  // UB 0x24000..0x26000
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x2s1, k_turned_x_tile_2, q_turned_sin_tile);
                VecF32_32x64 k_turned_low_tile(t0_valid); TASSIGN(k_turned_low_tile, 0x08000 + kv_heads0_slot * 0x02000);  // UB 0x08000..0x0c000, 2 copies
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_slot));  // free again
                TSUB(k_turned_low_tile, k_turned_x1c1, k_turned_x2s1);
                set_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_heads0_slot));
                VecF32_32x64 k_turned_x2c2(t0_valid); TASSIGN(k_turned_x2c2, 0x22000);  // UB 0x22000..0x24000
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x2c2, k_turned_x_tile_2, q_turned_cos_tile_2);
                VecF32_32x64 k_turned_x1s2(t0_valid); TASSIGN(k_turned_x1s2, 0x20000);  // UB 0x20000..0x22000
                TMUL(k_turned_x1s2, k_turned_x_tile, q_turned_sin_tile_2);
                VecF32_32x64 k_turned_high_tile(t0_valid); TASSIGN(k_turned_high_tile, 0x0c000 + kv_heads0_slot * 0x02000);  // UB 0x0c000..0x10000, 2 copies
                pipe_barrier(PIPE_V);
                TADD(k_turned_high_tile, k_turned_x2c2, k_turned_x1s2);
                set_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_heads0_slot));
                KTurnedLowGm k_turned_low_out(k_turned_low + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                TSTORE(k_turned_low_out, k_turned_low_tile);
                wait_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_slot));
                KTurnedLowGm k_turned_high_out(k_turned_high + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                TSTORE(k_turned_high_out, k_turned_high_tile);
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
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // of the last round of copy 1
#endif
}
