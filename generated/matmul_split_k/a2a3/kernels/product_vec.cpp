// product_vec: vector kernel of `matmul_split_k` for a2a3. Made by pyptogen; change the spec, not this file.
// stages product; tiles m 32, n 128; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using CPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;
using CGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *c,
    __gm__ float *c_parts,
    int32_t m_begin,
    int32_t m_end,
    int32_t m,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (m_end - m_begin + 31) / 32 * 2;  // of m0 and n0
    for (int32_t tile = block; tile < tiles; tile += nblk, n0_buffer ^= 1) {
        const int32_t m0 = m_begin + tile / 2 * 32;
        const int32_t m0_valid = m_end - m0 < 32 ? m_end - m0 : 32;
        const int32_t n0 = tile % 2 * 128;
        // c: matmul(a, b, dtype=bf16)
        VecF32_32x128 c_parts_tile(m0_valid); TASSIGN(c_parts_tile, 0x00000 + n0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + n0_buffer));  // free again
        CPartsGm c_parts_in(c_parts + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
        TLOAD(c_parts_tile, c_parts_in);
        VecF32_32x128 c_parts_tile_2(m0_valid); TASSIGN(c_parts_tile_2, 0x08000 + n0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        CPartsGm c_parts_in_2(c_parts + int64_t(m) * 256 + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
        TLOAD(c_parts_tile_2, c_parts_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + n0_buffer));
        VecF32_32x128 c_parts_tile_3(m0_valid); TASSIGN(c_parts_tile_3, 0x10000 + n0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));  // free again
        CPartsGm c_parts_in_3(c_parts + int64_t(m) * 512 + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
        TLOAD(c_parts_tile_3, c_parts_in_3);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + n0_buffer));
        VecF32_32x128 c_parts_tile_4(m0_valid); TASSIGN(c_parts_tile_4, 0x18000 + n0_buffer * 0x04000);  // UB 0x18000..0x20000, 2 copies
        CPartsGm c_parts_in_4(c_parts + int64_t(m) * 768 + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
        TLOAD(c_parts_tile_4, c_parts_in_4);
        set_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        VecF32_32x128 c_add(m0_valid); TASSIGN<0x24000>(c_add);  // UB 0x24000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + n0_buffer));
        TADD(c_add, c_parts_tile, c_parts_tile_2);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + n0_buffer));
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + n0_buffer));
        TADD(c_add, c_add, c_parts_tile_3);
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(n0_buffer));
        TADD(c_add, c_add, c_parts_tile_4);
        set_flag(PIPE_V, PIPE_MTE2, event_t(n0_buffer));
        VecB16_32x128 c_tile(m0_valid); TASSIGN(c_tile, 0x20000 + n0_buffer * 0x02000);  // UB 0x20000..0x24000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));  // free again
        TCVT(c_tile, c_add, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(n0_buffer));
        CGm c_out(c + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
        TSTORE(c_out, c_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(n0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void product_vec(
    __gm__ bfloat16_t *c, __gm__ float *c_parts, int32_t m_begin, int32_t m_end, int32_t m, int32_t nblk)
{
    run_block(c, c_parts, m_begin, m_end, m, nblk, static_cast<int32_t>(get_block_idx()));
}
