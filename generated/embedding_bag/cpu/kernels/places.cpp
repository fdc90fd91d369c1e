// places: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages places; tiles bag 128, t 16; memory UB 24576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_16x128 = Tile<TileType::Vec, int32_t, 16, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using TokenGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ThereGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void places(
    __gm__ int32_t *place,
    __gm__ float *there,
    __gm__ int32_t *token,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        for (int32_t bag0 = 0; bag0 < bag; bag0 += 128) {
            const int32_t bag0_valid = bag - bag0 < 128 ? bag - bag0 : 128;
            // place: maximum(token, 0)
            VecI32_16x128 token_tile(t0_valid, bag0_valid); TASSIGN(token_tile, 0x00000);  // UB 0x00000..0x02000
            TokenGm token_in(token + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            TLOAD(token_tile, token_in);
            VecI32_16x128 place_tile(t0_valid, bag0_valid); TASSIGN(place_tile, 0x02000);  // UB 0x02000..0x04000
            TMAXS(place_tile, token_tile, 0);
            // there: cast(clip(token + 1, 0, 1), fp32)
            VecI32_16x128 there_1(t0_valid, bag0_valid); TASSIGN(there_1, 0x04000);  // UB 0x04000..0x06000
            TADDS(there_1, token_tile, 1);
            VecI32_16x128 there_2(t0_valid, bag0_valid); TASSIGN(there_2, 0x00000);  // UB 0x00000..0x02000
            TMAXS(there_2, there_1, 0);
            VecI32_16x128 there_3(t0_valid, bag0_valid); TASSIGN(there_3, 0x04000);  // UB 0x04000..0x06000
            TMINS(there_3, there_2, 1);
            TokenGm place_out(place + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            ThereGm there_out(there + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
            TPASS(t0_valid, bag0_valid, [&](auto at) {
                const auto there_3_v = at.load(there_3);
                const auto there_tile = at.to_float(there_3_v);
                // place: maximum(token, 0)
                const auto place_tile_v = at.load(place_tile);
                at.store(place_out, place_tile_v);
                // there: cast(clip(token + 1, 0, 1), fp32)
                at.store(there_out, there_tile);
            });
        }
    }
#endif
}
