// add_to_out: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add, out; tiles bag 1, t 128; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x128 = Tile<TileType::Vec, float, 128, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecB16_128x128 = Tile<TileType::Vec, bfloat16_t, 128, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_128x8_c1 = Tile<TileType::Vec, float, 128, 8, BLayout::RowMajor, DYNAMIC, 1>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_128x1 = Tile<TileType::Vec, float, 128, 1, BLayout::ColMajor, DYNAMIC, 1>;
using TableGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using ThereGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, DYNAMIC, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *place,
    __gm__ float *there,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t vocabulary,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free for the first round
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free for the first round
    for (int32_t t0 = t_begin + block * 128; t0 < t_end; t0 += nblk * 128) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        // total: full([t, h], 0, fp32)  [embedding_bag.yaml:27]
        VecF32_128x128 total(t0_valid); TASSIGN(total, 0x00000);  // UB 0x00000..0x10000
        pipe_barrier(PIPE_V);
        TEXPANDS(total, 0.0f);
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        for (int32_t bag0 = 0; bag0 < bag; ++bag0) {
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
            // rows of row from the slots in place
            for (int32_t row_i = 0; row_i < t0_valid; ++row_i) {
                const int64_t slot = place[int64_t(bag) * row_i + int64_t(bag) * t0 + int64_t(bag0)];
                PTO_ASSERT(slot >= 0 && slot < int64_t(vocabulary), "an index in place is out of range");
                // total: total + cast(row, fp32) * there[:, bag]  [embedding_bag.yaml:31]
                VecB16_1x128 row_one; TASSIGN(row_one, 0x10000 + row_i * 0x00100);  // row of row
                TableGm table_in(table + int64_t(slot) * 128);
                TLOAD(row_one, table_in);
            }
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            VecB16_128x128 row(t0_valid); TASSIGN(row, 0x10000);  // UB 0x10000..0x18000
            VecF32_128x128 total_1(t0_valid); TASSIGN(total_1, 0x18000);  // UB 0x18000..0x28000
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TCVT(total_1, row, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            VecF32_128x8_c1 there_tile_apart(t0_valid); TASSIGN(there_tile_apart, 0x10000);  // UB 0x10000..0x11000
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
            ThereGm there_in(there + int64_t(bag) * t0 + int64_t(bag0), {t0_valid}, {int64_t(bag)});
            TLOAD(there_tile_apart, there_in);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            VecF32_1x128 there_tile_row(t0_valid); TASSIGN(there_tile_row, 0x11000);  // as a row, same bytes as there_tile
            VecF32_128x8_c1 there_tile_apart_tmp(t0_valid); TASSIGN(there_tile_apart_tmp, 0x11200);  // UB 0x11200..0x12200
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TTRANS(there_tile_row, there_tile_apart, there_tile_apart_tmp);
            VecF32_128x128 total_2(t0_valid); TASSIGN(total_2, 0x18000);  // UB 0x18000..0x28000
            VecF32_128x1 there_tile(t0_valid); TASSIGN(there_tile, 0x11000);  // UB 0x11000..0x11200
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(total_2, total_1, there_tile);
            set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
            pipe_barrier(PIPE_V);
            TADD(total, total, total_2);
        }
        // y: cast(total, bf16)  [embedding_bag.yaml:33]
        VecB16_128x128 y_tile(t0_valid); TASSIGN(y_tile, 0x10000);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TCVT(y_tile, total, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        YGm y_out(y + int64_t(t0) * 128, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round
#endif
}
