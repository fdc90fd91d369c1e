// query_absorb: cube kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages query_absorb; tiles heads 1, kv_rank 128, t 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_128x128 = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using MatB16_128x128m = Tile<TileType::Mat, bfloat16_t, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 512>;
using LeftB16_128x128 = TileLeft<bfloat16_t, 128, 128, DYNAMIC, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using QBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 6144, 1>>;
using WUkGm = GlobalTensor<bfloat16_t, Shape<1, 8, 8, 16, 16>, Stride<1, 2048, 256, 16, 1>, Layout::NZ>;
using QNopeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 16384, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q_nope,
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *w_uk,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    int32_t kv_rank0_buffer = 0;  // which of 2 buffers this iteration of kv_rank0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 32;  // of t0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 32 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t heads0 = tile % 32;
        // q_nope: permute(matmul(q_h, w_uk, dtype=bf16), [1, 0, 2])
        MatB16_128x128 q_h(t0_valid); TASSIGN(q_h, 0x00000 + heads0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + heads0_buffer));  // free again
        QBGm q_b_in(q_b + int64_t(t0) * 6144 + int64_t(heads0) * 192, {t0_valid});
        TLOAD(q_h, q_b_in);
        set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + heads0_buffer));
        wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + heads0_buffer));
        for (int32_t kv_rank0 = 0; kv_rank0 < 512; kv_rank0 += 128, kv_rank0_buffer ^= 1) {
            MatB16_128x128m w_uk_tile; TASSIGN(w_uk_tile, 0x10000 + kv_rank0_buffer * 0x08000);  // L1 0x10000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv_rank0_buffer));  // free again
            WUkGm w_uk_in(w_uk + int64_t(heads0) * 65536 + int64_t(kv_rank0) * 128);
            TLOAD(w_uk_tile, w_uk_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv_rank0_buffer));
            LeftB16_128x128 q_h_l0a(t0_valid); TASSIGN(q_h_l0a, 0x00000 + kv_rank0_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
            wait_flag(PIPE_M, PIPE_MTE1, event_t(kv_rank0_buffer));  // free again
            TEXTRACT(q_h_l0a, q_h, 0, 0);
            RightB16_128x128 w_uk_tile_l0b; TASSIGN(w_uk_tile_l0b, 0x00000 + kv_rank0_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv_rank0_buffer));
            TEXTRACT(w_uk_tile_l0b, w_uk_tile, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, event_t(kv_rank0_buffer));
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv_rank0_buffer));
            AccF32_128x128 q_nope_1_acc(t0_valid); TASSIGN(q_nope_1_acc, 0x00000 + kv_rank0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_M, event_t(kv_rank0_buffer));
            TMATMUL<AccPhase::Final>(q_nope_1_acc, q_h_l0a, w_uk_tile_l0b);
            set_flag(PIPE_M, PIPE_MTE1, event_t(kv_rank0_buffer));
            QNopeGm q_nope_out(q_nope + int64_t(t0) * 16384 + int64_t(heads0) * 512 + int64_t(kv_rank0), {t0_valid});
            TSTORE<STPhase::Final>(q_nope_out, q_nope_1_acc);
        }
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + heads0_buffer));
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void query_absorb(
    __gm__ bfloat16_t *q_nope, __gm__ bfloat16_t *q_b, __gm__ bfloat16_t *w_uk, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(q_nope, q_b, w_uk, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
