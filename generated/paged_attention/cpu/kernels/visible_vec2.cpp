// visible_vec2: vector kernel of `paged_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages visible; tiles slots 4096; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using Place1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void visible_vec2(
    __gm__ int32_t *place_1,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t slots0 = block * 4096; slots0 < pages * 32; slots0 += nblk * 4096) {
        const int32_t slots0_valid = pages * 32 - slots0 < 4096 ? pages * 32 - slots0 : 4096;
        // place: cast(arange(slots), fp32)
        VecI32_1x4096 place_1_view(slots0_valid); TASSIGN(place_1_view, 0x00000);  // UB 0x00000..0x04000
        TCI<VecI32_1x4096, int32_t, 0>(place_1_view, slots0);
        Place1Gm place_1_out(place_1 + int64_t(slots0), {slots0_valid});
        TSTORE(place_1_out, place_1_view);
    }
#endif
}
