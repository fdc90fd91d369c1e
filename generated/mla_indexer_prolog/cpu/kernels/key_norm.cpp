// key_norm: vector kernel of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
// stages key_norm; tiles t 16; memory UB 51264 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_16x512 = Tile<TileType::Vec, float, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_16x512 = Tile<TileType::Vec, bfloat16_t, 16, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecB16_1x512 = Tile<TileType::Vec, bfloat16_t, 1, 512, BLayout::RowMajor, 1, 512>;
using KvGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
using KvFGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using KvCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 512, 1>>;
}  // namespace

extern "C" __global__ AICORE void key_norm(
    __gm__ bfloat16_t *kv_cache,
    __gm__ bfloat16_t *kv_gamma,
    __gm__ float *kv_f,
    __gm__ int64_t *slot,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    VecF32_1x512 kv_1; TASSIGN(kv_1, 0x00000);  // UB 0x00000..0x00800
    KvGammaGm kv_gamma_in(kv_gamma);
    TPASS(1, 512, [&](auto at) {
        // kv: cast(rms_norm(kv_f, cast(kv_gamma, fp32), eps=eps), bf16)
        const auto kv_gamma_tile = at.load(kv_gamma_in);
        at.store(kv_1, kv_gamma_tile);
    });
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        VecF32_16x512 kv_f_tile(t0_valid); TASSIGN(kv_f_tile, 0x00800);  // UB 0x00800..0x08800
        VecF32_16x1 kv_var(t0_valid); TASSIGN(kv_var, 0x08800);  // UB 0x08800..0x08840
        KvFGm kv_f_in(kv_f + int64_t(t0) * 512, {t0_valid});
        TPASS(t0_valid, 512, [&](auto at, auto &kv_var_sum) {
            const auto kv_f_tile_v = at.load(kv_f_in);
            at.store(kv_f_tile, kv_f_tile_v);
            const auto kv_square = kv_f_tile_v * kv_f_tile_v;
            const auto kv_var_part = kv_square * 0.001953125f;
            kv_var_sum.take(at, kv_var_part);
        }, RowSum(kv_var));
        VecF32_1x16 kv_var_eps_row(t0_valid); TASSIGN(kv_var_eps_row, 0x08840);  // as a row, same bytes as kv_var_eps
        VecF32_1x16 kv_var_row(t0_valid); TASSIGN(kv_var_row, 0x08800);  // as a row, same bytes as kv_var
        TADDS(kv_var_eps_row, kv_var_row, eps);
        VecF32_1x16 kv_std_row(t0_valid); TASSIGN(kv_std_row, 0x08800);  // as a row, same bytes as kv_std
        TSQRT(kv_std_row, kv_var_eps_row);
        VecF32_16x1 kv_std(t0_valid); TASSIGN(kv_std, 0x08800);  // UB 0x08800..0x08840
        VecB16_16x512 kv(t0_valid); TASSIGN(kv, 0x08840);  // UB 0x08840..0x0c840
        TPASS(t0_valid, 512, [&](auto at, auto &kv_std_divisor) {
            at.ask_between(kv_f_in, nblk * 16);  // the next iteration's
            const auto kv_f_tile_v = at.load(kv_f_tile);
            const auto kv_unit = kv_f_tile_v / kv_std_divisor;
            const auto kv_3 = kv_unit * at.row(kv_1);
            at.store(kv, kv_3);
        }, Divisor(kv_std));
        // rows of kv to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            // kv_cache: scatter_update(kv_cache, slot, kv, dim=0)
            VecB16_1x512 kv_one; TASSIGN(kv_one, 0x08840 + row * 0x00400);  // row of kv
            KvCacheGm kv_cache_out(kv_cache + int64_t(slot_i) * 512);
            TSTORE(kv_cache_out, kv_one);
        }
    }
#endif
}
