// of_values: cube kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages of_values; tiles heads 1, kv 256, sq 64, sq.l0 32; memory L0A 65536 B, L0B 32768 B, L0C 131072 B, L1 196608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_256x128 = TileAccCompact<float, 256, 128, DYNAMIC, 128>;
using MatZnF32_256x64 = Tile<TileType::Mat, float, 256, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC, SLayout::ColMajor, 512>;
using MatF32_64x128 = Tile<TileType::Mat, float, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftF32_256x32 = TileLeftCompact<float, 256, 32, DYNAMIC, DYNAMIC>;
using RightF32_32x128 = TileRight<float, 32, 128, DYNAMIC, 128>;
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
    int32_t sq0_buffer = 0;  // which of 2 buffers this iteration of sq0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // free at first
    for (int32_t kv0 = 0; kv0 < kv; kv0 += 256) {
        const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
        for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
            AccF32_256x128 d_v_acc(kv0_valid); TASSIGN<0x00000>(d_v_acc);  // L0C 0x00000..0x20000
            wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // free again
            for (int32_t sq0 = 0; sq0 < sq; sq0 += 64, sq0_buffer ^= 1) {
                const int32_t sq0_valid = sq - sq0 < 64 ? sq - sq0 : 64;
                // d_v: matmul(transpose(p, -2, -1), d_o, dtype=fp32)
                MatZnF32_256x64 p_tile(kv0_valid, sq0_valid); TASSIGN(p_tile, 0x00000 + sq0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(sq0_buffer));  // free again
                PGm p_in(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {kv0_valid, sq0_valid}, {int64_t(kv)});
                TLOAD(p_tile, p_in);
                MatF32_64x128 d_o_tile(sq0_valid); TASSIGN(d_o_tile, 0x20000 + sq0_buffer * 0x08000);  // L1 0x20000..0x30000, 2 copies
                DOGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                TLOAD(d_o_tile, d_o_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(sq0_buffer));
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(sq0_buffer));
                for (int32_t k1 = 0; k1 < sq0_valid; k1 += 32, k1_buffer ^= 1) {
                    const int32_t k1_valid = sq0_valid - k1 < 32 ? sq0_valid - k1 : 32;
                    LeftF32_256x32 p_tile_l0a(kv0_valid, k1_valid); p_tile_l0a.SetKAligned(true); TASSIGN(p_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                    wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                    TEXTRACT(p_tile_l0a, p_tile, 0, k1);
                    RightF32_32x128 d_o_tile_l0b(k1_valid); TASSIGN(d_o_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                    TEXTRACT(d_o_tile_l0b, d_o_tile, k1, 0);
                    set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                    wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                    if (sq0 + k1 == 0) {
                        TMATMUL(d_v_acc, p_tile_l0a, d_o_tile_l0b);
                    } else {
                        TMATMUL_ACC(d_v_acc, d_v_acc, p_tile_l0a, d_o_tile_l0b);
                    }
                    set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
                }
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(sq0_buffer));
            }
            set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            DOGm d_v_out(d_v + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
            TSTORE(d_v_out, d_v_acc);
            set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void of_values(
    __gm__ float *d_v, __gm__ float *p, __gm__ float *d_o, int32_t sq, int32_t kv, int32_t nblk)
{
    run_block(d_v, p, d_o, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
