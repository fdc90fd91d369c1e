// matmul_fp32_backward_cube1: cube kernel of `matmul_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages matmul_fp32_backward; tiles k 128, m 128, n 64; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using MatF32_128x64 = Tile<TileType::Mat, float, 128, 64, BLayout::ColMajor, DYNAMIC, 64, SLayout::RowMajor, 512>;
using MatZnF32_64x128 = Tile<TileType::Mat, float, 64, 128, BLayout::RowMajor, 64, 128, SLayout::ColMajor, 512>;
using LeftF32_128x64 = TileLeft<float, 128, 64, DYNAMIC, 64>;
using RightF32_64x128 = TileRight<float, 64, 128, 64, 128>;
using DCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 1024, 1>>;
using BGm = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 1, 1024>, Layout::DN>;
using DAGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ float *d_a,
    __gm__ float *d_c,
    __gm__ float *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t k0_buffer = 0;  // which of 2 buffers this iteration of k0 uses
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (m_end - m_begin + 127) / 128 * 8;  // of m0 and k0
    for (int32_t tile = block; tile < tiles; tile += nblk, k0_buffer ^= 1) {
        const int32_t m0 = m_begin + tile / 8 * 128;
        const int32_t m0_valid = m_end - m0 < 128 ? m_end - m0 : 128;
        const int32_t k0 = tile % 8 * 128;
        AccF32_128x128 d_a_acc(m0_valid); TASSIGN(d_a_acc, 0x00000 + k0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t n0 = 0; n0 < 1024; n0 += 64, n0_buffer ^= 1) {
            // d_a: matmul(d_c, b.T, dtype=fp32)
            MatF32_128x64 d_c_tile(m0_valid); TASSIGN(d_c_tile, 0x00000 + n0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(n0_buffer));  // free again
            DCGm d_c_in(d_c + int64_t(m0) * 1024 + int64_t(n0), {m0_valid});
            TLOAD(d_c_tile, d_c_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + n0_buffer));
            MatZnF32_64x128 b_tile; TASSIGN(b_tile, 0x10000 + n0_buffer * 0x08000);  // L1 0x10000..0x20000, 2 copies
            BGm b_in(b + int64_t(k0) * 1024 + int64_t(n0));
            TLOAD(b_tile, b_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(n0_buffer));
            LeftF32_128x64 d_c_tile_l0a(m0_valid); TASSIGN(d_c_tile_l0a, 0x00000 + n0_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(n0_buffer));  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + n0_buffer));
            TEXTRACT(d_c_tile_l0a, d_c_tile, 0, 0);
            RightF32_64x128 b_tile_l0b; TASSIGN(b_tile_l0b, 0x00000 + n0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(n0_buffer));
            TEXTRACT(b_tile_l0b, b_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(n0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(n0_buffer));
            wait_flag(PIPE_MTE1, PIPE_M, event_t(n0_buffer));
            if (n0 == 0) {
                TMATMUL<AccPhase::Partial>(d_a_acc, d_c_tile_l0a, b_tile_l0b);
            } else if (n0 + 64 < 1024) {
                TMATMUL_ACC<AccPhase::Partial>(d_a_acc, d_a_acc, d_c_tile_l0a, b_tile_l0b);
            } else {
                TMATMUL_ACC<AccPhase::Final>(d_a_acc, d_a_acc, d_c_tile_l0a, b_tile_l0b);
            }
            set_flag(PIPE_M, PIPE_MTE1, event_t(n0_buffer));
        }
        DAGm d_a_out(d_a + int64_t(m0) * 1024 + int64_t(k0), {m0_valid});
        TSTORE<STPhase::Final>(d_a_out, d_a_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void matmul_fp32_backward_cube1(
    __gm__ float *d_a, __gm__ float *d_c, __gm__ float *b, int32_t m_begin, int32_t m_end, int32_t nblk)
{
    run_block(d_a, d_c, b, m_begin, m_end, nblk, static_cast<int32_t>(get_block_idx()));
}
