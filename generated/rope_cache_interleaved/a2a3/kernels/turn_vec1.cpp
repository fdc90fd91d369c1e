// turn_vec1: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, kv_heads 1, t 32; memory UB 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QTurnedCosGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using QTurnedXGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
using KTurnedXGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec1(
    __gm__ float *q_turned_x,
    __gm__ float *q_turned_cos,
    __gm__ float *q_turned_sin,
    __gm__ float *k_turned_x,
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
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // free for the first round
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
        VecB16_32x128 cos_tile(t0_valid); TASSIGN(cos_tile, 0x06000);  // UB 0x06000..0x08000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        VecB16_32x128 sin_tile(t0_valid); TASSIGN(sin_tile, 0x0c000);  // UB 0x0c000..0x0e000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        VecF32_32x128 q_turned_cos_tile(t0_valid); TASSIGN(q_turned_cos_tile, 0x08000);  // UB 0x08000..0x0c000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free again
        TCVT(q_turned_cos_tile, cos_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
        QTurnedCosGm q_turned_cos_out(q_turned_cos + int64_t(t0) * 128, {t0_valid});
        TSTORE(q_turned_cos_out, q_turned_cos_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
        VecF32_32x128 q_turned_sin_tile(t0_valid); TASSIGN(q_turned_sin_tile, 0x0e000);  // UB 0x0e000..0x12000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TCVT(q_turned_sin_tile, sin_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        QTurnedCosGm q_turned_sin_out(q_turned_sin + int64_t(t0) * 128, {t0_valid});
        TSTORE(q_turned_sin_out, q_turned_sin_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            VecB16_32x128 q_tile(t0_valid); TASSIGN(q_tile, 0x00000);  // UB 0x00000..0x02000
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
            QGm q_in(q + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(q_tile, q_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            VecF32_32x128 q_turned_x_tile(t0_valid); TASSIGN(q_turned_x_tile, 0x02000);  // UB 0x02000..0x06000
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // free again
            TCVT(q_turned_x_tile, q_tile, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
            QTurnedXGm q_turned_x_out(q_turned_x + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TSTORE(q_turned_x_out, q_turned_x_tile);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
                // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                VecB16_32x128 k_tile(t0_valid); TASSIGN(k_tile, 0x12000);  // UB 0x12000..0x14000
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
                KGm k_in(k + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TLOAD(k_tile, k_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                VecF32_32x128 k_turned_x_tile(t0_valid); TASSIGN(k_turned_x_tile, 0x14000);  // UB 0x14000..0x18000
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
                TCVT(k_turned_x_tile, k_tile, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                KTurnedXGm k_turned_x_out(k_turned_x + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
                TSTORE(k_turned_x_out, k_turned_x_tile);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
            }
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round
#endif
}
