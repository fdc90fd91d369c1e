// index_quant_cube: cube kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_quant; tiles index_heads 32, t 1; memory L0A 16384 B, L0B 65536 B, L0C 32768 B, L1 49152 B
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
using HadamardGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using IqRGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *iq_h,
    __gm__ bfloat16_t *iq_r,
    __gm__ bfloat16_t *hadamard,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t index_heads0_buffer = 0;  // which of 2 buffers this iteration of index_heads0 uses
    // iq_h: matmul(iq_r, hadamard, dtype=bf16)
    MatB16_128x128 hadamard_tile; TASSIGN<0x04000>(hadamard_tile);  // L1 0x04000..0x0c000
    HadamardGm hadamard_in(hadamard);
    TLOAD(hadamard_tile, hadamard_in);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin) * 2;  // of t0 and index_heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, index_heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 2;
        const int32_t index_heads0 = tile % 2 * 32;
        MatB16_32x128 iq_r_tile; TASSIGN(iq_r_tile, 0x00000 + index_heads0_buffer * 0x02000);  // L1 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(index_heads0_buffer));  // free again
        IqRGm iq_r_in(iq_r + int64_t(t0) * 8192 + int64_t(index_heads0) * 128);
        TLOAD(iq_r_tile, iq_r_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(index_heads0_buffer));
        LeftB16_32x128 iq_r_tile_l0a; TASSIGN(iq_r_tile_l0a, 0x00000 + index_heads0_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(index_heads0_buffer));
        wait_flag(PIPE_M, PIPE_MTE1, event_t(index_heads0_buffer));  // free again
        TEXTRACT(iq_r_tile_l0a, iq_r_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(index_heads0_buffer));
        RightB16_128x128 hadamard_tile_l0b; TASSIGN(hadamard_tile_l0b, 0x00000 + index_heads0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
        TEXTRACT(hadamard_tile_l0b, hadamard_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, event_t(index_heads0_buffer));
        AccF32_32x128 iq_h_acc; TASSIGN(iq_h_acc, 0x00000 + index_heads0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, event_t(index_heads0_buffer));
        TMATMUL<AccPhase::Final>(iq_h_acc, iq_r_tile_l0a, hadamard_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, event_t(index_heads0_buffer));
        IqRGm iq_h_out(iq_h + int64_t(t0) * 8192 + int64_t(index_heads0) * 128);
        TSTORE<STPhase::Final>(iq_h_out, iq_h_acc);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_quant_cube(
    __gm__ bfloat16_t *iq_h, __gm__ bfloat16_t *iq_r, __gm__ bfloat16_t *hadamard, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(iq_h, iq_r, hadamard, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
