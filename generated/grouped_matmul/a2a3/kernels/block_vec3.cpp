// block_vec3: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 32; memory UB 5696 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x32 = Tile<TileType::Vec, int32_t, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_32x16 = Tile<TileType::Vec, int32_t, 32, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_32x1 = Tile<TileType::Vec, int32_t, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_32x32_c2 = Tile<TileType::Vec, uint8_t, 32, 32, BLayout::RowMajor, DYNAMIC, 2>;
using VecF16_32x16 = Tile<TileType::Vec, half, 32, 16, BLayout::RowMajor, DYNAMIC, 16>;
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
    VecI32_1x16 upto_tile; TASSIGN<0x00100>(upto_tile);  // UB 0x00100..0x00140
    UptoGm upto_in(upto);
    TLOAD(upto_tile, upto_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t blocks0 = block * 32; blocks0 < full + 16; blocks0 += nblk * 32, blocks0_buffer ^= 1) {
        const int32_t blocks0_valid = full + 16 - blocks0 < 32 ? full + 16 - blocks0 : 32;
        VecI32_1x32 done_1_tile_row(blocks0_valid); TASSIGN(done_1_tile_row, 0x00000 + blocks0_buffer * 0x00080);  // as a row, same bytes as done_1_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(blocks0_buffer));  // free again
        Done1Gm done_1_in(done_1 + int64_t(blocks0), {blocks0_valid});
        TLOAD(done_1_tile_row, done_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(blocks0_buffer));
        VecI32_32x16 done_3_larger(blocks0_valid); TASSIGN<0x00240>(done_3_larger);  // UB 0x00240..0x00a40
        VecI32_32x1 done_1_tile(blocks0_valid); TASSIGN(done_1_tile, 0x00000 + blocks0_buffer * 0x00080);  // UB 0x00000..0x00100, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(blocks0_buffer));
        TROWEXPAND(done_3_larger, done_1_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDMAX(done_3_larger, done_3_larger, upto_tile);
        VecI32_32x16 done_1_tile_wide(blocks0_valid); TASSIGN<0x00a40>(done_1_tile_wide);  // UB 0x00a40..0x01240
        TROWEXPAND(done_1_tile_wide, done_1_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(blocks0_buffer));
        VecU8_32x32_c2 done_3_bits(blocks0_valid); TASSIGN<0x01240>(done_3_bits);  // UB 0x01240..0x01640
        pipe_barrier(PIPE_V);
        TCMP(done_3_bits, done_3_larger, done_1_tile_wide, CmpMode::EQ);
        VecF16_32x16 done_3(blocks0_valid); TASSIGN<0x00240>(done_3);  // UB 0x00240..0x00640
        pipe_barrier(PIPE_V);
        TEXPANDS(done_3, 1.0f);
        VecF16_1x16 done_3_tmp; TASSIGN<0x00640>(done_3_tmp);  // UB 0x00640..0x00660
        pipe_barrier(PIPE_V);
        TSELS(done_3, done_3_bits, done_3, done_3_tmp, 0.0f);
        VecI32_32x16 done(blocks0_valid); TASSIGN<0x00640>(done);  // UB 0x00640..0x00e40
        pipe_barrier(PIPE_V);
        TCVT(done, done_3, RoundMode::CAST_RINT, SaturationMode::ON);
        // group:  reshape(minimum(sum(done, axis=-1, keepdim=true), groups - 1), [blocks])
        VecI32_32x1 group_1(blocks0_valid); TASSIGN<0x00240>(group_1);  // UB 0x00240..0x002c0
        VecI32_32x16 group_1_tmp(blocks0_valid); TASSIGN<0x00e40>(group_1_tmp);  // UB 0x00e40..0x01640
        pipe_barrier(PIPE_V);
        TROWSUM(group_1, done, group_1_tmp);
        VecI32_1x32 group_2_row(blocks0_valid); TASSIGN(group_2_row, 0x00140 + blocks0_buffer * 0x00080);  // as a row, same bytes as group_2
        VecI32_1x32 group_1_row(blocks0_valid); TASSIGN<0x00240>(group_1_row);  // as a row, same bytes as group_1
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
