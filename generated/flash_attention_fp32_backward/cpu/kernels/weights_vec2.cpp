// weights_vec2: vector kernel of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages weights; tiles heads 1, kv 256, sq 16; memory UB 64 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using PMaxGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void weights_vec2(
    __gm__ float *p_e,
    __gm__ float *s,
    __gm__ float *p_max,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 16) {
        const int32_t sq0_valid = sq_end - sq0 < 16 ? sq_end - sq0 : 16;
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 256) {
            const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
            for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
                // p: softmax(s)
                VecF32_1x16 p_max_tile_row(sq0_valid); TASSIGN(p_max_tile_row, 0x00000);  // as a row, same bytes as p_max_tile
                PMaxGm p_max_in(p_max + int64_t(heads0) * sq + int64_t(sq0), {sq0_valid});
                TLOAD(p_max_tile_row, p_max_in);
                VecF32_16x1 p_max_tile(sq0_valid); TASSIGN(p_max_tile, 0x00000);  // UB 0x00000..0x00040
                SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                SGm p_e_out(p_e + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TPASS(sq0_valid, kv0_valid, [&](auto at) {
                    const auto s_tile = at.load(s_in);
                    const auto p_c = s_tile - at.column(p_max_tile);
                    const auto p_e_tile = at.exp(p_c);
                    at.store(p_e_out, p_e_tile);
                });
            }
        }
    }
#endif
}
