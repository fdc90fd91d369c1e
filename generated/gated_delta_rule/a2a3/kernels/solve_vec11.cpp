// solve_vec11: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages solve; tiles b 1, group 1, heads 1, s 64; memory UB 115712 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_64x64 = Tile<TileType::Vec, bfloat16_t, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using D32Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
using BetaHGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using U1Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void solve_vec11(
    __gm__ bfloat16_t *u_1,
    __gm__ bfloat16_t *w_3,
    __gm__ float *d32,
    __gm__ float *d64_3,
    __gm__ float *beta_h,
    __gm__ float *w_1,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t s0_slot = 0;  // which of 2 buffers this round of s0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 copies are free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 copies are free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 copies are free
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64, s0_slot ^= 1) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // d64: d32 + matmul(d32, -matmul(a32, d32))  [gated_delta_rule.yaml:74]
                    VecF32_64x64 d32_tile(s0_valid, s0_valid); TASSIGN(d32_tile, 0x00000 + s0_slot * 0x04000);  // UB 0x00000..0x08000, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + s0_slot));  // free again
                    D32Gm d32_in(d32 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TLOAD(d32_tile, d32_in);
                    VecF32_64x64 d64_3_tile(s0_valid, s0_valid); TASSIGN(d64_3_tile, 0x08000 + s0_slot * 0x04000);  // UB 0x08000..0x10000, 2 copies
                    D32Gm d64_3_in(d64_3 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TLOAD(d64_3_tile, d64_3_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_slot));
                    // d: d64 * beta_h[:, :, :, None, s]  [gated_delta_rule.yaml:75]
                    VecF32_1x64 beta_h_tile(s0_valid); TASSIGN(beta_h_tile, 0x10000 + s0_slot * 0x00100);  // UB 0x10000..0x10200, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_slot));  // free again
                    BetaHGm beta_h_in(beta_h + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TLOAD(beta_h_tile, beta_h_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_slot));
                    // w: matmul(cast(d * exp(gamma[:, :, :, None, s]), bf16), key)  [gated_delta_rule.yaml:78]
                    VecF32_1x64 w_1_tile(s0_valid); TASSIGN(w_1_tile, 0x14200 + s0_slot * 0x00100);  // UB 0x14200..0x14400, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_slot));  // free again
                    BetaHGm w_1_in(w_1 + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TLOAD(w_1_tile, w_1_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(s0_slot));
                    // d64: d32 + matmul(d32, -matmul(a32, d32))  [gated_delta_rule.yaml:74]
                    VecF32_64x64 d64(s0_valid, s0_valid); TASSIGN(d64, 0x18400);  // UB 0x18400..0x1c400
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + s0_slot));
                    TADD(d64, d32_tile, d64_3_tile);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(4 + s0_slot));
                    // d: d64 * beta_h[:, :, :, None, s]  [gated_delta_rule.yaml:75]
                    VecF32_64x64 d(s0_valid, s0_valid); TASSIGN(d, 0x18400);  // UB 0x18400..0x1c400
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_slot));
                    TCOLEXPANDMUL(d, d64, beta_h_tile);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_slot));
                    // u: matmul(cast(d, bf16), v_h[:, :, :, s], dtype=fp32)  [gated_delta_rule.yaml:77]
                    VecB16_64x64 u_1_tile(s0_valid, s0_valid); TASSIGN(u_1_tile, 0x10200 + s0_slot * 0x02000);  // UB 0x10200..0x14200, 2 copies
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + s0_slot));  // free again
                    TCVT(u_1_tile, d, RoundMode::CAST_RINT);
                    set_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_slot));
                    wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_slot));
                    U1Gm u_1_out(u_1 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(u_1_out, u_1_tile);
                    set_flag(PIPE_MTE3, PIPE_V, event_t(2 + s0_slot));
                    // w: matmul(cast(d * exp(gamma[:, :, :, None, s]), bf16), key)  [gated_delta_rule.yaml:78]
                    VecF32_64x64 w_2(s0_valid, s0_valid); TASSIGN(w_2, 0x18400);  // UB 0x18400..0x1c400
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_slot));
                    TCOLEXPANDMUL(w_2, d, w_1_tile);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(s0_slot));
                    VecB16_64x64 w_3_tile(s0_valid, s0_valid); TASSIGN(w_3_tile, 0x14400 + s0_slot * 0x02000);  // UB 0x14400..0x18400, 2 copies
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_slot));  // free again
                    TCVT(w_3_tile, w_2, RoundMode::CAST_RINT);
                    set_flag(PIPE_V, PIPE_MTE3, event_t(s0_slot));
                    wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_slot));
                    U1Gm w_3_out(w_3 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TSTORE(w_3_out, w_3_tile);
                    set_flag(PIPE_MTE3, PIPE_V, event_t(s0_slot));
                }
            }
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last rounds of 2 copies
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last rounds of 2 copies
#endif
}
