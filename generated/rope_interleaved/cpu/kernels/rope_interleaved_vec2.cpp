// rope_interleaved_vec2: vector kernel of `rope_interleaved` for cpu. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles y_rope_rows 1024; memory UB 2048 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_1024x1 = Tile<TileType::Vec, bfloat16_t, 1024, 1, BLayout::ColMajor, DYNAMIC, 1>;
using YEvenGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 2, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec2(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *y_even,
    __gm__ bfloat16_t *y_odd,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t y_rope_rows0 = block * 1024; y_rope_rows0 < t * 512; y_rope_rows0 += nblk * 1024) {
        const int32_t y_rope_rows0_valid = t * 512 - y_rope_rows0 < 1024 ? t * 512 - y_rope_rows0 : 1024;
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)
        VecB16_1x1024 y_even_tile_row(y_rope_rows0_valid); TASSIGN(y_even_tile_row, 0x00000);  // as a row, same bytes as y_even_tile
        YEvenGm y_even_in(y_even + int64_t(y_rope_rows0), {y_rope_rows0_valid});
        TLOAD(y_even_tile_row, y_even_in);
        VecB16_1024x1 y_even_tile(y_rope_rows0_valid); TASSIGN(y_even_tile, 0x00000);  // UB 0x00000..0x00800
        YGm y_out(y + int64_t(y_rope_rows0) * 2, {y_rope_rows0_valid});
        TSTORE(y_out, y_even_tile);
        VecB16_1x1024 y_odd_tile_row(y_rope_rows0_valid); TASSIGN(y_odd_tile_row, 0x00000);  // as a row, same bytes as y_odd_tile
        YEvenGm y_odd_in(y_odd + int64_t(y_rope_rows0), {y_rope_rows0_valid});
        TLOAD(y_odd_tile_row, y_odd_in);
        VecB16_1024x1 y_odd_tile(y_rope_rows0_valid); TASSIGN(y_odd_tile, 0x00000);  // UB 0x00000..0x00800
        YGm y_out_2(y + int64_t(y_rope_rows0) * 2 + 1, {y_rope_rows0_valid});
        TSTORE(y_out_2, y_odd_tile);
    }
#endif
}
