// turn: vector kernel of `rope_cache` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, kv_heads 1, t 32; memory UB 147456 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128_c64 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn(
    __gm__ bfloat16_t *q_turned,
    __gm__ bfloat16_t *k_turned,
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free for the first round
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // q_turned: rope(q, cos[:, None, :], sin[:, None, :])  [rope_cache.yaml:32]
        VecB16_32x128 cos_tile(t0_valid); TASSIGN(cos_tile, 0x02000);  // UB 0x02000..0x04000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        VecB16_32x128 sin_tile(t0_valid); TASSIGN(sin_tile, 0x04000);  // UB 0x04000..0x06000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        VecF32_32x128 q_turned_cos(t0_valid); TASSIGN(q_turned_cos, 0x0c000);  // UB 0x0c000..0x10000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        TCVT(q_turned_cos, cos_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
        VecF32_32x128 q_turned_sin(t0_valid); TASSIGN(q_turned_sin, 0x10000);  // UB 0x10000..0x14000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        TCVT(q_turned_sin, sin_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            VecB16_32x128 q_tile(t0_valid); TASSIGN(q_tile, 0x00000);  // UB 0x00000..0x02000
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
            QGm q_in(q + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(q_tile, q_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            VecF32_32x128 q_turned_x(t0_valid); TASSIGN(q_turned_x, 0x14000);  // UB 0x14000..0x18000
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TCVT(q_turned_x, q_tile, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
            VecF32_32x128_c64 q_turned_x1c1(t0_valid); TASSIGN(q_turned_x1c1, 0x18000);  // UB 0x18000..0x1c000
            VecF32_32x128_c64 q_turned_x1(t0_valid); TASSIGN(q_turned_x1, 0x14000);  // columns 0.. of q_turned_x
            VecF32_32x128_c64 q_turned_cos1(t0_valid); TASSIGN(q_turned_cos1, 0x0c000);  // columns 0.. of q_turned_cos
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x1c1, q_turned_x1, q_turned_cos1);
            VecF32_32x128_c64 q_turned_x2s1(t0_valid); TASSIGN(q_turned_x2s1, 0x1c000);  // UB 0x1c000..0x20000
            VecF32_32x128_c64 q_turned_x2(t0_valid); TASSIGN(q_turned_x2, 0x14100);  // columns 64.. of q_turned_x
            VecF32_32x128_c64 q_turned_sin1(t0_valid); TASSIGN(q_turned_sin1, 0x10000);  // columns 0.. of q_turned_sin
            TMUL(q_turned_x2s1, q_turned_x2, q_turned_sin1);
            VecF32_32x128_c64 q_turned_low(t0_valid); TASSIGN(q_turned_low, 0x20000);  // columns 0.. of q_turned_roped
            pipe_barrier(PIPE_V);
            TSUB(q_turned_low, q_turned_x1c1, q_turned_x2s1);
            VecF32_32x128_c64 q_turned_x2c2(t0_valid); TASSIGN(q_turned_x2c2, 0x18000);  // UB 0x18000..0x1c000
            VecF32_32x128_c64 q_turned_cos2(t0_valid); TASSIGN(q_turned_cos2, 0x0c100);  // columns 64.. of q_turned_cos
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x2c2, q_turned_x2, q_turned_cos2);
            VecF32_32x128_c64 q_turned_x1s2(t0_valid); TASSIGN(q_turned_x1s2, 0x14000);  // UB 0x14000..0x18000
            VecF32_32x128_c64 q_turned_sin2(t0_valid); TASSIGN(q_turned_sin2, 0x10100);  // columns 64.. of q_turned_sin
            TMUL(q_turned_x1s2, q_turned_x1, q_turned_sin2);
            VecF32_32x128_c64 q_turned_high(t0_valid); TASSIGN(q_turned_high, 0x20100);  // columns 64.. of q_turned_roped
            pipe_barrier(PIPE_V);
            TADD(q_turned_high, q_turned_x2c2, q_turned_x1s2);
            VecB16_32x128 q_turned_tile(t0_valid); TASSIGN(q_turned_tile, 0x06000);  // UB 0x06000..0x08000
            VecF32_32x128 q_turned_roped(t0_valid); TASSIGN(q_turned_roped, 0x20000);  // UB 0x20000..0x24000
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
            TCVT(q_turned_tile, q_turned_roped, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
            QGm q_turned_out(q_turned + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TSTORE(q_turned_out, q_turned_tile);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
                // k_turned: rope(k, cos[:, None, :], sin[:, None, :])  [rope_cache.yaml:33]
                VecB16_32x128 k_tile(t0_valid); TASSIGN(k_tile, 0x08000);  // UB 0x08000..0x0a000
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
                KGm k_in(k + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TLOAD(k_tile, k_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                VecF32_32x128 k_turned_x(t0_valid); TASSIGN(k_turned_x, 0x14000);  // UB 0x14000..0x18000
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TCVT(k_turned_x, k_tile, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                VecF32_32x128_c64 k_turned_x1c1(t0_valid); TASSIGN(k_turned_x1c1, 0x18000);  // UB 0x18000..0x1c000
                VecF32_32x128_c64 k_turned_x1(t0_valid); TASSIGN(k_turned_x1, 0x14000);  // columns 0.. of k_turned_x
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x1c1, k_turned_x1, q_turned_cos1);
                VecF32_32x128_c64 k_turned_x2s1(t0_valid); TASSIGN(k_turned_x2s1, 0x1c000);  // UB 0x1c000..0x20000
                VecF32_32x128_c64 k_turned_x2(t0_valid); TASSIGN(k_turned_x2, 0x14100);  // columns 64.. of k_turned_x
                TMUL(k_turned_x2s1, k_turned_x2, q_turned_sin1);
                VecF32_32x128_c64 k_turned_low(t0_valid); TASSIGN(k_turned_low, 0x20000);  // columns 0.. of k_turned_roped
                pipe_barrier(PIPE_V);
                TSUB(k_turned_low, k_turned_x1c1, k_turned_x2s1);
                VecF32_32x128_c64 k_turned_x2c2(t0_valid); TASSIGN(k_turned_x2c2, 0x18000);  // UB 0x18000..0x1c000
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x2c2, k_turned_x2, q_turned_cos2);
                VecF32_32x128_c64 k_turned_x1s2(t0_valid); TASSIGN(k_turned_x1s2, 0x14000);  // UB 0x14000..0x18000
                TMUL(k_turned_x1s2, k_turned_x1, q_turned_sin2);
                VecF32_32x128_c64 k_turned_high(t0_valid); TASSIGN(k_turned_high, 0x20100);  // columns 64.. of k_turned_roped
                pipe_barrier(PIPE_V);
                TADD(k_turned_high, k_turned_x2c2, k_turned_x1s2);
                VecB16_32x128 k_turned_tile(t0_valid); TASSIGN(k_turned_tile, 0x0a000);  // UB 0x0a000..0x0c000
                VecF32_32x128 k_turned_roped(t0_valid); TASSIGN(k_turned_roped, 0x20000);  // UB 0x20000..0x24000
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
                TCVT(k_turned_tile, k_turned_roped, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                KGm k_turned_out(k_turned + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TSTORE(k_turned_out, k_turned_tile);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
            }
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round
#endif
}
