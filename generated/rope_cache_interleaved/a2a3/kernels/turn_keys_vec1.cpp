// turn_keys_vec1: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn_keys; tiles kv_heads 1, t 32; memory UB 135168 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
using KTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *k_turned_even,
    __gm__ bfloat16_t *k_turned_odd,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t kv_heads0_buffer = 0;  // which of 2 buffers this iteration of kv_heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_32x128 cos_tile_between(t0_valid); TASSIGN(cos_tile_between, 0x04000 + t0_buffer * 0x02000);  // UB 0x04000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));  // free again
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(cos_tile_between, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecB16_32x128 sin_tile_between(t0_valid); TASSIGN(sin_tile_between, 0x08000 + t0_buffer * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(sin_tile_between, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecB16_32x64 cos_tile(t0_valid); TASSIGN<0x10000>(cos_tile);  // UB 0x10000..0x11000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P0101>(cos_tile, cos_tile_between);
        VecF32_32x64 k_turned_cos1(t0_valid); TASSIGN<0x11000>(k_turned_cos1);  // UB 0x11000..0x13000
        pipe_barrier(PIPE_V);
        TCVT(k_turned_cos1, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_32x64 cos_tile_2(t0_valid); TASSIGN<0x10000>(cos_tile_2);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P1010>(cos_tile_2, cos_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_buffer));
        VecF32_32x64 k_turned_cos2(t0_valid); TASSIGN<0x13000>(k_turned_cos2);  // UB 0x13000..0x15000
        pipe_barrier(PIPE_V);
        TCVT(k_turned_cos2, cos_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_32x64 sin_tile(t0_valid); TASSIGN<0x10000>(sin_tile);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P0101>(sin_tile, sin_tile_between);
        VecF32_32x64 k_turned_sin1(t0_valid); TASSIGN<0x15000>(k_turned_sin1);  // UB 0x15000..0x17000
        pipe_barrier(PIPE_V);
        TCVT(k_turned_sin1, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_32x64 sin_tile_2(t0_valid); TASSIGN<0x10000>(sin_tile_2);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P1010>(sin_tile_2, sin_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_32x64 k_turned_sin2(t0_valid); TASSIGN<0x17000>(k_turned_sin2);  // UB 0x17000..0x19000
        pipe_barrier(PIPE_V);
        TCVT(k_turned_sin2, sin_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0, kv_heads0_buffer ^= 1) {
            VecB16_32x128 k_tile_between(t0_valid); TASSIGN(k_tile_between, 0x0c000 + kv_heads0_buffer * 0x02000);  // UB 0x0c000..0x10000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv_heads0_buffer));  // free again
            KGm k_in(k + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
            TLOAD(k_tile_between, k_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv_heads0_buffer));
            VecB16_32x64 k_tile(t0_valid); TASSIGN<0x10000>(k_tile);  // UB 0x10000..0x11000
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv_heads0_buffer));
            TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P0101>(k_tile, k_tile_between);
            VecF32_32x64 k_turned_x1(t0_valid); TASSIGN<0x19000>(k_turned_x1);  // UB 0x19000..0x1b000
            pipe_barrier(PIPE_V);
            TCVT(k_turned_x1, k_tile, RoundMode::CAST_RINT, SaturationMode::ON);
            VecB16_32x64 k_tile_2(t0_valid); TASSIGN<0x10000>(k_tile_2);  // UB 0x10000..0x11000
            pipe_barrier(PIPE_V);
            TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P1010>(k_tile_2, k_tile_between);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv_heads0_buffer));
            VecF32_32x64 k_turned_x2(t0_valid); TASSIGN<0x1b000>(k_turned_x2);  // UB 0x1b000..0x1d000
            pipe_barrier(PIPE_V);
            TCVT(k_turned_x2, k_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
            VecF32_32x64 k_turned_x1c1(t0_valid); TASSIGN<0x1d000>(k_turned_x1c1);  // UB 0x1d000..0x1f000
            TMUL(k_turned_x1c1, k_turned_x1, k_turned_cos1);
            VecF32_32x64 k_turned_x2s1(t0_valid); TASSIGN<0x1f000>(k_turned_x2s1);  // UB 0x1f000..0x21000
            pipe_barrier(PIPE_V);
            TMUL(k_turned_x2s1, k_turned_x2, k_turned_sin1);
            VecF32_32x64 k_turned_low(t0_valid); TASSIGN<0x1d000>(k_turned_low);  // UB 0x1d000..0x1f000
            pipe_barrier(PIPE_V);
            TSUB(k_turned_low, k_turned_x1c1, k_turned_x2s1);
            VecF32_32x64 k_turned_x2c2(t0_valid); TASSIGN<0x1b000>(k_turned_x2c2);  // UB 0x1b000..0x1d000
            TMUL(k_turned_x2c2, k_turned_x2, k_turned_cos2);
            VecF32_32x64 k_turned_x1s2(t0_valid); TASSIGN<0x19000>(k_turned_x1s2);  // UB 0x19000..0x1b000
            TMUL(k_turned_x1s2, k_turned_x1, k_turned_sin2);
            VecF32_32x64 k_turned_high(t0_valid); TASSIGN<0x19000>(k_turned_high);  // UB 0x19000..0x1b000
            pipe_barrier(PIPE_V);
            TADD(k_turned_high, k_turned_x2c2, k_turned_x1s2);
            VecB16_32x64 k_turned_even_tile(t0_valid); TASSIGN(k_turned_even_tile, 0x00000 + kv_heads0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
            wait_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_buffer));  // free again
            TCVT(k_turned_even_tile, k_turned_low, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_heads0_buffer));
            VecB16_32x64 k_turned_odd_tile(t0_valid); TASSIGN(k_turned_odd_tile, 0x02000 + kv_heads0_buffer * 0x01000);  // UB 0x02000..0x04000, 2 copies
            pipe_barrier(PIPE_V);
            TCVT(k_turned_odd_tile, k_turned_high, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_buffer));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv_heads0_buffer));
            KTurnedEvenGm k_turned_even_out(k_turned_even + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
            TSTORE(k_turned_even_out, k_turned_even_tile);
            wait_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_buffer));
            KTurnedEvenGm k_turned_odd_out(k_turned_odd + int64_t(t0) * 256 + int64_t(kv_heads0) * 64, {t0_valid});
            TSTORE(k_turned_odd_out, k_turned_odd_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_buffer));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void turn_keys_vec1(
    __gm__ bfloat16_t *k_turned_even, __gm__ bfloat16_t *k_turned_odd, __gm__ bfloat16_t *k, __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        k_turned_even, k_turned_odd, k, cos, sin, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
