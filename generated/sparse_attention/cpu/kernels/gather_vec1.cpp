// gather_vec1: vector kernel of `sparse_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages gather; tiles selected 128, t 1; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, 128>;
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void gather_vec1(
    __gm__ int32_t *rows_1,
    __gm__ int32_t *index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin; t0 < t_end; ++t0) {
        for (int32_t selected0 = block * 128; selected0 < 2048; selected0 += nblk * 128) {
            // rows: index_select(latent, 0, reshape(maximum(index, 0), [t * selected]))
            VecI32_1x128 index_tile; TASSIGN(index_tile, 0x00000);  // UB 0x00000..0x00200
            IndexGm index_in(index + int64_t(t0) * 2048 + int64_t(selected0));
            TLOAD(index_tile, index_in);
            VecI32_1x128 rows_1_tile; TASSIGN(rows_1_tile, 0x00200);  // UB 0x00200..0x00400
            TMAXS(rows_1_tile, index_tile, 0);
            IndexGm rows_1_out(rows_1 + int64_t(t0) * 2048 + int64_t(selected0));
            TSTORE(rows_1_out, rows_1_tile);
        }
    }
#endif
}
