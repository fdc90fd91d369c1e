// index_weights_cube: cube kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_weights; tiles h 512, h.l0 256, t 32; memory L0A 32768 B, L0B 65536 B, L0C 16384 B, L1 196608 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_32x64 = TileAccCompact<float, 32, 64, DYNAMIC, 64>;
using MatB16_32x512 = Tile<TileType::Mat, bfloat16_t, 32, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatB16_512x64 = Tile<TileType::Mat, bfloat16_t, 512, 64, BLayout::ColMajor, 512, 64, SLayout::RowMajor, 512>;
using LeftB16_32x256 = TileLeft<bfloat16_t, 32, 256, DYNAMIC, 256>;
using RightB16_256x64 = TileRight<bfloat16_t, 256, 64, 256, 64>;
using XNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 7168, 1>>;
using WIwGm = GlobalTensor<bfloat16_t, Shape<1, 4, 32, 16, 16>, Stride<1, 114688, 256, 16, 1>, Layout::NZ>;
using Weights1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ float *weights_1,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_iw,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        AccF32_32x64 weights_1_acc(t0_valid); TASSIGN(weights_1_acc, 0x00000 + t0_buffer * 0x02000);  // L0C 0x00000..0x04000, 2 copies
        for (int32_t h0 = 0; h0 < 7168; h0 += 512, h0_buffer ^= 1) {
            // weights: cast(matmul(x_n, w_iw, dtype=fp32) * (index_heads ** -0.5 * d ** -0.5), fp16)
            MatB16_32x512 x_n_tile(t0_valid); TASSIGN(x_n_tile, 0x00000 + h0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));  // free again
            XNGm x_n_in(x_n + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_n_tile, x_n_in);
            MatB16_512x64 w_iw_tile; TASSIGN(w_iw_tile, 0x10000 + h0_buffer * 0x10000);  // L1 0x10000..0x30000, 2 copies
            WIwGm w_iw_in(w_iw + int64_t(h0) * 16);
            TLOAD(w_iw_tile, w_iw_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(h0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 256, k1_buffer ^= 1) {
                LeftB16_32x256 x_n_tile_l0a(t0_valid); TASSIGN(x_n_tile_l0a, 0x00000 + k1_buffer * 0x04000);  // L0A 0x00000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_n_tile_l0a, x_n_tile, 0, k1);
                RightB16_256x64 w_iw_tile_l0b; TASSIGN(w_iw_tile_l0b, 0x00000 + k1_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                TEXTRACT(w_iw_tile_l0b, w_iw_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (h0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(weights_1_acc, x_n_tile_l0a, w_iw_tile_l0b);
                } else if (h0 + k1 + 256 < 7168) {
                    TMATMUL_ACC<AccPhase::Partial>(weights_1_acc, weights_1_acc, x_n_tile_l0a, w_iw_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(weights_1_acc, weights_1_acc, x_n_tile_l0a, w_iw_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(h0_buffer));
        }
        Weights1Gm weights_1_out(weights_1 + int64_t(t0) * 64, {t0_valid});
        TSTORE<STPhase::Final>(weights_1_out, weights_1_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_weights_cube(
    __gm__ float *weights_1, __gm__ bfloat16_t *x_n, __gm__ bfloat16_t *w_iw, int32_t t_begin, int32_t t_end,
    int32_t nblk)
{
    run_block(weights_1, x_n, w_iw, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
