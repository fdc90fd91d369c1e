// attend_to_out: mixed kernel of `paged_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages attend, out; tiles batch 1, kv_heads 1, pages 1; memory L0A 10240 B, L0B 8192 B, L0C 16384 B, UB 10560 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_16x128 = TileLeft<bfloat16_t, 16, 128, 16, 128>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128>;
using RightB16_128x32 = TileRight<bfloat16_t, 128, 32, 128, 32>;
using AccF32_16x32 = TileAcc<float, 16, 32, 16, 32>;
using VecF32_8x32_r1 = Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 1, 32>;
using RightB16_32x128 = TileRight<bfloat16_t, 32, 128, 32, 128>;
using VecF32_16x32 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 32>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using LeftB16_16x32 = TileLeft<bfloat16_t, 16, 32, 16, 32>;
using AccF32_16x128 = TileAcc<float, 16, 128, 16, 128>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
using KCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 32>, Stride<1, 1, 1, 1, 256>, Layout::DN>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, DYNAMIC, 1>>;
using VCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 256, 1>>;
}  // namespace

extern "C" __global__ AICORE void attend_to_out(
    __gm__ bfloat16_t *o,
    __gm__ int32_t *lengths,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k_cache,
    __gm__ int32_t *block_table,
    __gm__ float *bias,
    __gm__ bfloat16_t *v_cache,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(batch_end - batch_begin) * 8192);  // o: around the cache if large
    for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk) {
        for (int32_t kv_heads0 = 0; kv_heads0 < 2; ++kv_heads0) {
            // if: pages.start * block_size < lengths[:, None, None, None]
            const int64_t pages_here = (int64_t(lengths[int64_t(batch0)]) + 31) / 32;
            // qk: matmul(q, transpose(page(k_cache, block_table[:, pages]), -2, -1), dtype=fp32)
            LeftB16_16x128 q_tile; TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x02000
            QGm q_in(q + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048);
            TLOAD(q_tile, q_in);
            // m: full([batch, kv_heads, group, 1], -1.0e30, fp32)
            VecF32_1x16 m_row; TASSIGN(m_row, 0x00000);  // as a row, same bytes as m
            TEXPANDS(m_row, -1e+30f);
            // l: full([batch, kv_heads, group, 1], 0, fp32)
            VecF32_1x16 l_row; TASSIGN(l_row, 0x00040);  // as a row, same bytes as l
            TEXPANDS(l_row, 0.0f);
            // acc: full([batch, kv_heads, group, d], 0, fp32)
            VecF32_16x128 acc; TASSIGN(acc, 0x00080);  // UB 0x00080..0x02080
            TEXPANDS(acc, 0.0f);
            const int32_t pages0_end = pages_here < pages ? pages_here : pages;  // later iterations are left out
            for (int32_t pages0 = 0; pages0 < pages0_end; ++pages0) {
                const int64_t block_table_here = block_table[int64_t(batch0) * pages + int64_t(pages0)];
                // qk: matmul(q, transpose(page(k_cache, block_table[:, pages]), -2, -1), dtype=fp32)
                RightB16_128x32 k_cache_tile; TASSIGN(k_cache_tile, 0x00000);  // L0B 0x00000..0x02000
                KCacheGm k_cache_in(k_cache + int64_t(block_table_here) * 8192 + int64_t(kv_heads0) * 128);
                TLOAD(k_cache_tile, k_cache_in);
                AccF32_16x32 qk_acc; TASSIGN(qk_acc, 0x00000);  // L0C 0x00000..0x01000
                TMATMUL(qk_acc, q_tile, k_cache_tile);
                // s: qk * 0.08838834764831845 + reshape(bias[:, pages], [batch, 1, 1, block_size])
                VecF32_8x32_r1 bias_tile; TASSIGN(bias_tile, 0x02080);  // UB 0x02080..0x02100
                BiasGm bias_in(bias + int64_t(batch0) * pages * 32 + int64_t(pages0) * 32, {}, {int64_t(pages) * 32});
                TLOAD(bias_tile, bias_in);
                // acc: acc * a + matmul(cast(p, bf16), page(v_cache, block_table[:, pages]), dtype=fp32)
                RightB16_32x128 v_cache_tile; TASSIGN(v_cache_tile, 0x00000);  // L0B 0x00000..0x02000
                VCacheGm v_cache_in(v_cache + int64_t(block_table_here) * 8192 + int64_t(kv_heads0) * 128);
                TLOAD(v_cache_tile, v_cache_in);
                VecF32_16x32 s; TASSIGN(s, 0x02100);  // UB 0x02100..0x02900
                VecF32_16x1 m_new_1; TASSIGN(m_new_1, 0x02900);  // UB 0x02900..0x02940
                TPASS(16, 32, [&](auto at, auto &m_new_1_max) {
                    // s: qk * 0.08838834764831845 + reshape(bias[:, pages], [batch, 1, 1, block_size])
                    const auto qk = at.extract(qk_acc, 0);
                    const auto s_1 = qk * 0.088388346f;
                    const auto s_v = s_1 + at.row(bias_tile);
                    at.store(s, s_v);
                    // m_new: maximum(m, amax(s, axis=-1, keepdim=true))
                    m_new_1_max.take(at, s_v);
                }, RowMax(m_new_1));
                VecF32_1x16 m_new_row; TASSIGN(m_new_row, 0x02080);  // as a row, same bytes as m_new
                VecF32_1x16 m_new_1_row; TASSIGN(m_new_1_row, 0x02900);  // as a row, same bytes as m_new_1
                TMAX(m_new_row, m_row, m_new_1_row);
                // a: exp(m - m_new)
                VecF32_1x16 a_1_row; TASSIGN(a_1_row, 0x020c0);  // as a row, same bytes as a_1
                TSUB(a_1_row, m_row, m_new_row);
                VecF32_1x16 a_row; TASSIGN(a_row, 0x02900);  // as a row, same bytes as a
                TEXP(a_row, a_1_row);
                // l: l * a + sum(p, axis=-1, keepdim=true)
                TMUL(l_row, l_row, a_row);
                // m_new: maximum(m, amax(s, axis=-1, keepdim=true))
                TMOV(m_row, m_new_row);
                VecF32_16x1 m_new; TASSIGN(m_new, 0x02080);  // UB 0x02080..0x020c0
                VecF32_16x1 l_2; TASSIGN(l_2, 0x020c0);  // UB 0x020c0..0x02100
                LeftB16_16x32 acc_3_l0a; TASSIGN(acc_3_l0a, 0x02000);  // L0A 0x02000..0x02800
                TPASS<4>(16, 32, [&](auto at, auto &l_2_sum, auto &acc_3_l0a_rows) {
                    // p: exp(s - m_new)
                    const auto s_v = at.load(s);
                    const auto p_1 = s_v - at.column(m_new);
                    const auto p = at.exp(p_1);
                    // l: l * a + sum(p, axis=-1, keepdim=true)
                    l_2_sum.take(at, p);
                    // acc: acc * a + matmul(cast(p, bf16), page(v_cache, block_table[:, pages]), dtype=fp32)
                    acc_3_l0a_rows.take(at, p);
                }, RowSum(l_2), LeftRows(acc_3_l0a));
                // l: l * a + sum(p, axis=-1, keepdim=true)
                VecF32_1x16 l_2_row; TASSIGN(l_2_row, 0x020c0);  // as a row, same bytes as l_2
                TADD(l_row, l_row, l_2_row);
                // acc: acc * a + matmul(cast(p, bf16), page(v_cache, block_table[:, pages]), dtype=fp32)
                AccF32_16x128 acc_6_acc; TASSIGN(acc_6_acc, 0x00000);  // L0C 0x00000..0x04000
                TMATMUL(acc_6_acc, acc_3_l0a, v_cache_tile);
                VecF32_16x1 a; TASSIGN(a, 0x02900);  // UB 0x02900..0x02940
                TPASS(16, 128, [&](auto at) {
                    const auto acc_v = at.load(acc);
                    const auto acc_v_2 = acc_v * at.column(a);
                    const auto acc_6 = at.extract(acc_6_acc, 0);
                    const auto acc_v_3 = acc_v_2 + acc_6;
                    at.store(acc, acc_v_3);
                });
            }
            VecF32_16x1 l; TASSIGN(l, 0x00040);  // UB 0x00040..0x00080
            QGm o_out(o + int64_t(batch0) * 4096 + int64_t(kv_heads0) * 2048);
            TPASS(16, 128, [&](auto at, auto &l_divisor) {
                // o: cast(acc / l, bf16)
                const auto acc_v = at.load(acc);
                const auto o_1 = acc_v / l_divisor;
                at.store(o_out, o_1, far);
            }, Divisor(l));
        }
    }
}
