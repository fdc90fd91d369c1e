// of_keys: cube kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages of_keys; tiles heads 1, kv 256, sq 64, sq.l0 32; memory L0A 65536 B, L0B 32768 B, L0C 131072 B, L1 196608 B
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
using DSGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 1, DYNAMIC>, Layout::DN>;
using QGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *d_k,
    __gm__ float *d_s,
    __gm__ float *q,
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
            AccF32_256x128 d_k_acc(kv0_valid); TASSIGN<0x00000>(d_k_acc);  // L0C 0x00000..0x20000
            wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // free again
            for (int32_t sq0 = 0; sq0 < sq; sq0 += 64, sq0_buffer ^= 1) {
                const int32_t sq0_valid = sq - sq0 < 64 ? sq - sq0 : 64;
                // d_k: matmul(transpose(d_s, -2, -1), q, dtype=fp32)
                MatZnF32_256x64 d_s_tile(kv0_valid, sq0_valid); TASSIGN(d_s_tile, 0x00000 + sq0_buffer * 0x10000);  // L1 0x00000..0x20000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(sq0_buffer));  // free again
                DSGm d_s_in(d_s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {kv0_valid, sq0_valid}, {int64_t(kv)});
                TLOAD(d_s_tile, d_s_in);
                MatF32_64x128 q_tile(sq0_valid); TASSIGN(q_tile, 0x20000 + sq0_buffer * 0x08000);  // L1 0x20000..0x30000, 2 copies
                QGm q_in(q + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
                TLOAD(q_tile, q_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(sq0_buffer));
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(sq0_buffer));
                for (int32_t k1 = 0; k1 < sq0_valid; k1 += 32, k1_buffer ^= 1) {
                    const int32_t k1_valid = sq0_valid - k1 < 32 ? sq0_valid - k1 : 32;
                    LeftF32_256x32 d_s_tile_l0a(kv0_valid, k1_valid); d_s_tile_l0a.SetKAligned(true); TASSIGN(d_s_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                    wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                    TEXTRACT(d_s_tile_l0a, d_s_tile, 0, k1);
                    RightF32_32x128 q_tile_l0b(k1_valid); TASSIGN(q_tile_l0b, 0x00000 + k1_buffer * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                    TEXTRACT(q_tile_l0b, q_tile, k1, 0);
                    set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                    wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                    if (sq0 + k1 == 0) {
                        TMATMUL(d_k_acc, d_s_tile_l0a, q_tile_l0b);
                    } else {
                        TMATMUL_ACC(d_k_acc, d_k_acc, d_s_tile_l0a, q_tile_l0b);
                    }
                    set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
                }
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(sq0_buffer));
            }
            set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            QGm d_k_out(d_k + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
            TSTORE(d_k_out, d_k_acc);
            set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void of_keys(
    __gm__ float *d_k, __gm__ float *d_s, __gm__ float *q, int32_t sq, int32_t kv, int32_t nblk)
{
    run_block(d_k, d_s, q, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
