// out: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages out; tiles i1 64, i2 64, i3 1; memory UB 49152 B
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
    for (int32_t i3 = block; i3 < b * 32; i3 += nblk) {
        for (int32_t i1 = 0; i1 < 128; i1 += 64) {
            for (int32_t i2 = 0; i2 < 128; i2 += 64) {
                // state: transpose(state_end, -2, -1)
                VecF32_64x64 part; TASSIGN(part, 0x00000);  // UB 0x00000..0x04000
                StateEndGm state_end_in(state_end + int64_t(i3) * 16384 + int64_t(i2) * 128 + int64_t(i1));
                TLOAD(part, state_end_in);
                VecF32_64x64 transposed; TASSIGN(transposed, 0x04000);  // UB 0x04000..0x08000
                VecF32_64x64 transposed_tmp; TASSIGN(transposed_tmp, 0x08000);  // UB 0x08000..0x0c000
                TTRANS(transposed, part, transposed_tmp);
                StateEndGm state_out(state + int64_t(i3) * 16384 + int64_t(i1) * 128 + int64_t(i2));
                TSTORE(state_out, transposed);
            }
        }
    }
#endif
}
