// add_to_out: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add, out; tiles bag 1, t 8; memory UB 25888 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF32_8x8_c1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, DYNAMIC, 1>;
using VecB16_8x128 = Tile<TileType::Vec, bfloat16_t, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using TableGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using ThereGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 1>, Stride<1, 1, 1, DYNAMIC, 1>>;
using YGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}

AICORE inline void run_block(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *place_lines,
    __gm__ float *there,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t bag,
    int32_t vocabulary,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    int32_t bag0_buffer = 0;  // which of 4 buffers this iteration of bag0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer = (t0_buffer + 1) % 4) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        // total: full([t, h], 0, fp32)
        VecF32_8x128 total(t0_valid); TASSIGN<0x04400>(total);  // UB 0x04400..0x05400
        pipe_barrier(PIPE_V);
        TEXPANDS(total, 0.0f);
        for (int32_t bag0 = 0; bag0 < bag; ++bag0, bag0_buffer = (bag0_buffer + 1) % 4) {
            wait_flag(PIPE_V, PIPE_MTE2, event_t(bag0_buffer));  // free again
            // rows of row from the slots in place_lines
            for (int32_t row_i = 0; row_i < t0_valid; ++row_i) {
                const int64_t slot = index_inside(place_lines[int64_t(bag0) * t + int64_t(row_i) + int64_t(t0)], int64_t(vocabulary), 0);
                // total: total + cast(row, fp32) * there[:, bag]
                VecB16_1x128 row_one; TASSIGN(row_one, 0x00000 + bag0_buffer * 0x00800 + row_i * 0x00100);  // row of row
                TableGm table_in(table + int64_t(slot) * 128);
                TLOAD(row_one, table_in);
            }
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + bag0_buffer));
            VecF32_8x8_c1 there_tile_apart(t0_valid); TASSIGN(there_tile_apart, 0x04000 + bag0_buffer * 0x00100);  // UB 0x04000..0x04400, 4 copies
            ThereGm there_in(there + int64_t(bag) * t0 + int64_t(bag0), {t0_valid}, {int64_t(bag)});
            TLOAD(there_tile_apart, there_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(bag0_buffer));
            VecB16_8x128 row(t0_valid); TASSIGN(row, 0x00000 + bag0_buffer * 0x00800);  // UB 0x00000..0x02000, 4 copies
            VecF32_8x128 total_1(t0_valid); TASSIGN<0x05400>(total_1);  // UB 0x05400..0x06400
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + bag0_buffer));
            TCVT(total_1, row, RoundMode::CAST_RINT, SaturationMode::ON);
            VecF32_1x8 there_tile_row(t0_valid); TASSIGN<0x06400>(there_tile_row);  // as a row, same bytes as there_tile
            VecF32_8x8_c1 there_tile_apart_tmp(t0_valid); TASSIGN<0x06420>(there_tile_apart_tmp);  // UB 0x06420..0x06520
            wait_flag(PIPE_MTE2, PIPE_V, event_t(bag0_buffer));
            TTRANS(there_tile_row, there_tile_apart, there_tile_apart_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(bag0_buffer));
            VecF32_8x1 there_tile(t0_valid); TASSIGN<0x06400>(there_tile);  // UB 0x06400..0x06420
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(total_1, total_1, there_tile);
            pipe_barrier(PIPE_V);
            TADD(total, total, total_1);
        }
        // y: cast(total, bf16)
        VecB16_8x128 y_tile(t0_valid); TASSIGN(y_tile, 0x02000 + t0_buffer * 0x00800);  // UB 0x02000..0x04000, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(y_tile, total, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        YGm y_out(y + int64_t(t0) * 128, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y, __gm__ bfloat16_t *table, __gm__ int32_t *place_lines, __gm__ float *there,
    int32_t t_begin, int32_t t_end, int32_t t, int32_t bag, int32_t vocabulary, int32_t nblk)
{
    run_block(
        y, table, place_lines, there, t_begin, t_end, t, bag, vocabulary, nblk,
        static_cast<int32_t>(get_block_idx()));
}
