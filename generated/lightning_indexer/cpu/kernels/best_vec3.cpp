// best_vec3: vector kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages best; tiles t 1; memory UB 24864 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x2048 = Tile<TileType::Vec, float, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecU8_1x256 = Tile<TileType::Vec, uint8_t, 1, 256, BLayout::RowMajor, 1, 256>;
using VecI32_1x2048 = Tile<TileType::Vec, int32_t, 1, 2048, BLayout::RowMajor, 1, 2048>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using ScoreGm = GlobalTensor<float, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void best_vec3(
    __gm__ int32_t *index,
    __gm__ float *score,
    __gm__ int32_t *chosen,
    int64_t t_begin,
    int64_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int64_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // index: where(score == -inf, -1, chosen)
        VecF32_1x2048 score_tile; TASSIGN(score_tile, 0x00000);  // UB 0x00000..0x02000
        ScoreGm score_in(score + int64_t(t0) * 2048);
        TLOAD(score_tile, score_in);
        VecU8_1x256 index_1_bits; TASSIGN(index_1_bits, 0x02000);  // UB 0x02000..0x02100
        TCMPS(index_1_bits, score_tile, -__builtin_inff(), CmpMode::EQ);
        VecI32_1x2048 chosen_tile; TASSIGN(chosen_tile, 0x00000);  // UB 0x00000..0x02000
        ChosenGm chosen_in(chosen + int64_t(t0) * 2048);
        TLOAD(chosen_tile, chosen_in);
        VecI32_1x2048 index_tile_then; TASSIGN(index_tile_then, 0x02100);  // UB 0x02100..0x04100
        TEXPANDS(index_tile_then, -1);
        VecI32_1x2048 index_tile; TASSIGN(index_tile, 0x04100);  // UB 0x04100..0x06100
        VecI32_1x8 index_tile_tmp; TASSIGN(index_tile_tmp, 0x06100);  // UB 0x06100..0x06120
        TSEL(index_tile, index_1_bits, index_tile_then, chosen_tile, index_tile_tmp);
        ChosenGm index_out(index + int64_t(t0) * 2048);
        TSTORE(index_out, index_tile);
    }
#endif
}
