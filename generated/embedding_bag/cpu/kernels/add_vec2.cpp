// add_vec2: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages add; tiles bag 32, t 1; memory UB 128 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using Each3Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using Each2Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_vec2(
    __gm__ float *each,
    __gm__ float *each_2,
    __gm__ float *each_3,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        for (int32_t bag0 = 0; bag0 < bag; bag0 += 32) {
            const int32_t bag0_valid = bag - bag0 < 32 ? bag - bag0 : 32;
            // each: cast(reshape(rows, [t, bag, h]), fp32) * cast(there, fp32)[:, :, None]  [embedding_bag.yaml:22]
            VecF32_1x32 each_3_tile_row(bag0_valid); TASSIGN(each_3_tile_row, 0x00000);  // as a row, same bytes as each_3_tile
            Each3Gm each_3_in(each_3 + int64_t(bag) * t0 + int64_t(bag0), {bag0_valid});
            TLOAD(each_3_tile_row, each_3_in);
            VecF32_32x1 each_3_tile(bag0_valid); TASSIGN(each_3_tile, 0x00000);  // UB 0x00000..0x00080
            Each2Gm each_2_in(each_2 + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128, {bag0_valid});
            Each2Gm each_out(each + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128, {bag0_valid});
            TPASS(bag0_valid, 128, [&](auto at) {
                const auto each_2_tile = at.load(each_2_in);
                const auto each_tile = each_2_tile * at.column(each_3_tile);
                at.store(each_out, each_tile);
            });
        }
    }
#endif
}
