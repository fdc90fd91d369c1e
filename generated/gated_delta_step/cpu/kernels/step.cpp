// step: vector kernel of `gated_delta_step` for cpu. Made by pyptogen; change the spec, not this file.
// stages step; tiles b 1, dv 32, group 1, heads 1; memory UB 18496 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x128_r1 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 1, 128>;
using VecF32_1x16_c1 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_16x1_r1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 1, 1>;
using VecB16_1x32 = Tile<TileType::Vec, bfloat16_t, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, 32, 1>;
using VecB16_16x32_r1 = Tile<TileType::Vec, bfloat16_t, 16, 32, BLayout::RowMajor, 1, 32>;
using KNGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using DecayGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
using VGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 0, 1>>;
using StateGm = GlobalTensor<float, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void step(
    __gm__ float *state,
    __gm__ bfloat16_t *o,
    __gm__ float *decay,
    __gm__ float *k_n,
    __gm__ bfloat16_t *v,
    __gm__ float *beta,
    __gm__ float *q_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            // seen: sum(kept * k_n[:, :, None, None, :], axis=-1, keepdim=true)
            VecF32_16x128_r1 k_n_tile; TASSIGN(k_n_tile, 0x00000);  // UB 0x00000..0x00200
            KNGm k_n_in(k_n + int64_t(b0) * 2048 + int64_t(heads0) * 128);
            TLOAD(k_n_tile, k_n_in);
            // read: sum(state * q_n[:, :, None, None, :], axis=-1, keepdim=true)
            VecF32_16x128_r1 q_n_tile; TASSIGN(q_n_tile, 0x00200);  // UB 0x00200..0x00400
            KNGm q_n_in(q_n + int64_t(b0) * 2048 + int64_t(heads0) * 128);
            TLOAD(q_n_tile, q_n_in);
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                // kept: state * decay[:, :, :, None, None]
                VecF32_1x16_c1 decay_tile_row; TASSIGN(decay_tile_row, 0x00400);  // as a row, same bytes as decay_tile
                DecayGm decay_in(decay + int64_t(b0) * 32 + int64_t(heads0) * 2 + int64_t(group0));
                TLOAD(decay_tile_row, decay_in);
                // change: (cast(v[:, :, :, :, None], fp32) - seen) * beta[:, :, :, None, None]
                VecF32_1x16_c1 beta_tile_row; TASSIGN(beta_tile_row, 0x00440);  // as a row, same bytes as beta_tile
                DecayGm beta_in(beta + int64_t(b0) * 32 + int64_t(heads0) * 2 + int64_t(group0));
                TLOAD(beta_tile_row, beta_in);
                for (int32_t dv0 = 0; dv0 < 128; dv0 += 32) {
                    // kept: state * decay[:, :, :, None, None]
                    VecF32_1x128 decay_tile_wide; TASSIGN(decay_tile_wide, 0x00480);  // UB 0x00480..0x00680
                    VecF32_16x1_r1 decay_tile; TASSIGN(decay_tile, 0x00400);  // UB 0x00400..0x00420
                    TROWEXPAND(decay_tile_wide, decay_tile);
                    // change: (cast(v[:, :, :, :, None], fp32) - seen) * beta[:, :, :, None, None]
                    VecB16_1x32 v_tile_row; TASSIGN(v_tile_row, 0x00680);  // as a row, same bytes as v_tile
                    VGm v_in(v + int64_t(b0) * 4096 + int64_t(heads0) * 256 + int64_t(group0) * 128 + int64_t(dv0));
                    TLOAD(v_tile_row, v_in);
                    VecF32_1x32 change_2_row; TASSIGN(change_2_row, 0x006c0);  // as a row, same bytes as change_2
                    TCVT(change_2_row, v_tile_row, RoundMode::CAST_RINT);
                    VecF32_1x32 beta_tile_wide_row; TASSIGN(beta_tile_wide_row, 0x00740);  // as a row, same bytes as beta_tile_wide
                    VecF32_16x1_r1 beta_tile; TASSIGN(beta_tile, 0x00440);  // UB 0x00440..0x00460
                    TROWEXPAND(beta_tile_wide_row, beta_tile);
                    VecF32_32x128 kept; TASSIGN(kept, 0x007c0);  // UB 0x007c0..0x047c0
                    VecF32_32x1 seen; TASSIGN(seen, 0x047c0);  // UB 0x047c0..0x04840
                    StateGm state_in(state + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(dv0) * 128);
                    TPASS(32, 128, [&](auto at, auto &seen_sum) {
                        // kept: state * decay[:, :, :, None, None]
                        const auto state_tile = at.load(state_in);
                        const auto kept_v = state_tile * at.row(decay_tile_wide);
                        at.store(kept, kept_v);
                        // seen: sum(kept * k_n[:, :, None, None, :], axis=-1, keepdim=true)
                        const auto seen_2 = kept_v * at.row(k_n_tile);
                        seen_sum.take(at, seen_2);
                    }, RowSum(seen));
                    // change: (cast(v[:, :, :, :, None], fp32) - seen) * beta[:, :, :, None, None]
                    VecF32_1x32 change_3_row; TASSIGN(change_3_row, 0x00480);  // as a row, same bytes as change_3
                    VecF32_1x32 seen_row; TASSIGN(seen_row, 0x047c0);  // as a row, same bytes as seen
                    TSUB(change_3_row, change_2_row, seen_row);
                    VecF32_1x32 change_row; TASSIGN(change_row, 0x00500);  // as a row, same bytes as change
                    TMUL(change_row, change_3_row, beta_tile_wide_row);
                    VecF32_32x1 change; TASSIGN(change, 0x00500);  // UB 0x00500..0x00580
                    VecF32_32x1 read; TASSIGN(read, 0x00480);  // UB 0x00480..0x00500
                    StateGm state_out(state + int64_t(b0) * 524288 + int64_t(heads0) * 32768 + int64_t(group0) * 16384 + int64_t(dv0) * 128);
                    TPASS(32, 128, [&](auto at, auto &read_sum) {
                        // state: kept + change * k_n[:, :, None, None, :]
                        const auto state_1 = at.column(change);
                        const auto state_1_2 = state_1 * at.row(k_n_tile);
                        const auto kept_v = at.load(kept);
                        const auto state_out_2 = kept_v + state_1_2;
                        // read: sum(state * q_n[:, :, None, None, :], axis=-1, keepdim=true)
                        const auto read_2 = state_out_2 * at.row(q_n_tile);
                        read_sum.take(at, read_2);
                        // state: kept + change * k_n[:, :, None, None, :]
                        at.store(state_out, state_out_2);
                    }, RowSum(read));
                    // o: cast(reshape(read, [b, heads, group, dv]), bf16)
                    VecB16_16x32_r1 o_tile; TASSIGN(o_tile, 0x00500);  // UB 0x00500..0x00540
                    VecF32_1x32 read_row; TASSIGN(read_row, 0x00480);  // as a row, same bytes as read
                    TCVT(o_tile, read_row, RoundMode::CAST_RINT);
                    OGm o_out(o + int64_t(b0) * 4096 + int64_t(heads0) * 256 + int64_t(group0) * 128 + int64_t(dv0));
                    TSTORE(o_out, o_tile);
                }
            }
        }
    }
#endif
}
