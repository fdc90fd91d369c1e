// attend_vec1: vector kernel of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages attend; tiles batch 1, kv_heads 1, slots 128; memory UB 42432 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_8x128_r1 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using VecF32_16x128m = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128>;
using VecB16_16x128 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, 16, DYNAMIC>;
using OQkGm = GlobalTensor<float, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using BiasGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OAlphaGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
using OPLowGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void attend_vec1(
    __gm__ float *o_alpha,
    __gm__ bfloat16_t *o_p_low,
    __gm__ float *o_sum_end,
    __gm__ float *o_qk,
    __gm__ float *bias,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t batch,
    int32_t pages,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t kv_heads0_slot = 0;  // which of 2 buffers this round of kv_heads0 uses
    int32_t slots0_slot = 0;  // which of 2 buffers this round of slots0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // free for the first round
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID6);  // copy 1 is free
    for (int32_t batch0 = batch_begin + block; batch0 < batch_end; batch0 += nblk) {
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // free again
        for (int32_t kv_heads0 = 0; kv_heads0 < 2; ++kv_heads0, kv_heads0_slot ^= 1) {
            // o: attention(q, k, v, bias=bias[:, None, None, :])  [paged_attention.yaml:40]
            VecF32_1x16 o_max_row; TASSIGN(o_max_row, 0x06500);  // as a row, same bytes as o_max
            pipe_barrier(PIPE_V);
            TEXPANDS(o_max_row, -__builtin_inff());
            VecF32_1x16 o_sum_row; TASSIGN(o_sum_row, 0x00000 + kv_heads0_slot * 0x00040);  // as a row, same bytes as o_sum
            wait_flag(PIPE_MTE3, PIPE_V, event_t(5 + kv_heads0_slot));  // free again
            TEXPANDS(o_sum_row, 0.0f);
            for (int32_t slots0 = 0; slots0 < pages * 32; slots0 += 128, slots0_slot ^= 1) {
                const int32_t slots0_valid = pages * 32 - slots0 < 128 ? pages * 32 - slots0 : 128;
                VecF32_16x128 o_qk_tile(slots0_valid); TASSIGN(o_qk_tile, 0x00080 + slots0_slot * 0x02000);  // UB 0x00080..0x04080, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + slots0_slot));  // free again
                OQkGm o_qk_in(o_qk + int64_t(batch0) * pages * 1024 + int64_t(kv_heads0) * pages * 512 + int64_t(slots0), {slots0_valid}, {int64_t(pages) * 32});
                TLOAD(o_qk_tile, o_qk_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(2 + slots0_slot));
                VecF32_8x128_r1 bias_tile(slots0_valid); TASSIGN(bias_tile, 0x04080 + slots0_slot * 0x00200);  // UB 0x04080..0x04480, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(slots0_slot));  // free again
                BiasGm bias_in(bias + int64_t(batch0) * pages * 32 + int64_t(slots0), {slots0_valid}, {int64_t(pages) * 32});
                TLOAD(bias_tile, bias_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(slots0_slot));
                VecF32_16x128 o_s(slots0_valid); TASSIGN(o_s, 0x06540);  // UB 0x06540..0x08540
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + slots0_slot));
                TMULS(o_s, o_qk_tile, 0.088388346f);
                set_flag(PIPE_V, PIPE_MTE2, event_t(2 + slots0_slot));
                VecF32_16x128 o_s_biased(slots0_valid); TASSIGN(o_s_biased, 0x06540);  // UB 0x06540..0x08540
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(slots0_slot));
                TCOLEXPANDADD(o_s_biased, o_s, bias_tile);
                set_flag(PIPE_V, PIPE_MTE2, event_t(slots0_slot));
                VecF32_16x1 o_block_max; TASSIGN(o_block_max, 0x08540);  // UB 0x08540..0x08580
                VecF32_16x128m o_block_max_tmp; TASSIGN(o_block_max_tmp, 0x08580);  // UB 0x08580..0x0a580
                pipe_barrier(PIPE_V);
                TROWMAX(o_block_max, o_s_biased, o_block_max_tmp);
                VecF32_1x16 o_max_next_row; TASSIGN(o_max_next_row, 0x08540);  // as a row, same bytes as o_max_next
                VecF32_1x16 o_block_max_row; TASSIGN(o_block_max_row, 0x08540);  // as a row, same bytes as o_block_max
                pipe_barrier(PIPE_V);
                TMAX(o_max_next_row, o_max_row, o_block_max_row);
                VecF32_16x128 o_below_max(slots0_valid); TASSIGN(o_below_max, 0x06540);  // UB 0x06540..0x08540
                VecF32_16x1 o_max_next; TASSIGN(o_max_next, 0x08540);  // UB 0x08540..0x08580
                pipe_barrier(PIPE_V);
                TROWEXPANDSUB(o_below_max, o_s_biased, o_max_next);
                VecF32_16x128 o_p(slots0_valid); TASSIGN(o_p, 0x06540);  // UB 0x06540..0x08540
                pipe_barrier(PIPE_V);
                TEXP(o_p, o_below_max);
                VecF32_1x16 o_max_step_row; TASSIGN(o_max_step_row, 0x08580);  // as a row, same bytes as o_max_step
                TSUB(o_max_step_row, o_max_row, o_max_next_row);
                VecF32_1x16 o_alpha_tile_row; TASSIGN(o_alpha_tile_row, 0x04480 + slots0_slot * 0x00040);  // as a row, same bytes as o_alpha_tile
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + slots0_slot));  // free again
                TEXP(o_alpha_tile_row, o_max_step_row);
                set_flag(PIPE_V, PIPE_MTE3, event_t(2 + slots0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + slots0_slot));
                OAlphaGm o_alpha_out(o_alpha + int64_t(batch0) * 32 + int64_t(kv_heads0) * 16 + int64_t(batch) * slots0);
                TSTORE(o_alpha_out, o_alpha_tile_row);
                set_flag(PIPE_MTE3, PIPE_V, event_t(2 + slots0_slot));
                VecF32_16x1 o_block_sum; TASSIGN(o_block_sum, 0x08580);  // UB 0x08580..0x085c0
                VecF32_16x128m o_block_sum_tmp; TASSIGN(o_block_sum_tmp, 0x085c0);  // UB 0x085c0..0x0a5c0
                pipe_barrier(PIPE_V);
                TROWSUM(o_block_sum, o_p, o_block_sum_tmp);
                TMUL(o_sum_row, o_sum_row, o_alpha_tile_row);
                VecF32_1x16 o_block_sum_row; TASSIGN(o_block_sum_row, 0x08580);  // as a row, same bytes as o_block_sum
                pipe_barrier(PIPE_V);
                TADD(o_sum_row, o_sum_row, o_block_sum_row);
                VecB16_16x128 o_p_low_tile(slots0_valid); TASSIGN(o_p_low_tile, 0x04500 + slots0_slot * 0x01000);  // UB 0x04500..0x06500, 2 copies
                wait_flag(PIPE_MTE3, PIPE_V, event_t(slots0_slot));  // free again
                TCVT(o_p_low_tile, o_p, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, event_t(slots0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(slots0_slot));
                OPLowGm o_p_low_out(o_p_low + int64_t(batch0) * pages * 1024 + int64_t(kv_heads0) * pages * 512 + int64_t(slots0), {slots0_valid}, {int64_t(pages) * 32});
                TSTORE(o_p_low_out, o_p_low_tile);
                set_flag(PIPE_MTE3, PIPE_V, event_t(slots0_slot));
                TMOV(o_max_row, o_max_next_row);
            }
            OAlphaGm o_sum_end_out(o_sum_end + int64_t(batch0) * 32 + int64_t(kv_heads0) * 16);
            TSTORE(o_sum_end_out, o_sum_row);
            set_flag(PIPE_MTE3, PIPE_V, event_t(5 + kv_heads0_slot));
        }
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // of the last round
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID6);  // of the last round of copy 1
#endif
}
