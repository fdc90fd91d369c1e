// flash_attention_grouped_vec: vector kernel of `flash_attention_grouped` for a2a3. Made by pyptogen; change the spec, not this file.
// stages flash_attention_grouped; tiles group 1, kv 128, kv_heads 1, sq 128; memory UB 174592 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x64 = Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_64x128m = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF16_64x128 = Tile<TileType::Vec, half, 64, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF16_64x64 = Tile<TileType::Vec, half, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using OQkSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OPvSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using OGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using OPLowPipe = TPipe<0, Direction::DIR_V2C, 32768, 3>;  // 3 tiles of up to 128 x 128, to the cube core
using OPLowSlot = GlobalTensor<half, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using OPvPipe = TPipe<2, Direction::DIR_C2V, 32768, 3, 2, true, true>;  // 3 tiles of up to 128 x 64, to both vector cores
using OPvSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 64>, Stride<1, 1, 1, 64, 1>>;
using OQkPipe = TPipe<4, Direction::DIR_C2V, 65536, 3, 2, true, true>;  // 3 tiles of up to 128 x 128, to both vector cores
using OQkSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ half *o,
    __gm__ half *o_p_low_fifo,
    __gm__ float *o_pv_fifo,
    __gm__ float *o_qk_fifo,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    OPLowPipe o_p_low_pipe(o_p_low_fifo + int64_t(block) * 49152, 0x0, 0x0);
    OPvPipe o_pv_pipe(o_pv_fifo + int64_t(block) * 24576, 0x0, 0x0);
    OQkPipe o_qk_pipe(o_qk_fifo + int64_t(block) * 49152, 0x0, 0x0);
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    const int32_t tiles = (sq_end - sq_begin + 127) / 128 * 8;  // of sq0, kv_heads0 and group0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t sq0 = sq_begin + tile / 8 * 128;
        const int32_t sq0_valid = sq_end - sq0 < 128 ? sq_end - sq0 : 128;
        const int32_t sq0_half = (sq0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t sq0_first = subblock * (sq0_valid - sq0_half);  // the first row of this core
        const int32_t kv_heads0 = tile / 4 % 2;
        const int32_t group0 = tile % 4;
        // o: attention(q, k, v, causal=true)
        VecI32_1x64 o_row_place_row(sq0_half); TASSIGN<0x00000>(o_row_place_row);  // as a row, same bytes as o_row_place
        wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // free again
        TCI<VecI32_1x64, int32_t, 0>(o_row_place_row, kv + sq0 + sq0_first - sq);
        set_flag(PIPE_S, PIPE_V, EVENT_ID1);
        VecF32_1x64 o_row_number_row(sq0_half); TASSIGN<0x1e400>(o_row_number_row);  // as a row, same bytes as o_row_number
        wait_flag(PIPE_S, PIPE_V, EVENT_ID1);
        TCVT(o_row_number_row, o_row_place_row, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_S, EVENT_ID1);
        VecF32_1x64 o_1_row(sq0_half); TASSIGN<0x1e400>(o_1_row);  // as a row, same bytes as o_1
        pipe_barrier(PIPE_V);
        TADDS(o_1_row, o_row_number_row, 0.5f);
        VecF32_1x64 o_limit_row(sq0_half); TASSIGN<0x1e400>(o_limit_row);  // as a row, same bytes as o_limit
        pipe_barrier(PIPE_V);
        TMULS(o_limit_row, o_1_row, 1e+30f);
        VecF32_1x64 o_max_row(sq0_half); TASSIGN<0x1e500>(o_max_row);  // as a row, same bytes as o_max
        TEXPANDS(o_max_row, -__builtin_inff());
        VecF32_1x64 o_sum_row(sq0_half); TASSIGN<0x1e600>(o_sum_row);  // as a row, same bytes as o_sum
        TEXPANDS(o_sum_row, 0.0f);
        VecF32_64x64 o_acc(sq0_half); TASSIGN<0x1e700>(o_acc);  // UB 0x1e700..0x22700
        TEXPANDS(o_acc, 0.0f);
        const int32_t kv0_end = kv + sq0 + sq0_valid - sq < kv ? kv + sq0 + sq0_valid - sq : kv;  // causal bound: later blocks are masked
        for (int32_t kv0 = -256; kv0 < kv0_end; kv0 += 128, kv0_buffer ^= 1) {
            VecF32_1x64 o_alpha_row(sq0_half); TASSIGN<0x22800>(o_alpha_row);  // as a row, same bytes as o_alpha
            if (const int32_t kv5 = kv0 + 256; kv5 < kv && kv5 < kv + sq0 + sq0_valid - sq) {
                const int32_t kv5_valid = kv - kv5 < 128 ? kv - kv5 : 128;
                OQkSlot o_qk_view(o_qk_fifo);
                TPOP<OQkPipe, OQkSlot, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_view);
                __gm__ float *o_qk_slot = o_qk_view.data();
                VecF32_64x128 o_qk(sq0_half, kv5_valid); TASSIGN(o_qk, 0x00300 + kv0_buffer * 0x08000);  // UB 0x00300..0x10300, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));  // free again
                OQkSlotGm o_qk_slot_in(o_qk_slot + int64_t(kv5_valid) * sq0_first, {sq0_half, kv5_valid}, {int64_t(kv5_valid)});
                TLOAD(o_qk, o_qk_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv0_buffer));
                TFREE<OQkPipe, OQkSlot, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_view);
                VecF32_64x128 o_s(sq0_half, kv5_valid); TASSIGN(o_s, 0x00300 + kv0_buffer * 0x08000);  // UB 0x00300..0x10300, 2 copies
                wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv0_buffer));
                TMULS(o_s, o_qk, 0.125f);
                if (const int32_t kv1 = kv5; kv + sq0 - sq - 127 < kv1 && kv1 < kv) {  // beyond the causal bound of some rows
                    VecI32_1x128 o_key_place(kv5_valid); TASSIGN<0x00100>(o_key_place);  // UB 0x00100..0x00300
                    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // free again
                    TCI<VecI32_1x128, int32_t, 0>(o_key_place, kv5);
                    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
                    VecF32_1x128 o_key_number(kv5_valid); TASSIGN<0x22700>(o_key_number);  // UB 0x22700..0x22900
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
                    TCVT(o_key_number, o_key_place, RoundMode::CAST_RINT, SaturationMode::ON);
                    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
                    VecF32_1x128 o_key_far(kv5_valid); TASSIGN<0x22700>(o_key_far);  // UB 0x22700..0x22900
                    pipe_barrier(PIPE_V);
                    TMULS(o_key_far, o_key_number, 1e+30f);
                    VecF32_64x128 o_mask_wide_ones(sq0_half, kv5_valid); TASSIGN<0x22900>(o_mask_wide_ones);  // UB 0x22900..0x2a900
                    TEXPANDS(o_mask_wide_ones, 1.0f);
                    VecF32_64x128 o_mask_wide(sq0_half, kv5_valid); TASSIGN<0x22900>(o_mask_wide);  // UB 0x22900..0x2a900
                    VecF32_64x1 o_limit(sq0_half); TASSIGN<0x1e400>(o_limit);  // UB 0x1e400..0x1e500
                    pipe_barrier(PIPE_V);
                    TROWEXPANDMUL(o_mask_wide, o_mask_wide_ones, o_limit);
                    VecF32_64x128 o_mask(sq0_half, kv5_valid); TASSIGN<0x22900>(o_mask);  // UB 0x22900..0x2a900
                    pipe_barrier(PIPE_V);
                    TCOLEXPANDSUB(o_mask, o_mask_wide, o_key_far);
                    pipe_barrier(PIPE_V);
                    TMIN(o_s, o_s, o_mask);
                }
                VecF32_64x1 o_block_max(sq0_half); TASSIGN<0x22700>(o_block_max);  // UB 0x22700..0x22800
                VecF32_64x128m o_block_max_tmp(sq0_half); TASSIGN<0x22800>(o_block_max_tmp);  // UB 0x22800..0x2a800
                pipe_barrier(PIPE_V);
                TROWMAX(o_block_max, o_s, o_block_max_tmp);
                VecF32_1x64 o_max_next_row(sq0_half); TASSIGN<0x22700>(o_max_next_row);  // as a row, same bytes as o_max_next
                VecF32_1x64 o_block_max_row(sq0_half); TASSIGN<0x22700>(o_block_max_row);  // as a row, same bytes as o_block_max
                pipe_barrier(PIPE_V);
                TMAX(o_max_next_row, o_max_row, o_block_max_row);
                VecF32_64x128 o_below_max(sq0_half, kv5_valid); TASSIGN(o_below_max, 0x00300 + kv0_buffer * 0x08000);  // UB 0x00300..0x10300, 2 copies
                VecF32_64x1 o_max_next(sq0_half); TASSIGN<0x22700>(o_max_next);  // UB 0x22700..0x22800
                pipe_barrier(PIPE_V);
                TROWEXPANDSUB(o_below_max, o_s, o_max_next);
                VecF32_64x128 o_p(sq0_half, kv5_valid); TASSIGN(o_p, 0x00300 + kv0_buffer * 0x08000);  // UB 0x00300..0x10300, 2 copies
                pipe_barrier(PIPE_V);
                TEXP(o_p, o_below_max);
                VecF32_1x64 o_max_step_row(sq0_half); TASSIGN<0x22800>(o_max_step_row);  // as a row, same bytes as o_max_step
                TSUB(o_max_step_row, o_max_row, o_max_next_row);
                pipe_barrier(PIPE_V);
                TEXP(o_alpha_row, o_max_step_row);
                VecF32_64x1 o_block_sum(sq0_half); TASSIGN<0x22900>(o_block_sum);  // UB 0x22900..0x22a00
                VecF32_64x128m o_block_sum_tmp(sq0_half); TASSIGN<0x22a00>(o_block_sum_tmp);  // UB 0x22a00..0x2aa00
                TROWSUM(o_block_sum, o_p, o_block_sum_tmp);
                pipe_barrier(PIPE_V);
                TMUL(o_sum_row, o_sum_row, o_alpha_row);
                VecF32_1x64 o_block_sum_row(sq0_half); TASSIGN<0x22900>(o_block_sum_row);  // as a row, same bytes as o_block_sum
                pipe_barrier(PIPE_V);
                TADD(o_sum_row, o_sum_row, o_block_sum_row);
                VecF16_64x128 o_p_low(sq0_half, kv5_valid); TASSIGN<0x10300>(o_p_low);  // UB 0x10300..0x14300
                wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
                TCVT(o_p_low, o_p, RoundMode::CAST_RINT, SaturationMode::ON);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                o_p_low_pipe.prod.setEntryOffset((sq0_first - sq0_half * subblock) * kv5_valid * 2);  // the middle row of an odd number is both cores'
                TPUSH<OPLowPipe, VecF16_64x128, TileSplitAxis::TILE_UP_DOWN>(o_p_low_pipe, o_p_low);
                set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
                TMOV(o_max_row, o_max_next_row);
            }
            if (const int32_t kv4 = kv0; -128 < kv4 && kv4 < kv) {
                const int32_t kv4_valid = kv - kv4 < 128 ? kv - kv4 : 128;
                OPvSlot o_pv_view(o_pv_fifo);
                TPOP<OPvPipe, OPvSlot, TileSplitAxis::TILE_NO_SPLIT>(o_pv_pipe, o_pv_view);
                __gm__ float *o_pv_slot = o_pv_view.data();
                VecF32_64x64 o_pv(sq0_half); TASSIGN(o_pv, 0x14300 + kv0_buffer * 0x04000);  // UB 0x14300..0x1c300, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer));  // free again
                OPvSlotGm o_pv_slot_in(o_pv_slot + int64_t(sq0_first) * 64, {sq0_half});
                TLOAD(o_pv, o_pv_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
                TFREE<OPvPipe, OPvSlot, TileSplitAxis::TILE_NO_SPLIT>(o_pv_pipe, o_pv_view);
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer));
                TADD(o_acc, o_acc, o_pv);
                set_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer));
            }
            if (const int32_t kv3 = kv0 + 128; -128 < kv3 && kv3 < kv && kv3 < kv + sq0 + sq0_valid - sq) {
                const int32_t kv3_valid = kv - kv3 < 128 ? kv - kv3 : 128;
                VecF32_64x1 o_alpha_later(sq0_half); TASSIGN<0x1e300>(o_alpha_later);  // UB 0x1e300..0x1e400
                pipe_barrier(PIPE_V);
                TROWEXPANDMUL(o_acc, o_acc, o_alpha_later);
            }
            if (const int32_t kv2 = kv0 + 256; kv2 < kv && kv2 < kv + sq0 + sq0_valid - sq) {
                VecF32_1x64 o_alpha_later_row(sq0_half); TASSIGN<0x1e300>(o_alpha_later_row);  // as a row, same bytes as o_alpha_later
                pipe_barrier(PIPE_V);
                TMOV(o_alpha_later_row, o_alpha_row);
            }
        }
        VecF32_64x64 o_2(sq0_half); TASSIGN<0x1e700>(o_2);  // UB 0x1e700..0x22700
        VecF32_64x1 o_sum(sq0_half); TASSIGN<0x1e600>(o_sum);  // UB 0x1e600..0x1e700
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(o_2, o_acc, o_sum);
        VecF16_64x64 o_tile(sq0_half); TASSIGN<0x1c300>(o_tile);  // UB 0x1c300..0x1e300
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TCVT(o_tile, o_2, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        OGm o_out(o + int64_t(kv_heads0) * sq * 256 + int64_t(group0) * sq * 64 + int64_t(sq0) * 64 + int64_t(sq0_first) * 64, {sq0_half});
        TSTORE(o_out, o_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    }
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_S, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void flash_attention_grouped_vec(
    __gm__ uint64_t *ffts, __gm__ half *o, __gm__ half *o_p_low_fifo, __gm__ float *o_pv_fifo,
    __gm__ float *o_qk_fifo, int32_t sq_begin, int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        o, o_p_low_fifo, o_pv_fifo, o_qk_fifo, sq_begin, sq_end, sq, kv, nblk,
        static_cast<int32_t>(get_block_idx()), static_cast<int32_t>(get_subblockid()));
}
