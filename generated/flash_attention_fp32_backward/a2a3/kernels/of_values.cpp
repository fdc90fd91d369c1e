// of_values: cube kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages of_values; tiles heads 1, kv 128, sq 64; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using MatZnF32_128x64 = Tile<TileType::Mat, float, 128, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC, SLayout::ColMajor, 512>;
using MatF32_64x128 = Tile<TileType::Mat, float, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftF32_128x64 = TileLeftCompact<float, 128, 64, DYNAMIC, DYNAMIC>;
using RightF32_64x128 = TileRight<float, 64, 128, DYNAMIC, 128>;
using PGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 1, DYNAMIC>, Layout::DN>;
using DOGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *d_v,
    __gm__ float *p,
    __gm__ float *d_o,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    int32_t sq0_buffer = 0;  // which of 2 buffers this iteration of sq0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (kv + 127) / 128 * 8;  // of kv0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t kv0 = tile / 8 * 128;
        const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
        const int32_t heads0 = tile % 8;
        AccF32_128x128 d_v_acc(kv0_valid); TASSIGN(d_v_acc, 0x00000 + heads0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t sq0 = 0; sq0 < sq; sq0 += 64, sq0_buffer ^= 1) {
            const int32_t sq0_valid = sq - sq0 < 64 ? sq - sq0 : 64;
            // d_v: matmul(transpose(p, -2, -1), d_o, dtype=fp32)
            MatZnF32_128x64 p_tile(kv0_valid, sq0_valid); TASSIGN(p_tile, 0x00000 + sq0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(sq0_buffer));  // free again
            PGm p_in(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {kv0_valid, sq0_valid}, {int64_t(kv)});
            TLOAD(p_tile, p_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + sq0_buffer));
            MatF32_64x128 d_o_tile(sq0_valid); TASSIGN(d_o_tile, 0x10000 + sq0_buffer * 0x08000);  // L1 0x10000..0x20000, 2 copies
            DOGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
            TLOAD(d_o_tile, d_o_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(sq0_buffer));
            LeftF32_128x64 p_tile_l0a(kv0_valid, sq0_valid); p_tile_l0a.SetKAligned(true); TASSIGN(p_tile_l0a, 0x00000 + sq0_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(sq0_buffer));  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + sq0_buffer));
            TEXTRACT(p_tile_l0a, p_tile, 0, 0);
            RightF32_64x128 d_o_tile_l0b(sq0_valid); TASSIGN(d_o_tile_l0b, 0x00000 + sq0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(sq0_buffer));
            TEXTRACT(d_o_tile_l0b, d_o_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(sq0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(sq0_buffer));
            wait_flag(PIPE_MTE1, PIPE_M, event_t(sq0_buffer));
            if (sq0 == 0) {
                if (sq0 + 64 < sq) {
                    TMATMUL<AccPhase::Partial>(d_v_acc, p_tile_l0a, d_o_tile_l0b);
                } else {
                    TMATMUL<AccPhase::Final>(d_v_acc, p_tile_l0a, d_o_tile_l0b);
                }
            } else if (sq0 + 64 < sq) {
                TMATMUL_ACC<AccPhase::Partial>(d_v_acc, d_v_acc, p_tile_l0a, d_o_tile_l0b);
            } else {
                TMATMUL_ACC<AccPhase::Final>(d_v_acc, d_v_acc, p_tile_l0a, d_o_tile_l0b);
            }
            set_flag(PIPE_M, PIPE_MTE1, event_t(sq0_buffer));
        }
        DOGm d_v_out(d_v + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
        TSTORE<STPhase::Final>(d_v_out, d_v_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void of_values(
    __gm__ float *d_v, __gm__ float *p, __gm__ float *d_o, int32_t sq, int32_t kv, int32_t nblk)
{
    run_block(d_v, p, d_o, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
