// normalise_vec3: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages normalise; tiles b 1, heads 1, s 64; memory UB 66304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
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
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t s0 = 0; s0 < s; s0 += 64) {
            const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
            for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
                VecF32_64x128 q_n_f(s0_valid); TASSIGN(q_n_f, 0x08000);  // UB 0x08000..0x10000
                VecF32_64x1 q_n_3(s0_valid); TASSIGN(q_n_3, 0x10100);  // UB 0x10100..0x10200
                VecF32_64x128 k_n_f(s0_valid); TASSIGN(k_n_f, 0x00000);  // UB 0x00000..0x08000
                VecF32_64x1 k_n_3(s0_valid); TASSIGN(k_n_3, 0x10000);  // UB 0x10000..0x10100
                QN1Gm q_n_1_in(q_n_1 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                QN1Gm k_n_1_in(k_n_1 + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                TPASS(s0_valid, 128, [&](auto at, auto &q_n_3_sum, auto &k_n_3_sum) {
                    // f: cast(x, fp32)  [gated_delta_rule.yaml:35]
                    const auto q_n_1_tile = at.load(q_n_1_in);
                    at.store(q_n_f, q_n_1_tile);
                    // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)  [gated_delta_rule.yaml:36]
                    const auto q_n_2 = q_n_1_tile * q_n_1_tile;
                    q_n_3_sum.take(at, q_n_2);
                    // f: cast(x, fp32)  [gated_delta_rule.yaml:35]
                    const auto k_n_1_tile = at.load(k_n_1_in);
                    at.store(k_n_f, k_n_1_tile);
                    // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)  [gated_delta_rule.yaml:36]
                    const auto k_n_2 = k_n_1_tile * k_n_1_tile;
                    k_n_3_sum.take(at, k_n_2);
                }, RowSum(q_n_3), RowSum(k_n_3));
                VecF32_1x64 q_n_4_row(s0_valid); TASSIGN(q_n_4_row, 0x10200);  // as a row, same bytes as q_n_4
                VecF32_1x64 q_n_3_row(s0_valid); TASSIGN(q_n_3_row, 0x10100);  // as a row, same bytes as q_n_3
                TADDS(q_n_4_row, q_n_3_row, eps);
                VecF32_1x64 q_n_5_row(s0_valid); TASSIGN(q_n_5_row, 0x10100);  // as a row, same bytes as q_n_5
                TSQRT(q_n_5_row, q_n_4_row);
                VecF32_1x64 k_n_4_row(s0_valid); TASSIGN(k_n_4_row, 0x10200);  // as a row, same bytes as k_n_4
                VecF32_1x64 k_n_3_row(s0_valid); TASSIGN(k_n_3_row, 0x10000);  // as a row, same bytes as k_n_3
                TADDS(k_n_4_row, k_n_3_row, eps);
                VecF32_1x64 k_n_5_row(s0_valid); TASSIGN(k_n_5_row, 0x10000);  // as a row, same bytes as k_n_5
                TSQRT(k_n_5_row, k_n_4_row);
                VecF32_64x1 q_n_5(s0_valid); TASSIGN(q_n_5, 0x10100);  // UB 0x10100..0x10200
                VecF32_64x1 k_n_5(s0_valid); TASSIGN(k_n_5, 0x10000);  // UB 0x10000..0x10100
                QN1Gm q_n_out(q_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                QN1Gm k_n_out(k_n + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                TPASS(s0_valid, 128, [&](auto at, auto &q_n_5_divisor, auto &k_n_5_divisor) {
                    const auto q_n_f_v = at.load(q_n_f);
                    const auto q_n_6 = q_n_f_v / q_n_5_divisor;
                    // q_n: cast(unit(permute(q, [0, 2, 1, 3])) * dk ** -0.5, bf16)  [gated_delta_rule.yaml:45]
                    const auto q_n_7 = q_n_6 * 0.088388346f;
                    // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)  [gated_delta_rule.yaml:36]
                    const auto k_n_f_v = at.load(k_n_f);
                    const auto k_n_6 = k_n_f_v / k_n_5_divisor;
                    // q_n: cast(unit(permute(q, [0, 2, 1, 3])) * dk ** -0.5, bf16)  [gated_delta_rule.yaml:45]
                    at.store(q_n_out, q_n_7);
                    // k_n: cast(unit(permute(k, [0, 2, 1, 3])), bf16)  [gated_delta_rule.yaml:46]
                    at.store(k_n_out, k_n_6);
                }, Divisor(q_n_5), Divisor(k_n_5));
            }
        }
    }
#endif
}
