// add_vec3: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages add; tiles i1 1, i2 64, i3 64; memory UB 16896 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using EachGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 128, 1>>;
using Y1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_vec3(
    __gm__ float *y_1,
    __gm__ float *each,
    int32_t bag,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block; i1 < t; i1 += nblk) {
        for (int32_t i2 = 0; i2 < 128; i2 += 64) {
            // y: cast(sum(each, axis=1), bf16)  [embedding_bag.yaml:23]
            VecF32_1x64 total; TASSIGN(total, 0x00100);  // UB 0x00100..0x00200
            TEXPANDS(total, 0.0f);
            for (int32_t i3 = 0; i3 < bag; i3 += 64) {
                const int32_t i3_valid = bag - i3 < 64 ? bag - i3 : 64;
                VecF32_64x64 part(i3_valid); TASSIGN(part, 0x00200);  // UB 0x00200..0x04200
                EachGm each_in(each + int64_t(bag) * i1 * 128 + int64_t(i3) * 128 + int64_t(i2), {i3_valid});
                TLOAD(part, each_in);
                VecF32_1x64 found; TASSIGN(found, 0x00000);  // UB 0x00000..0x00100
                TCOLSUM(found, part);
                TADD(total, total, found);
            }
            Y1Gm y_1_out(y_1 + int64_t(i1) * 128 + int64_t(i2));
            TSTORE(y_1_out, total);
        }
    }
#endif
}
