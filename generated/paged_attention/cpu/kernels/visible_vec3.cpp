// visible_vec3: vector kernel of `paged_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages visible; tiles batch 1, slots 1024; memory UB 4128 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x1024 = Tile<TileType::Vec, float, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using Place1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using Ahead1Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void visible_vec3(
    __gm__ float *bias,
    __gm__ int32_t *place_1,
    __gm__ float *ahead_1,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t slots0 = 0; slots0 < pages * 32; slots0 += 1024) {
        const int32_t slots0_valid = pages * 32 - slots0 < 1024 ? pages * 32 - slots0 : 1024;
        VecF32_1x1024 place(slots0_valid); TASSIGN(place, 0x00000);  // UB 0x00000..0x01000
        Place1Gm place_1_in(place_1 + int64_t(slots0), {slots0_valid});
        TPASS(1, slots0_valid, [&](auto at) {
            // place: cast(arange(slots), fp32)
            const auto place_1_tile = at.load(place_1_in);
            const auto place_v = at.to_float(place_1_tile);
            at.store(place, place_v);
        });
        for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk) {
            // ahead: cast(lengths, fp32)[:, None] - place[None, :]
            VecF32_1x8_c1 ahead_1_tile_row; TASSIGN(ahead_1_tile_row, 0x01000);  // as a row, same bytes as ahead_1_tile
            Ahead1Gm ahead_1_in(ahead_1 + int64_t(batch0));
            TLOAD(ahead_1_tile_row, ahead_1_in);
            VecF32_8x1_r1 ahead_1_tile; TASSIGN(ahead_1_tile, 0x01000);  // UB 0x01000..0x01020
            BiasGm bias_out(bias + int64_t(batch0) * pages * 32 + int64_t(slots0), {slots0_valid}, {int64_t(pages) * 32});
            TPASS(1, slots0_valid, [&](auto at) {
                const auto ahead = at.column(ahead_1_tile);
                const auto ahead_2 = ahead - at.row(place);
                // bias:  reshape(minimum(ahead - 0.5, 0) * 1.0e30, [batch, pages, 1, 1, block_size])
                const auto bias_1 = ahead_2 - 0.5f;
                const auto bias_2 = at.min(bias_1, 0.0f);
                const auto bias_3 = bias_2 * 1e+30f;
                at.store(bias_out, bias_3);
            });
        }
    }
#endif
}
