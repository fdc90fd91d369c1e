// of_scores: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages of_scores; tiles heads 1, kv 1024, sq 8; memory UB 151584 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using OGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using DPGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ float *d_s,
    __gm__ float *o,
    __gm__ float *d_o,
    __gm__ float *d_p,
    __gm__ float *p,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t kv0_tiles = (kv + 1023) / 1024;
    const int32_t tiles = (sq_end - sq_begin + 7) / 8 * kv0_tiles * 8;  // of sq0, kv0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t sq0 = sq_begin + tile / (kv0_tiles * 8) * 8;
        const int32_t sq0_valid = sq_end - sq0 < 8 ? sq_end - sq0 : 8;
        const int32_t kv0 = tile / 8 % kv0_tiles * 1024;
        const int32_t kv0_valid = kv - kv0 < 1024 ? kv - kv0 : 1024;
        const int32_t heads0 = tile % 8;
        // d_s: p * (d_p - sum(o * d_o, axis=-1, keepdim=true)) * scale
        VecF32_8x128 o_tile(sq0_valid); TASSIGN(o_tile, 0x00000 + heads0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
        OGm o_in(o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
        TLOAD(o_tile, o_in);
        VecF32_8x128 d_o_tile(sq0_valid); TASSIGN(d_o_tile, 0x02000 + heads0_buffer * 0x01000);  // UB 0x02000..0x04000, 2 copies
        OGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
        TLOAD(d_o_tile, d_o_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + heads0_buffer));
        VecF32_8x1024 d_p_tile(sq0_valid, kv0_valid); TASSIGN(d_p_tile, 0x04000 + heads0_buffer * 0x08000);  // UB 0x04000..0x14000, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(heads0_buffer));  // free again
        DPGm d_p_in(d_p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
        TLOAD(d_p_tile, d_p_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
        VecF32_8x1024 p_tile(sq0_valid, kv0_valid); TASSIGN(p_tile, 0x14000 + heads0_buffer * 0x08000);  // UB 0x14000..0x24000, 2 copies
        DPGm p_in(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
        TLOAD(p_tile, p_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        VecF32_8x128 d_s_1(sq0_valid); TASSIGN(d_s_1, 0x00000 + heads0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + heads0_buffer));
        TMUL(d_s_1, o_tile, d_o_tile);
        VecF32_8x1 d_s_2(sq0_valid); TASSIGN<0x24000>(d_s_2);  // UB 0x24000..0x24020
        VecF32_8x128 d_s_2_tmp(sq0_valid); TASSIGN<0x24020>(d_s_2_tmp);  // UB 0x24020..0x25020
        pipe_barrier(PIPE_V);
        TROWSUM(d_s_2, d_s_1, d_s_2_tmp);
        set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
        VecF32_8x1024 d_s_3(sq0_valid, kv0_valid); TASSIGN(d_s_3, 0x04000 + heads0_buffer * 0x08000);  // UB 0x04000..0x14000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + heads0_buffer));
        TROWEXPANDSUB(d_s_3, d_p_tile, d_s_2);
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        TMUL(d_s_3, p_tile, d_s_3);
        VecF32_8x1024 d_s_tile(sq0_valid, kv0_valid); TASSIGN(d_s_tile, 0x04000 + heads0_buffer * 0x08000);  // UB 0x04000..0x14000, 2 copies
        pipe_barrier(PIPE_V);
        TMULS(d_s_tile, d_s_3, scale);
        set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        DPGm d_s_out(d_s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
        TSTORE(d_s_out, d_s_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void of_scores(
    __gm__ float *d_s, __gm__ float *o, __gm__ float *d_o, __gm__ float *d_p, __gm__ float *p, float scale,
    int32_t sq_begin, int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    run_block(d_s, o, d_o, d_p, p, scale, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
