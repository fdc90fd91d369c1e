// rule_vec3: vector kernel of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
// stages rule; tiles b 1, group 1, heads 1, s 64; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x64_r1 = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using OGGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OGammaBlockGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void rule_vec3(
    __gm__ float *o_gamma_block,
    __gm__ float *o_g,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // o, state_end: gated_delta_rule(q_n, k_n, v, g, beta, state_t, scale=1)
                    VecI32_1x64 o_column_row(s0_valid); TASSIGN(o_column_row, 0x00000);  // as a row, same bytes as o_column
                    TCI<VecI32_1x64, int32_t, 0>(o_column_row, 0);
                    VecF32_1x64 o_column_at_row(s0_valid); TASSIGN(o_column_at_row, 0x00100);  // as a row, same bytes as o_column_at
                    TCVT(o_column_at_row, o_column_row, RoundMode::CAST_RINT);
                    VecI32_1x64 o_row(s0_valid); TASSIGN(o_row, 0x00000);  // UB 0x00000..0x00100
                    TCI<VecI32_1x64, int32_t, 0>(o_row, 0);
                    VecF32_1x64 o_row_at(s0_valid); TASSIGN(o_row_at, 0x00300);  // UB 0x00300..0x00400
                    VecF32_8x64_r1 o_g_least(s0_valid); TASSIGN(o_g_least, 0x00200);  // UB 0x00200..0x00300
                    OGGm o_g_in(o_g + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid}, {int64_t(s)});
                    TPASS(1, s0_valid, [&](auto at) {
                        const auto o_row_v = at.load(o_row);
                        const auto o_row_at_v = at.to_float(o_row_v);
                        at.store(o_row_at, o_row_at_v);
                        const auto o_g_tile = at.load(o_g_in);
                        const auto o_g_least_v = at.max(o_g_tile, -104.0f);
                        at.store(o_g_least, o_g_least_v);
                    });
                    VecF32_64x1 o_column_at(s0_valid); TASSIGN(o_column_at, 0x00100);  // UB 0x00100..0x00200
                    VecF32_64x1 o_gamma_block_tile(s0_valid); TASSIGN(o_gamma_block_tile, 0x00000);  // UB 0x00000..0x00100
                    TPASS(s0_valid, s0_valid, [&](auto at, auto &o_gamma_block_tile_sum) {
                        const auto o_ahead = at.column(o_column_at);
                        const auto o_ahead_2 = o_ahead - at.row(o_row_at);
                        const auto o_ahead_1 = o_ahead_2 + 1.0f;
                        const auto o_reached_least = at.max(o_ahead_1, 0.0f);
                        const auto o_reached = at.min(o_reached_least, 1.0f);
                        const auto o_g_until = o_reached * at.row(o_g_least);
                        o_gamma_block_tile_sum.take(at, o_g_until);
                    }, RowSum(o_gamma_block_tile));
                    VecF32_1x64 o_gamma_block_tile_row(s0_valid); TASSIGN(o_gamma_block_tile_row, 0x00000);  // as a row, same bytes as o_gamma_block_tile
                    OGammaBlockGm o_gamma_block_out(o_gamma_block + int64_t(b0) * s * 32 + int64_t(heads0) * s * 2 + int64_t(group0) * s + int64_t(s0), {s0_valid});
                    TSTORE(o_gamma_block_out, o_gamma_block_tile_row);
                }
            }
        }
    }
#endif
}
