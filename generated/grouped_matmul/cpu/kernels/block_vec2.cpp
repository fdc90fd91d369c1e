// block_vec2: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages block; tiles source_1_columns 4096; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using Source1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void block_vec2(
    __gm__ int32_t *source_1,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t source_1_columns0 = block * 4096; source_1_columns0 < full * 32 + 512; source_1_columns0 += nblk * 4096) {
        const int32_t source_1_columns0_valid = full * 32 + 512 - source_1_columns0 < 4096 ? full * 32 + 512 - source_1_columns0 : 4096;
        // source: minimum(reshape(arange(blocks * r), [blocks, r]) + first[:, None], t - 1)
        VecI32_1x4096 source_1_view(source_1_columns0_valid); TASSIGN(source_1_view, 0x00000);  // UB 0x00000..0x04000
        TCI<VecI32_1x4096, int32_t, 0>(source_1_view, source_1_columns0);
        Source1Gm source_1_out(source_1 + int64_t(source_1_columns0), {source_1_columns0_valid});
        TSTORE(source_1_out, source_1_view);
    }
#endif
}
