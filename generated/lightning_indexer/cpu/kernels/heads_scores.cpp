// heads_scores: mixed kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages heads_scores; tiles kv 512, t 1; memory L0A 8192 B, L0B 131072 B, L0C 65536 B, UB 64 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_16x128 = TileLeft<bfloat16_t, 16, 128, 16, 128>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using RightB16_128x512 = TileRight<bfloat16_t, 128, 512, 128, DYNAMIC>;
using AccF32_16x512 = TileAcc<float, 16, 512, 16, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;
using WeightsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void heads_scores(
    __gm__ float *s,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ float *weights,
    int32_t t_begin,
    int32_t t_end,
    int32_t kv,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // s: relu(matmul(q, k.T, dtype=fp32)) * weights[:, :, None]  [lightning_indexer.yaml:22]
        LeftB16_16x128 q_tile; TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x02000
        QGm q_in(q + int64_t(t0) * 2048);
        TLOAD(q_tile, q_in);
        VecF32_1x16 s_4_row; TASSIGN(s_4_row, 0x00000);  // as a row, same bytes as s_4
        WeightsGm weights_in(weights + int64_t(t0) * 16);
        TLOAD(s_4_row, weights_in);
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 512) {
            const int32_t kv0_valid = kv - kv0 < 512 ? kv - kv0 : 512;
            RightB16_128x512 s_1(kv0_valid); TASSIGN(s_1, 0x00000);  // L0B 0x00000..0x20000
            KGm k_in(k + int64_t(kv0) * 128, {kv0_valid});
            TLOAD(s_1, k_in);
            AccF32_16x512 s_2_acc(kv0_valid); TASSIGN(s_2_acc, 0x00000);  // L0C 0x00000..0x10000
            TMATMUL(s_2_acc, q_tile, s_1);
            VecF32_16x1 s_4; TASSIGN(s_4, 0x00000);  // UB 0x00000..0x00040
            SGm s_out(s + int64_t(kv) * t0 * 16 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TPASS(16, kv0_valid, [&](auto at) {
                const auto s_2 = at.extract(s_2_acc, 0);
                const auto s_3 = at.relu(s_2);
                const auto s_tile = s_3 * at.column(s_4);
                at.store(s_out, s_tile);
            });
        }
    }
}
