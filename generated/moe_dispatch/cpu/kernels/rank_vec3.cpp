// rank_vec3: vector kernel of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
// stages rank; tiles k 1, t 1; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64>;
using ChosenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rank_vec3(
    __gm__ int32_t *within,
    __gm__ int32_t *chosen,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block; t0 < t; t0 += nblk) {
        // within: cumsum(chosen, axis=1)
        VecI32_1x64 within_tile; TASSIGN(within_tile, 0x00000);  // UB 0x00000..0x00100
        TEXPANDS(within_tile, 0);
        for (int32_t k0 = 0; k0 < 8; ++k0) {
            ChosenGm chosen_in(chosen + int64_t(t0) * 512 + int64_t(k0) * 64);
            ChosenGm within_out(within + int64_t(t0) * 512 + int64_t(k0) * 64);
            TPASS(1, 64, [&](auto at) {
                const auto chosen_tile = at.load(chosen_in);
                const auto within_tile_v = at.load(within_tile);
                const auto within_tile_v_2 = within_tile_v + chosen_tile;
                at.store(within_tile, within_tile_v_2);
                at.store(within_out, within_tile_v_2);
            });
        }
    }
#endif
}
