// rope_interleaved_vec2: vector kernel of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
// stages rope_interleaved; tiles t 1; memory UB 34944 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_16x64_c63 = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 63>;
using VecF32_1x64_c63 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 63>;
using VecF32_16x32 = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 32>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, 32>;
using YXGm = GlobalTensor<float, Shape<1, 1, 1, 16, 63>, Stride<1, 1, 1, 64, 1>>;
using YCosGm = GlobalTensor<float, Shape<1, 1, 1, 1, 63>, Stride<1, 1, 1, 64, 1>>;
using YLowGm = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
}  // namespace

extern "C" __global__ AICORE void rope_interleaved_vec2(
    __gm__ float *y_low,
    __gm__ float *y_high,
    __gm__ float *y_x,
    __gm__ float *y_cos,
    __gm__ float *y_sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // copy 1 is free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_slot ^= 1) {
        // y: rope(x, cos[:, None, :], sin[:, None, :], interleaved=true)  [rope_interleaved.yaml:18]
        VecF32_16x64_c63 y_x_tile_between; TASSIGN(y_x_tile_between, 0x02000 + t0_slot * 0x01000);  // UB 0x02000..0x04000, 2 copies
        YXGm y_x_in(y_x + int64_t(t0) * 1024);
        TLOAD(y_x_tile_between, y_x_in);
        VecF32_1x64_c63 y_cos_tile_between; TASSIGN(y_cos_tile_between, 0x04000 + t0_slot * 0x00100);  // UB 0x04000..0x04200, 2 copies
        pipe_barrier(PIPE_ALL);
        YCosGm y_cos_in(y_cos + int64_t(t0) * 64);
        TLOAD(y_cos_tile_between, y_cos_in);
        VecF32_16x64_c63 y_x_tile_2_between; TASSIGN(y_x_tile_2_between, 0x04200 + t0_slot * 0x01000);  // UB 0x04200..0x06200, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + t0_slot));  // free again
        YXGm y_x_in_2(y_x + int64_t(t0) * 1024 + 1);
        TLOAD(y_x_tile_2_between, y_x_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(6 + t0_slot));
        VecF32_1x64_c63 y_sin_tile_between; TASSIGN(y_sin_tile_between, 0x06200 + t0_slot * 0x00100);  // UB 0x06200..0x06400, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_slot));  // free again
        YCosGm y_sin_in(y_sin + int64_t(t0) * 64);
        TLOAD(y_sin_tile_between, y_sin_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_slot));
        VecF32_1x64_c63 y_cos_tile_2_between; TASSIGN(y_cos_tile_2_between, 0x06400 + t0_slot * 0x00100);  // UB 0x06400..0x06600, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));  // free again
        YCosGm y_cos_in_2(y_cos + int64_t(t0) * 64 + 1);
        TLOAD(y_cos_tile_2_between, y_cos_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_slot));
        VecF32_1x64_c63 y_sin_tile_2_between; TASSIGN(y_sin_tile_2_between, 0x06600 + t0_slot * 0x00100);  // UB 0x06600..0x06800, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));  // free again
        YCosGm y_sin_in_2(y_sin + int64_t(t0) * 64 + 1);
        TLOAD(y_sin_tile_2_between, y_sin_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        VecF32_16x32 y_x_tile; TASSIGN(y_x_tile, 0x06800);  // UB 0x06800..0x07000
        pipe_barrier(PIPE_V);
        TGATHER<VecF32_16x32, VecF32_16x64_c63, MaskPattern::P0101>(y_x_tile, y_x_tile_between);
        VecF32_1x32 y_cos_tile; TASSIGN(y_cos_tile, 0x07000);  // UB 0x07000..0x07080
        pipe_barrier(PIPE_ALL);
        TGATHER<VecF32_1x32, VecF32_1x64_c63, MaskPattern::P0101>(y_cos_tile, y_cos_tile_between);
        VecF32_16x32 y_x1c1; TASSIGN(y_x1c1, 0x07080);  // UB 0x07080..0x07880
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_x1c1, y_x_tile, y_cos_tile);
        VecF32_16x32 y_x_tile_2; TASSIGN(y_x_tile_2, 0x07880);  // UB 0x07880..0x08080
        wait_flag(PIPE_MTE2, PIPE_V, event_t(6 + t0_slot));
        TGATHER<VecF32_16x32, VecF32_16x64_c63, MaskPattern::P0101>(y_x_tile_2, y_x_tile_2_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(6 + t0_slot));
        VecF32_1x32 y_sin_tile; TASSIGN(y_sin_tile, 0x07000);  // UB 0x07000..0x07080
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_slot));
        TGATHER<VecF32_1x32, VecF32_1x64_c63, MaskPattern::P0101>(y_sin_tile, y_sin_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_slot));
        VecF32_16x32 y_x2s1; TASSIGN(y_x2s1, 0x08080);  // UB 0x08080..0x08880
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_x2s1, y_x_tile_2, y_sin_tile);
        VecF32_16x32 y_low_tile; TASSIGN(y_low_tile, 0x00000 + t0_slot * 0x00800);  // UB 0x00000..0x01000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_slot));  // free again
        TSUB(y_low_tile, y_x1c1, y_x2s1);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_slot));
        VecF32_1x32 y_cos_tile_2; TASSIGN(y_cos_tile_2, 0x07000);  // UB 0x07000..0x07080
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_slot));
        TGATHER<VecF32_1x32, VecF32_1x64_c63, MaskPattern::P0101>(y_cos_tile_2, y_cos_tile_2_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));
        VecF32_16x32 y_x2c2; TASSIGN(y_x2c2, 0x07080);  // UB 0x07080..0x07880
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_x2c2, y_x_tile_2, y_cos_tile_2);
        VecF32_1x32 y_sin_tile_2; TASSIGN(y_sin_tile_2, 0x07000);  // UB 0x07000..0x07080
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_slot));
        TGATHER<VecF32_1x32, VecF32_1x64_c63, MaskPattern::P0101>(y_sin_tile_2, y_sin_tile_2_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_slot));
        VecF32_16x32 y_x1s2; TASSIGN(y_x1s2, 0x06800);  // UB 0x06800..0x07000
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(y_x1s2, y_x_tile, y_sin_tile_2);
        VecF32_16x32 y_high_tile; TASSIGN(y_high_tile, 0x01000 + t0_slot * 0x00800);  // UB 0x01000..0x02000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TADD(y_high_tile, y_x2c2, y_x1s2);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + t0_slot));
        YLowGm y_low_out(y_low + int64_t(t0) * 512);
        TSTORE(y_low_out, y_low_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        YLowGm y_high_out(y_high + int64_t(t0) * 512);
        TSTORE(y_high_out, y_high_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // of the last round of copy 1
#endif
}
