// place_vec4: vector kernel of `grouped_matmul` for cpu. Made by pyptogen; change the spec, not this file.
// stages place; tiles t 64; memory UB 768 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using Past1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void place_vec4(
    __gm__ int32_t *slot,
    __gm__ int32_t *past_1,
    __gm__ int32_t *slot_1,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t t0 = block * 64; t0 < full * 32; t0 += nblk * 64) {
        const int32_t t0_valid = full * 32 - t0 < 64 ? full * 32 - t0 : 64;
        // slot:  reshape(arange(t), [t, 1]) - index_select(shift, 0, owner)[:, None]
        VecI32_1x64 past_1_tile_row(t0_valid); TASSIGN(past_1_tile_row, 0x00000);  // as a row, same bytes as past_1_tile
        Past1Gm past_1_in(past_1 + int64_t(t0), {t0_valid});
        TLOAD(past_1_tile_row, past_1_in);
        VecI32_1x64 slot_1_tile_row(t0_valid); TASSIGN(slot_1_tile_row, 0x00100);  // as a row, same bytes as slot_1_tile
        Past1Gm slot_1_in(slot_1 + int64_t(t0), {t0_valid});
        TLOAD(slot_1_tile_row, slot_1_in);
        VecI32_1x64 slot_tile_row(t0_valid); TASSIGN(slot_tile_row, 0x00200);  // as a row, same bytes as slot_tile
        TSUB(slot_tile_row, past_1_tile_row, slot_1_tile_row);
        Past1Gm slot_out(slot + int64_t(t0), {t0_valid});
        TSTORE(slot_out, slot_tile_row);
    }
#endif
}
