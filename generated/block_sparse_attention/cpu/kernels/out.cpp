// out: vector kernel of `block_sparse_attention` for cpu. Made by pyptogen; change the spec, not this file.
// stages out; tiles heads 1, q_blocks 1; memory UB 256 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1>;
using LEndGm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 0, 1>>;
using AccEndGm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void out(
    __gm__ bfloat16_t *o,
    __gm__ float *acc_end,
    __gm__ float *l_end,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(q_blocks_end - q_blocks_begin) * 131072);  // o: around the cache if large
    for (int32_t q_blocks0 = q_blocks_begin; q_blocks0 < q_blocks_end; ++q_blocks0) {
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            // o: cast(acc / l, bf16)
            VecF32_1x64 l_end_tile_row; TASSIGN(l_end_tile_row, 0x00000);  // as a row, same bytes as l_end_tile
            LEndGm l_end_in(l_end + int64_t(heads0) * q_blocks * 64 + int64_t(q_blocks0) * 64);
            TLOAD(l_end_tile_row, l_end_in);
            VecF32_64x1 l_end_tile; TASSIGN(l_end_tile, 0x00000);  // UB 0x00000..0x00100
            AccEndGm acc_end_in(acc_end + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
            OGm o_out(o + int64_t(heads0) * q_blocks * 8192 + int64_t(q_blocks0) * 8192);
            TPASS(64, 128, [&](auto at, auto &l_end_tile_divisor) {
                const auto acc_end_tile = at.load(acc_end_in);
                const auto o_1 = acc_end_tile / l_end_tile_divisor;
                at.store(o_out, o_1, far);
            }, Divisor(l_end_tile));
        }
    }
#endif
}
