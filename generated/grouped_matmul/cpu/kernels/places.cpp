// places: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 320 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using CountGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void places(
    __gm__ int32_t *end,
    __gm__ int32_t *upto,
    __gm__ int32_t *shift,
    __gm__ int32_t *count,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    // end:   cumsum(count, axis=-1)
    VecI32_1x16 count_tile; TASSIGN(count_tile, 0x00000);  // UB 0x00000..0x00040
    CountGm count_in(count);
    TLOAD(count_tile, count_in);
    VecI32_1x8 end_tile_before; TASSIGN(end_tile_before, 0x00040);  // UB 0x00040..0x00060
    TEXPANDS(end_tile_before, 0);
    VecI32_1x16 end_tile; TASSIGN(end_tile, 0x00080);  // UB 0x00080..0x000c0
    TROWCUMSUM(end_tile, count_tile, end_tile_before);
    // need:  floor_div(count + (r - 1), r)
    VecI32_1x16 need_1; TASSIGN(need_1, 0x00040);  // UB 0x00040..0x00080
    TADDS(need_1, count_tile, 31);
    VecI32_1x16 need; TASSIGN(need, 0x000c0);  // UB 0x000c0..0x00100
    TSHRS(need, need_1, 5);
    // upto:  cumsum(need, axis=-1)
    VecI32_1x8 upto_tile_before; TASSIGN(upto_tile_before, 0x00040);  // UB 0x00040..0x00060
    TEXPANDS(upto_tile_before, 0);
    VecI32_1x16 upto_tile; TASSIGN(upto_tile, 0x00100);  // UB 0x00100..0x00140
    TROWCUMSUM(upto_tile, need, upto_tile_before);
    VecI32_1x16 shift_1; TASSIGN(shift_1, 0x00000);  // UB 0x00000..0x00040
    VecI32_1x16 shift_2; TASSIGN(shift_2, 0x00040);  // UB 0x00040..0x00080
    CountGm end_out(end);
    CountGm upto_out(upto);
    TPASS(1, 16, [&](auto at) {
        // shift: reshape(end - count - (upto - need) * r, [groups])
        const auto end_tile_v = at.load(end_tile);
        const auto count_tile_v = at.load(count_tile);
        const auto shift_1_v = end_tile_v - count_tile_v;
        at.store(shift_1, shift_1_v);
        const auto upto_tile_v = at.load(upto_tile);
        const auto need_v = at.load(need);
        const auto shift_2_v = upto_tile_v - need_v;
        at.store(shift_2, shift_2_v);
        // end:   cumsum(count, axis=-1)
        at.store(end_out, end_tile_v);
        // upto:  cumsum(need, axis=-1)
        at.store(upto_out, upto_tile_v);
    });
    // shift: reshape(end - count - (upto - need) * r, [groups])
    VecI32_1x16 shift_3; TASSIGN(shift_3, 0x00080);  // UB 0x00080..0x000c0
    TMULS(shift_3, shift_2, 32);
    CountGm shift_out(shift);
    TPASS(1, 16, [&](auto at) {
        const auto shift_1_v = at.load(shift_1);
        const auto shift_3_v = at.load(shift_3);
        const auto shift_4 = shift_1_v - shift_3_v;
        at.store(shift_out, shift_4);
    });
#endif
}
