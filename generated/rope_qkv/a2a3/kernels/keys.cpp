// keys: vector kernel of `rope_qkv` for a2a3. Made by pyptogen; change the spec, not this file.
// stages keys; tiles kv_heads 1, t 32; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x128_c64 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QkvGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 6144, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *qkv,
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
    int32_t kv_heads0_buffer = 0;  // which of 2 buffers this iteration of kv_heads0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 31) / 32 * 8;  // of t0 and kv_heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, kv_heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 8 * 32;
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        const int32_t kv_heads0 = tile % 8;
        // k: rope(reshape(qkv[:, heads * d:(heads + kv_heads) * d], [t, kv_heads, d]), cos[:, None, :], sin[:, None, :])
        VecB16_32x128 cos_tile(t0_valid); TASSIGN(cos_tile, 0x04000 + kv_heads0_buffer * 0x02000);  // UB 0x04000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv_heads0_buffer));  // free again
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + kv_heads0_buffer));
        VecB16_32x128 sin_tile(t0_valid); TASSIGN(sin_tile, 0x08000 + kv_heads0_buffer * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(kv_heads0_buffer));  // free again
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv_heads0_buffer));
        VecB16_32x128 qkv_tile(t0_valid); TASSIGN(qkv_tile, 0x00000 + kv_heads0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        QkvGm qkv_in(qkv + int64_t(t0) * 6144 + int64_t(kv_heads0) * 128 + 4096, {t0_valid});
        TLOAD(qkv_tile, qkv_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(kv_heads0_buffer));
        VecF32_32x128 k_cos(t0_valid); TASSIGN<0x10000>(k_cos);  // UB 0x10000..0x14000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + kv_heads0_buffer));
        TCVT(k_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv_heads0_buffer));
        VecF32_32x128 k_sin(t0_valid); TASSIGN<0x14000>(k_sin);  // UB 0x14000..0x18000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv_heads0_buffer));
        TCVT(k_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x128 k_x(t0_valid); TASSIGN<0x18000>(k_x);  // UB 0x18000..0x1c000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(kv_heads0_buffer));
        TCVT(k_x, qkv_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(kv_heads0_buffer));
        VecF32_32x128_c64 k_x1c1(t0_valid); TASSIGN<0x1c000>(k_x1c1);  // UB 0x1c000..0x20000
        VecF32_32x128_c64 k_x1(t0_valid); TASSIGN<0x18000>(k_x1);  // columns 0.. of k_x
        VecF32_32x128_c64 k_cos1(t0_valid); TASSIGN<0x10000>(k_cos1);  // columns 0.. of k_cos
        pipe_barrier(PIPE_V);
        TMUL(k_x1c1, k_x1, k_cos1);
        VecF32_32x128_c64 k_x2s1(t0_valid); TASSIGN<0x20000>(k_x2s1);  // UB 0x20000..0x24000
        VecF32_32x128_c64 k_x2(t0_valid); TASSIGN<0x18100>(k_x2);  // columns 64.. of k_x
        VecF32_32x128_c64 k_sin1(t0_valid); TASSIGN<0x14000>(k_sin1);  // columns 0.. of k_sin
        TMUL(k_x2s1, k_x2, k_sin1);
        VecF32_32x128_c64 k_low(t0_valid); TASSIGN<0x24000>(k_low);  // columns 0.. of k_roped
        pipe_barrier(PIPE_V);
        TSUB(k_low, k_x1c1, k_x2s1);
        VecF32_32x128_c64 k_x2c2(t0_valid); TASSIGN<0x1c000>(k_x2c2);  // UB 0x1c000..0x20000
        VecF32_32x128_c64 k_cos2(t0_valid); TASSIGN<0x10100>(k_cos2);  // columns 64.. of k_cos
        pipe_barrier(PIPE_V);
        TMUL(k_x2c2, k_x2, k_cos2);
        VecF32_32x128_c64 k_x1s2(t0_valid); TASSIGN<0x10000>(k_x1s2);  // UB 0x10000..0x14000
        VecF32_32x128_c64 k_sin2(t0_valid); TASSIGN<0x14100>(k_sin2);  // columns 64.. of k_sin
        TMUL(k_x1s2, k_x1, k_sin2);
        VecF32_32x128_c64 k_high(t0_valid); TASSIGN<0x24100>(k_high);  // columns 64.. of k_roped
        pipe_barrier(PIPE_V);
        TADD(k_high, k_x2c2, k_x1s2);
        VecB16_32x128 k_tile(t0_valid); TASSIGN(k_tile, 0x0c000 + kv_heads0_buffer * 0x02000);  // UB 0x0c000..0x10000, 2 copies
        VecF32_32x128 k_roped(t0_valid); TASSIGN<0x24000>(k_roped);  // UB 0x24000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_buffer));  // free again
        TCVT(k_tile, k_roped, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(kv_heads0_buffer));
        QkvGm k_out(k + int64_t(t0) * 6144 + int64_t(kv_heads0) * 128, {t0_valid});
        TSTORE(k_out, k_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(kv_heads0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void keys(
    __gm__ bfloat16_t *k, __gm__ bfloat16_t *qkv, __gm__ bfloat16_t *cos, __gm__ bfloat16_t *sin, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    run_block(k, qkv, cos, sin, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
