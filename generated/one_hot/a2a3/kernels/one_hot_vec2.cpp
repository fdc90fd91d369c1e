// one_hot_vec2: vector kernel of `one_hot` for a2a3. Made by pyptogen; change the spec, not this file.
// stages one_hot; tiles t 32; memory UB 83840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x160 = Tile<TileType::Vec, int32_t, 1, 160, BLayout::RowMajor, 1, 160>;
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_32x160 = Tile<TileType::Vec, int32_t, 32, 160, BLayout::RowMajor, DYNAMIC, 160>;
using VecI32_32x1 = Tile<TileType::Vec, int32_t, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_32x32_c20 = Tile<TileType::Vec, uint8_t, 32, 32, BLayout::RowMajor, DYNAMIC, 20>;
using VecF16_32x160 = Tile<TileType::Vec, half, 32, 160, BLayout::RowMajor, DYNAMIC, 160>;
using VecF16_1x160 = Tile<TileType::Vec, half, 1, 160, BLayout::RowMajor, 1, 160>;
using VecF32_32x160 = Tile<TileType::Vec, float, 32, 160, BLayout::RowMajor, DYNAMIC, 160>;
using Y1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 160>, Stride<1, 1, 1, 1, 1>>;
using IndexGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using YGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 160>, Stride<1, 1, 1, 160, 1>>;

AICORE inline void run_block(
    __gm__ float *y,
    __gm__ int32_t *index,
    __gm__ int32_t *y_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // y: cast(one_hot(index, classes), fp32)
    VecI32_1x160 y_1_tile; TASSIGN<0x00100>(y_1_tile);  // UB 0x00100..0x00380
    Y1Gm y_1_in(y_1);
    TLOAD(y_1_tile, y_1_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        VecI32_1x32 index_tile_row(t0_valid); TASSIGN(index_tile_row, 0x00000 + t0_buffer * 0x00080);  // as a row, same bytes as index_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        IndexGm index_in(index + int64_t(t0), {t0_valid});
        TLOAD(index_tile_row, index_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecI32_32x160 index_tile_wide_ones(t0_valid); TASSIGN<0x0a380>(index_tile_wide_ones);  // UB 0x0a380..0x0f380
        pipe_barrier(PIPE_V);
        TEXPANDS(index_tile_wide_ones, 1);
        VecI32_32x160 index_tile_wide(t0_valid); TASSIGN<0x0a380>(index_tile_wide);  // UB 0x0a380..0x0f380
        VecI32_32x1 index_tile(t0_valid); TASSIGN(index_tile, 0x00000 + t0_buffer * 0x00080);  // UB 0x00000..0x00100, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWEXPANDMUL(index_tile_wide, index_tile_wide_ones, index_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_32x160 y_1_tile_wide(t0_valid); TASSIGN<0x0f380>(y_1_tile_wide);  // UB 0x0f380..0x14380
        TCOLEXPAND(y_1_tile_wide, y_1_tile);
        VecU8_32x32_c20 y_equal_bits(t0_valid); TASSIGN<0x14380>(y_equal_bits);  // UB 0x14380..0x14780
        pipe_barrier(PIPE_V);
        TCMP(y_equal_bits, index_tile_wide, y_1_tile_wide, CmpMode::EQ);
        VecF16_32x160 y_equal(t0_valid); TASSIGN<0x0a380>(y_equal);  // UB 0x0a380..0x0cb80
        pipe_barrier(PIPE_V);
        TEXPANDS(y_equal, 1.0f);
        VecF16_1x160 y_equal_tmp; TASSIGN<0x0cb80>(y_equal_tmp);  // UB 0x0cb80..0x0ccc0
        pipe_barrier(PIPE_V);
        TSELS(y_equal, y_equal_bits, y_equal, y_equal_tmp, 0.0f);
        VecI32_32x160 y_3(t0_valid); TASSIGN<0x0cb80>(y_3);  // UB 0x0cb80..0x11b80
        pipe_barrier(PIPE_V);
        TCVT(y_3, y_equal, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_32x160 y_tile(t0_valid); TASSIGN(y_tile, 0x00380 + t0_buffer * 0x05000);  // UB 0x00380..0x0a380, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(y_tile, y_3, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        YGm y_out(y + int64_t(t0) * 160, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void one_hot_vec2(
    __gm__ float *y, __gm__ int32_t *index, __gm__ int32_t *y_1, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(y, index, y_1, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
