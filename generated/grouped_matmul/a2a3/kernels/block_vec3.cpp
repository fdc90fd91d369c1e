// block_vec3: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages block; tiles blocks 2; memory UB 512 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_8x16 = Tile<TileType::Vec, int32_t, 8, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecI32_8x1 = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecU8_8x32_c2 = Tile<TileType::Vec, uint8_t, 8, 32, BLayout::RowMajor, DYNAMIC, 2>;
using VecF16_8x16 = Tile<TileType::Vec, half, 8, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using UptoGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;
using Done1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void block_vec3(
    __gm__ int32_t *group,
    __gm__ int32_t *done_1,
    __gm__ int32_t *upto,
    int32_t full,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t blocks0_slot = 0;  // which of 2 buffers this round of blocks0 uses
    // done:   cast(reshape(arange(blocks), [blocks, 1]) >= upto, int32)  [grouped_matmul.yaml:31]
    VecI32_1x16 upto_tile; TASSIGN(upto_tile, 0x00040);  // UB 0x00040..0x00080
    UptoGm upto_in(upto);
    TLOAD(upto_tile, upto_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    for (int32_t blocks0 = block * 2; blocks0 < full + 16; blocks0 += nblk * 2, blocks0_slot ^= 1) {
        const int32_t blocks0_valid = full + 16 - blocks0 < 2 ? full + 16 - blocks0 : 2;
        VecI32_1x8 done_1_tile_row(blocks0_valid); TASSIGN(done_1_tile_row, 0x00000 + blocks0_slot * 0x00020);  // as a row, same bytes as done_1_tile
        wait_flag(PIPE_V, PIPE_MTE2, event_t(blocks0_slot));  // free again
        Done1Gm done_1_in(done_1 + int64_t(blocks0), {blocks0_valid});
        TLOAD(done_1_tile_row, done_1_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(blocks0_slot));
        VecI32_8x16 done_3_larger(blocks0_valid); TASSIGN(done_3_larger, 0x000c0);  // UB 0x000c0..0x00140
        VecI32_8x1 done_1_tile(blocks0_valid); TASSIGN(done_1_tile, 0x00000 + blocks0_slot * 0x00020);  // UB 0x00000..0x00040, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(blocks0_slot));
        TROWEXPAND(done_3_larger, done_1_tile);
        pipe_barrier(PIPE_V);
        TCOLEXPANDMAX(done_3_larger, done_3_larger, upto_tile);
        VecI32_8x16 done_1_tile_wide(blocks0_valid); TASSIGN(done_1_tile_wide, 0x00140);  // UB 0x00140..0x001c0
        TROWEXPAND(done_1_tile_wide, done_1_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(blocks0_slot));
        VecU8_8x32_c2 done_3_bits(blocks0_valid); TASSIGN(done_3_bits, 0x001c0);  // UB 0x001c0..0x00200
        pipe_barrier(PIPE_V);
        TCMP(done_3_bits, done_3_larger, done_1_tile_wide, CmpMode::EQ);
        VecF16_8x16 done_3(blocks0_valid); TASSIGN(done_3, 0x000c0);  // UB 0x000c0..0x00100
        pipe_barrier(PIPE_V);
        TEXPANDS(done_3, 1.0f);
        VecF16_1x16 done_3_tmp; TASSIGN(done_3_tmp, 0x00100);  // UB 0x00100..0x00120
        pipe_barrier(PIPE_V);
        TSELS(done_3, done_3_bits, done_3, done_3_tmp, 0.0f);
        VecI32_8x16 done(blocks0_valid); TASSIGN(done, 0x00100);  // UB 0x00100..0x00180
        pipe_barrier(PIPE_V);
        TCVT(done, done_3, RoundMode::CAST_RINT);
        // group:  reshape(minimum(sum(done, axis=-1, keepdim=true), groups - 1), [blocks])  [grouped_matmul.yaml:32]
        VecI32_8x1 group_1(blocks0_valid); TASSIGN(group_1, 0x000c0);  // UB 0x000c0..0x000e0
        VecI32_8x16 group_1_tmp(blocks0_valid); TASSIGN(group_1_tmp, 0x00180);  // UB 0x00180..0x00200
        pipe_barrier(PIPE_V);
        TROWSUM(group_1, done, group_1_tmp);
        VecI32_1x8 group_2_row(blocks0_valid); TASSIGN(group_2_row, 0x00080 + blocks0_slot * 0x00020);  // as a row, same bytes as group_2
        VecI32_1x8 group_1_row(blocks0_valid); TASSIGN(group_1_row, 0x000c0);  // as a row, same bytes as group_1
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(blocks0_slot));  // free again
        TMINS(group_2_row, group_1_row, 15);
        set_flag(PIPE_V, PIPE_MTE3, event_t(blocks0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(blocks0_slot));
        Done1Gm group_out(group + int64_t(blocks0), {blocks0_valid});
        TSTORE(group_out, group_2_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(blocks0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
#endif
}
