// look_up_vec1: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages look_up; tiles bag 256, t 16; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_16x256 = Tile<TileType::Vec, int32_t, 16, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using TokenGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void look_up_vec1(
    __gm__ int32_t *rows_1,
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
            // rows: index_select(table, 0, reshape(maximum(token, 0), [t * bag]))  [embedding_bag.yaml:19]
            VecI32_16x256 token_tile(t0_valid, bag0_valid); TASSIGN(token_tile, 0x04000);  // UB 0x04000..0x08000
            TokenGm token_in(token + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            TLOAD(token_tile, token_in);
            VecI32_16x256 rows_1_tile(t0_valid, bag0_valid); TASSIGN(rows_1_tile, 0x00000);  // UB 0x00000..0x04000
            TMAXS(rows_1_tile, token_tile, 0);
            TokenGm rows_1_out(rows_1 + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            TSTORE(rows_1_out, rows_1_tile);
        }
    }
#endif
}
