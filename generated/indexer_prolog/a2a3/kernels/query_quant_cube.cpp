// query_quant_cube: cube kernel of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_quant; tiles heads 32, t 1; memory L0A 16384 B, L0B 65536 B, L0C 32768 B, L1 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512>;
using MatB16_32x128 = Tile<TileType::Mat, bfloat16_t, 32, 128, BLayout::ColMajor, 32, 128, SLayout::RowMajor, 512>;
using LeftB16_32x128 = TileLeft<bfloat16_t, 32, 128, 32, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using AccF32_32x128 = TileAcc<float, 32, 128, 32, 128>;
using HadamardQGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using QCatGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q_h,
    __gm__ bfloat16_t *q_cat,
    __gm__ bfloat16_t *hadamard_q,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    // q_h: matmul(q_cat, hadamard_q, dtype=bf16)
    MatB16_128x128 hadamard_q_tile; TASSIGN<0x04000>(hadamard_q_tile);  // L1 0x04000..0x0c000
    HadamardQGm hadamard_q_in(hadamard_q);
    TLOAD(hadamard_q_tile, hadamard_q_in);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin) * 2;  // of t0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 2;
        const int32_t heads0 = tile % 2 * 32;
        MatB16_32x128 q_cat_tile; TASSIGN(q_cat_tile, 0x00000 + heads0_buffer * 0x02000);  // L1 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(heads0_buffer));  // free again
        QCatGm q_cat_in(q_cat + int64_t(t0) * 8192 + int64_t(heads0) * 128);
        TLOAD(q_cat_tile, q_cat_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(heads0_buffer));
        LeftB16_32x128 q_cat_tile_l0a; TASSIGN(q_cat_tile_l0a, 0x00000 + heads0_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(heads0_buffer));
        wait_flag(PIPE_M, PIPE_MTE1, event_t(heads0_buffer));  // free again
        TEXTRACT(q_cat_tile_l0a, q_cat_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(heads0_buffer));
        RightB16_128x128 hadamard_q_tile_l0b; TASSIGN(hadamard_q_tile_l0b, 0x00000 + heads0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
        TEXTRACT(hadamard_q_tile_l0b, hadamard_q_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, event_t(heads0_buffer));
        AccF32_32x128 q_h_acc; TASSIGN(q_h_acc, 0x00000 + heads0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, event_t(heads0_buffer));
        TMATMUL<AccPhase::Final>(q_h_acc, q_cat_tile_l0a, hadamard_q_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, event_t(heads0_buffer));
        QCatGm q_h_out(q_h + int64_t(t0) * 8192 + int64_t(heads0) * 128);
        TSTORE<STPhase::Final>(q_h_out, q_h_acc);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_quant_cube(
    __gm__ bfloat16_t *q_h, __gm__ bfloat16_t *q_cat, __gm__ bfloat16_t *hadamard_q, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(q_h, q_cat, hadamard_q, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
