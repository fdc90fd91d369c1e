// attend: mixed kernel of `block_sparse_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages attend; tiles heads 1, kv_blocks 1, q_blocks 1; memory L0A 24576 B, L0B 16384 B, L0C 32768 B, UB 34048 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, 64, 128>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, 64, 128>;
using RightB16_128x64 = TileRight<bfloat16_t, 128, 64, 128, 64>;
using AccF32_64x64 = TileAcc<float, 64, 64, 64, 64>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, 64, 128>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using LeftB16_64x64 = TileLeft<bfloat16_t, 64, 64, 64, 64>;
using AccF32_64x128 = TileAcc<float, 64, 128, 64, 128>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 64>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using LEndGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using AccEndGm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void attend(
    __gm__ float *l_end,
    __gm__ float *acc_end,
    __gm__ int32_t *seen,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *v,
    float scale,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t kv_blocks,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t q_blocks0 = q_blocks_begin; q_blocks0 < q_blocks_end; ++q_blocks0) {
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            // s: matmul(q, transpose(block_of(k[:, kv_blocks]), -2, -1), dtype=fp32) * scale
            LeftB16_64x128 q_tile; TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x04000
            QGm q_in(q + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
            TLOAD(q_tile, q_in);
            // m: full([heads, q_blocks, size, 1], -1.0e30, fp32)
            VecF32_1x64 m_row; TASSIGN(m_row, 0x00000);  // as a row, same bytes as m
            TEXPANDS(m_row, -1e+30f);
            // l: full([heads, q_blocks, size, 1], 0, fp32)
            VecF32_1x64 l_row; TASSIGN(l_row, 0x00100);  // as a row, same bytes as l
            TEXPANDS(l_row, 0.0f);
            // acc: full([heads, q_blocks, size, d], 0, fp32)
            VecF32_64x128 acc; TASSIGN(acc, 0x00200);  // UB 0x00200..0x08200
            TEXPANDS(acc, 0.0f);
            for (int32_t kv_blocks0 = 0; kv_blocks0 < kv_blocks; ++kv_blocks0) {
                // if: reshape(seen[:, :, kv_blocks], [heads, q_blocks, 1, 1]) != 0
                const int64_t seen_here = seen[int64_t(heads0) * kv_blocks * q_blocks + int64_t(kv_blocks) * q_blocks0 + int64_t(kv_blocks0)];
                if (seen_here == 0) {  // this iteration is skipped
                    continue;
                }
                // s: matmul(q, transpose(block_of(k[:, kv_blocks]), -2, -1), dtype=fp32) * scale
                RightB16_128x64 k_tile; TASSIGN(k_tile, 0x00000);  // L0B 0x00000..0x04000
                KGm k_in(k + int64_t(heads0) * kv_blocks * 8192 + int64_t(kv_blocks0) * 8192);
                TLOAD(k_tile, k_in);
                AccF32_64x64 s_2_acc; TASSIGN(s_2_acc, 0x00000);  // L0C 0x00000..0x04000
                TMATMUL(s_2_acc, q_tile, k_tile);
                // acc: acc * a + matmul(cast(p, bf16), block_of(v[:, kv_blocks]), dtype=fp32)
                RightB16_64x128 v_tile; TASSIGN(v_tile, 0x00000);  // L0B 0x00000..0x04000
                QGm v_in(v + int64_t(heads0) * kv_blocks * 8192 + int64_t(kv_blocks0) * 8192);
                TLOAD(v_tile, v_in);
                VecF32_64x1 m_new_1; TASSIGN(m_new_1, 0x08200);  // UB 0x08200..0x08300
                TPASS(64, 64, [&](auto at, auto &m_new_1_max) {
                    // s: matmul(q, transpose(block_of(k[:, kv_blocks]), -2, -1), dtype=fp32) * scale
                    const auto s_2 = at.extract(s_2_acc, 0);
                    const auto s = s_2 * at.all(scale);
                    // m_new: maximum(m, amax(s, axis=-1, keepdim=true))
                    m_new_1_max.take(at, s);
                }, RowMax(m_new_1));
                VecF32_1x64 m_new_row; TASSIGN(m_new_row, 0x08300);  // as a row, same bytes as m_new
                VecF32_1x64 m_new_1_row; TASSIGN(m_new_1_row, 0x08200);  // as a row, same bytes as m_new_1
                TMAX(m_new_row, m_row, m_new_1_row);
                // a: exp(m - m_new)
                VecF32_1x64 a_1_row; TASSIGN(a_1_row, 0x08200);  // as a row, same bytes as a_1
                TSUB(a_1_row, m_row, m_new_row);
                VecF32_1x64 a_row; TASSIGN(a_row, 0x08400);  // as a row, same bytes as a
                TEXP(a_row, a_1_row);
                // l: l * a + sum(p, axis=-1, keepdim=true)
                TMUL(l_row, l_row, a_row);
                // m_new: maximum(m, amax(s, axis=-1, keepdim=true))
                TMOV(m_row, m_new_row);
                VecF32_64x1 m_new; TASSIGN(m_new, 0x08300);  // UB 0x08300..0x08400
                VecF32_64x1 l_2; TASSIGN(l_2, 0x08200);  // UB 0x08200..0x08300
                LeftB16_64x64 acc_3_l0a; TASSIGN(acc_3_l0a, 0x04000);  // L0A 0x04000..0x06000
                TPASS<4>(64, 64, [&](auto at, auto &l_2_sum, auto &acc_3_l0a_rows) {
                    // s: matmul(q, transpose(block_of(k[:, kv_blocks]), -2, -1), dtype=fp32) * scale
                    const auto s_2 = at.extract(s_2_acc, 0);
                    const auto s = s_2 * at.all(scale);
                    // p: exp(s - m_new)
                    const auto p_1 = s - at.column(m_new);
                    const auto p = at.exp(p_1);
                    // l: l * a + sum(p, axis=-1, keepdim=true)
                    l_2_sum.take(at, p);
                    // acc: acc * a + matmul(cast(p, bf16), block_of(v[:, kv_blocks]), dtype=fp32)
                    acc_3_l0a_rows.take(at, p);
                }, RowSum(l_2), LeftRows(acc_3_l0a));
                // l: l * a + sum(p, axis=-1, keepdim=true)
                VecF32_1x64 l_2_row; TASSIGN(l_2_row, 0x08200);  // as a row, same bytes as l_2
                TADD(l_row, l_row, l_2_row);
                // acc: acc * a + matmul(cast(p, bf16), block_of(v[:, kv_blocks]), dtype=fp32)
                AccF32_64x128 acc_4_acc; TASSIGN(acc_4_acc, 0x00000);  // L0C 0x00000..0x08000
                TMATMUL(acc_4_acc, acc_3_l0a, v_tile);
                VecF32_64x1 a; TASSIGN(a, 0x08400);  // UB 0x08400..0x08500
                TPASS(64, 128, [&](auto at) {
                    const auto acc_v = at.load(acc);
                    const auto acc_v_2 = acc_v * at.column(a);
                    const auto acc_4 = at.extract(acc_4_acc, 0);
                    const auto acc_v_3 = acc_v_2 + acc_4;
                    at.store(acc, acc_v_3);
                });
            }
            // l: full([heads, q_blocks, size, 1], 0, fp32)
            LEndGm l_end_out(l_end + int64_t(heads0) * q_blocks * 64 + int64_t(q_blocks0) * 64);
            TSTORE(l_end_out, l_row);
            // acc: full([heads, q_blocks, size, d], 0, fp32)
            AccEndGm acc_end_out(acc_end + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
            TSTORE(acc_end_out, acc);
        }
    }
}
