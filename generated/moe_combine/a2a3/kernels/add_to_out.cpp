// add_to_out: vector kernel of `moe_combine` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add, out; tiles k 1, t 8; memory UB 164640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_8x1024 = Tile<TileType::Vec, bfloat16_t, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecF32_8x8_c1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using SharedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1024, 1>>;
using WeightGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *shared,
    __gm__ bfloat16_t *rows,
    __gm__ int32_t *place_lines,
    __gm__ float *weight,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t k0_buffer = 0;  // which of 2 buffers this iteration of k0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        // total: cast(shared, fp32)
        VecB16_8x1024 shared_tile(t0_valid); TASSIGN(shared_tile, 0x00000 + t0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        SharedGm shared_in(shared + int64_t(t0) * 1024, {t0_valid});
        TLOAD(shared_tile, shared_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        VecF32_8x1024 total(t0_valid); TASSIGN<0x18200>(total);  // UB 0x18200..0x20200
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_buffer));
        TCVT(total, shared_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        for (int32_t k0 = 0; k0 < 8; ++k0, k0_buffer ^= 1) {
            wait_flag(PIPE_V, PIPE_MTE2, event_t(k0_buffer));  // free again
            // rows of row from the slots in place_lines
            for (int32_t row_i = 0; row_i < t0_valid; ++row_i) {
                const int64_t slot = place_lines[int64_t(k0) * t + int64_t(row_i) + int64_t(t0)];
                // total: total + cast(row, fp32) * weight[:, k]
                VecB16_1x1024 row_one; TASSIGN(row_one, 0x08000 + k0_buffer * 0x04000 + row_i * 0x00800);  // row of row
                RowsGm rows_in(rows + int64_t(slot) * 1024);
                TLOAD(row_one, rows_in);
            }
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + k0_buffer));
            VecF32_8x8_c1 weight_tile_apart(t0_valid); TASSIGN(weight_tile_apart, 0x18000 + k0_buffer * 0x00100);  // UB 0x18000..0x18200, 2 copies
            WeightGm weight_in(weight + int64_t(t0) * 8 + int64_t(k0), {t0_valid});
            TLOAD(weight_tile_apart, weight_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(k0_buffer));
            VecB16_8x1024 row(t0_valid); TASSIGN(row, 0x08000 + k0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
            VecF32_8x1024 total_1(t0_valid); TASSIGN<0x20200>(total_1);  // UB 0x20200..0x28200
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + k0_buffer));
            TCVT(total_1, row, RoundMode::CAST_RINT, SaturationMode::ON);
            VecF32_1x8 weight_tile_row(t0_valid); TASSIGN<0x28200>(weight_tile_row);  // as a row, same bytes as weight_tile
            VecF32_8x8_c1 weight_tile_apart_tmp(t0_valid); TASSIGN<0x28220>(weight_tile_apart_tmp);  // UB 0x28220..0x28320
            wait_flag(PIPE_MTE2, PIPE_V, event_t(k0_buffer));
            TTRANS(weight_tile_row, weight_tile_apart, weight_tile_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(k0_buffer));
            VecF32_8x1 weight_tile(t0_valid); TASSIGN<0x28200>(weight_tile);  // UB 0x28200..0x28220
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(total_1, total_1, weight_tile);
            pipe_barrier(PIPE_V);
            TADD(total, total, total_1);
        }
        // y: cast(total, bf16)
        VecB16_8x1024 y_tile(t0_valid); TASSIGN(y_tile, 0x10000 + t0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(y_tile, total, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        SharedGm y_out(y + int64_t(t0) * 1024, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *shared, __gm__ bfloat16_t *rows, __gm__ int32_t *place_lines,
    __gm__ float *weight, int32_t t_begin, int32_t t_end, int32_t t, int32_t nblk)
{
    run_block(y, shared, rows, place_lines, weight, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
