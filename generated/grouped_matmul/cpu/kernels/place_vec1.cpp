// place_vec1: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages place; tiles t 4096; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using Past1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void place_vec1(
    __gm__ int32_t *past_1,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block * 4096; t0 < full * 32; t0 += nblk * 4096) {
        const int32_t t0_valid = full * 32 - t0 < 4096 ? full * 32 - t0 : 4096;
        // past:  sum(cast(reshape(arange(t), [t, 1]) >= end, int32), axis=-1, keepdim=true)
        VecI32_1x4096 past_1_view(t0_valid); TASSIGN(past_1_view, 0x00000);  // UB 0x00000..0x04000
        TCI<VecI32_1x4096, int32_t, 0>(past_1_view, t0);
        Past1Gm past_1_out(past_1 + int64_t(t0), {t0_valid});
        TSTORE(past_1_out, past_1_view);
    }
#endif
}
