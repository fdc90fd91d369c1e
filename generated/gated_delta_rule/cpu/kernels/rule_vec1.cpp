// rule_vec1: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, s 64; memory UB 24576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x32 = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, DYNAMIC, 32>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, DYNAMIC>;
using GGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 32, 1>>;
using OGGm = GlobalTensor<float, Shape<1, 1, 1, 32, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void rule_vec1(
    __gm__ float *o_g,
    __gm__ float *g,
    int32_t b,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t b0 = 0; b0 < b; ++b0) {
        for (int32_t s0 = block * 64; s0 < s; s0 += nblk * 64) {
            const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
            // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
            VecF32_64x32 g_tile_across(s0_valid); TASSIGN(g_tile_across, 0x00000);  // UB 0x00000..0x02000
            GGm g_in(g + int64_t(b0) * s * 32 + int64_t(s0) * 32, {s0_valid});
            TLOAD(g_tile_across, g_in);
            VecF32_32x64 g_tile(s0_valid); TASSIGN(g_tile, 0x02000);  // UB 0x02000..0x04000
            VecF32_64x32 g_tile_tmp(s0_valid); TASSIGN(g_tile_tmp, 0x04000);  // UB 0x04000..0x06000
            TTRANS(g_tile, g_tile_across, g_tile_tmp);
            OGGm o_g_out(o_g + int64_t(b0) * s * 32 + int64_t(s0), {s0_valid}, {int64_t(s)});
            TSTORE(o_g_out, g_tile);
        }
    }
#endif
}
