// product_cube: cube kernel of `matmul_split_k` for a2a3. Made by pyptogen; change the spec, not this file.
// stages product; tiles c_depth 256, c_depth.l0 128, c_part 1, m 32, n 128; memory L0A 16384 B, L0B 65536 B, L0C 32768 B, L1 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_32x128 = TileAccCompact<float, 32, 128, DYNAMIC, 128>;
using MatB16_32x256 = Tile<TileType::Mat, bfloat16_t, 32, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatB16_256x128 = Tile<TileType::Mat, bfloat16_t, 256, 128, BLayout::ColMajor, 256, 128, SLayout::RowMajor, 512>;
using LeftB16_32x128 = TileLeft<bfloat16_t, 32, 128, DYNAMIC, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using AGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 7168, 1>>;
using BGm = GlobalTensor<bfloat16_t, Shape<1, 8, 16, 16, 16>, Stride<1, 114688, 256, 16, 1>, Layout::NZ>;
using CPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ float *c_parts,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t m,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    int32_t c_depth0_buffer = 0;  // which of 2 buffers this iteration of c_depth0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (m_end - m_begin + 31) / 32 * 8;  // of m0, c_part0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk, n0_buffer ^= 1) {
        const int32_t m0 = m_begin + tile / 8 * 32;
        const int32_t m0_valid = m_end - m0 < 32 ? m_end - m0 : 32;
        const int32_t c_part0 = tile / 2 % 4;
        const int32_t n0 = tile % 2 * 128;
        AccF32_32x128 c_parts_acc(m0_valid); TASSIGN(c_parts_acc, 0x00000 + n0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
        for (int32_t c_depth0 = 0; c_depth0 < 1792; c_depth0 += 256, c_depth0_buffer ^= 1) {
            // c: matmul(a, b, dtype=bf16)
            MatB16_32x256 a_tile(m0_valid); TASSIGN(a_tile, 0x00000 + c_depth0_buffer * 0x04000);  // L1 0x00000..0x08000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(c_depth0_buffer));  // free again
            AGm a_in(a + int64_t(m0) * 7168 + int64_t(c_part0) * 1792 + int64_t(c_depth0), {m0_valid});
            TLOAD(a_tile, a_in);
            MatB16_256x128 b_tile; TASSIGN(b_tile, 0x08000 + c_depth0_buffer * 0x10000);  // L1 0x08000..0x28000, 2 copies
            BGm b_in(b + int64_t(c_part0) * 28672 + int64_t(n0) * 7168 + int64_t(c_depth0) * 16);
            TLOAD(b_tile, b_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(c_depth0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(c_depth0_buffer));
            for (int32_t k1 = 0; k1 < 256; k1 += 128, k1_buffer ^= 1) {
                LeftB16_32x128 a_tile_l0a(m0_valid); TASSIGN(a_tile_l0a, 0x00000 + k1_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(a_tile_l0a, a_tile, 0, k1);
                RightB16_128x128 b_tile_l0b; TASSIGN(b_tile_l0b, 0x00000 + k1_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                TEXTRACT(b_tile_l0b, b_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (c_depth0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(c_parts_acc, a_tile_l0a, b_tile_l0b);
                } else if (c_depth0 + k1 + 128 < 1792) {
                    TMATMUL_ACC<AccPhase::Partial>(c_parts_acc, c_parts_acc, a_tile_l0a, b_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(c_parts_acc, c_parts_acc, a_tile_l0a, b_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(c_depth0_buffer));
        }
        CPartsGm c_parts_out(c_parts + int64_t(c_part0) * m * 256 + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
        TSTORE<STPhase::Final>(c_parts_out, c_parts_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void product_cube(
    __gm__ float *c_parts, __gm__ bfloat16_t *a, __gm__ bfloat16_t *b, int32_t m_begin, int32_t m_end, int32_t m,
    int32_t nblk)
{
    run_block(c_parts, a, b, m_begin, m_end, m, nblk, static_cast<int32_t>(get_block_idx()));
}
