// turn: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles b 1, dk 32, group 1, heads 1; memory UB 16384 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128>;
using StateGm = GlobalTensor<float, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using StateTGm = GlobalTensor<float, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn(
    __gm__ float *state_t,
    __gm__ float *state,
    int32_t b_begin,
    int32_t b_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t dk0 = 0; dk0 < 128; dk0 += 32) {
                    // state_t: transpose(state, -2, -1) * 1
                    VecF32_32x128 state_tile; TASSIGN(state_tile, 0x00000);  // UB 0x00000..0x04000
                    StateGm state_in(state + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(dk0));
                    TLOAD(state_tile, state_in);
                    StateTGm state_t_out(state_t + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(dk0) * 128);
                    TPASS(32, 128, [&](auto at) {
                        const auto state_tile_v = at.load(state_tile);
                        const auto state_t_tile = state_tile_v * 1.0f;
                        at.store(state_t_out, state_t_tile);
                    });
                }
            }
        }
    }
#endif
}
