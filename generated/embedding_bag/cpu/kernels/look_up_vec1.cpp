// look_up_vec1: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages look_up; tiles bag 256, t 16; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_16x256 = Tile<TileType::Vec, int32_t, 16, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecB16_16x256 = Tile<TileType::Vec, bfloat16_t, 16, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using TokenGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ThereGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void look_up_vec1(
    __gm__ int32_t *rows_1,
    __gm__ bfloat16_t *there,
    __gm__ int32_t *token,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        for (int32_t bag0 = 0; bag0 < bag; bag0 += 256) {
            const int32_t bag0_valid = bag - bag0 < 256 ? bag - bag0 : 256;
            // rows:  index_select(table, 0, reshape(maximum(token, 0), [t * bag]))  [embedding_bag.yaml:19]
            VecI32_16x256 token_tile(t0_valid, bag0_valid); TASSIGN(token_tile, 0x00000);  // UB 0x00000..0x04000
            TokenGm token_in(token + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            TLOAD(token_tile, token_in);
            VecI32_16x256 rows_1_tile(t0_valid, bag0_valid); TASSIGN(rows_1_tile, 0x04000);  // UB 0x04000..0x08000
            TMAXS(rows_1_tile, token_tile, 0);
            // there: cast(clip(token + 1, 0, 1), bf16)  [embedding_bag.yaml:20]
            VecI32_16x256 there_1(t0_valid, bag0_valid); TASSIGN(there_1, 0x08000);  // UB 0x08000..0x0c000
            TADDS(there_1, token_tile, 1);
            VecI32_16x256 there_2(t0_valid, bag0_valid); TASSIGN(there_2, 0x00000);  // UB 0x00000..0x04000
            TMAXS(there_2, there_1, 0);
            VecI32_16x256 there_3(t0_valid, bag0_valid); TASSIGN(there_3, 0x08000);  // UB 0x08000..0x0c000
            TMINS(there_3, there_2, 1);
            VecB16_16x256 there_tile(t0_valid, bag0_valid); TASSIGN(there_tile, 0x00000);  // UB 0x00000..0x02000
            TCVT(there_tile, there_3, RoundMode::CAST_RINT);
            TokenGm rows_1_out(rows_1 + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            ThereGm there_out(there + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            TPASS(t0_valid, bag0_valid, [&](auto at) {
                // rows:  index_select(table, 0, reshape(maximum(token, 0), [t * bag]))  [embedding_bag.yaml:19]
                const auto rows_1_tile_v = at.load(rows_1_tile);
                at.store(rows_1_out, rows_1_tile_v);
                // there: cast(clip(token + 1, 0, 1), bf16)  [embedding_bag.yaml:20]
                const auto there_tile_v = at.load(there_tile);
                at.store(there_out, there_tile_v);
            });
        }
    }
#endif
}
