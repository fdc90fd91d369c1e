// turn_vec3: vector kernel of `rope_cache_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages turn_keys; tiles k_turned_rope_rows 1024; memory UB 2048 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_1024x1 = Tile<TileType::Vec, bfloat16_t, 1024, 1, BLayout::ColMajor, DYNAMIC, 1>;
using KTurnedEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using KTurnedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 2, 1>>;
}  // namespace

extern "C" __global__ AICORE void turn_vec3(
    __gm__ bfloat16_t *k_turned,
    __gm__ bfloat16_t *k_turned_even,
    __gm__ bfloat16_t *k_turned_odd,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t k_turned_rope_rows0 = block * 1024; k_turned_rope_rows0 < t * 256; k_turned_rope_rows0 += nblk * 1024) {
        const int32_t k_turned_rope_rows0_valid = t * 256 - k_turned_rope_rows0 < 1024 ? t * 256 - k_turned_rope_rows0 : 1024;
        // k_turned: rope(k, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_1x1024 k_turned_even_tile_row(k_turned_rope_rows0_valid); TASSIGN(k_turned_even_tile_row, 0x00000);  // as a row, same bytes as k_turned_even_tile
        KTurnedEvenGm k_turned_even_in(k_turned_even + int64_t(k_turned_rope_rows0), {k_turned_rope_rows0_valid});
        TLOAD(k_turned_even_tile_row, k_turned_even_in);
        VecB16_1024x1 k_turned_even_tile(k_turned_rope_rows0_valid); TASSIGN(k_turned_even_tile, 0x00000);  // UB 0x00000..0x00800
        KTurnedGm k_turned_out(k_turned + int64_t(k_turned_rope_rows0) * 2, {k_turned_rope_rows0_valid});
        TSTORE(k_turned_out, k_turned_even_tile);
        VecB16_1x1024 k_turned_odd_tile_row(k_turned_rope_rows0_valid); TASSIGN(k_turned_odd_tile_row, 0x00000);  // as a row, same bytes as k_turned_odd_tile
        KTurnedEvenGm k_turned_odd_in(k_turned_odd + int64_t(k_turned_rope_rows0), {k_turned_rope_rows0_valid});
        TLOAD(k_turned_odd_tile_row, k_turned_odd_in);
        VecB16_1024x1 k_turned_odd_tile(k_turned_rope_rows0_valid); TASSIGN(k_turned_odd_tile, 0x00000);  // UB 0x00000..0x00800
        KTurnedGm k_turned_out_2(k_turned + int64_t(k_turned_rope_rows0) * 2 + 1, {k_turned_rope_rows0_valid});
        TSTORE(k_turned_out_2, k_turned_odd_tile);
    }
#endif
}
