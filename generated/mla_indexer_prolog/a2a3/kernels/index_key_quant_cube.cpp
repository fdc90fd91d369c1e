// index_key_quant_cube: cube kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_key_quant; tiles t 32; memory L0A 16384 B, L0B 65536 B, L0C 32768 B, L1 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512>;
using MatB16_32x128 = Tile<TileType::Mat, bfloat16_t, 32, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftB16_32x128 = TileLeft<bfloat16_t, 32, 128, DYNAMIC, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using AccF32_32x128 = TileAccCompact<float, 32, 128, DYNAMIC, 128>;
using HadamardGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;
using IkRGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *ik_h,
    __gm__ bfloat16_t *ik_r,
    __gm__ bfloat16_t *hadamard,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    // ik_h: matmul(ik_r, hadamard, dtype=bf16)
    MatB16_128x128 hadamard_tile; TASSIGN<0x04000>(hadamard_tile);  // L1 0x04000..0x0c000
    HadamardGm hadamard_in(hadamard);
    TLOAD(hadamard_tile, hadamard_in);
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        MatB16_32x128 ik_r_tile(t0_valid); TASSIGN(ik_r_tile, 0x00000 + t0_buffer * 0x02000);  // L1 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(t0_buffer));  // free again
        IkRGm ik_r_in(ik_r + int64_t(t0) * 128, {t0_valid});
        TLOAD(ik_r_tile, ik_r_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(t0_buffer));
        LeftB16_32x128 ik_r_tile_l0a(t0_valid); TASSIGN(ik_r_tile_l0a, 0x00000 + t0_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(t0_buffer));
        wait_flag(PIPE_M, PIPE_MTE1, event_t(t0_buffer));  // free again
        TEXTRACT(ik_r_tile_l0a, ik_r_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(t0_buffer));
        RightB16_128x128 hadamard_tile_l0b; TASSIGN(hadamard_tile_l0b, 0x00000 + t0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
        TEXTRACT(hadamard_tile_l0b, hadamard_tile, 0, 0);
        set_flag(PIPE_MTE1, PIPE_M, event_t(t0_buffer));
        AccF32_32x128 ik_h_acc(t0_valid); TASSIGN(ik_h_acc, 0x00000 + t0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_M, event_t(t0_buffer));
        TMATMUL<AccPhase::Final>(ik_h_acc, ik_r_tile_l0a, hadamard_tile_l0b);
        set_flag(PIPE_M, PIPE_MTE1, event_t(t0_buffer));
        IkRGm ik_h_out(ik_h + int64_t(t0) * 128, {t0_valid});
        TSTORE<STPhase::Final>(ik_h_out, ik_h_acc);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_key_quant_cube(
    __gm__ bfloat16_t *ik_h, __gm__ bfloat16_t *ik_r, __gm__ bfloat16_t *hadamard, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(ik_h, ik_r, hadamard, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
