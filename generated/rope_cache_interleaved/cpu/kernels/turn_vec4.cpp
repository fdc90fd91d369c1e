// turn_vec4: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn; tiles i1 512, i2 512; memory UB 2048 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_512x1 = Tile<TileType::Vec, float, 512, 1, BLayout::ColMajor, DYNAMIC, 1>;
using KTurnedLowGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using KTurnedRopedGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 2, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec4(
    __gm__ float *k_turned_roped,
    __gm__ float *k_turned_low,
    __gm__ float *k_turned_high,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block * 512; i1 < t * 256; i1 += nblk * 512) {
        const int32_t i1_valid = t * 256 - i1 < 512 ? t * 256 - i1 : 512;
        // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_cache_interleaved.yaml:33]
        VecF32_1x512 part_row(i1_valid); TASSIGN(part_row, 0x00000);  // as a row, same bytes as part
        KTurnedLowGm k_turned_low_in(k_turned_low + int64_t(i1), {i1_valid});
        TLOAD(part_row, k_turned_low_in);
        VecF32_512x1 part(i1_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x00800
        KTurnedRopedGm k_turned_roped_out(k_turned_roped + int64_t(i1) * 2, {i1_valid});
        TSTORE(k_turned_roped_out, part);
    }
    for (int32_t i2 = block * 512; i2 < t * 256; i2 += nblk * 512) {
        const int32_t i2_valid = t * 256 - i2 < 512 ? t * 256 - i2 : 512;
        VecF32_1x512 part_2_row(i2_valid); TASSIGN(part_2_row, 0x00000);  // as a row, same bytes as part_2
        KTurnedLowGm k_turned_high_in(k_turned_high + int64_t(i2), {i2_valid});
        TLOAD(part_2_row, k_turned_high_in);
        VecF32_512x1 part_2(i2_valid); TASSIGN(part_2, 0x00000);  // UB 0x00000..0x00800
        KTurnedRopedGm k_turned_roped_out(k_turned_roped + int64_t(i2) * 2 + 1, {i2_valid});
        TSTORE(k_turned_roped_out, part_2);
    }
#endif
}
