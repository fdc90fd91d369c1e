// scatter_update: vector kernel of `scatter_update` for cpu. Made by pyptogen; change the spec, not this file.
// stages scatter_update; tiles tokens 16; memory UB 4096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x128 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using RowsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using CacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void scatter_update(
    __gm__ bfloat16_t *cache,
    __gm__ float *rows,
    __gm__ int64_t *slot,
    int32_t tokens_begin,
    int32_t tokens_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t tokens0 = tokens_begin + block * 16; tokens0 < tokens_end; tokens0 += nblk * 16) {
        const int32_t tokens0_valid = tokens_end - tokens0 < 16 ? tokens_end - tokens0 : 16;
        VecB16_16x128 cache_1(tokens0_valid); TASSIGN(cache_1, 0x00000);  // UB 0x00000..0x01000
        RowsGm rows_in(rows + int64_t(tokens0) * 128, {tokens0_valid});
        TPASS(tokens0_valid, 128, [&](auto at) {
            // cache: scatter_update(cache, slot, cast(rows, bf16), dim=-2)
            const auto rows_tile = at.load(rows_in);
            at.store(cache_1, rows_tile);
        });
        // rows of cache_1 to the slots in slot
        for (int32_t row = 0; row < tokens0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(tokens0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            VecB16_1x128 cache_1_one; TASSIGN(cache_1_one, 0x00000 + row * 0x00100);  // row of cache_1
            CacheGm cache_out(cache + int64_t(slot_i) * 128);
            TSTORE(cache_out, cache_1_one);
        }
    }
#endif
}
