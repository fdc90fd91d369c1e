// places: vector kernel of `lightning_indexer` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles kv 4096; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void places(
    __gm__ int32_t *place,
    int64_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int64_t kv0 = block * 4096; kv0 < kv; kv0 += nblk * 4096) {
        const int32_t kv0_valid = static_cast<int32_t>(kv - kv0 < 4096 ? kv - kv0 : 4096);
        // place: arange(kv)
        VecI32_1x4096 place_view(kv0_valid); TASSIGN(place_view, 0x00000);  // UB 0x00000..0x04000
        TCI<VecI32_1x4096, int32_t, 0>(place_view, kv0);
        PlaceGm place_out(place + int64_t(kv0), {kv0_valid});
        TSTORE(place_out, place_view);
    }
#endif
}
