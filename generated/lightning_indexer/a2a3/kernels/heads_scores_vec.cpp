// heads_scores_vec: vector kernel of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
// stages heads_scores; tiles kv 128, t 1; memory UB 32896 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, DYNAMIC>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using WeightsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 0, 1>>;
using S3Gm = GlobalTensor<float, Shape<1, 1, 1, 16, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
}  // namespace

extern "C" __global__ AICORE void heads_scores_vec(
    __gm__ float *s,
    __gm__ float *s_3,
    __gm__ float *weights,
    int32_t t_begin,
    int32_t t_end,
    int32_t kv,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    int32_t kv0_slot = 0;  // which of 2 buffers this round of kv0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    for (int32_t t0 = t_begin + block; t0 < t_end; t0 += nblk, t0_slot ^= 1) {
        // s: relu(matmul(q, k.T, dtype=fp32)) * weights[:, :, None]  [lightning_indexer.yaml:22]
        VecF32_1x16 s_4_row; TASSIGN(s_4_row, 0x04000 + t0_slot * 0x00040);  // as a row, same bytes as s_4
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));  // free again
        WeightsGm weights_in(weights + int64_t(t0) * 16);
        TLOAD(s_4_row, weights_in);
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 128, kv0_slot ^= 1) {
            const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
            VecF32_16x128 s_3_tile(kv0_valid); TASSIGN(s_3_tile, 0x00000 + kv0_slot * 0x02000);  // UB 0x00000..0x04000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_slot));  // free again
            S3Gm s_3_in(s_3 + int64_t(kv) * t0 * 16 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TLOAD(s_3_tile, s_3_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_slot));
            VecF32_16x128 s_tile(kv0_valid); TASSIGN(s_tile, 0x04080 + kv0_slot * 0x02000);  // UB 0x04080..0x08080, 2 copies
            VecF32_16x1 s_4; TASSIGN(s_4, 0x04000 + t0_slot * 0x00040);  // UB 0x04000..0x04080, 2 copies
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_slot));
            wait_flag(PIPE_MTE3, PIPE_V, event_t(kv0_slot));  // free again
            TROWEXPANDMUL(s_tile, s_3_tile, s_4);
            set_flag(PIPE_V, PIPE_MTE3, event_t(kv0_slot));
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(kv0_slot));
            S3Gm s_out(s + int64_t(kv) * t0 * 16 + int64_t(kv0), {kv0_valid}, {int64_t(kv)});
            TSTORE(s_out, s_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(kv0_slot));
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
#endif
}
