// batched_matmul: cube kernel of `batched_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages batched_matmul; tiles heads 1, m 128, n 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 262144 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_128x256 = Tile<TileType::Mat, bfloat16_t, 128, 256, BLayout::ColMajor, DYNAMIC, 256, SLayout::RowMajor, 512>;
using MatB16_256x128 = Tile<TileType::Mat, bfloat16_t, 256, 128, BLayout::ColMajor, 256, 128, SLayout::RowMajor, 512>;
using LeftB16_128x256 = TileLeft<bfloat16_t, 128, 256, DYNAMIC, 256>;
using RightB16_256x128 = TileRight<bfloat16_t, 256, 128, 256, 128>;
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using AGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 256>, Stride<1, 1, 1, 256, 1>>;
using BGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 256, 128>, Stride<1, 1, 1, 256, 1>>;
using CGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 256, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *c,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t m,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (m_end - m_begin + 127) / 128 * 16;  // of m0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t m0 = m_begin + tile / 16 * 128;
        const int32_t m0_valid = m_end - m0 < 128 ? m_end - m0 : 128;
        const int32_t heads0 = tile % 16;
        // c: matmul(a, b, dtype=bf16)
        MatB16_128x256 a_tile(m0_valid); TASSIGN(a_tile, 0x00000 + heads0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + heads0_buffer));  // free again
        AGm a_in(a + int64_t(heads0) * m * 256 + int64_t(m0) * 256, {m0_valid});
        TLOAD(a_tile, a_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + heads0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + heads0_buffer));
        for (int32_t n0 = 0; n0 < 256; n0 += 128, n0_buffer ^= 1) {
            MatB16_256x128 b_tile; TASSIGN(b_tile, 0x20000 + n0_buffer * 0x10000);  // L1 0x20000..0x40000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(n0_buffer));  // free again
            BGm b_in(b + int64_t(heads0) * 65536 + int64_t(n0));
            TLOAD(b_tile, b_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(n0_buffer));
            LeftB16_128x256 a_tile_l0a(m0_valid); TASSIGN<0x00000>(a_tile_l0a);  // L0A 0x00000..0x10000
            wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // free again
            TEXTRACT(a_tile_l0a, a_tile, 0, 0);
            RightB16_256x128 b_tile_l0b; TASSIGN<0x00000>(b_tile_l0b);  // L0B 0x00000..0x10000
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(n0_buffer));
            TEXTRACT(b_tile_l0b, b_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(n0_buffer));
            AccF32_128x128 c_acc(m0_valid); TASSIGN(c_acc, 0x00000 + n0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            TMATMUL<AccPhase::Final>(c_acc, a_tile_l0a, b_tile_l0b);
            set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
            CGm c_out(c + int64_t(heads0) * m * 256 + int64_t(m0) * 256 + int64_t(n0), {m0_valid});
            TSTORE<STPhase::Final>(c_out, c_acc);
        }
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + heads0_buffer));
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void batched_matmul(
    __gm__ bfloat16_t *c, __gm__ bfloat16_t *a, __gm__ bfloat16_t *b, int32_t m_begin, int32_t m_end, int32_t m,
    int32_t nblk)
{
    run_block(c, a, b, m_begin, m_end, m, nblk, static_cast<int32_t>(get_block_idx()));
}
