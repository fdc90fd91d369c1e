// down_to_scale: mixed kernel of `glm_shared_expert` for cpu. Made by pyptogen; change the spec, not this file.
// stages down, scale; tiles h 128, t 256 / 32; memory L0A 393216 B, L0B 196608 B, L0C 131072 B, UB 640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using LeftI8_256x1536 = TileLeft<int8_t, 256, 1536, DYNAMIC, 1536>;
using RightI8_1536x128 = TileRight<int8_t, 1536, 128, 1536, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using AccI32_256x128 = TileAcc<int32_t, 256, 128, DYNAMIC, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using AQGm = GlobalTensor<int8_t, Shape<1, 1, 1, DYNAMIC, 1536>, Stride<1, 1, 1, 1536, 1>>;
using WDownGm = GlobalTensor<int8_t, Shape<1, 1, 1, 1536, 128>, Stride<1, 1, 1, 49152, 1>, Layout::CPU_PACKED>;
using WDownScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>>;
using AScaleGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 5120, 1>>;
}  // namespace

extern "C" __global__ AICORE void down_to_scale(
    __gm__ bfloat16_t *y,
    __gm__ int8_t *a_q,
    __gm__ int8_t *w_down,
    __gm__ float *a_scale,
    __gm__ float *w_down_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 10240);  // y: around the cache if large
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        // down_i: matmul(a_q, w_down, dtype=int32)
        LeftI8_256x1536 a_q_tile(t0_valid); TASSIGN(a_q_tile, 0x00000);  // L0A 0x00000..0x60000
        AQGm a_q_in(a_q + int64_t(t0) * 1536, {t0_valid});
        TLOAD(a_q_tile, a_q_in);
        for (int32_t h0 = block * 128; h0 < 5120; h0 += nblk * 128) {
            RightI8_1536x128 w_down_tile; TASSIGN(w_down_tile, 0x00000);  // L0B 0x00000..0x30000
            WDownGm w_down_in(w_down + int64_t(h0) * 1536);
            TLOAD(w_down_tile, w_down_in);
            // y: cast(cast(down_i, fp32) * a_scale * w_down_scale, bf16)
            VecF32_1x128 w_down_scale_tile; TASSIGN(w_down_scale_tile, 0x00000);  // UB 0x00000..0x00200
            WDownScaleGm w_down_scale_in(w_down_scale + int64_t(h0));
            TLOAD(w_down_scale_tile, w_down_scale_in);
            // down_i: matmul(a_q, w_down, dtype=int32)
            AccI32_256x128 down_i_acc(t0_valid); TASSIGN(down_i_acc, 0x00000);  // L0C 0x00000..0x20000
            TMATMUL(down_i_acc, a_q_tile, w_down_tile);
            for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
                const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
                // y: cast(cast(down_i, fp32) * a_scale * w_down_scale, bf16)
                VecF32_1x32 a_scale_tile_row(t1_valid); TASSIGN(a_scale_tile_row, 0x00200);  // as a row, same bytes as a_scale_tile
                AScaleGm a_scale_in(a_scale + int64_t(t1), {t1_valid});
                TLOAD(a_scale_tile_row, a_scale_in);
                VecF32_32x1 a_scale_tile(t1_valid); TASSIGN(a_scale_tile, 0x00200);  // UB 0x00200..0x00280
                YGm y_out(y + int64_t(t1) * 5120 + int64_t(h0), {t1_valid});
                TPASS(t1_valid, 128, [&](auto at) {
                    const auto down_i = at.extract(down_i_acc, t1 - t0);
                    const auto y_1 = at.to_float(down_i);
                    const auto y_2 = y_1 * at.column(a_scale_tile);
                    const auto y_3 = y_2 * at.row(w_down_scale_tile);
                    at.store(y_out, y_3, far);
                });
            }
        }
    }
}
