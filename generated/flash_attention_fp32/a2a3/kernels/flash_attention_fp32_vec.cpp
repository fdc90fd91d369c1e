// flash_attention_fp32_vec: vector kernel of `flash_attention_fp32` for a2a3. Made by pyptogen; change the spec, not this file.
// stages flash_attention_fp32; tiles heads 1, kv 128, sq 128; memory UB 132864 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x128m = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using OQkSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OPvSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using OPPipe = TPipe<0, Direction::DIR_V2C, 65536, 4>;  // 4 tiles of up to 128 x 128, to the cube core
using OPSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using OPvPipe = TPipe<2, Direction::DIR_C2V, 65536, 4, 2, true, true>;  // 4 tiles of up to 128 x 128, to both vector cores
using OPvSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using OQkPipe = TPipe<4, Direction::DIR_C2V, 65536, 4, 2, true, true>;  // 4 tiles of up to 128 x 128, to both vector cores
using OQkSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *o,
    __gm__ float *o_p_fifo,
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
    OPPipe o_p_pipe(o_p_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OPvPipe o_pv_pipe(o_pv_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OQkPipe o_qk_pipe(o_qk_fifo + int64_t(block) * 65536, 0x0, 0x0);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free at first
    const int32_t tiles = (sq_end - sq_begin + 127) / 128 * 8;  // of sq0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t sq0 = sq_begin + tile / 8 * 128;
        const int32_t sq0_valid = sq_end - sq0 < 128 ? sq_end - sq0 : 128;
        const int32_t sq0_half = (sq0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t sq0_first = subblock * (sq0_valid - sq0_half);  // the first row of this core
        const int32_t heads0 = tile % 8;
        // o: attention(q, k, v, scale=scale)
        VecF32_1x64 o_max_row(sq0_half); TASSIGN<0x18200>(o_max_row);  // as a row, same bytes as o_max
        TEXPANDS(o_max_row, -__builtin_inff());
        VecF32_1x64 o_sum_row(sq0_half); TASSIGN<0x18300>(o_sum_row);  // as a row, same bytes as o_sum
        pipe_barrier(PIPE_V);
        TEXPANDS(o_sum_row, 0.0f);
        VecF32_64x128 o_acc(sq0_half); TASSIGN<0x00000>(o_acc);  // UB 0x00000..0x08000
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TEXPANDS(o_acc, 0.0f);
        for (int32_t kv0 = -384; kv0 < kv; kv0 += 128) {
            VecF32_1x64 o_alpha_row(sq0_half); TASSIGN<0x18500>(o_alpha_row);  // as a row, same bytes as o_alpha
            if (const int32_t kv5 = kv0 + 384; kv5 < kv) {
                const int32_t kv5_valid = kv - kv5 < 128 ? kv - kv5 : 128;
                OQkSlot o_qk_view(o_qk_fifo);
                TPOP<OQkPipe, OQkSlot, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_view);
                __gm__ float *o_qk_slot = o_qk_view.data();
                VecF32_64x128m o_qk(sq0_half, kv5_valid); TASSIGN<0x08000>(o_qk);  // UB 0x08000..0x10000
                wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
                OQkSlotGm o_qk_slot_in(o_qk_slot + int64_t(kv5_valid) * sq0_first, {sq0_half, kv5_valid}, {int64_t(kv5_valid)});
                TLOAD(o_qk, o_qk_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                TFREE<OQkPipe, OQkSlot, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_view);
                VecF32_64x128m o_s(sq0_half, kv5_valid); TASSIGN<0x08000>(o_s);  // UB 0x08000..0x10000
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                TMULS(o_s, o_qk, scale);
                VecF32_64x1 o_block_max(sq0_half); TASSIGN<0x18400>(o_block_max);  // UB 0x18400..0x18500
                VecF32_64x128 o_block_max_tmp(sq0_half); TASSIGN<0x18500>(o_block_max_tmp);  // UB 0x18500..0x20500
                pipe_barrier(PIPE_V);
                TROWMAX(o_block_max, o_s, o_block_max_tmp);
                VecF32_1x64 o_max_next_row(sq0_half); TASSIGN<0x18400>(o_max_next_row);  // as a row, same bytes as o_max_next
                VecF32_1x64 o_block_max_row(sq0_half); TASSIGN<0x18400>(o_block_max_row);  // as a row, same bytes as o_block_max
                pipe_barrier(PIPE_V);
                TMAX(o_max_next_row, o_max_row, o_block_max_row);
                VecF32_64x128m o_below_max(sq0_half, kv5_valid); TASSIGN<0x08000>(o_below_max);  // UB 0x08000..0x10000
                VecF32_64x1 o_max_next(sq0_half); TASSIGN<0x18400>(o_max_next);  // UB 0x18400..0x18500
                pipe_barrier(PIPE_V);
                TROWEXPANDSUB(o_below_max, o_s, o_max_next);
                VecF32_64x128m o_p(sq0_half, kv5_valid); TASSIGN<0x08000>(o_p);  // UB 0x08000..0x10000
                pipe_barrier(PIPE_V);
                TEXP(o_p, o_below_max);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                VecF32_1x64 o_max_step_row(sq0_half); TASSIGN<0x18500>(o_max_step_row);  // as a row, same bytes as o_max_step
                TSUB(o_max_step_row, o_max_row, o_max_next_row);
                pipe_barrier(PIPE_V);
                TEXP(o_alpha_row, o_max_step_row);
                VecF32_64x1 o_block_sum(sq0_half); TASSIGN<0x18600>(o_block_sum);  // UB 0x18600..0x18700
                VecF32_64x128 o_block_sum_tmp(sq0_half); TASSIGN<0x18700>(o_block_sum_tmp);  // UB 0x18700..0x20700
                TROWSUM(o_block_sum, o_p, o_block_sum_tmp);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                pipe_barrier(PIPE_V);
                TMUL(o_sum_row, o_sum_row, o_alpha_row);
                VecF32_1x64 o_block_sum_row(sq0_half); TASSIGN<0x18600>(o_block_sum_row);  // as a row, same bytes as o_block_sum
                pipe_barrier(PIPE_V);
                TADD(o_sum_row, o_sum_row, o_block_sum_row);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                o_p_pipe.prod.setEntryOffset((sq0_first - sq0_half * subblock) * kv5_valid * 4);  // the middle row of an odd number is both cores'
                TPUSH<OPPipe, VecF32_64x128m, TileSplitAxis::TILE_UP_DOWN>(o_p_pipe, o_p);
                set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
                TMOV(o_max_row, o_max_next_row);
            }
            if (const int32_t kv4 = kv0; -128 < kv4 && kv4 < kv) {
                const int32_t kv4_valid = kv - kv4 < 128 ? kv - kv4 : 128;
                OPvSlot o_pv_view(o_pv_fifo);
                TPOP<OPvPipe, OPvSlot, TileSplitAxis::TILE_NO_SPLIT>(o_pv_pipe, o_pv_view);
                __gm__ float *o_pv_slot = o_pv_view.data();
                VecF32_64x128 o_pv(sq0_half); TASSIGN<0x10000>(o_pv);  // UB 0x10000..0x18000
                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
                OPvSlotGm o_pv_slot_in(o_pv_slot + int64_t(sq0_first) * 128, {sq0_half});
                TLOAD(o_pv, o_pv_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TFREE<OPvPipe, OPvSlot, TileSplitAxis::TILE_NO_SPLIT>(o_pv_pipe, o_pv_view);
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TADD(o_acc, o_acc, o_pv);
                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
            }
            if (const int32_t kv3 = kv0 + 128; -128 < kv3 && kv3 < kv) {
                const int32_t kv3_valid = kv - kv3 < 128 ? kv - kv3 : 128;
                VecF32_64x1 o_alpha_later(sq0_half); TASSIGN<0x18000>(o_alpha_later);  // UB 0x18000..0x18100
                pipe_barrier(PIPE_V);
                TROWEXPANDMUL(o_acc, o_acc, o_alpha_later);
            }
            VecF32_1x64 o_alpha_later_2_row(sq0_half); TASSIGN<0x18100>(o_alpha_later_2_row);  // as a row, same bytes as o_alpha_later_2
            if (const int32_t kv1 = kv0 + 256; -128 < kv1 && kv1 < kv) {
                VecF32_1x64 o_alpha_later_row(sq0_half); TASSIGN<0x18000>(o_alpha_later_row);  // as a row, same bytes as o_alpha_later
                pipe_barrier(PIPE_V);
                TMOV(o_alpha_later_row, o_alpha_later_2_row);
            }
            if (const int32_t kv2 = kv0 + 384; kv2 < kv) {
                pipe_barrier(PIPE_V);
                TMOV(o_alpha_later_2_row, o_alpha_row);
            }
        }
        VecF32_64x128 o_tile(sq0_half); TASSIGN<0x00000>(o_tile);  // UB 0x00000..0x08000
        VecF32_64x1 o_sum(sq0_half); TASSIGN<0x18300>(o_sum);  // UB 0x18300..0x18400
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(o_tile, o_acc, o_sum);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        OPvSlotGm o_out(o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128 + int64_t(sq0_first) * 128, {sq0_half});
        TSTORE(o_out, o_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void flash_attention_fp32_vec(
    __gm__ uint64_t *ffts, __gm__ float *o, __gm__ float *o_p_fifo, __gm__ float *o_pv_fifo,
    __gm__ float *o_qk_fifo, float scale, int32_t sq_begin, int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        o, o_p_fifo, o_pv_fifo, o_qk_fifo, scale, sq_begin, sq_end, sq, kv, nblk,
        static_cast<int32_t>(get_block_idx()), static_cast<int32_t>(get_subblockid()));
}
