// normalise: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages normalise; tiles b 1, s 1; memory UB 16576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void normalise(
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    float eps,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t s0 = block; s0 < s; s0 += nblk) {
            VecF32_16x128 q_n_f; TASSIGN(q_n_f, 0x02000);  // UB 0x02000..0x04000
            VecF32_16x1 q_n_2; TASSIGN(q_n_2, 0x04040);  // UB 0x04040..0x04080
            VecF32_16x128 k_n_f; TASSIGN(k_n_f, 0x00000);  // UB 0x00000..0x02000
            VecF32_16x1 k_n_2; TASSIGN(k_n_2, 0x04000);  // UB 0x04000..0x04040
            QGm q_in(q + int64_t(b0) * s * 2048 + int64_t(s0) * 2048);
            QGm k_in(k + int64_t(b0) * s * 2048 + int64_t(s0) * 2048);
            TPASS(16, 128, [&](auto at, auto &q_n_2_sum, auto &k_n_2_sum) {
                // f: cast(x, fp32)
                const auto q_tile = at.load(q_in);
                at.store(q_n_f, q_tile);
                // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)
                const auto q_n_1 = q_tile * q_tile;
                q_n_2_sum.take(at, q_n_1);
                // f: cast(x, fp32)
                const auto k_tile = at.load(k_in);
                at.store(k_n_f, k_tile);
                // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)
                const auto k_n_1 = k_tile * k_tile;
                k_n_2_sum.take(at, k_n_1);
            }, RowSum(q_n_2), RowSum(k_n_2));
            VecF32_1x16 q_n_3_row; TASSIGN(q_n_3_row, 0x04080);  // as a row, same bytes as q_n_3
            VecF32_1x16 q_n_2_row; TASSIGN(q_n_2_row, 0x04040);  // as a row, same bytes as q_n_2
            TADDS(q_n_3_row, q_n_2_row, eps);
            VecF32_1x16 q_n_4_row; TASSIGN(q_n_4_row, 0x04040);  // as a row, same bytes as q_n_4
            TSQRT(q_n_4_row, q_n_3_row);
            VecF32_1x16 k_n_3_row; TASSIGN(k_n_3_row, 0x04080);  // as a row, same bytes as k_n_3
            VecF32_1x16 k_n_2_row; TASSIGN(k_n_2_row, 0x04000);  // as a row, same bytes as k_n_2
            TADDS(k_n_3_row, k_n_2_row, eps);
            VecF32_1x16 k_n_4_row; TASSIGN(k_n_4_row, 0x04000);  // as a row, same bytes as k_n_4
            TSQRT(k_n_4_row, k_n_3_row);
            VecF32_16x1 q_n_4; TASSIGN(q_n_4, 0x04040);  // UB 0x04040..0x04080
            VecF32_16x1 k_n_4; TASSIGN(k_n_4, 0x04000);  // UB 0x04000..0x04040
            QGm q_n_out(q_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048);
            QGm k_n_out(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048);
            TPASS(16, 128, [&](auto at, auto &q_n_4_divisor, auto &k_n_4_divisor) {
                const auto q_n_f_v = at.load(q_n_f);
                const auto q_n_5 = q_n_f_v / q_n_4_divisor;
                // q_n: cast(unit(q) * dk ** -0.5, bf16)
                const auto q_n_6 = q_n_5 * 0.088388346f;
                // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)
                const auto k_n_f_v = at.load(k_n_f);
                const auto k_n_5 = k_n_f_v / k_n_4_divisor;
                // q_n: cast(unit(q) * dk ** -0.5, bf16)
                at.store(q_n_out, q_n_6);
                // k_n: cast(unit(k), bf16)
                at.store(k_n_out, k_n_5);
            }, Divisor(q_n_4), Divisor(k_n_4));
        }
    }
#endif
}
