// normalise_vec3: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages normalise; tiles b 1, heads 1, s 64; memory UB 164096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using QN1Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void normalise_vec3(
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *q_n_1,
    __gm__ bfloat16_t *k_n_1,
    float eps,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free for the first round
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t s0 = 0; s0 < s; s0 += 64) {
            const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
            for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
                // f: cast(x, fp32)  [gated_delta_rule.yaml:35]
                VecB16_64x128 q_n_1_tile(s0_valid); TASSIGN(q_n_1_tile, 0x00000);  // UB 0x00000..0x04000
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
                QN1Gm q_n_1_in(q_n_1 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                TLOAD(q_n_1_tile, q_n_1_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                VecB16_64x128 k_n_1_tile(s0_valid); TASSIGN(k_n_1_tile, 0x08000);  // UB 0x08000..0x0c000
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
                QN1Gm k_n_1_in(k_n_1 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                TLOAD(k_n_1_tile, k_n_1_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                VecF32_64x128 q_n_f(s0_valid); TASSIGN(q_n_f, 0x10000);  // UB 0x10000..0x18000
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                TCVT(q_n_f, q_n_1_tile, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)  [gated_delta_rule.yaml:36]
                VecF32_64x128 q_n_2(s0_valid); TASSIGN(q_n_2, 0x18000);  // UB 0x18000..0x20000
                pipe_barrier(PIPE_V);
                TMUL(q_n_2, q_n_f, q_n_f);
                VecF32_64x1 q_n_3(s0_valid); TASSIGN(q_n_3, 0x20000);  // UB 0x20000..0x20100
                VecF32_64x128 q_n_3_tmp(s0_valid); TASSIGN(q_n_3_tmp, 0x20100);  // UB 0x20100..0x28100
                pipe_barrier(PIPE_V);
                TROWSUM(q_n_3, q_n_2, q_n_3_tmp);
                VecF32_1x64 q_n_4_row(s0_valid); TASSIGN(q_n_4_row, 0x18000);  // as a row, same bytes as q_n_4
                VecF32_1x64 q_n_3_row(s0_valid); TASSIGN(q_n_3_row, 0x20000);  // as a row, same bytes as q_n_3
                pipe_barrier(PIPE_V);
                TADDS(q_n_4_row, q_n_3_row, eps);
                VecF32_1x64 q_n_5_row(s0_valid); TASSIGN(q_n_5_row, 0x18000);  // as a row, same bytes as q_n_5
                pipe_barrier(PIPE_V);
                TSQRT(q_n_5_row, q_n_4_row);
                VecF32_64x128 q_n_6(s0_valid); TASSIGN(q_n_6, 0x10000);  // UB 0x10000..0x18000
                VecF32_64x1 q_n_5(s0_valid); TASSIGN(q_n_5, 0x18000);  // UB 0x18000..0x18100
                pipe_barrier(PIPE_V);
                TROWEXPANDDIV(q_n_6, q_n_f, q_n_5);
                // q_n: cast(unit(permute(q, [0, 2, 1, 3])) * dk ** -0.5, bf16)  [gated_delta_rule.yaml:45]
                VecF32_64x128 q_n_7(s0_valid); TASSIGN(q_n_7, 0x10000);  // UB 0x10000..0x18000
                pipe_barrier(PIPE_V);
                TMULS(q_n_7, q_n_6, 0.088388346f);
                VecB16_64x128 q_n_tile(s0_valid); TASSIGN(q_n_tile, 0x04000);  // UB 0x04000..0x08000
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
                TCVT(q_n_tile, q_n_7, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
                // f: cast(x, fp32)  [gated_delta_rule.yaml:35]
                VecF32_64x128 k_n_f(s0_valid); TASSIGN(k_n_f, 0x10000);  // UB 0x10000..0x18000
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TCVT(k_n_f, k_n_1_tile, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)  [gated_delta_rule.yaml:36]
                VecF32_64x128 k_n_2(s0_valid); TASSIGN(k_n_2, 0x18000);  // UB 0x18000..0x20000
                pipe_barrier(PIPE_V);
                TMUL(k_n_2, k_n_f, k_n_f);
                VecF32_64x1 k_n_3(s0_valid); TASSIGN(k_n_3, 0x20000);  // UB 0x20000..0x20100
                VecF32_64x128 k_n_3_tmp(s0_valid); TASSIGN(k_n_3_tmp, 0x20100);  // UB 0x20100..0x28100
                pipe_barrier(PIPE_V);
                TROWSUM(k_n_3, k_n_2, k_n_3_tmp);
                VecF32_1x64 k_n_4_row(s0_valid); TASSIGN(k_n_4_row, 0x18000);  // as a row, same bytes as k_n_4
                VecF32_1x64 k_n_3_row(s0_valid); TASSIGN(k_n_3_row, 0x20000);  // as a row, same bytes as k_n_3
                pipe_barrier(PIPE_V);
                TADDS(k_n_4_row, k_n_3_row, eps);
                VecF32_1x64 k_n_5_row(s0_valid); TASSIGN(k_n_5_row, 0x18000);  // as a row, same bytes as k_n_5
                pipe_barrier(PIPE_V);
                TSQRT(k_n_5_row, k_n_4_row);
                VecF32_64x128 k_n_6(s0_valid); TASSIGN(k_n_6, 0x10000);  // UB 0x10000..0x18000
                VecF32_64x1 k_n_5(s0_valid); TASSIGN(k_n_5, 0x18000);  // UB 0x18000..0x18100
                pipe_barrier(PIPE_V);
                TROWEXPANDDIV(k_n_6, k_n_f, k_n_5);
                // k_n: cast(unit(permute(k, [0, 2, 1, 3])), bf16)  [gated_delta_rule.yaml:46]
                VecB16_64x128 k_n_tile(s0_valid); TASSIGN(k_n_tile, 0x0c000);  // UB 0x0c000..0x10000
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
                TCVT(k_n_tile, k_n_6, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
                // q_n: cast(unit(permute(q, [0, 2, 1, 3])) * dk ** -0.5, bf16)  [gated_delta_rule.yaml:45]
                QN1Gm q_n_out(q_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                TSTORE(q_n_out, q_n_tile);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                // k_n: cast(unit(permute(k, [0, 2, 1, 3])), bf16)  [gated_delta_rule.yaml:46]
                QN1Gm k_n_out(k_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                TSTORE(k_n_out, k_n_tile);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
            }
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round
#endif
}
