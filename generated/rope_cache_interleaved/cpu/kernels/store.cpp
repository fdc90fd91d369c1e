// store: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages store; tiles kv_heads 1, t 64; memory UB 32768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using KTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;
using KCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void store(
    __gm__ bfloat16_t *k_cache,
    __gm__ bfloat16_t *v_cache,
    __gm__ bfloat16_t *k_turned,
    __gm__ int64_t *slot,
    __gm__ bfloat16_t *v,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        for (int32_t kv_heads0 = 0; kv_heads0 < 4; ++kv_heads0) {
            // k_cache: scatter_update(k_cache, slot, k_turned, dim=1)
            VecB16_64x128 k_turned_tile(t0_valid); TASSIGN(k_turned_tile, 0x00000);  // UB 0x00000..0x04000
            KTurnedGm k_turned_in(k_turned + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
            TLOAD(k_turned_tile, k_turned_in);
            // v_cache: scatter_update(v_cache, slot, v, dim=1)
            VecB16_64x128 v_tile(t0_valid); TASSIGN(v_tile, 0x04000);  // UB 0x04000..0x08000
            KTurnedGm v_in(v + int64_t(t0) * 512 + int64_t(kv_heads0) * 128, {t0_valid});
            TLOAD(v_tile, v_in);
            // rows of k_turned_tile to the slots in slot
            for (int32_t row = 0; row < t0_valid; ++row) {
                const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
                if (slot_i < 0) {  // this row is not kept
                    continue;
                }
                // k_cache: scatter_update(k_cache, slot, k_turned, dim=1)
                VecB16_1x128 k_turned_tile_one; TASSIGN(k_turned_tile_one, 0x00000 + row * 0x00100);  // row of k_turned_tile
                KCacheGm k_cache_out(k_cache + int64_t(slot_i) * 512 + int64_t(kv_heads0) * 128);
                TSTORE(k_cache_out, k_turned_tile_one);
            }
            // rows of v_tile to the slots in slot
            for (int32_t row = 0; row < t0_valid; ++row) {
                const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
                if (slot_i < 0) {  // this row is not kept
                    continue;
                }
                // v_cache: scatter_update(v_cache, slot, v, dim=1)
                VecB16_1x128 v_tile_one; TASSIGN(v_tile_one, 0x04000 + row * 0x00100);  // row of v_tile
                KCacheGm v_cache_out(v_cache + int64_t(slot_i) * 512 + int64_t(kv_heads0) * 128);
                TSTORE(v_cache_out, v_tile_one);
            }
        }
    }
#endif
}
