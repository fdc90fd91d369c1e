// flash_attention_cube: cube kernel of `flash_attention` for a2a3. Made by pyptogen; change the spec, not this file.
// stages flash_attention; tiles heads 1, kv 256, sq 128 / 64; memory L0A 32768 B, L0B 65536 B, L0C 98304 B, L1 393216 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using MatZnB16_128x256 = Tile<TileType::Mat, bfloat16_t, 128, 256, BLayout::RowMajor, 128, DYNAMIC, SLayout::ColMajor, 512>;
using RightB16_128x256 = TileRightCompact<bfloat16_t, 128, 256, 128, DYNAMIC>;
using LeftB16_64x128 = TileLeft<bfloat16_t, 64, 128, DYNAMIC, 128>;
using AccF32_64x256 = TileAccCompact<float, 64, 256, DYNAMIC, DYNAMIC>;
using MatB16_256x128 = Tile<TileType::Mat, bfloat16_t, 256, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using RightB16_256x128 = TileRight<bfloat16_t, 256, 128, DYNAMIC, 128>;
using MatB16_64x256 = Tile<TileType::Mat, bfloat16_t, 64, 256, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor, 512>;
using LeftB16_64x256 = TileLeftCompact<bfloat16_t, 64, 256, DYNAMIC, DYNAMIC>;
using AccF32_64x128 = TileAccCompact<float, 64, 128, DYNAMIC, 128>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using KGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 128>, Layout::DN>;
using OPLowSlotGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using OPLowPipe = TPipe<0, Direction::DIR_V2C, 32768, 8>;  // 8 tiles of up to 64 x 256, to the cube core
using OPLowSlot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 256>, Stride<1, 1, 1, 256, 1>>;
using OPvPipe = TPipe<2, Direction::DIR_C2V, 32768, 8, 2, true, true>;  // 8 tiles of up to 64 x 128, to both vector cores
using OPvSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using OQkPipe = TPipe<4, Direction::DIR_C2V, 65536, 8, 2, true, true>;  // 8 tiles of up to 64 x 256, to both vector cores
using OQkSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 256>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *v,
    __gm__ bfloat16_t *o_p_low_fifo,
    __gm__ float *o_pv_fifo,
    __gm__ float *o_qk_fifo,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    OPLowPipe o_p_low_pipe(o_p_low_fifo + int64_t(block) * 131072, 0x0, 0x0);
    OPvPipe o_pv_pipe(o_pv_fifo + int64_t(block) * 65536, 0x0, 0x0);
    OQkPipe o_qk_pipe(o_qk_fifo + int64_t(block) * 131072, 0x0, 0x0);
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    int32_t sq2_buffer = 0;  // which of 2 buffers this iteration of sq2 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    const int32_t tiles = (sq_end - sq_begin + 127) / 128 * 8;  // of sq0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t sq0 = sq_begin + tile / 8 * 128;
        const int32_t sq0_valid = sq_end - sq0 < 128 ? sq_end - sq0 : 128;
        const int32_t heads0 = tile % 8;
        // o: attention(q, k, v, scale=scale)
        MatB16_128x128 q_tile(sq0_valid); TASSIGN(q_tile, 0x00000 + heads0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
        QGm q_in(q + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
        TLOAD(q_tile, q_in);
        for (int32_t kv0 = -768; kv0 < kv; kv0 += 256, kv0_buffer ^= 1) {
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // free again
            if (const int32_t kv2 = kv0 + 768; kv2 < kv) {
                const int32_t kv2_valid = kv - kv2 < 256 ? kv - kv2 : 256;
                MatZnB16_128x256 k_tile(kv2_valid); TASSIGN(k_tile, 0x10000 + kv0_buffer * 0x10000);  // L1 0x10000..0x30000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + kv0_buffer));  // free again
                KGm k_in(k + int64_t(heads0) * kv * 128 + int64_t(kv2) * 128, {kv2_valid});
                TLOAD(k_tile, k_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv0_buffer));
                RightB16_128x256 k_tile_l0b(kv2_valid); TASSIGN<0x00000>(k_tile_l0b);  // L0B 0x00000..0x10000
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv0_buffer));
                wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // free again
                TEXTRACT(k_tile_l0b, k_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + kv0_buffer));
                for (int32_t sq1 = sq0; sq1 < sq0 + sq0_valid; sq1 += 64) {
                    const int32_t sq1_valid = sq0 + sq0_valid - sq1 < 64 ? sq0 + sq0_valid - sq1 : 64;
                    LeftB16_64x128 q_tile_rows_l0a(sq1_valid); TASSIGN<0x00000>(q_tile_rows_l0a);  // L0A 0x00000..0x04000
                    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free again
                    TEXTRACT(q_tile_rows_l0a, q_tile, sq1 - sq0, 0);
                    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
                    AccF32_64x256 o_qk_acc(sq1_valid, kv2_valid); TASSIGN<0x00000>(o_qk_acc);  // L0C 0x00000..0x10000
                    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1);
                    TMATMUL<AccPhase::Final>(o_qk_acc, q_tile_rows_l0a, k_tile_l0b);
                    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
                    TPUSH<OQkPipe, AccF32_64x256, TileSplitAxis::TILE_NO_SPLIT>(o_qk_pipe, o_qk_acc);
                }
                set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
            }
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);
            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);
            if (const int32_t kv1 = kv0; -256 < kv1 && kv1 < kv) {
                const int32_t kv1_valid = kv - kv1 < 256 ? kv - kv1 : 256;
                MatB16_256x128 v_tile(kv1_valid); TASSIGN(v_tile, 0x30000 + kv0_buffer * 0x10000);  // L1 0x30000..0x50000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + kv0_buffer));  // free again
                QGm v_in(v + int64_t(heads0) * kv * 128 + int64_t(kv1) * 128, {kv1_valid});
                TLOAD(v_tile, v_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + kv0_buffer));
                RightB16_256x128 v_tile_l0b(kv1_valid); TASSIGN<0x00000>(v_tile_l0b);  // L0B 0x00000..0x10000
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + kv0_buffer));
                wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // free again
                TEXTRACT(v_tile_l0b, v_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + kv0_buffer));
                for (int32_t sq2 = sq0; sq2 < sq0 + sq0_valid; sq2 += 64, sq2_buffer ^= 1) {
                    const int32_t sq2_valid = sq0 + sq0_valid - sq2 < 64 ? sq0 + sq0_valid - sq2 : 64;
                    OPLowSlot o_p_low_view(o_p_low_fifo);
                    TPOP<OPLowPipe, OPLowSlot, TileSplitAxis::TILE_NO_SPLIT>(o_p_low_pipe, o_p_low_view);
                    __gm__ bfloat16_t *o_p_low_slot = o_p_low_view.data();
                    MatB16_64x256 o_p_low_l1(sq2_valid, kv1_valid); TASSIGN(o_p_low_l1, 0x50000 + sq2_buffer * 0x08000);  // L1 0x50000..0x60000, 2 copies
                    wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(sq2_buffer));  // free again
                    OPLowSlotGm o_p_low_slot_in(o_p_low_slot, {sq2_valid, kv1_valid}, {int64_t(kv1_valid)});
                    TLOAD(o_p_low_l1, o_p_low_slot_in);
                    set_flag(PIPE_MTE2, PIPE_MTE1, event_t(sq2_buffer));
                    TFREE<OPLowPipe, OPLowSlot, TileSplitAxis::TILE_NO_SPLIT>(o_p_low_pipe, o_p_low_view);
                    LeftB16_64x256 o_p_low_l1_l0a(sq2_valid, kv1_valid); TASSIGN<0x00000>(o_p_low_l1_l0a);  // L0A 0x00000..0x08000
                    wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(sq2_buffer));
                    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free again
                    TEXTRACT(o_p_low_l1_l0a, o_p_low_l1, 0, 0);
                    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
                    set_flag(PIPE_MTE1, PIPE_MTE2, event_t(sq2_buffer));
                    AccF32_64x128 o_pv_acc(sq2_valid); TASSIGN<0x10000>(o_pv_acc);  // L0C 0x10000..0x18000
                    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
                    TMATMUL<AccPhase::Final>(o_pv_acc, o_p_low_l1_l0a, v_tile_l0b);
                    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
                    TPUSH<OPvPipe, AccF32_64x128, TileSplitAxis::TILE_NO_SPLIT>(o_pv_pipe, o_pv_acc);
                }
                set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);
            }
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void flash_attention_cube(
    __gm__ uint64_t *ffts, __gm__ bfloat16_t *q, __gm__ bfloat16_t *k, __gm__ bfloat16_t *v,
    __gm__ bfloat16_t *o_p_low_fifo, __gm__ float *o_pv_fifo, __gm__ float *o_qk_fifo, int32_t sq_begin,
    int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        q, k, v, o_p_low_fifo, o_pv_fifo, o_qk_fifo, sq_begin, sq_end, sq, kv, nblk,
        static_cast<int32_t>(get_block_idx()));
}
