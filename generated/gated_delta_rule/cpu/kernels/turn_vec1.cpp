// turn_vec1: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles b 1, group 1, heads 1; memory UB 65536 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x128 = Tile<TileType::Vec, float, 128, 128, BLayout::RowMajor, 128, 128>;
using StateGm = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using StateTGm = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec1(
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
                // state_t: permute(state, [0, 1, 2, 4, 3]) * 1  [gated_delta_rule.yaml:51]
                VecF32_128x128 state_tile; TASSIGN(state_tile, 0x00000);  // UB 0x00000..0x10000
                StateGm state_in(state + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384);
                TLOAD(state_tile, state_in);
                StateTGm state_t_out(state_t + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384);
                TPASS(128, 128, [&](auto at) {
                    const auto state_tile_v = at.load(state_tile);
                    const auto state_t_tile = state_tile_v * 1.0f;
                    at.store(state_t_out, state_t_tile);
                });
            }
        }
    }
#endif
}
