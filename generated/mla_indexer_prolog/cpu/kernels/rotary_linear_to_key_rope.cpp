// rotary_linear_to_key_rope: mixed kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages rotary_linear, key_rope; tiles h 1024, t 256 / 32; memory L0A 524288 B, L0B 131072 B, L0C 65536 B, UB 12288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x64 = TileAcc<float, 256, 64, DYNAMIC, 64>;
using LeftB16_256x1024 = TileLeft<bfloat16_t, 256, 1024, DYNAMIC, 1024>;
using RightB16_1024x64 = TileRight<bfloat16_t, 1024, 64, 1024, 64>;
using VecF32_32x64 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_32x64_c32 = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using VecB16_32x64_c32 = Tile<TileType::Vec, bfloat16_t, 32, 64, BLayout::RowMajor, DYNAMIC, 32>;
using VecB16_1x64 = Tile<TileType::Vec, bfloat16_t, 1, 64, BLayout::RowMajor, 1, 64>;
using XNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 7168, 1>>;
using WKrGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1024, 64>, Stride<1, 1, 1, 229376, 1>, Layout::CPU_PACKED>;
using CosGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, 64, 1>>;
using KrCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
}  // namespace

extern "C" __global__ AICORE void rotary_linear_to_key_rope(
    __gm__ bfloat16_t *kr_cache,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_kr,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 256; t0 < t_end; t0 += nblk * 256) {
        const int32_t t0_valid = t_end - t0 < 256 ? t_end - t0 : 256;
        AccF32_256x64 kr_f_acc(t0_valid); TASSIGN(kr_f_acc, 0x00000);  // L0C 0x00000..0x10000
        for (int32_t h0 = 0; h0 < 7168; h0 += 1024) {
            // kr_f: matmul(x_n, w_kr, dtype=fp32)
            LeftB16_256x1024 x_n_tile(t0_valid); TASSIGN(x_n_tile, 0x00000);  // L0A 0x00000..0x80000
            XNGm x_n_in(x_n + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_n_tile, x_n_in);
            RightB16_1024x64 w_kr_tile; TASSIGN(w_kr_tile, 0x00000);  // L0B 0x00000..0x20000
            WKrGm w_kr_in(w_kr + int64_t(h0) * 32);
            TLOAD(w_kr_tile, w_kr_in);
            if (h0 == 0) {
                TMATMUL(kr_f_acc, x_n_tile, w_kr_tile);
            } else {
                TMATMUL_ACC(kr_f_acc, kr_f_acc, x_n_tile, w_kr_tile);
            }
        }
        for (int32_t t1 = t0; t1 < t0 + t0_valid; t1 += 32) {
            const int32_t t1_valid = t0 + t0_valid - t1 < 32 ? t0 + t0_valid - t1 : 32;
            VecF32_32x64 kr_x(t1_valid); TASSIGN(kr_x, 0x00000);  // UB 0x00000..0x02000
            TPASS(t1_valid, 64, [&](auto at) {
                // kr: rope(cast(kr_f, bf16), cos, sin)
                const auto kr_f = at.extract(kr_f_acc, t1 - t0);
                const auto kr_1 = at.template rounded<bfloat16_t>(kr_f);
                at.store(kr_x, kr_1);
            });
            VecF32_32x64_c32 kr_x1(t1_valid); TASSIGN(kr_x1, 0x00000);  // columns 0.. of kr_x
            VecF32_32x64_c32 kr_x2(t1_valid); TASSIGN(kr_x2, 0x00080);  // columns 32.. of kr_x
            VecB16_32x64_c32 kr_1_columns(t1_valid); TASSIGN(kr_1_columns, 0x02000);  // columns 0.. of kr
            VecB16_32x64_c32 kr_2(t1_valid); TASSIGN(kr_2, 0x02040);  // columns 32.. of kr
            CosGm cos_in(cos + int64_t(t1) * 64, {t1_valid});
            CosGm cos_in_2(cos + int64_t(t1) * 64 + 32, {t1_valid});
            CosGm sin_in(sin + int64_t(t1) * 64, {t1_valid});
            CosGm sin_in_2(sin + int64_t(t1) * 64 + 32, {t1_valid});
            TPASS(t1_valid, 32, [&](auto at) {
                const auto cos_tile_1 = at.load(cos_in);
                const auto cos_tile_2 = at.load(cos_in_2);
                const auto sin_tile_1 = at.load(sin_in);
                const auto sin_tile_2 = at.load(sin_in_2);
                const auto kr_x1_v = at.load(kr_x1);
                const auto kr_x1c1 = kr_x1_v * cos_tile_1;
                const auto kr_x2_v = at.load(kr_x2);
                const auto kr_x2s1 = kr_x2_v * sin_tile_1;
                const auto kr_low = kr_x1c1 - kr_x2s1;
                const auto kr_x2c2 = kr_x2_v * cos_tile_2;
                const auto kr_x1s2 = kr_x1_v * sin_tile_2;
                const auto kr_high = kr_x2c2 + kr_x1s2;
                at.store(kr_1_columns, kr_low);
                at.store(kr_2, kr_high);
            });
            // rows of kr to the slots in slot
            for (int32_t row = 0; row < t1_valid; ++row) {
                const int64_t slot_i = slot[int64_t(row) + int64_t(t1)];
                if (slot_i < 0) {  // this row is not kept
                    continue;
                }
                // kr_cache: scatter_update(kr_cache, slot, kr, dim=0)
                VecB16_1x64 kr_one; TASSIGN(kr_one, 0x02000 + row * 0x00080);  // row of kr
                KrCacheGm kr_cache_out(kr_cache + int64_t(slot_i) * 64);
                TSTORE(kr_cache_out, kr_one);
            }
        }
    }
}
