// one_hot_vec2: vector kernel of `one_hot` for cpu. Made by pyptogen; change the spec, not this file.
// stages one_hot; tiles t 16; memory UB 21696 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x160 = Tile<TileType::Vec, int32_t, 1, 160, BLayout::RowMajor, 1, 160>;
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_16x160 = Tile<TileType::Vec, int32_t, 16, 160, BLayout::RowMajor, DYNAMIC, 160>;
using VecI32_16x1 = Tile<TileType::Vec, int32_t, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_16x32_c20 = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, DYNAMIC, 20>;
using VecF16_16x160 = Tile<TileType::Vec, half, 16, 160, BLayout::RowMajor, DYNAMIC, 160>;
using VecF16_1x160 = Tile<TileType::Vec, half, 1, 160, BLayout::RowMajor, 1, 160>;
using Y1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 160>, Stride<1, 1, 1, 1, 1>>;
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 160>, Stride<1, 1, 1, 160, 1>>;
}  // namespace

extern "C" __global__ AICORE void one_hot_vec2(
    __gm__ float *y,
    __gm__ int32_t *index,
    __gm__ int32_t *y_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(t_end - t_begin) * 640);  // y: around the cache if large
    // y: cast(one_hot(index, classes), fp32)
    VecI32_1x160 y_1_tile; TASSIGN(y_1_tile, 0x00000);  // UB 0x00000..0x00280
    Y1Gm y_1_in(y_1);
    TLOAD(y_1_tile, y_1_in);
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        VecI32_1x16 index_tile_row(t0_valid); TASSIGN(index_tile_row, 0x00280);  // as a row, same bytes as index_tile
        IndexGm index_in(index + int64_t(t0), {t0_valid});
        TLOAD(index_tile_row, index_in);
        VecI32_16x160 index_tile_wide(t0_valid); TASSIGN(index_tile_wide, 0x002c0);  // UB 0x002c0..0x02ac0
        VecI32_16x1 index_tile(t0_valid); TASSIGN(index_tile, 0x00280);  // UB 0x00280..0x002c0
        TROWEXPAND(index_tile_wide, index_tile);
        VecI32_16x160 y_1_tile_wide(t0_valid); TASSIGN(y_1_tile_wide, 0x02ac0);  // UB 0x02ac0..0x052c0
        TCOLEXPAND(y_1_tile_wide, y_1_tile);
        VecU8_16x32_c20 y_equal_bits(t0_valid); TASSIGN(y_equal_bits, 0x052c0);  // UB 0x052c0..0x054c0
        TCMP(y_equal_bits, index_tile_wide, y_1_tile_wide, CmpMode::EQ);
        VecF16_16x160 y_equal(t0_valid); TASSIGN(y_equal, 0x00280);  // UB 0x00280..0x01680
        TEXPANDS(y_equal, 1.0f);
        VecF16_1x160 y_equal_tmp; TASSIGN(y_equal_tmp, 0x01680);  // UB 0x01680..0x017c0
        TSELS(y_equal, y_equal_bits, y_equal, y_equal_tmp, 0.0f);
        VecI32_16x160 y_3(t0_valid); TASSIGN(y_3, 0x01680);  // UB 0x01680..0x03e80
        TCVT(y_3, y_equal, RoundMode::CAST_RINT);
        YGm y_out(y + int64_t(t0) * 160, {t0_valid});
        TPASS(t0_valid, 160, [&](auto at) {
            const auto y_3_v = at.load(y_3);
            const auto y_tile = at.to_float(y_3_v);
            at.store(y_out, y_tile, far);
        });
    }
#endif
}
