// matmul_swizzle: cube kernel of `matmul_swizzle` for a2a3. Made by pyptogen; change the spec, not this file.
// stages matmul_swizzle; tiles k 256, k.l0 64, m 1024 / 128, n 256; memory L0A 32768 B, L0B 65536 B, L0C 131072 B, L1 393216 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x256 = TileAccCompact<float, 128, 256, DYNAMIC, 256>;
using MatB16_128x256 = Tile<TileType::Mat, bfloat16_t, 128, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatB16_256x256 = Tile<TileType::Mat, bfloat16_t, 256, 256, BLayout::ColMajor, 256, 256, SLayout::RowMajor, 512>;
using LeftB16_128x64 = TileLeft<bfloat16_t, 128, 64, DYNAMIC, 64>;
using RightB16_64x256 = TileRight<bfloat16_t, 64, 256, 64, 256>;
using AGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 2048, 1>>;
using BGm = GlobalTensor<bfloat16_t, Shape<1, 16, 16, 16, 16>, Stride<1, 32768, 256, 16, 1>, Layout::NZ>;
using CGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 4096, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *c,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t k0_buffer = 0;  // which of 2 buffers this iteration of k0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t m_band = m_begin; m_band < m_end; m_band += 1024) {
        const int32_t m_band_valid = m_end - m_band < 1024 ? m_end - m_band : 1024;
        const int32_t m0_tiles = (m_band_valid + 127) / 128;
        const int32_t tiles = m0_tiles * 16;  // of n0 and m0
        for (int32_t tile = block; tile < tiles; tile += nblk) {
            const int32_t n0 = tile / m0_tiles * 256;
            const int32_t m0 = m_band + tile % m0_tiles * 128;
            const int32_t m0_valid = m_band + m_band_valid - m0 < 128 ? m_band + m_band_valid - m0 : 128;
            AccF32_128x256 c_acc(m0_valid); TASSIGN<0x00000>(c_acc);  // L0C 0x00000..0x20000
            for (int32_t k0 = 0; k0 < 2048; k0 += 256, k0_buffer ^= 1) {
                // c: matmul(a, b, dtype=bf16)
                MatB16_128x256 a_tile(m0_valid); TASSIGN(a_tile, 0x00000 + k0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));  // free again
                AGm a_in(a + int64_t(m0) * 2048 + int64_t(k0), {m0_valid});
                TLOAD(a_tile, a_in);
                MatB16_256x256 b_tile; TASSIGN(b_tile, 0x20000 + k0_buffer * 0x20000);  // L1 0x20000..0x60000, 2 copies
                BGm b_in(b + int64_t(n0) * 2048 + int64_t(k0) * 16);
                TLOAD(b_tile, b_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(k0_buffer));
                for (int32_t k1 = 0; k1 < 256; k1 += 64, k1_buffer ^= 1) {
                    LeftB16_128x64 a_tile_l0a(m0_valid); TASSIGN(a_tile_l0a, 0x00000 + k1_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                    wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                    TEXTRACT(a_tile_l0a, a_tile, 0, k1);
                    RightB16_64x256 b_tile_l0b; TASSIGN(b_tile_l0b, 0x00000 + k1_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                    TEXTRACT(b_tile_l0b, b_tile, k1, 0);
                    set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                    wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                    if (k0 + k1 == 0) {
                        TMATMUL<AccPhase::Partial>(c_acc, a_tile_l0a, b_tile_l0b);
                    } else if (k0 + k1 + 64 < 2048) {
                        TMATMUL_ACC<AccPhase::Partial>(c_acc, c_acc, a_tile_l0a, b_tile_l0b);
                    } else {
                        TMATMUL_ACC<AccPhase::Final>(c_acc, c_acc, a_tile_l0a, b_tile_l0b);
                    }
                    set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
                }
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(k0_buffer));
            }
            CGm c_out(c + int64_t(m0) * 4096 + int64_t(n0), {m0_valid});
            TSTORE<STPhase::Final>(c_out, c_acc);
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void matmul_swizzle(
    __gm__ bfloat16_t *c, __gm__ bfloat16_t *a, __gm__ bfloat16_t *b, int32_t m_begin, int32_t m_end, int32_t nblk)
{
    run_block(c, a, b, m_begin, m_end, nblk, static_cast<int32_t>(get_block_idx()));
}
