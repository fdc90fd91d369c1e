// places_vec4: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 192 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using EndGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void places_vec4(
    __gm__ int32_t *shift,
    __gm__ int32_t *end,
    __gm__ int32_t *count,
    __gm__ int32_t *upto,
    __gm__ int32_t *need,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    VecI32_1x16 shift_1; TASSIGN(shift_1, 0x00000);  // UB 0x00000..0x00040
    VecI32_1x16 shift_2; TASSIGN(shift_2, 0x00040);  // UB 0x00040..0x00080
    EndGm end_in(end);
    EndGm count_in(count);
    EndGm upto_in(upto);
    EndGm need_in(need);
    TPASS(1, 16, [&](auto at) {
        // shift: reshape(end - count - (upto - need) * r, [groups])
        const auto end_tile = at.load(end_in);
        const auto count_tile = at.load(count_in);
        const auto shift_1_v = end_tile - count_tile;
        at.store(shift_1, shift_1_v);
        const auto upto_tile = at.load(upto_in);
        const auto need_tile = at.load(need_in);
        const auto shift_2_v = upto_tile - need_tile;
        at.store(shift_2, shift_2_v);
    });
    VecI32_1x16 shift_3; TASSIGN(shift_3, 0x00080);  // UB 0x00080..0x000c0
    TMULS(shift_3, shift_2, 32);
    EndGm shift_out(shift);
    TPASS(1, 16, [&](auto at) {
        const auto shift_1_v = at.load(shift_1);
        const auto shift_3_v = at.load(shift_3);
        const auto shift_4 = shift_1_v - shift_3_v;
        at.store(shift_out, shift_4);
    });
#endif
}
