// block_vec3: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 128; memory UB 22592 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_128x16 = Tile<TileType::Vec, int32_t, 128, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_128x1 = Tile<TileType::Vec, int32_t, 128, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_128x32_c2 = Tile<TileType::Vec, uint8_t, 128, 32, BLayout::RowMajor, DYNAMIC, 2>;
using VecF16_128x16 = Tile<TileType::Vec, half, 128, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using UptoGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
using Done1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *group,
    __gm__ int32_t *done_1,
    __gm__ int32_t *upto,
    int32_t full,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t blocks0_buffer = 0;  // which of 2 buffers this iteration of blocks0 uses
    // done:   cast(reshape(arange(blocks), [blocks, 1]) >= upto, int32)
    VecI32_1x16 upto_tile; TASSIGN<0x00400>(upto_tile);  // UB 0x00400..0x00440
    UptoGm upto_in(upto);
    TLOAD(upto_tile, upto_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t blocks0 = block * 128; blocks0 < full + 16; blocks0 += nblk * 128, blocks0_buffer ^= 1) {
        const int32_t blocks0_valid = full + 16 - blocks0 < 128 ? full + 16 - blocks0 : 128;
        VecI32_1x128 done_1_tile_row(blocks0_valid); TASSIGN(done_1_tile_row, 0x00000 + blocks0_buffer * 0x00200);  // as a row, same bytes as done_1_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(blocks0_buffer));  // free again
        Done1Gm done_1_in(done_1 + int64_t(blocks0), {blocks0_valid});
        TLOAD(done_1_tile_row, done_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(blocks0_buffer));
        VecI32_128x16 done_3_larger_wide_ones(blocks0_valid); TASSIGN<0x00840>(done_3_larger_wide_ones);  // UB 0x00840..0x02840
        pipe_barrier(PIPE_V);
        TEXPANDS(done_3_larger_wide_ones, 1);
        VecI32_128x16 done_3_larger_wide(blocks0_valid); TASSIGN<0x00840>(done_3_larger_wide);  // UB 0x00840..0x02840
        VecI32_128x1 done_1_tile(blocks0_valid); TASSIGN(done_1_tile, 0x00000 + blocks0_buffer * 0x00200);  // UB 0x00000..0x00400, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(blocks0_buffer));
        TROWEXPANDMUL(done_3_larger_wide, done_3_larger_wide_ones, done_1_tile);
        VecI32_128x16 done_3_larger(blocks0_valid); TASSIGN<0x00840>(done_3_larger);  // UB 0x00840..0x02840
        pipe_barrier(PIPE_V);
        TCOLEXPANDMAX(done_3_larger, done_3_larger_wide, upto_tile);
        VecI32_128x16 done_1_tile_wide_ones(blocks0_valid); TASSIGN<0x02840>(done_1_tile_wide_ones);  // UB 0x02840..0x04840
        TEXPANDS(done_1_tile_wide_ones, 1);
        VecI32_128x16 done_1_tile_wide(blocks0_valid); TASSIGN<0x02840>(done_1_tile_wide);  // UB 0x02840..0x04840
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(done_1_tile_wide, done_1_tile_wide_ones, done_1_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(blocks0_buffer));
        VecU8_128x32_c2 done_3_bits(blocks0_valid); TASSIGN<0x04840>(done_3_bits);  // UB 0x04840..0x05840
        pipe_barrier(PIPE_V);
        TCMP(done_3_bits, done_3_larger, done_1_tile_wide, CmpMode::EQ);
        VecF16_128x16 done_3(blocks0_valid); TASSIGN<0x00840>(done_3);  // UB 0x00840..0x01840
        pipe_barrier(PIPE_V);
        TEXPANDS(done_3, 1.0f);
        VecF16_1x16 done_3_tmp; TASSIGN<0x01840>(done_3_tmp);  // UB 0x01840..0x01860
        pipe_barrier(PIPE_V);
        TSELS(done_3, done_3_bits, done_3, done_3_tmp, 0.0f);
        VecI32_128x16 done(blocks0_valid); TASSIGN<0x01840>(done);  // UB 0x01840..0x03840
        pipe_barrier(PIPE_V);
        TCVT(done, done_3, RoundMode::CAST_RINT, SaturationMode::ON);
        // group:  reshape(minimum(sum(done, axis=-1, keepdim=true), groups - 1), [blocks])
        VecI32_128x1 group_1(blocks0_valid); TASSIGN<0x00840>(group_1);  // UB 0x00840..0x00a40
        VecI32_128x16 group_1_tmp(blocks0_valid); TASSIGN<0x03840>(group_1_tmp);  // UB 0x03840..0x05840
        pipe_barrier(PIPE_V);
        TROWSUM(group_1, done, group_1_tmp);
        VecI32_1x128 group_2_row(blocks0_valid); TASSIGN(group_2_row, 0x00440 + blocks0_buffer * 0x00200);  // as a row, same bytes as group_2
        VecI32_1x128 group_1_row(blocks0_valid); TASSIGN<0x00840>(group_1_row);  // as a row, same bytes as group_1
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(blocks0_buffer));  // free again
        TMINS(group_2_row, group_1_row, 15);
        set_flag(PIPE_V, PIPE_MTE3, event_t(blocks0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(blocks0_buffer));
        Done1Gm group_out(group + int64_t(blocks0), {blocks0_valid});
        TSTORE(group_out, group_2_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(blocks0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void block_vec3(
    __gm__ int32_t *group, __gm__ int32_t *done_1, __gm__ int32_t *upto, int32_t full, int32_t nblk)
{
    run_block(group, done_1, upto, full, nblk, static_cast<int32_t>(get_block_idx()));
}
