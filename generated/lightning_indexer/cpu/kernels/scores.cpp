// scores: mixed kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages scores; tiles kv 512, t 1; memory L0A 16384 B, L0B 131072 B, L0C 131072 B, UB 6528 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, 64, 128>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using RightB16_128x512 = TileRight<bfloat16_t, 128, 512, 128, DYNAMIC>;
using AccF32_64x512 = TileAcc<float, 64, 512, 64, DYNAMIC>;
using VecI32_1x512 = Tile<TileType::Vec, int32_t, 1, 512, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x512_r1 = Tile<TileType::Vec, int32_t, 8, 512, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x1_r1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 1, 1>;
using VecU8_8x64_r1 = Tile<TileType::Vec, uint8_t, 8, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using VecF32_8x512_r1 = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using WeightsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using SeenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AllScoresGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void scores(
    __gm__ float *all_scores,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ float *weights,
    __gm__ int32_t *place,
    __gm__ int32_t *seen,
    int64_t t_begin,
    int64_t t_end,
    int64_t kv,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int64_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
        LeftB16_64x128 q_tile; TASSIGN(q_tile, 0x00000);  // L0A 0x00000..0x04000
        QGm q_in(q + int64_t(t0) * 8192);
        TLOAD(q_tile, q_in);
        VecF32_1x64 weights_tile_row; TASSIGN(weights_tile_row, 0x00000);  // as a row, same bytes as weights_tile
        WeightsGm weights_in(weights + int64_t(t0) * 64);
        TLOAD(weights_tile_row, weights_in);
        // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
        VecI32_1x8_c1 seen_tile_row_; TASSIGN(seen_tile_row_, 0x00100);  // as a row, same bytes as seen_tile
        SeenGm seen_in(seen + int64_t(t0));
        TLOAD(seen_tile_row_, seen_in);
        for (int64_t kv0 = 0; kv0 < kv; kv0 += 512) {
            const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 512 ? kv - kv0 : 512);
            // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
            RightB16_128x512 k_tile(kv0_valid); TASSIGN(k_tile, 0x00000);  // L0B 0x00000..0x20000
            KGm k_in(k + int64_t(kv0) * 128, {kv0_valid});
            TLOAD(k_tile, k_in);
            AccF32_64x512 s_2_acc(kv0_valid); TASSIGN(s_2_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(s_2_acc, q_tile, k_tile);
            // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
            VecI32_1x512 place_tile(kv0_valid); TASSIGN(place_tile, 0x00140);  // UB 0x00140..0x00940
            PlaceGm place_in(place + int64_t(kv0), {kv0_valid});
            TLOAD(place_tile, place_in);
            VecI32_8x512_r1 place_tile_wide(kv0_valid); TASSIGN(place_tile_wide, 0x00940);  // UB 0x00940..0x01140
            TCOLEXPAND(place_tile_wide, place_tile);
            VecI32_1x512 seen_tile_row(kv0_valid); TASSIGN(seen_tile_row, 0x00140);  // UB 0x00140..0x00940
            VecI32_8x1_r1 seen_tile; TASSIGN(seen_tile, 0x00100);  // UB 0x00100..0x00120
            TROWEXPAND(seen_tile_row, seen_tile);
            VecI32_8x512_r1 seen_tile_row_wide(kv0_valid); TASSIGN(seen_tile_row_wide, 0x01140);  // UB 0x01140..0x01940
            TCOLEXPAND(seen_tile_row_wide, seen_tile_row);
            VecU8_8x64_r1 all_scores_3_bits; TASSIGN(all_scores_3_bits, 0x00140);  // UB 0x00140..0x00180
            TCMP(all_scores_3_bits, place_tile_wide, seen_tile_row_wide, CmpMode::LT);
            VecF32_64x1 weights_tile; TASSIGN(weights_tile, 0x00000);  // UB 0x00000..0x00100
            VecF32_8x512_r1 all_scores_4(kv0_valid); TASSIGN(all_scores_4, 0x00180);  // UB 0x00180..0x00980
            TPASS(64, kv0_valid, [&](auto at, auto &all_scores_4_sum) {
                // s: relu(matmul(q, k[kv].T, dtype=fp32)) * weights[:, :, None]
                const auto s_2 = at.extract(s_2_acc, 0);
                const auto s_3 = at.relu(s_2);
                const auto s = s_3 * at.column(weights_tile);
                // all_scores: where(place[None, kv] < seen[:, None], sum(s, axis=1), -inf)
                all_scores_4_sum.take(at, s);
            }, ColSum(all_scores_4));
            VecF32_8x512_r1 all_scores_block_2(kv0_valid); TASSIGN(all_scores_block_2, 0x00980);  // UB 0x00980..0x01180
            VecF32_1x512 all_scores_block_2_tmp; TASSIGN(all_scores_block_2_tmp, 0x01180);  // UB 0x01180..0x01980
            TSELS(all_scores_block_2, all_scores_3_bits, all_scores_4, all_scores_block_2_tmp, -__builtin_inff());
            AllScoresGm all_scores_out(all_scores + int64_t(kv) * t0 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TSTORE(all_scores_out, all_scores_block_2);
        }
    }
}
