// key_rope: vector kernel of `mla_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_rope; tiles t 16; memory UB 40960 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x64 = Tile<TileType::Vec, bfloat16_t, 16, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_16x64 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_16x64_c32 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, 32>;
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using Kr1Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using KrCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *kr_cache,
    __gm__ bfloat16_t *kr_1,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        // kr: rope(cast(kr_f, bf16), cos, sin)
        VecB16_16x64 kr_1_tile(t0_valid); TASSIGN(kr_1_tile, 0x00000 + t0_buffer * 0x00800);  // UB 0x00000..0x01000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        Kr1Gm kr_1_in(kr_1 + int64_t(t0) * 64, {t0_valid});
        TLOAD(kr_1_tile, kr_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecB16_16x64 cos_tile(t0_valid); TASSIGN(cos_tile, 0x01000 + t0_buffer * 0x00800);  // UB 0x01000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        Kr1Gm cos_in(cos + int64_t(t0) * 64, {t0_valid});
        TLOAD(cos_tile, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecB16_16x64 sin_tile(t0_valid); TASSIGN(sin_tile, 0x02000 + t0_buffer * 0x00800);  // UB 0x02000..0x03000, 2 copies
        Kr1Gm sin_in(sin + int64_t(t0) * 64, {t0_valid});
        TLOAD(sin_tile, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_16x64 kr_x(t0_valid); TASSIGN<0x04000>(kr_x);  // UB 0x04000..0x05000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TCVT(kr_x, kr_1_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_16x64 kr_cos(t0_valid); TASSIGN<0x05000>(kr_cos);  // UB 0x05000..0x06000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCVT(kr_cos, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_16x64 kr_sin(t0_valid); TASSIGN<0x06000>(kr_sin);  // UB 0x06000..0x07000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TCVT(kr_sin, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_16x64_c32 kr_x1c1(t0_valid); TASSIGN<0x07000>(kr_x1c1);  // UB 0x07000..0x08000
        VecF32_16x64_c32 kr_x1(t0_valid); TASSIGN<0x04000>(kr_x1);  // columns 0.. of kr_x
        VecF32_16x64_c32 kr_cos1(t0_valid); TASSIGN<0x05000>(kr_cos1);  // columns 0.. of kr_cos
        pipe_barrier(PIPE_V);
        TMUL(kr_x1c1, kr_x1, kr_cos1);
        VecF32_16x64_c32 kr_x2s1(t0_valid); TASSIGN<0x08000>(kr_x2s1);  // UB 0x08000..0x09000
        VecF32_16x64_c32 kr_x2(t0_valid); TASSIGN<0x04080>(kr_x2);  // columns 32.. of kr_x
        VecF32_16x64_c32 kr_sin1(t0_valid); TASSIGN<0x06000>(kr_sin1);  // columns 0.. of kr_sin
        TMUL(kr_x2s1, kr_x2, kr_sin1);
        VecF32_16x64_c32 kr_low(t0_valid); TASSIGN<0x09000>(kr_low);  // columns 0.. of kr_roped
        pipe_barrier(PIPE_V);
        TSUB(kr_low, kr_x1c1, kr_x2s1);
        VecF32_16x64_c32 kr_x2c2(t0_valid); TASSIGN<0x07000>(kr_x2c2);  // UB 0x07000..0x08000
        VecF32_16x64_c32 kr_cos2(t0_valid); TASSIGN<0x05080>(kr_cos2);  // columns 32.. of kr_cos
        pipe_barrier(PIPE_V);
        TMUL(kr_x2c2, kr_x2, kr_cos2);
        VecF32_16x64_c32 kr_x1s2(t0_valid); TASSIGN<0x04000>(kr_x1s2);  // UB 0x04000..0x05000
        VecF32_16x64_c32 kr_sin2(t0_valid); TASSIGN<0x06080>(kr_sin2);  // columns 32.. of kr_sin
        TMUL(kr_x1s2, kr_x1, kr_sin2);
        VecF32_16x64_c32 kr_high(t0_valid); TASSIGN<0x09080>(kr_high);  // columns 32.. of kr_roped
        pipe_barrier(PIPE_V);
        TADD(kr_high, kr_x2c2, kr_x1s2);
        VecB16_16x64 kr(t0_valid); TASSIGN(kr, 0x03000 + t0_buffer * 0x00800);  // UB 0x03000..0x04000, 2 copies
        VecF32_16x64 kr_roped(t0_valid); TASSIGN<0x09000>(kr_roped);  // UB 0x09000..0x0a000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(kr, kr_roped, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // rows of kr to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            // kr_cache: scatter_update(kr_cache, slot, kr, dim=0)
            VecB16_1x64 kr_one; TASSIGN(kr_one, 0x03000 + row * 0x00080 + t0_buffer * 0x00800);  // row of kr
            KrCacheGm kr_cache_out(kr_cache + int64_t(slot_i) * 64);
            TSTORE(kr_cache_out, kr_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_rope(
    __gm__ bfloat16_t *kr_cache, __gm__ bfloat16_t *kr_1, __gm__ bfloat16_t *cos, __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(kr_cache, kr_1, cos, sin, slot, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
