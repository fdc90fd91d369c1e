// turn_vec2: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn_queries; tiles i1 1024, i2 1024; memory UB 2048 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_1024x1 = Tile<TileType::Vec, bfloat16_t, 1024, 1, BLayout::ColMajor, DYNAMIC, 1>;
using QTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using QTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 2, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec2(
    __gm__ bfloat16_t *q_turned,
    __gm__ bfloat16_t *q_turned_even,
    __gm__ bfloat16_t *q_turned_odd,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t i1 = block * 1024; i1 < t * 1024; i1 += nblk * 1024) {
        const int32_t i1_valid = t * 1024 - i1 < 1024 ? t * 1024 - i1 : 1024;
        // q_turned: rope(q, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_1x1024 part_row(i1_valid); TASSIGN(part_row, 0x00000);  // as a row, same bytes as part
        QTurnedEvenGm q_turned_even_in(q_turned_even + int64_t(i1), {i1_valid});
        TLOAD(part_row, q_turned_even_in);
        VecB16_1024x1 part(i1_valid); TASSIGN(part, 0x00000);  // UB 0x00000..0x00800
        QTurnedGm q_turned_out(q_turned + int64_t(i1) * 2, {i1_valid});
        TSTORE(q_turned_out, part);
    }
    for (int32_t i2 = block * 1024; i2 < t * 1024; i2 += nblk * 1024) {
        const int32_t i2_valid = t * 1024 - i2 < 1024 ? t * 1024 - i2 : 1024;
        VecB16_1x1024 part_2_row(i2_valid); TASSIGN(part_2_row, 0x00000);  // as a row, same bytes as part_2
        QTurnedEvenGm q_turned_odd_in(q_turned_odd + int64_t(i2), {i2_valid});
        TLOAD(part_2_row, q_turned_odd_in);
        VecB16_1024x1 part_2(i2_valid); TASSIGN(part_2, 0x00000);  // UB 0x00000..0x00800
        QTurnedGm q_turned_out(q_turned + int64_t(i2) * 2 + 1, {i2_valid});
        TSTORE(q_turned_out, part_2);
    }
#endif
}
