// add_vec1: vector kernel of `embedding_bag` for cpu. Made by pyptogen; change the spec, not this file.
// stages add; tiles bag 32, t 1; memory UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using TokenGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using Each2Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using Each3Gm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_vec1(
    __gm__ float *each_2,
    __gm__ float *each_3,
    __gm__ int32_t *token,
    __gm__ bfloat16_t *rows,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk) {
        for (int32_t bag0 = 0; bag0 < bag; bag0 += 32) {
            const int32_t bag0_valid = bag - bag0 < 32 ? bag - bag0 : 32;
            // there: clip(token + 1, 0, 1)  [embedding_bag.yaml:21]
            VecI32_1x32 token_tile(bag0_valid); TASSIGN(token_tile, 0x00180);  // UB 0x00180..0x00200
            TokenGm token_in(token + int64_t(bag) * t0 + int64_t(bag0), {bag0_valid}, {int64_t(bag)});
            TLOAD(token_tile, token_in);
            VecI32_1x32 there_1(bag0_valid); TASSIGN(there_1, 0x00080);  // UB 0x00080..0x00100
            TADDS(there_1, token_tile, 1);
            VecI32_1x32 there_2(bag0_valid); TASSIGN(there_2, 0x00100);  // UB 0x00100..0x00180
            TMAXS(there_2, there_1, 0);
            VecI32_1x32 there(bag0_valid); TASSIGN(there, 0x00000);  // UB 0x00000..0x00080
            TMINS(there, there_2, 1);
            RowsGm rows_in(rows + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128, {bag0_valid});
            Each2Gm each_2_out(each_2 + int64_t(bag) * t0 * 128 + int64_t(bag0) * 128, {bag0_valid});
            TPASS(bag0_valid, 128, [&](auto at) {
                // each: cast(reshape(rows, [t, bag, h]), fp32) * cast(there, fp32)[:, :, None]  [embedding_bag.yaml:22]
                const auto rows_tile = at.load(rows_in);
                at.store(each_2_out, rows_tile);
            });
            Each3Gm each_3_out(each_3 + int64_t(bag) * t0 + int64_t(bag0), {bag0_valid}, {int64_t(bag)});
            TPASS(1, bag0_valid, [&](auto at) {
                const auto there_v = at.load(there);
                const auto each_3_tile = at.to_float(there_v);
                at.store(each_3_out, each_3_tile);
            });
        }
    }
#endif
}
