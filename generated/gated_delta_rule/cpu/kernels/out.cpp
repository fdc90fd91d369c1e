// out: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages out; tiles dk 64, dv 64, state_copy_axis 1; memory UB 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, 64, 64>;
using StateEndGm = GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void out(
    __gm__ float *state,
    __gm__ float *state_end,
    int32_t b,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t state_copy_axis0 = block; state_copy_axis0 < b * 32; state_copy_axis0 += nblk) {
        for (int32_t dv0 = 0; dv0 < 128; dv0 += 64) {
            for (int32_t dk0 = 0; dk0 < 128; dk0 += 64) {
                // state: transpose(state_end, -2, -1)
                VecF32_64x64 state_end_tile_across; TASSIGN(state_end_tile_across, 0x00000);  // UB 0x00000..0x04000
                StateEndGm state_end_in(state_end + int64_t(state_copy_axis0) * 16384 + int64_t(dk0) * 128 + int64_t(dv0));
                TLOAD(state_end_tile_across, state_end_in);
                VecF32_64x64 state_end_tile; TASSIGN(state_end_tile, 0x04000);  // UB 0x04000..0x08000
                VecF32_64x64 state_end_tile_tmp; TASSIGN(state_end_tile_tmp, 0x08000);  // UB 0x08000..0x0c000
                TTRANS(state_end_tile, state_end_tile_across, state_end_tile_tmp);
                StateEndGm state_out(state + int64_t(state_copy_axis0) * 16384 + int64_t(dv0) * 128 + int64_t(dk0));
                TSTORE(state_out, state_end_tile);
            }
        }
    }
#endif
}
