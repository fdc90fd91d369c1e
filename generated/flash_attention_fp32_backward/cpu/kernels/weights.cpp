// weights: vector kernel of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages weights; tiles heads 1, kv 4096, sq 16; memory UB 192 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void weights(
    __gm__ float *p,
    __gm__ float *s,
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
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            // p: softmax(s)
            VecF32_1x16 p_max_row(sq0_valid); TASSIGN(p_max_row, 0x00000);  // as a row, same bytes as p_max
            TEXPANDS(p_max_row, -__builtin_inff());
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 4096) {
                const int32_t kv0_valid = kv - kv0 < 4096 ? kv - kv0 : 4096;
                VecF32_16x1 p_max_part(sq0_valid); TASSIGN(p_max_part, 0x00040);  // UB 0x00040..0x00080
                SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TPASS(sq0_valid, kv0_valid, [&](auto at, auto &p_max_part_max) {
                    const auto s_tile = at.load(s_in);
                    p_max_part_max.take(at, s_tile);
                }, RowMax(p_max_part));
                VecF32_1x16 p_max_part_row(sq0_valid); TASSIGN(p_max_part_row, 0x00040);  // as a row, same bytes as p_max_part
                TMAX(p_max_row, p_max_row, p_max_part_row);
            }
            VecF32_1x16 p_sum_row(sq0_valid); TASSIGN(p_sum_row, 0x00040);  // as a row, same bytes as p_sum
            TEXPANDS(p_sum_row, 0.0f);
            VecF32_16x1 p_max(sq0_valid); TASSIGN(p_max, 0x00000);  // UB 0x00000..0x00040
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 4096) {
                const int32_t kv0_valid = kv - kv0 < 4096 ? kv - kv0 : 4096;
                VecF32_16x1 p_sum_part(sq0_valid); TASSIGN(p_sum_part, 0x00080);  // UB 0x00080..0x000c0
                SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TPASS(sq0_valid, kv0_valid, [&](auto at, auto &p_sum_part_sum) {
                    const auto s_tile_2 = at.load(s_in);
                    const auto p_c = s_tile_2 - at.column(p_max);
                    const auto p_e = at.exp(p_c);
                    p_sum_part_sum.take(at, p_e);
                }, RowSum(p_sum_part));
                VecF32_1x16 p_sum_part_row(sq0_valid); TASSIGN(p_sum_part_row, 0x00080);  // as a row, same bytes as p_sum_part
                TADD(p_sum_row, p_sum_row, p_sum_part_row);
            }
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 4096) {
                const int32_t kv0_valid = kv - kv0 < 4096 ? kv - kv0 : 4096;
                VecF32_16x1 p_sum(sq0_valid); TASSIGN(p_sum, 0x00040);  // UB 0x00040..0x00080
                SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                SGm p_out(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TPASS<4>(sq0_valid, kv0_valid, [&](auto at, auto &p_sum_divisor) {
                    const auto s_tile_3 = at.load(s_in);
                    const auto p_c_again = s_tile_3 - at.column(p_max);
                    const auto p_e_again = at.exp(p_c_again);
                    const auto p_tile = p_e_again / p_sum_divisor;
                    at.store(p_out, p_tile);
                }, Divisor(p_sum));
            }
        }
    }
#endif
}
