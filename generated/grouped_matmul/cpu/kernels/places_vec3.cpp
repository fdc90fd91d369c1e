// places_vec3: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles i2 1, once 1; memory UB 96 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using NeedGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void places_vec3(
    __gm__ int32_t *upto,
    __gm__ int32_t *need,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t once = block; once < 1; once += nblk) {
        // upto:  cumsum(need, axis=-1)  [grouped_matmul.yaml:28]
        VecI32_1x8_c1 total; TASSIGN(total, 0x00000);  // UB 0x00000..0x00020
        TEXPANDS(total, 0);
        for (int32_t i2 = 0; i2 < 16; ++i2) {
            VecI32_1x8_c1 part; TASSIGN(part, 0x00040);  // UB 0x00040..0x00060
            NeedGm need_in(need + int64_t(i2));
            TLOAD(part, need_in);
            TADD(total, total, part);
            NeedGm upto_out(upto + int64_t(i2));
            TSTORE(upto_out, total);
        }
    }
#endif
}
