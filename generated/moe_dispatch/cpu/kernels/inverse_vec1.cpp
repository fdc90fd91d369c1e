// inverse_vec1: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles t 1; memory UB 32 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using SourceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void inverse_vec1(
    __gm__ int32_t *source,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        // source: scatter_update(zeros([t * k, 1], int32), reshape(place, [t * k]), copy, dim=0)
        VecI32_1x8 source_1_row; TASSIGN(source_1_row, 0x00000);  // as a row, same bytes as source_1
        TEXPANDS(source_1_row, 0);
        SourceGm source_out(source + int64_t(t0) * 8);
        TSTORE(source_out, source_1_row);
    }
#endif
}
