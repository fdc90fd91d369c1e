// attend: mixed kernel of `sparse_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages attend; tiles selected 128, t 1; memory L0A 45056 B, L0B 147456 B, L0C 65536 B, UB 41664 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_16x576 = TileLeft<bfloat16_t, 16, 576, 16, 576>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, 16, 512>;
using RightB16_576x128 = TileRight<bfloat16_t, 576, 128, 576, 128>;
using AccF32_16x128 = TileAcc<float, 16, 128, 16, 128>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, 128>;
using RightB16_128x512 = TileRight<bfloat16_t, 128, 512, 128, 512>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using LeftB16_16x128 = TileLeft<bfloat16_t, 16, 128, 16, 128>;
using AccF32_16x512 = TileAcc<float, 16, 512, 16, 512>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 576>, Stride<1, 1, 1, 576, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 576, 128>, Stride<1, 1, 1, 1, 576>, Layout::DN>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 2048, 1>>;
using RowsGm2 = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 512>, Stride<1, 1, 1, 576, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 512>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void attend(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *rows,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 16384);  // o: around the cache if large
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // o: attention(q, keys, keys[:, :, :rank], scale=0.0416666667, bias=bias)
        LeftB16_16x576 q_tile; TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x09000
        QGm q_in(q + int64_t(t0) * 9216);
        TLOAD(q_tile, q_in);
        VecF32_1x16 o_max_row; TASSIGN(o_max_row, 0x00000);  // as a row, same bytes as o_max
        TEXPANDS(o_max_row, -__builtin_inff());
        VecF32_1x16 o_sum_row; TASSIGN(o_sum_row, 0x00040);  // as a row, same bytes as o_sum
        TEXPANDS(o_sum_row, 0.0f);
        VecF32_16x512 o_acc; TASSIGN(o_acc, 0x00080);  // UB 0x00080..0x08080
        TEXPANDS(o_acc, 0.0f);
        for (int32_t selected0 = 0; selected0 < 2048; selected0 += 128) {
            RightB16_576x128 rows_tile; TASSIGN(rows_tile, 0x00000);  // L0B 0x00000..0x24000
            RowsGm rows_in(rows + int64_t(t0) * 1179648 + int64_t(selected0) * 576);
            TLOAD(rows_tile, rows_in);
            AccF32_16x128 o_qk_acc; TASSIGN(o_qk_acc, 0x00000);  // L0C 0x00000..0x04000
            TMATMUL(o_qk_acc, q_tile, rows_tile);
            VecF32_8x128_r1 bias_tile; TASSIGN(bias_tile, 0x08080);  // UB 0x08080..0x08280
            BiasGm bias_in(bias + int64_t(t0) * 2048 + int64_t(selected0));
            TLOAD(bias_tile, bias_in);
            RightB16_128x512 rows_tile_2; TASSIGN(rows_tile_2, 0x00000);  // L0B 0x00000..0x20000
            RowsGm2 rows_in_2(rows + int64_t(t0) * 1179648 + int64_t(selected0) * 576);
            TLOAD(rows_tile_2, rows_in_2);
            VecF32_16x128 o_s_biased; TASSIGN(o_s_biased, 0x08280);  // UB 0x08280..0x0a280
            VecF32_16x1 o_block_max; TASSIGN(o_block_max, 0x0a280);  // UB 0x0a280..0x0a2c0
            TPASS(16, 128, [&](auto at, auto &o_block_max_max) {
                const auto o_qk = at.extract(o_qk_acc, 0);
                const auto o_s = o_qk * 0.041666668f;
                const auto o_s_biased_v = o_s + at.row(bias_tile);
                at.store(o_s_biased, o_s_biased_v);
                o_block_max_max.take(at, o_s_biased_v);
            }, RowMax(o_block_max));
            VecF32_1x16 o_max_next_row; TASSIGN(o_max_next_row, 0x08080);  // as a row, same bytes as o_max_next
            VecF32_1x16 o_block_max_row; TASSIGN(o_block_max_row, 0x0a280);  // as a row, same bytes as o_block_max
            TMAX(o_max_next_row, o_max_row, o_block_max_row);
            VecF32_1x16 o_max_step_row; TASSIGN(o_max_step_row, 0x080c0);  // as a row, same bytes as o_max_step
            TSUB(o_max_step_row, o_max_row, o_max_next_row);
            VecF32_1x16 o_alpha_row; TASSIGN(o_alpha_row, 0x08100);  // as a row, same bytes as o_alpha
            TEXP(o_alpha_row, o_max_step_row);
            TMUL(o_sum_row, o_sum_row, o_alpha_row);
            TMOV(o_max_row, o_max_next_row);
            VecF32_16x1 o_max_next; TASSIGN(o_max_next, 0x08080);  // UB 0x08080..0x080c0
            VecF32_16x1 o_block_sum; TASSIGN(o_block_sum, 0x080c0);  // UB 0x080c0..0x08100
            LeftB16_16x128 o_p_low_l0a; TASSIGN(o_p_low_l0a, 0x09000);  // L0A 0x09000..0x0b000
            TPASS<4>(16, 128, [&](auto at, auto &o_block_sum_sum, auto &o_p_low_l0a_rows) {
                const auto o_s_biased_v = at.load(o_s_biased);
                const auto o_below_max = o_s_biased_v - at.column(o_max_next);
                const auto o_p = at.exp(o_below_max);
                o_block_sum_sum.take(at, o_p);
                o_p_low_l0a_rows.take(at, o_p);
            }, RowSum(o_block_sum), LeftRows(o_p_low_l0a));
            VecF32_1x16 o_block_sum_row; TASSIGN(o_block_sum_row, 0x080c0);  // as a row, same bytes as o_block_sum
            TADD(o_sum_row, o_sum_row, o_block_sum_row);
            AccF32_16x512 o_pv_acc; TASSIGN(o_pv_acc, 0x00000);  // L0C 0x00000..0x10000
            TMATMUL(o_pv_acc, o_p_low_l0a, rows_tile_2);
            VecF32_16x1 o_alpha; TASSIGN(o_alpha, 0x08100);  // UB 0x08100..0x08140
            TPASS(16, 512, [&](auto at) {
                const auto o_acc_v = at.load(o_acc);
                const auto o_acc_v_2 = o_acc_v * at.column(o_alpha);
                const auto o_pv = at.extract(o_pv_acc, 0);
                const auto o_acc_v_3 = o_acc_v_2 + o_pv;
                at.store(o_acc, o_acc_v_3);
            });
        }
        VecF32_16x1 o_sum; TASSIGN(o_sum, 0x00040);  // UB 0x00040..0x00080
        OGm o_out(o + int64_t(t0) * 8192);
        TPASS(16, 512, [&](auto at, auto &o_sum_divisor) {
            const auto o_acc_v = at.load(o_acc);
            const auto o_2 = o_acc_v / o_sum_divisor;
            at.store(o_out, o_2, far);
        }, Divisor(o_sum));
    }
}
