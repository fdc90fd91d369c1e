// flash_attention_vec: vector kernel of `flash_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages flash_attention; tiles heads 1, kv 256, sq 128 / 64; memory UB 181760 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x256 = Tile<TileType::Vec, float, 32, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_32x256 = Tile<TileType::Vec, bfloat16_t, 32, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_64x128 = Tile<TileType::Vec, bfloat16_t, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using OQkSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OPvSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OPLowPipe = TPipe<0, Direction::DIR_V2C, 32768, 8>;  // 8 tiles of up to 64 x 256, to the cube core
using OPLowSlot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 256>, Stride<1, 1, 1, 256, 1>>;
using OPvPipe = TPipe<2, Direction::DIR_C2V, 32768, 8, 2, true, true>;  // 8 tiles of up to 64 x 128, to both vector cores
using OPvSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using OQkPipe = TPipe<4, Direction::DIR_C2V, 65536, 8, 2, true, true>;  // 8 tiles of up to 64 x 256, to both vector cores
using OQkSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *o_p_low_fifo,
    __gm__ float *o_pv_fifo,
    __gm__ float *o_qk_fifo,
    float scale,
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
    OPLowPipe o_p_low_pipe(o_p_low_fifo + int64_t(block) * 131072, 0x0, 0x0);
    OPvPipe o_pv_pipe(o_pv_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OQkPipe o_qk_pipe(o_qk_fifo + int64_t(block) * 131072, 0x0, 0x0);
    int32_t sq1_buffer = 0;  // which of 2 buffers this iteration of sq1 uses
    int32_t sq3_buffer = 0;  // which of 2 buffers this iteration of sq3 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    const int32_t tiles = (sq_end - sq_begin + 127) / 128 * 8;  // of sq0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t sq0 = sq_begin + tile / 8 * 128;
        const int32_t sq0_valid = sq_end - sq0 < 128 ? sq_end - sq0 : 128;
        const int32_t sq0_half = (sq0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t heads0 = tile % 8;
        // o: attention(q, k, v, scale=scale)
        VecF32_1x64 o_max_row(sq0_half); TASSIGN<0x20200>(o_max_row);  // as a row, same bytes as o_max
        TEXPANDS(o_max_row, -__builtin_inff());
        VecF32_1x64 o_sum_row(sq0_half); TASSIGN<0x20300>(o_sum_row);  // as a row, same bytes as o_sum
        TEXPANDS(o_sum_row, 0.0f);
        VecF32_64x128 o_acc(sq0_half); TASSIGN<0x20400>(o_acc);  // UB 0x20400..0x28400
        pipe_barrier(PIPE_V);
        TEXPANDS(o_acc, 0.0f);
        for (int32_t kv0 = -768; kv0 < kv; kv0 += 256) {
            if (const int32_t kv5 = kv0 + 768; kv5 < kv) {
                const int32_t kv5_valid = kv - kv5 < 256 ? kv - kv5 : 256;
                for (int32_t sq1 = sq0; sq1 < sq0 + sq0_valid; sq1 += 64, sq1_buffer ^= 1) {
                    const int32_t sq1_valid = sq0 + sq0_valid - sq1 < 64 ? sq0 + sq0_valid - sq1 : 64;
                    const int32_t sq1_half = (sq1_valid + 1) / 2;  // half of the rows for each vector core
                    const int32_t sq1_first = subblock * (sq1_valid - sq1_half);  // the first row of this core
                    OQkSlot o_qk_view(o_qk_fifo);
                    TPOP<OQkPipe, OQkSlot, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_view);
                    __gm__ float *o_qk_slot = o_qk_view.data();
                    VecF32_32x256 o_qk(sq1_half, kv5_valid); TASSIGN(o_qk, 0x00000 + sq1_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(sq1_buffer));  // free again
                    OQkSlotGm o_qk_slot_in(o_qk_slot + int64_t(kv5_valid) * sq1_first, {sq1_half, kv5_valid}, {int64_t(kv5_valid)});
                    TLOAD(o_qk, o_qk_slot_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(sq1_buffer));
                    TFREE<OQkPipe, OQkSlot, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_view);
                    VecF32_32x256 o_s(sq1_half, kv5_valid); TASSIGN(o_s, 0x00000 + sq1_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(sq1_buffer));
                    TMULS(o_s, o_qk, scale);
                    VecF32_32x1 o_block_max(sq1_half); TASSIGN<0x28500>(o_block_max);  // UB 0x28500..0x28580
                    VecF32_32x128 o_block_max_tmp(sq1_half); TASSIGN<0x28580>(o_block_max_tmp);  // UB 0x28580..0x2c580
                    pipe_barrier(PIPE_V);
                    TROWMAX(o_block_max, o_s, o_block_max_tmp);
                    VecF32_1x32 o_max_next_row(sq1_half); TASSIGN<0x28500>(o_max_next_row);  // as a row, same bytes as o_max_next
                    VecF32_1x32 o_max_rows_row(sq1_half); TASSIGN(o_max_rows_row, 0x20200 + sq1 * 0x00002 - sq0 * 0x00002);  // rows sq1 / 2 - sq0 / 2.. of o_max
                    VecF32_1x32 o_block_max_row(sq1_half); TASSIGN<0x28500>(o_block_max_row);  // as a row, same bytes as o_block_max
                    pipe_barrier(PIPE_V);
                    TMAX(o_max_next_row, o_max_rows_row, o_block_max_row);
                    VecF32_32x256 o_below_max(sq1_half, kv5_valid); TASSIGN(o_below_max, 0x00000 + sq1_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
                    VecF32_32x1 o_max_next(sq1_half); TASSIGN<0x28500>(o_max_next);  // UB 0x28500..0x28580
                    pipe_barrier(PIPE_V);
                    TROWEXPANDSUB(o_below_max, o_s, o_max_next);
                    VecF32_32x256 o_p(sq1_half, kv5_valid); TASSIGN(o_p, 0x00000 + sq1_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
                    pipe_barrier(PIPE_V);
                    TEXP(o_p, o_below_max);
                    VecF32_1x32 o_max_step_row(sq1_half); TASSIGN<0x28580>(o_max_step_row);  // as a row, same bytes as o_max_step
                    TSUB(o_max_step_row, o_max_rows_row, o_max_next_row);
                    VecF32_1x32 o_alpha_row(sq1_half); TASSIGN(o_alpha_row, 0x28400 + sq1 * 0x00002 - sq0 * 0x00002);  // rows sq1 / 2 - sq0 / 2.. of o_alpha_all
                    pipe_barrier(PIPE_V);
                    TEXP(o_alpha_row, o_max_step_row);
                    VecF32_32x1 o_block_sum(sq1_half); TASSIGN<0x28580>(o_block_sum);  // UB 0x28580..0x28600
                    VecF32_32x128 o_block_sum_tmp(sq1_half); TASSIGN<0x28600>(o_block_sum_tmp);  // UB 0x28600..0x2c600
                    pipe_barrier(PIPE_V);
                    TROWSUM(o_block_sum, o_p, o_block_sum_tmp);
                    VecF32_1x32 o_sum_rows_row(sq1_half); TASSIGN(o_sum_rows_row, 0x20300 + sq1 * 0x00002 - sq0 * 0x00002);  // rows sq1 / 2 - sq0 / 2.. of o_sum
                    TMUL(o_sum_rows_row, o_sum_rows_row, o_alpha_row);
                    VecF32_1x32 o_block_sum_row(sq1_half); TASSIGN<0x28580>(o_block_sum_row);  // as a row, same bytes as o_block_sum
                    pipe_barrier(PIPE_V);
                    TADD(o_sum_rows_row, o_sum_rows_row, o_block_sum_row);
                    VecB16_32x256 o_p_low(sq1_half, kv5_valid); TASSIGN<0x10000>(o_p_low);  // UB 0x10000..0x14000
                    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
                    TCVT(o_p_low, o_p, RoundMode::CAST_RINT, SaturationMode::ON);
                    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(sq1_buffer));
                    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                    o_p_low_pipe.prod.setEntryOffset((sq1_first - sq1_half * subblock) * kv5_valid * 2);  // the middle row of an odd number is both cores'
                    TPUSH<OPLowPipe, VecB16_32x256, TileSplitAxis::TILE_UP_DOWN>(o_p_low_pipe, o_p_low);
                    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
                    TMOV(o_max_rows_row, o_max_next_row);
                }
            }
            if (const int32_t kv4 = kv0; -256 < kv4 && kv4 < kv) {
                const int32_t kv4_valid = kv - kv4 < 256 ? kv - kv4 : 256;
                for (int32_t sq3 = sq0; sq3 < sq0 + sq0_valid; sq3 += 64, sq3_buffer ^= 1) {
                    const int32_t sq3_valid = sq0 + sq0_valid - sq3 < 64 ? sq0 + sq0_valid - sq3 : 64;
                    const int32_t sq3_half = (sq3_valid + 1) / 2;  // half of the rows for each vector core
                    const int32_t sq3_first = subblock * (sq3_valid - sq3_half);  // the first row of this core
                    OPvSlot o_pv_view(o_pv_fifo);
                    TPOP<OPvPipe, OPvSlot, TileSplitAxis::TILE_NO_SPLIT>(o_pv_pipe, o_pv_view);
                    __gm__ float *o_pv_slot = o_pv_view.data();
                    VecF32_32x128 o_pv(sq3_half); TASSIGN(o_pv, 0x14000 + sq3_buffer * 0x04000);  // UB 0x14000..0x1c000, 2 copies
                    wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + sq3_buffer));  // free again
                    OPvSlotGm o_pv_slot_in(o_pv_slot + int64_t(sq3_first) * 128, {sq3_half});
                    TLOAD(o_pv, o_pv_slot_in);
                    set_flag(PIPE_MTE2, PIPE_V, event_t(2 + sq3_buffer));
                    TFREE<OPvPipe, OPvSlot, TileSplitAxis::TILE_NO_SPLIT>(o_pv_pipe, o_pv_view);
                    VecF32_32x128 o_acc_rows_2(sq3_half); TASSIGN(o_acc_rows_2, 0x20400 + sq3 * 0x00100 - sq0 * 0x00100);  // rows sq3 / 2 - sq0 / 2.. of o_acc
                    pipe_barrier(PIPE_V);
                    wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + sq3_buffer));
                    TADD(o_acc_rows_2, o_acc_rows_2, o_pv);
                    set_flag(PIPE_V, PIPE_MTE2, event_t(2 + sq3_buffer));
                }
            }
            if (const int32_t kv3 = kv0 + 256; -256 < kv3 && kv3 < kv) {
                const int32_t kv3_valid = kv - kv3 < 256 ? kv - kv3 : 256;
                for (int32_t sq2 = sq0; sq2 < sq0 + sq0_valid; sq2 += 64) {
                    const int32_t sq2_valid = sq0 + sq0_valid - sq2 < 64 ? sq0 + sq0_valid - sq2 : 64;
                    const int32_t sq2_half = (sq2_valid + 1) / 2;  // half of the rows for each vector core
                    VecF32_32x128 o_acc_rows(sq2_half); TASSIGN(o_acc_rows, 0x20400 + sq2 * 0x00100 - sq0 * 0x00100);  // rows sq2 / 2 - sq0 / 2.. of o_acc
                    VecF32_32x1 o_alpha_2_later(sq2_half); TASSIGN(o_alpha_2_later, 0x20000 + sq2 * 0x00002 - sq0 * 0x00002);  // rows sq2 / 2 - sq0 / 2.. of o_alpha_all_later
                    pipe_barrier(PIPE_V);
                    TROWEXPANDMUL(o_acc_rows, o_acc_rows, o_alpha_2_later);
                }
            }
            VecF32_1x64 o_alpha_all_later_2_row(sq0_half); TASSIGN<0x20100>(o_alpha_all_later_2_row);  // as a row, same bytes as o_alpha_all_later_2
            if (const int32_t kv1 = kv0 + 512; -256 < kv1 && kv1 < kv) {
                VecF32_1x64 o_alpha_all_later_row(sq0_half); TASSIGN<0x20000>(o_alpha_all_later_row);  // as a row, same bytes as o_alpha_all_later
                pipe_barrier(PIPE_V);
                TMOV(o_alpha_all_later_row, o_alpha_all_later_2_row);
            }
            if (const int32_t kv2 = kv0 + 768; kv2 < kv) {
                VecF32_1x64 o_alpha_all_row(sq0_half); TASSIGN<0x28400>(o_alpha_all_row);  // as a row, same bytes as o_alpha_all
                pipe_barrier(PIPE_V);
                TMOV(o_alpha_all_later_2_row, o_alpha_all_row);
            }
        }
        VecF32_64x128 o_1(sq0_half); TASSIGN<0x20400>(o_1);  // UB 0x20400..0x28400
        VecF32_64x1 o_sum(sq0_half); TASSIGN<0x20300>(o_sum);  // UB 0x20300..0x20400
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(o_1, o_acc, o_sum);
        VecB16_64x128 o_tile(sq0_half); TASSIGN<0x1c000>(o_tile);  // UB 0x1c000..0x20000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TCVT(o_tile, o_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        for (int32_t sq4 = sq0; sq4 < sq0 + sq0_valid; sq4 += 64) {
            const int32_t sq4_valid = sq0 + sq0_valid - sq4 < 64 ? sq0 + sq0_valid - sq4 : 64;
            const int32_t sq4_half = (sq4_valid + 1) / 2;  // half of the rows for each vector core
            const int32_t sq4_first = subblock * (sq4_valid - sq4_half);  // the first row of this core
            VecB16_32x128 o_tile_rows(sq4_half); TASSIGN(o_tile_rows, 0x1c000 + sq4 * 0x00080 - sq0 * 0x00080);  // rows sq4 / 2 - sq0 / 2.. of o_tile
            OGm o_out(o + int64_t(heads0) * sq * 128 + int64_t(sq4) * 128 + int64_t(sq4_first) * 128, {sq4_half});
            TSTORE(o_out, o_tile_rows);
        }
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void flash_attention_vec(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *o, __gm__ bfloat16_t *o_p_low_fifo, __gm__ float *o_pv_fifo,
    __gm__ float *o_qk_fifo, float scale, int32_t sq_begin, int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        o, o_p_low_fifo, o_pv_fifo, o_qk_fifo, scale, sq_begin, sq_end, sq, kv, nblk,
        static_cast<int32_t>(get_block_idx()), static_cast<int32_t>(get_subblockid()));
}
