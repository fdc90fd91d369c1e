// of_scores: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages of_scores; tiles heads 1, kv 1024, sq 16; memory UB 139328 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_16x1024 = Tile<TileType::Vec, float, 16, 1024, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
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
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 16) {
        const int32_t sq0_valid = sq_end - sq0 < 16 ? sq_end - sq0 : 16;
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 1024) {
            const int32_t kv0_valid = kv - kv0 < 1024 ? kv - kv0 : 1024;
            for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
                // d_s: p * (d_p - sum(o * d_o, axis=-1, keepdim=true)) * scale
                VecF32_16x128 o_tile(sq0_valid); TASSIGN<0x00000>(o_tile);  // UB 0x00000..0x02000
                OGm o_in(o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                TLOAD(o_tile, o_in);
                VecF32_16x128 d_o_tile(sq0_valid); TASSIGN<0x02000>(d_o_tile);  // UB 0x02000..0x04000
                wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
                OGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                TLOAD(d_o_tile, d_o_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                VecF32_16x128 d_s_1(sq0_valid); TASSIGN<0x00000>(d_s_1);  // UB 0x00000..0x02000
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
                TMUL(d_s_1, o_tile, d_o_tile);
                VecF32_16x1 d_s_2(sq0_valid); TASSIGN<0x02000>(d_s_2);  // UB 0x02000..0x02040
                VecF32_16x128 d_s_2_tmp(sq0_valid); TASSIGN<0x02040>(d_s_2_tmp);  // UB 0x02040..0x04040
                pipe_barrier(PIPE_V);
                TROWSUM(d_s_2, d_s_1, d_s_2_tmp);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                VecF32_16x1024 d_p_tile(sq0_valid, kv0_valid); TASSIGN<0x02040>(d_p_tile);  // UB 0x02040..0x12040
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                DPGm d_p_in(d_p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TLOAD(d_p_tile, d_p_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                VecF32_16x1024 d_s_3(sq0_valid, kv0_valid); TASSIGN<0x02040>(d_s_3);  // UB 0x02040..0x12040
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                TROWEXPANDSUB(d_s_3, d_p_tile, d_s_2);
                VecF32_16x1024 p_tile(sq0_valid, kv0_valid); TASSIGN<0x12040>(p_tile);  // UB 0x12040..0x22040
                DPGm p_in(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TLOAD(p_tile, p_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TMUL(d_s_3, p_tile, d_s_3);
                VecF32_16x1024 d_s_tile(sq0_valid, kv0_valid); TASSIGN<0x02040>(d_s_tile);  // UB 0x02040..0x12040
                pipe_barrier(PIPE_V);
                TMULS(d_s_tile, d_s_3, scale);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                DPGm d_s_out(d_s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TSTORE(d_s_out, d_s_tile);
                set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
            }
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void of_scores(
    __gm__ float *d_s, __gm__ float *o, __gm__ float *d_o, __gm__ float *d_p, __gm__ float *p, float scale,
    int32_t sq_begin, int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    run_block(d_s, o, d_o, d_p, p, scale, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
