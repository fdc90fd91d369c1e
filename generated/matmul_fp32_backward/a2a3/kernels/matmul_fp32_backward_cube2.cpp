// matmul_fp32_backward_cube2: cube kernel of `matmul_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages matmul_fp32_backward; tiles k 128, m 64, n 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAcc<float, 128, 128, 128, 128>;
using MatZnF32_128x64 = Tile<TileType::Mat, float, 128, 64, BLayout::RowMajor, 128, DYNAMIC, SLayout::ColMajor, 512>;
using MatF32_64x128 = Tile<TileType::Mat, float, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftF32_128x64 = TileLeftCompact<float, 128, 64, 128, DYNAMIC>;
using RightF32_64x128 = TileRight<float, 64, 128, DYNAMIC, 128>;
using AGm = GlobalTensor<float, Shape<1, 1, 1, 128, DYNAMIC>, Stride<1, 1, 1, 1, 1024>, Layout::DN>;
using DCGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 1024, 1>>;
using DBGm = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 1024, 1>>;

AICORE inline void run_block(
    __gm__ float *d_b,
    __gm__ float *a,
    __gm__ float *d_c,
    int32_t m,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    int32_t m0_buffer = 0;  // which of 2 buffers this iteration of m0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = 64;  // of k0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk, n0_buffer ^= 1) {
        const int32_t k0 = tile / 8 * 128;
        const int32_t n0 = tile % 8 * 128;
        AccF32_128x128 d_b_acc; TASSIGN(d_b_acc, 0x00000 + n0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t m0 = 0; m0 < m; m0 += 64, m0_buffer ^= 1) {
            const int32_t m0_valid = m - m0 < 64 ? m - m0 : 64;
            // d_b: matmul(a.T, d_c, dtype=fp32)
            MatZnF32_128x64 a_tile(m0_valid); TASSIGN(a_tile, 0x00000 + m0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(m0_buffer));  // free again
            AGm a_in(a + int64_t(m0) * 1024 + int64_t(k0), {m0_valid});
            TLOAD(a_tile, a_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + m0_buffer));
            MatF32_64x128 d_c_tile(m0_valid); TASSIGN(d_c_tile, 0x10000 + m0_buffer * 0x08000);  // L1 0x10000..0x20000, 2 copies
            DCGm d_c_in(d_c + int64_t(m0) * 1024 + int64_t(n0), {m0_valid});
            TLOAD(d_c_tile, d_c_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(m0_buffer));
            LeftF32_128x64 a_tile_l0a(m0_valid); a_tile_l0a.SetKAligned(true); TASSIGN(a_tile_l0a, 0x00000 + m0_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(m0_buffer));  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + m0_buffer));
            TEXTRACT(a_tile_l0a, a_tile, 0, 0);
            RightF32_64x128 d_c_tile_l0b(m0_valid); TASSIGN(d_c_tile_l0b, 0x00000 + m0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(m0_buffer));
            TEXTRACT(d_c_tile_l0b, d_c_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(m0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(m0_buffer));
            wait_flag(PIPE_MTE1, PIPE_M, event_t(m0_buffer));
            if (m0 == 0) {
                if (m0 + 64 < m) {
                    TMATMUL<AccPhase::Partial>(d_b_acc, a_tile_l0a, d_c_tile_l0b);
                } else {
                    TMATMUL<AccPhase::Final>(d_b_acc, a_tile_l0a, d_c_tile_l0b);
                }
            } else if (m0 + 64 < m) {
                TMATMUL_ACC<AccPhase::Partial>(d_b_acc, d_b_acc, a_tile_l0a, d_c_tile_l0b);
            } else {
                TMATMUL_ACC<AccPhase::Final>(d_b_acc, d_b_acc, a_tile_l0a, d_c_tile_l0b);
            }
            set_flag(PIPE_M, PIPE_MTE1, event_t(m0_buffer));
        }
        DBGm d_b_out(d_b + int64_t(k0) * 1024 + int64_t(n0));
        TSTORE<STPhase::Final>(d_b_out, d_b_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void matmul_fp32_backward_cube2(
    __gm__ float *d_b, __gm__ float *a, __gm__ float *d_c, int32_t m, int32_t nblk)
{
    run_block(d_b, a, d_c, m, nblk, static_cast<int32_t>(get_block_idx()));
}
