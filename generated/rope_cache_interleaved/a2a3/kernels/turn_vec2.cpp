// turn_vec2: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn; tiles heads 1, k_turned_x_tile_2_at 1, k_turned_x_tile_at 1, kv_heads 1, q_turned_x_tile_2_at 1, t 32; memory UB 181760 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128_c127 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 127>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_1x128_c127 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 127>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using QTurnedCosGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 127>, Stride<1, 1, 1, 128, 1>>;
using QTurnedXGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 127>, Stride<1, 1, 1, 2048, 1>>;
using QTurnedXGm2 = GlobalTensor<float, Shape<1, 1, 1, 1, 127>, Stride<1, 1, 1, 2048, 1>>;
using QTurnedLowGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 1024, 1>>;
using KTurnedXGm = GlobalTensor<float, Shape<1, 1, 1, 1, 127>, Stride<1, 1, 1, 512, 1>>;
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
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // free for the first round
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 32) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:32]
        VecF32_32x128_c127 q_turned_cos_tile_between(t0_valid); TASSIGN(q_turned_cos_tile_between, 0x08000);  // UB 0x08000..0x0c000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // free again
        QTurnedCosGm q_turned_cos_in(q_turned_cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(q_turned_cos_tile_between, q_turned_cos_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
        VecF32_32x128_c127 q_turned_sin_tile_between(t0_valid); TASSIGN(q_turned_sin_tile_between, 0x0c000);  // UB 0x0c000..0x10000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // free again
        QTurnedCosGm q_turned_sin_in(q_turned_sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(q_turned_sin_tile_between, q_turned_sin_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
        VecF32_32x128_c127 q_turned_cos_tile_2_between(t0_valid); TASSIGN(q_turned_cos_tile_2_between, 0x10000);  // UB 0x10000..0x14000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // free again
        QTurnedCosGm q_turned_cos_in_2(q_turned_cos + int64_t(t0) * 128 + 1, {t0_valid});
        TLOAD(q_turned_cos_tile_2_between, q_turned_cos_in_2);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
        VecF32_32x128_c127 q_turned_sin_tile_2_between(t0_valid); TASSIGN(q_turned_sin_tile_2_between, 0x14000);  // UB 0x14000..0x18000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free again
        QTurnedCosGm q_turned_sin_in_2(q_turned_sin + int64_t(t0) * 128 + 1, {t0_valid});
        TLOAD(q_turned_sin_tile_2_between, q_turned_sin_in_2);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
        VecF32_32x64 q_turned_cos_tile(t0_valid); TASSIGN(q_turned_cos_tile, 0x1c600);  // UB 0x1c600..0x1e600
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
        TGATHER<VecF32_32x64, VecF32_32x128_c127, MaskPattern::P0101>(q_turned_cos_tile, q_turned_cos_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);
        VecF32_32x64 q_turned_sin_tile(t0_valid); TASSIGN(q_turned_sin_tile, 0x1e600);  // UB 0x1e600..0x20600
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
        TGATHER<VecF32_32x64, VecF32_32x128_c127, MaskPattern::P0101>(q_turned_sin_tile, q_turned_sin_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);
        VecF32_32x64 q_turned_cos_tile_2(t0_valid); TASSIGN(q_turned_cos_tile_2, 0x20600);  // UB 0x20600..0x22600
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
        TGATHER<VecF32_32x64, VecF32_32x128_c127, MaskPattern::P0101>(q_turned_cos_tile_2, q_turned_cos_tile_2_between);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);
        VecF32_32x64 q_turned_sin_tile_2(t0_valid); TASSIGN(q_turned_sin_tile_2, 0x22600);  // UB 0x22600..0x24600
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
        TGATHER<VecF32_32x64, VecF32_32x128_c127, MaskPattern::P0101>(q_turned_sin_tile_2, q_turned_sin_tile_2_between);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free again
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            VecF32_32x128_c127 q_turned_x_tile_between(t0_valid); TASSIGN(q_turned_x_tile_between, 0x18000);  // UB 0x18000..0x1c000
            pipe_barrier(PIPE_ALL);
            QTurnedXGm q_turned_x_in(q_turned_x + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
            TLOAD(q_turned_x_tile_between, q_turned_x_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
            VecF32_32x64 q_turned_x_tile(t0_valid); TASSIGN(q_turned_x_tile, 0x24600);  // UB 0x24600..0x26600
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
            TGATHER<VecF32_32x64, VecF32_32x128_c127, MaskPattern::P0101>(q_turned_x_tile, q_turned_x_tile_between);
            VecF32_32x64 q_turned_x1c1(t0_valid); TASSIGN(q_turned_x1c1, 0x26600);  // UB 0x26600..0x28600
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x1c1, q_turned_x_tile, q_turned_cos_tile);
            for (int32_t q_turned_x_tile_2_at = 0; q_turned_x_tile_2_at < t0_valid; ++q_turned_x_tile_2_at) {
                VecF32_1x128_c127 q_turned_x_tile_2_between; TASSIGN(q_turned_x_tile_2_between, 0x1c000);  // UB 0x1c000..0x1c200
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
                QTurnedXGm2 q_turned_x_in(q_turned_x + int64_t(q_turned_x_tile_2_at) * 2048 + int64_t(t0) * 2048 + int64_t(heads0) * 128 + 1);
                TLOAD(q_turned_x_tile_2_between, q_turned_x_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                VecF32_1x64 q_turned_x_tile_2_line; TASSIGN(q_turned_x_tile_2_line, 0x28600 + q_turned_x_tile_2_at * 0x00100);  // rows q_turned_x_tile_2_at.. of q_turned_x_tile_2
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                TGATHER<VecF32_1x64, VecF32_1x128_c127, MaskPattern::P0101>(q_turned_x_tile_2_line, q_turned_x_tile_2_between);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
            }
            VecF32_32x64 q_turned_x2s1(t0_valid); TASSIGN(q_turned_x2s1, 0x2a600);  // UB 0x2a600..0x2c600
            VecF32_32x64 q_turned_x_tile_2(t0_valid); TASSIGN(q_turned_x_tile_2, 0x28600);  // UB 0x28600..0x2a600
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x2s1, q_turned_x_tile_2, q_turned_sin_tile);
            VecF32_32x64 q_turned_low_tile(t0_valid); TASSIGN(q_turned_low_tile, 0x00000);  // UB 0x00000..0x02000
            pipe_barrier(PIPE_V);
            TSUB(q_turned_low_tile, q_turned_x1c1, q_turned_x2s1);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
            QTurnedLowGm q_turned_low_out(q_turned_low + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            TSTORE(q_turned_low_out, q_turned_low_tile);
            VecF32_32x64 q_turned_x2c2(t0_valid); TASSIGN(q_turned_x2c2, 0x26600);  // UB 0x26600..0x28600
            pipe_barrier(PIPE_V);
            TMUL(q_turned_x2c2, q_turned_x_tile_2, q_turned_cos_tile_2);
            VecF32_32x64 q_turned_x1s2(t0_valid); TASSIGN(q_turned_x1s2, 0x24600);  // UB 0x24600..0x26600
            TMUL(q_turned_x1s2, q_turned_x_tile, q_turned_sin_tile_2);
            VecF32_32x64 q_turned_high_tile(t0_valid); TASSIGN(q_turned_high_tile, 0x02000);  // UB 0x02000..0x04000
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // free again
            TADD(q_turned_high_tile, q_turned_x2c2, q_turned_x1s2);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
            QTurnedLowGm q_turned_high_out(q_turned_high + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
            TSTORE(q_turned_high_out, q_turned_high_tile);
            set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);
            for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
                for (int32_t k_turned_x_tile_at = 0; k_turned_x_tile_at < t0_valid; ++k_turned_x_tile_at) {
                    // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
                    VecF32_1x128_c127 k_turned_x_tile_between; TASSIGN(k_turned_x_tile_between, 0x1c200);  // UB 0x1c200..0x1c400
                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
                    KTurnedXGm k_turned_x_in(k_turned_x + int64_t(k_turned_x_tile_at) * 512 + int64_t(t0) * 512 + int64_t(kv_heads0) * 128);
                    TLOAD(k_turned_x_tile_between, k_turned_x_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                    VecF32_1x64 k_turned_x_tile_line; TASSIGN(k_turned_x_tile_line, 0x24600 + k_turned_x_tile_at * 0x00100);  // rows k_turned_x_tile_at.. of k_turned_x_tile
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                    TGATHER<VecF32_1x64, VecF32_1x128_c127, MaskPattern::P0101>(k_turned_x_tile_line, k_turned_x_tile_between);
                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                }
                VecF32_32x64 k_turned_x1c1(t0_valid); TASSIGN(k_turned_x1c1, 0x26600);  // UB 0x26600..0x28600
                VecF32_32x64 k_turned_x_tile(t0_valid); TASSIGN(k_turned_x_tile, 0x24600);  // UB 0x24600..0x26600
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x1c1, k_turned_x_tile, q_turned_cos_tile);
                for (int32_t k_turned_x_tile_2_at = 0; k_turned_x_tile_2_at < t0_valid; ++k_turned_x_tile_2_at) {
                    VecF32_1x128_c127 k_turned_x_tile_2_between; TASSIGN(k_turned_x_tile_2_between, 0x1c400);  // UB 0x1c400..0x1c600
                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
                    KTurnedXGm k_turned_x_in(k_turned_x + int64_t(k_turned_x_tile_2_at) * 512 + int64_t(t0) * 512 + int64_t(kv_heads0) * 128 + 1);
                    TLOAD(k_turned_x_tile_2_between, k_turned_x_in);
                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                    VecF32_1x64 k_turned_x_tile_2_line; TASSIGN(k_turned_x_tile_2_line, 0x28600 + k_turned_x_tile_2_at * 0x00100);  // rows k_turned_x_tile_2_at.. of k_turned_x_tile_2
                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                    TGATHER<VecF32_1x64, VecF32_1x128_c127, MaskPattern::P0101>(k_turned_x_tile_2_line, k_turned_x_tile_2_between);
                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                }
                VecF32_32x64 k_turned_x2s1(t0_valid); TASSIGN(k_turned_x2s1, 0x2a600);  // UB 0x2a600..0x2c600
                VecF32_32x64 k_turned_x_tile_2(t0_valid); TASSIGN(k_turned_x_tile_2, 0x28600);  // UB 0x28600..0x2a600
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x2s1, k_turned_x_tile_2, q_turned_sin_tile);
                VecF32_32x64 k_turned_low_tile(t0_valid); TASSIGN(k_turned_low_tile, 0x04000);  // UB 0x04000..0x06000
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
                TSUB(k_turned_low_tile, k_turned_x1c1, k_turned_x2s1);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
                VecF32_32x64 k_turned_x2c2(t0_valid); TASSIGN(k_turned_x2c2, 0x26600);  // UB 0x26600..0x28600
                pipe_barrier(PIPE_V);
                TMUL(k_turned_x2c2, k_turned_x_tile_2, q_turned_cos_tile_2);
                VecF32_32x64 k_turned_x1s2(t0_valid); TASSIGN(k_turned_x1s2, 0x24600);  // UB 0x24600..0x26600
                TMUL(k_turned_x1s2, k_turned_x_tile, q_turned_sin_tile_2);
                VecF32_32x64 k_turned_high_tile(t0_valid); TASSIGN(k_turned_high_tile, 0x06000);  // UB 0x06000..0x08000
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
                TADD(k_turned_high_tile, k_turned_x2c2, k_turned_x1s2);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
                KTurnedLowGm k_turned_low_out(k_turned_low + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                TSTORE(k_turned_low_out, k_turned_low_tile);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                KTurnedLowGm k_turned_high_out(k_turned_high + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
                TSTORE(k_turned_high_out, k_turned_high_tile);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
            }
        }
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round
#endif
}
