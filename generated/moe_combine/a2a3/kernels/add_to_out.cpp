// add_to_out: vector kernel of `moe_combine` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add, out; tiles k 1, t 16; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x1024 = Tile<TileType::Vec, bfloat16_t, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_16x1024 = Tile<TileType::Vec, float, 16, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecB16_1x1024 = Tile<TileType::Vec, bfloat16_t, 1, 1024, BLayout::RowMajor, 1, 1024>;
using VecF32_16x8_c1 = Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, DYNAMIC, 1>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, DYNAMIC, 1>;
using SharedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 1024>, Stride<1, 1, 1, 1024, 1>>;
using WeightGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *shared,
    __gm__ bfloat16_t *rows,
    __gm__ int32_t *place,
    __gm__ float *weight,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free for the first round
    for (int32_t t0 = t_begin + block * 16; t0 < t_end; t0 += nblk * 16) {
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        // total: cast(shared, fp32)  [moe_combine.yaml:25]
        VecB16_16x1024 shared_tile(t0_valid); TASSIGN(shared_tile, 0x00000);  // UB 0x00000..0x08000
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        SharedGm shared_in(shared + int64_t(t0) * 1024, {t0_valid});
        TLOAD(shared_tile, shared_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        VecF32_16x1024 total(t0_valid); TASSIGN(total, 0x08000);  // UB 0x08000..0x18000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        TCVT(total, shared_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        for (int32_t k0 = 0; k0 < 8; ++k0) {
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
            // rows of row from the slots in place
            for (int32_t row_i = 0; row_i < t0_valid; ++row_i) {
                const int64_t slot = place[int64_t(row_i) * 8 + int64_t(t0) * 8 + int64_t(k0)];
                // total: total + cast(row, fp32) * weight[:, k]  [moe_combine.yaml:29]
                VecB16_1x1024 row_one; TASSIGN(row_one, 0x00000 + row_i * 0x00800);  // row of row
                RowsGm rows_in(rows + int64_t(slot) * 1024);
                TLOAD(row_one, rows_in);
            }
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            VecB16_16x1024 row(t0_valid); TASSIGN(row, 0x00000);  // UB 0x00000..0x08000
            VecF32_16x1024 total_1(t0_valid); TASSIGN(total_1, 0x18000);  // UB 0x18000..0x28000
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TCVT(total_1, row, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            VecF32_16x8_c1 weight_tile_apart(t0_valid); TASSIGN(weight_tile_apart, 0x00000);  // UB 0x00000..0x00200
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            WeightGm weight_in(weight + int64_t(t0) * 8 + int64_t(k0), {t0_valid});
            TLOAD(weight_tile_apart, weight_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            VecF32_1x16 weight_tile_row(t0_valid); TASSIGN(weight_tile_row, 0x00200);  // as a row, same bytes as weight_tile
            VecF32_16x8_c1 weight_tile_apart_tmp(t0_valid); TASSIGN(weight_tile_apart_tmp, 0x00240);  // UB 0x00240..0x00440
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TTRANS(weight_tile_row, weight_tile_apart, weight_tile_apart_tmp);
            VecF32_16x1024 total_2(t0_valid); TASSIGN(total_2, 0x18000);  // UB 0x18000..0x28000
            VecF32_16x1 weight_tile(t0_valid); TASSIGN(weight_tile, 0x00200);  // UB 0x00200..0x00240
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(total_2, total_1, weight_tile);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
            pipe_barrier(PIPE_V);
            TADD(total, total, total_2);
        }
        // y: cast(total, bf16)  [moe_combine.yaml:31]
        VecB16_16x1024 y_tile(t0_valid); TASSIGN(y_tile, 0x00000);  // UB 0x00000..0x08000
        pipe_barrier(PIPE_V);
        TCVT(y_tile, total, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        SharedGm y_out(y + int64_t(t0) * 1024, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round
#endif
}
