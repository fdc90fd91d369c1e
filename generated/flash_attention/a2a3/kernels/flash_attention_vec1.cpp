// flash_attention_vec1: vector kernel of `flash_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages flash_attention; tiles heads 1, kv 128, sq 64; memory UB 165632 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_64x128m = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using O1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OAlphaGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using OPLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void flash_attention_vec1(
    __gm__ float *o_alpha,
    __gm__ bfloat16_t *o_p_low,
    __gm__ float *o_sum_end,
    __gm__ float *o_1,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t kv,
    int32_t sq,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t heads0_slot = 0;  // which of 2 buffers this round of heads0 uses
    int32_t kv0_slot = 0;  // which of 2 buffers this round of kv0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // free for the first round
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 64) {
        const int32_t sq0_valid = sq_end - sq0 < 64 ? sq_end - sq0 : 64;
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // free again
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk, heads0_slot ^= 1) {
            // o: attention(q, k, v, scale=scale)  [flash_attention.yaml:22]
            VecF32_1x64 o_o_max_row(sq0_valid); TASSIGN(o_o_max_row, 0x18400);  // as a row, same bytes as o_o_max
            pipe_barrier(PIPE_V);
            TEXPANDS(o_o_max_row, -__builtin_inff());
            VecF32_1x64 o_o_sum_row(sq0_valid); TASSIGN(o_o_sum_row, 0x00000 + heads0_slot * 0x00100);  // as a row, same bytes as o_o_sum
            TEXPANDS(o_o_sum_row, 0.0f);
            for (int32_t kv0 = 0; kv0 < kv; kv0 += 128, kv0_slot ^= 1) {
                const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
                VecF32_64x128 o_1_tile(sq0_valid, kv0_valid); TASSIGN(o_1_tile, 0x00200 + kv0_slot * 0x08000);  // UB 0x00200..0x10200, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_slot));  // free again
                O1Gm o_1_in(o_1 + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TLOAD(o_1_tile, o_1_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_slot));
                VecF32_64x128 o_s(sq0_valid, kv0_valid); TASSIGN(o_s, 0x18500);  // UB 0x18500..0x20500
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_slot));
                TMULS(o_s, o_1_tile, scale);
                set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_slot));
                VecF32_64x1 o_block_max(sq0_valid); TASSIGN(o_block_max, 0x20500);  // UB 0x20500..0x20600
                VecF32_64x128m o_block_max_tmp(sq0_valid); TASSIGN(o_block_max_tmp, 0x20600);  // UB 0x20600..0x28600
                pipe_barrier(PIPE_V);
                TROWMAX(o_block_max, o_s, o_block_max_tmp);
                VecF32_1x64 o_max_next_row(sq0_valid); TASSIGN(o_max_next_row, 0x20500);  // as a row, same bytes as o_max_next
                VecF32_1x64 o_block_max_row(sq0_valid); TASSIGN(o_block_max_row, 0x20500);  // as a row, same bytes as o_block_max
                pipe_barrier(PIPE_V);
                TMAX(o_max_next_row, o_o_max_row, o_block_max_row);
                VecF32_64x128 o_2(sq0_valid, kv0_valid); TASSIGN(o_2, 0x18500);  // UB 0x18500..0x20500
                VecF32_64x1 o_max_next(sq0_valid); TASSIGN(o_max_next, 0x20500);  // UB 0x20500..0x20600
                pipe_barrier(PIPE_V);
                TROWEXPANDSUB(o_2, o_s, o_max_next);
                VecF32_64x128 o_p(sq0_valid, kv0_valid); TASSIGN(o_p, 0x18500);  // UB 0x18500..0x20500
                pipe_barrier(PIPE_V);
                TEXP(o_p, o_2);
                VecF32_1x64 o_3_row(sq0_valid); TASSIGN(o_3_row, 0x20600);  // as a row, same bytes as o_3
                TSUB(o_3_row, o_o_max_row, o_max_next_row);
                VecF32_1x64 o_alpha_tile_row(sq0_valid); TASSIGN(o_alpha_tile_row, 0x10200 + kv0_slot * 0x00100);  // as a row, same bytes as o_alpha_tile
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + kv0_slot));  // free again
                TEXP(o_alpha_tile_row, o_3_row);
                set_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + kv0_slot));
                OAlphaGm o_alpha_out(o_alpha + int64_t(heads0) * sq + int64_t(kv0) * sq + int64_t(sq0), {sq0_valid});
                TSTORE(o_alpha_out, o_alpha_tile_row);
                set_flag(PIPE_MTE3, PIPE_V, event_t(2 + kv0_slot));
                VecF32_64x1 o_block_sum(sq0_valid); TASSIGN(o_block_sum, 0x20600);  // UB 0x20600..0x20700
                VecF32_64x128m o_block_sum_tmp(sq0_valid); TASSIGN(o_block_sum_tmp, 0x20700);  // UB 0x20700..0x28700
                pipe_barrier(PIPE_V);
                TROWSUM(o_block_sum, o_p, o_block_sum_tmp);
                TMUL(o_o_sum_row, o_o_sum_row, o_alpha_tile_row);
                VecF32_1x64 o_block_sum_row(sq0_valid); TASSIGN(o_block_sum_row, 0x20600);  // as a row, same bytes as o_block_sum
                pipe_barrier(PIPE_V);
                TADD(o_o_sum_row, o_o_sum_row, o_block_sum_row);
                VecB16_64x128 o_p_low_tile(sq0_valid, kv0_valid); TASSIGN(o_p_low_tile, 0x10400 + kv0_slot * 0x04000);  // UB 0x10400..0x18400, 2 copies
                wait_flag(PIPE_MTE3, PIPE_V, event_t(kv0_slot));  // free again
                TCVT(o_p_low_tile, o_p, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, event_t(kv0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(kv0_slot));
                OPLowGm o_p_low_out(o_p_low + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TSTORE(o_p_low_out, o_p_low_tile);
                set_flag(PIPE_MTE3, PIPE_V, event_t(kv0_slot));
                TMOV(o_o_max_row, o_max_next_row);
            }
            OAlphaGm o_sum_end_out(o_sum_end + int64_t(heads0) * sq + int64_t(sq0), {sq0_valid});
            TSTORE(o_sum_end_out, o_o_sum_row);
        }
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // of the last round
#endif
}
