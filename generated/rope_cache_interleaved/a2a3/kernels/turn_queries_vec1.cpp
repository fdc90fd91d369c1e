// turn_queries_vec1: vector kernel of `rope_cache_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages turn_queries; tiles heads 1, t 32; memory UB 118784 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x64 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using QTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q_turned_even,
    __gm__ bfloat16_t *q_turned_odd,
    __gm__ bfloat16_t *q,
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
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 31) / 32 * 16;  // of t0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 16 * 32;
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        const int32_t heads0 = tile % 16;
        // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_32x128 cos_tile_between(t0_valid); TASSIGN(cos_tile_between, 0x04000 + heads0_buffer * 0x02000);  // UB 0x04000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + heads0_buffer));  // free again
        CosGm cos_in(cos + int64_t(t0) * 128, {t0_valid});
        TLOAD(cos_tile_between, cos_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + heads0_buffer));
        VecB16_32x128 sin_tile_between(t0_valid); TASSIGN(sin_tile_between, 0x08000 + heads0_buffer * 0x02000);  // UB 0x08000..0x0c000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_buffer));  // free again
        CosGm sin_in(sin + int64_t(t0) * 128, {t0_valid});
        TLOAD(sin_tile_between, sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
        VecB16_32x128 q_tile_between(t0_valid); TASSIGN(q_tile_between, 0x0c000 + heads0_buffer * 0x02000);  // UB 0x0c000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
        QGm q_in(q + int64_t(t0) * 2048 + int64_t(heads0) * 128, {t0_valid});
        TLOAD(q_tile_between, q_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        VecB16_32x64 cos_tile(t0_valid); TASSIGN<0x10000>(cos_tile);  // UB 0x10000..0x11000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + heads0_buffer));
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P0101>(cos_tile, cos_tile_between);
        VecF32_32x64 q_turned_cos1(t0_valid); TASSIGN<0x11000>(q_turned_cos1);  // UB 0x11000..0x13000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_cos1, cos_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_32x64 cos_tile_2(t0_valid); TASSIGN<0x10000>(cos_tile_2);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P1010>(cos_tile_2, cos_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + heads0_buffer));
        VecF32_32x64 q_turned_cos2(t0_valid); TASSIGN<0x13000>(q_turned_cos2);  // UB 0x13000..0x15000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_cos2, cos_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_32x64 sin_tile(t0_valid); TASSIGN<0x10000>(sin_tile);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P0101>(sin_tile, sin_tile_between);
        VecF32_32x64 q_turned_sin1(t0_valid); TASSIGN<0x15000>(q_turned_sin1);  // UB 0x15000..0x17000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_sin1, sin_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_32x64 sin_tile_2(t0_valid); TASSIGN<0x10000>(sin_tile_2);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P1010>(sin_tile_2, sin_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + heads0_buffer));
        VecF32_32x64 q_turned_sin2(t0_valid); TASSIGN<0x17000>(q_turned_sin2);  // UB 0x17000..0x19000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_sin2, sin_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_32x64 q_tile(t0_valid); TASSIGN<0x10000>(q_tile);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P0101>(q_tile, q_tile_between);
        VecF32_32x64 q_turned_x1(t0_valid); TASSIGN<0x19000>(q_turned_x1);  // UB 0x19000..0x1b000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_x1, q_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecB16_32x64 q_tile_2(t0_valid); TASSIGN<0x10000>(q_tile_2);  // UB 0x10000..0x11000
        pipe_barrier(PIPE_V);
        TGATHER<VecB16_32x64, VecB16_32x128, MaskPattern::P1010>(q_tile_2, q_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
        VecF32_32x64 q_turned_x2(t0_valid); TASSIGN<0x1b000>(q_turned_x2);  // UB 0x1b000..0x1d000
        pipe_barrier(PIPE_V);
        TCVT(q_turned_x2, q_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x64 q_turned_x1c1(t0_valid); TASSIGN<0x11000>(q_turned_x1c1);  // UB 0x11000..0x13000
        TMUL(q_turned_x1c1, q_turned_x1, q_turned_cos1);
        VecF32_32x64 q_turned_x2s1(t0_valid); TASSIGN<0x15000>(q_turned_x2s1);  // UB 0x15000..0x17000
        pipe_barrier(PIPE_V);
        TMUL(q_turned_x2s1, q_turned_x2, q_turned_sin1);
        VecF32_32x64 q_turned_low(t0_valid); TASSIGN<0x11000>(q_turned_low);  // UB 0x11000..0x13000
        pipe_barrier(PIPE_V);
        TSUB(q_turned_low, q_turned_x1c1, q_turned_x2s1);
        VecF32_32x64 q_turned_x2c2(t0_valid); TASSIGN<0x13000>(q_turned_x2c2);  // UB 0x13000..0x15000
        TMUL(q_turned_x2c2, q_turned_x2, q_turned_cos2);
        VecF32_32x64 q_turned_x1s2(t0_valid); TASSIGN<0x15000>(q_turned_x1s2);  // UB 0x15000..0x17000
        pipe_barrier(PIPE_V);
        TMUL(q_turned_x1s2, q_turned_x1, q_turned_sin2);
        VecF32_32x64 q_turned_high(t0_valid); TASSIGN<0x13000>(q_turned_high);  // UB 0x13000..0x15000
        pipe_barrier(PIPE_V);
        TADD(q_turned_high, q_turned_x2c2, q_turned_x1s2);
        VecB16_32x64 q_turned_even_tile(t0_valid); TASSIGN(q_turned_even_tile, 0x00000 + heads0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
        TCVT(q_turned_even_tile, q_turned_low, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + heads0_buffer));
        VecB16_32x64 q_turned_odd_tile(t0_valid); TASSIGN(q_turned_odd_tile, 0x02000 + heads0_buffer * 0x01000);  // UB 0x02000..0x04000, 2 copies
        pipe_barrier(PIPE_V);
        TCVT(q_turned_odd_tile, q_turned_high, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + heads0_buffer));
        QTurnedEvenGm q_turned_even_out(q_turned_even + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
        TSTORE(q_turned_even_out, q_turned_even_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        QTurnedEvenGm q_turned_odd_out(q_turned_odd + int64_t(t0) * 1024 + int64_t(heads0) * 64, {t0_valid});
        TSTORE(q_turned_odd_out, q_turned_odd_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void turn_queries_vec1(
    __gm__ bfloat16_t *q_turned_even, __gm__ bfloat16_t *q_turned_odd, __gm__ bfloat16_t *q, __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(
        q_turned_even, q_turned_odd, q, cos, sin, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
