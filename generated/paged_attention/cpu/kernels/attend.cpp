// attend: mixed kernel of `paged_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages attend; tiles batch 1, kv_heads 1, slots 256; memory L0A 24576 B, L0B 65536 B, L0C 32768 B, UB 25792 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_16x128 = TileLeft<bfloat16_t, 16, 128, 16, 128>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128>;
using RightB16_128x256 = TileRight<bfloat16_t, 128, 256, 128, DYNAMIC>;
using AccF32_16x256 = TileAcc<float, 16, 256, 16, DYNAMIC>;
using VecF32_8x256_r1 = Tile<TileType::Vec, float, 8, 256, BLayout::RowMajor, 1, DYNAMIC>;
using RightB16_256x128 = TileRight<bfloat16_t, 256, 128, DYNAMIC, 128>;
using VecF32_16x256 = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using LeftB16_16x256 = TileLeft<bfloat16_t, 16, 256, 16, DYNAMIC>;
using AccF32_16x128 = TileAcc<float, 16, 128, 16, 128>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void attend(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ float *bias,
    __gm__ bfloat16_t *v,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(batch_end - batch_begin) * 8192);  // o: around the cache if large
    for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk) {
        for (int32_t kv_heads0 = 0; kv_heads0 < 2; ++kv_heads0) {
            // o: attention(q, k, v, bias=bias[:, None, None, :])  [paged_attention.yaml:40]
            LeftB16_16x128 q_tile; TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x02000
            QGm q_in(q + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048);
            TLOAD(q_tile, q_in);
            VecF32_1x16 o_max_row; TASSIGN(o_max_row, 0x00000);  // as a row, same bytes as o_max
            TEXPANDS(o_max_row, -__builtin_inff());
            VecF32_1x16 o_sum_row; TASSIGN(o_sum_row, 0x00040);  // as a row, same bytes as o_sum
            TEXPANDS(o_sum_row, 0.0f);
            VecF32_16x128 o_acc; TASSIGN(o_acc, 0x00080);  // UB 0x00080..0x02080
            TEXPANDS(o_acc, 0.0f);
            for (int32_t slots0 = 0; slots0 < pages * 32; slots0 += 256) {
                const int32_t slots0_valid = pages * 32 - slots0 < 256 ? pages * 32 - slots0 : 256;
                RightB16_128x256 k_tile(slots0_valid); TASSIGN(k_tile, 0x00000);  // L0B 0x00000..0x10000
                KGm k_in(k + int64_t(batch0) * pages * 8192 + int64_t(kv_heads0) * pages * 4096 + int64_t(slots0) * 128, {slots0_valid});
                TLOAD(k_tile, k_in);
                AccF32_16x256 o_qk_acc(slots0_valid); TASSIGN(o_qk_acc, 0x00000);  // L0C 0x00000..0x08000
                TMATMUL(o_qk_acc, q_tile, k_tile);
                VecF32_8x256_r1 bias_tile(slots0_valid); TASSIGN(bias_tile, 0x02080);  // UB 0x02080..0x02480
                BiasGm bias_in(bias + int64_t(batch0) * pages * 32 + int64_t(slots0), {slots0_valid}, {int64_t(pages) * 32});
                TLOAD(bias_tile, bias_in);
                RightB16_256x128 v_tile(slots0_valid); TASSIGN(v_tile, 0x00000);  // L0B 0x00000..0x10000
                VGm v_in(v + int64_t(batch0) * pages * 8192 + int64_t(kv_heads0) * pages * 4096 + int64_t(slots0) * 128, {slots0_valid});
                TLOAD(v_tile, v_in);
                VecF32_16x256 o_s_biased(slots0_valid); TASSIGN(o_s_biased, 0x02480);  // UB 0x02480..0x06480
                VecF32_16x1 o_block_max; TASSIGN(o_block_max, 0x06480);  // UB 0x06480..0x064c0
                TPASS(16, slots0_valid, [&](auto at, auto &o_block_max_max) {
                    const auto o_qk = at.extract(o_qk_acc, 0);
                    const auto o_s = o_qk * 0.088388346f;
                    const auto o_s_biased_v = o_s + at.row(bias_tile);
                    at.store(o_s_biased, o_s_biased_v);
                    o_block_max_max.take(at, o_s_biased_v);
                }, RowMax(o_block_max));
                VecF32_1x16 o_max_next_row; TASSIGN(o_max_next_row, 0x02080);  // as a row, same bytes as o_max_next
                VecF32_1x16 o_block_max_row; TASSIGN(o_block_max_row, 0x06480);  // as a row, same bytes as o_block_max
                TMAX(o_max_next_row, o_max_row, o_block_max_row);
                VecF32_1x16 o_max_step_row; TASSIGN(o_max_step_row, 0x020c0);  // as a row, same bytes as o_max_step
                TSUB(o_max_step_row, o_max_row, o_max_next_row);
                VecF32_1x16 o_alpha_row; TASSIGN(o_alpha_row, 0x02100);  // as a row, same bytes as o_alpha
                TEXP(o_alpha_row, o_max_step_row);
                TMUL(o_sum_row, o_sum_row, o_alpha_row);
                TMOV(o_max_row, o_max_next_row);
                VecF32_16x1 o_max_next; TASSIGN(o_max_next, 0x02080);  // UB 0x02080..0x020c0
                VecF32_16x1 o_block_sum; TASSIGN(o_block_sum, 0x020c0);  // UB 0x020c0..0x02100
                LeftB16_16x256 o_p_low_l0a(slots0_valid); TASSIGN(o_p_low_l0a, 0x02000);  // L0A 0x02000..0x06000
                TPASS(16, slots0_valid, [&](auto at, auto &o_block_sum_sum, auto &o_p_low_l0a_rows) {
                    const auto o_s_biased_v = at.load(o_s_biased);
                    const auto o_below_max = o_s_biased_v - at.column(o_max_next);
                    const auto o_p = at.exp(o_below_max);
                    o_block_sum_sum.take(at, o_p);
                    o_p_low_l0a_rows.take(at, o_p);
                }, RowSum(o_block_sum), LeftRows(o_p_low_l0a));
                VecF32_1x16 o_block_sum_row; TASSIGN(o_block_sum_row, 0x020c0);  // as a row, same bytes as o_block_sum
                TADD(o_sum_row, o_sum_row, o_block_sum_row);
                AccF32_16x128 o_pv_acc; TASSIGN(o_pv_acc, 0x00000);  // L0C 0x00000..0x04000
                TMATMUL(o_pv_acc, o_p_low_l0a, v_tile);
                VecF32_16x1 o_alpha; TASSIGN(o_alpha, 0x02100);  // UB 0x02100..0x02140
                TPASS(16, 128, [&](auto at) {
                    const auto o_acc_v = at.load(o_acc);
                    const auto o_acc_v_2 = o_acc_v * at.column(o_alpha);
                    const auto o_pv = at.extract(o_pv_acc, 0);
                    const auto o_acc_v_3 = o_acc_v_2 + o_pv;
                    at.store(o_acc, o_acc_v_3);
                });
            }
            VecF32_16x1 o_sum; TASSIGN(o_sum, 0x00040);  // UB 0x00040..0x00080
            QGm o_out(o + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048);
            TPASS(16, 128, [&](auto at, auto &o_sum_divisor) {
                const auto o_acc_v = at.load(o_acc);
                const auto o_2 = o_acc_v / o_sum_divisor;
                at.store(o_out, o_2, far);
            }, Divisor(o_sum));
        }
    }
}
