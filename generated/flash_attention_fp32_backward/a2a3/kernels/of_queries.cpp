// of_queries: cube kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages of_queries; tiles heads 1, kv 64, sq 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using MatF32_128x64 = Tile<TileType::Mat, float, 128, 64, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor, 512>;
using MatF32_64x128 = Tile<TileType::Mat, float, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftF32_128x64 = TileLeftCompact<float, 128, 64, DYNAMIC, DYNAMIC>;
using RightF32_64x128 = TileRight<float, 64, 128, DYNAMIC, 128>;
using DSGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using KGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *d_q,
    __gm__ float *d_s,
    __gm__ float *k,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (sq_end - sq_begin + 127) / 128 * 8;  // of sq0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t sq0 = sq_begin + tile / 8 * 128;
        const int32_t sq0_valid = sq_end - sq0 < 128 ? sq_end - sq0 : 128;
        const int32_t heads0 = tile % 8;
        AccF32_128x128 d_q_acc(sq0_valid); TASSIGN(d_q_acc, 0x00000 + heads0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 64, kv0_buffer ^= 1) {
            const int32_t kv0_valid = kv - kv0 < 64 ? kv - kv0 : 64;
            // d_q: matmul(d_s, k, dtype=fp32)
            MatF32_128x64 d_s_tile(sq0_valid, kv0_valid); TASSIGN(d_s_tile, 0x00000 + kv0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv0_buffer));  // free again
            DSGm d_s_in(d_s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
            TLOAD(d_s_tile, d_s_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv0_buffer));
            MatF32_64x128 k_tile(kv0_valid); TASSIGN(k_tile, 0x10000 + kv0_buffer * 0x08000);  // L1 0x10000..0x20000, 2 copies
            KGm k_in(k + int64_t(heads0) * kv * 128 + int64_t(kv0) * 128, {kv0_valid});
            TLOAD(k_tile, k_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv0_buffer));
            LeftF32_128x64 d_s_tile_l0a(sq0_valid, kv0_valid); TASSIGN(d_s_tile_l0a, 0x00000 + kv0_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(kv0_buffer));  // free again
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + kv0_buffer));
            TEXTRACT(d_s_tile_l0a, d_s_tile, 0, 0);
            RightF32_64x128 k_tile_l0b(kv0_valid); TASSIGN(k_tile_l0b, 0x00000 + kv0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv0_buffer));
            TEXTRACT(k_tile_l0b, k_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(kv0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv0_buffer));
            wait_flag(PIPE_MTE1, PIPE_M, event_t(kv0_buffer));
            if (kv0 == 0) {
                if (kv0 + 64 < kv) {
                    TMATMUL<AccPhase::Partial>(d_q_acc, d_s_tile_l0a, k_tile_l0b);
                } else {
                    TMATMUL<AccPhase::Final>(d_q_acc, d_s_tile_l0a, k_tile_l0b);
                }
            } else if (kv0 + 64 < kv) {
                TMATMUL_ACC<AccPhase::Partial>(d_q_acc, d_q_acc, d_s_tile_l0a, k_tile_l0b);
            } else {
                TMATMUL_ACC<AccPhase::Final>(d_q_acc, d_q_acc, d_s_tile_l0a, k_tile_l0b);
            }
            set_flag(PIPE_M, PIPE_MTE1, event_t(kv0_buffer));
        }
        KGm d_q_out(d_q + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128, {sq0_valid});
        TSTORE<STPhase::Final>(d_q_out, d_q_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void of_queries(
    __gm__ float *d_q, __gm__ float *d_s, __gm__ float *k, int32_t sq_begin, int32_t sq_end, int32_t sq, int32_t kv,
    int32_t nblk)
{
    run_block(d_q, d_s, k, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
