// matmul_fp16: cube kernel of `matmul_fp16` for a2a3. Made by pyptogen; change the spec, not this file.
// stages matmul_fp16; tiles k 256, k.l0 64, m 128, n 128; memory L0A 32768 B, L0B 32768 B, L0C 131072 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using MatF16_128x256 = Tile<TileType::Mat, half, 128, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatF16_256x128 = Tile<TileType::Mat, half, 256, 128, BLayout::ColMajor, 256, 128, SLayout::RowMajor, 512>;
using LeftF16_128x64 = TileLeft<half, 128, 64, DYNAMIC, 64>;
using RightF16_64x128 = TileRight<half, 64, 128, 64, 128>;
using AGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 1024, 1>>;
using BGm = GlobalTensor<half, Shape<1, 8, 16, 16, 16>, Stride<1, 16384, 256, 16, 1>, Layout::NZ>;
using CGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ half *c,
    __gm__ half *a,
    __gm__ half *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    int32_t k0_buffer = 0;  // which of 2 buffers this iteration of k0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (m_end - m_begin + 127) / 128 * 8;  // of m0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk, n0_buffer ^= 1) {
        const int32_t m0 = m_begin + tile / 8 * 128;
        const int32_t m0_valid = m_end - m0 < 128 ? m_end - m0 : 128;
        const int32_t n0 = tile % 8 * 128;
        AccF32_128x128 c_acc(m0_valid); TASSIGN(c_acc, 0x00000 + n0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t k0 = 0; k0 < 1024; k0 += 256, k0_buffer ^= 1) {
            // c: matmul(a, b, dtype=fp16)
            MatF16_128x256 a_tile(m0_valid); TASSIGN(a_tile, 0x00000 + k0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));  // free again
            AGm a_in(a + int64_t(m0) * 1024 + int64_t(k0), {m0_valid});
            TLOAD(a_tile, a_in);
            MatF16_256x128 b_tile; TASSIGN(b_tile, 0x20000 + k0_buffer * 0x10000);  // L1 0x20000..0x40000, 2 copies
            BGm b_in(b + int64_t(n0) * 1024 + int64_t(k0) * 16);
            TLOAD(b_tile, b_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
            for (int32_t k1 = 0; k1 < 256; k1 += 64, k1_buffer ^= 1) {
                LeftF16_128x64 a_tile_l0a(m0_valid); TASSIGN(a_tile_l0a, 0x00000 + k1_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(a_tile_l0a, a_tile, 0, k1);
                RightF16_64x128 b_tile_l0b; TASSIGN(b_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                TEXTRACT(b_tile_l0b, b_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (k0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(c_acc, a_tile_l0a, b_tile_l0b);
                } else if (k0 + k1 + 64 < 1024) {
                    TMATMUL_ACC<AccPhase::Partial>(c_acc, c_acc, a_tile_l0a, b_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(c_acc, c_acc, a_tile_l0a, b_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));
        }
        CGm c_out(c + int64_t(m0) * 1024 + int64_t(n0), {m0_valid});
        TSTORE<STPhase::Final>(c_out, c_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void matmul_fp16(
    __gm__ half *c, __gm__ half *a, __gm__ half *b, int32_t m_begin, int32_t m_end, int32_t nblk)
{
    run_block(c, a, b, m_begin, m_end, nblk, static_cast<int32_t>(get_block_idx()));
}
