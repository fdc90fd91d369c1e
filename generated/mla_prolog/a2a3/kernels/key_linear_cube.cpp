// key_linear_cube: cube kernel of `mla_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_linear; tiles kv_f_depth 512, kv_f_depth.l0 128, kv_f_part 1, kv_rank 128, t 128; memory L0A 65536 B, L0B 65536 B, L0C 131072 B, L1 524288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AccF32_128x128 = TileAccCompact<float, 128, 128, DYNAMIC, 128>;
using MatB16_128x512 = Tile<TileType::Mat, bfloat16_t, 128, 512, BLayout::ColMajor, DYNAMIC, 512, SLayout::RowMajor, 512>;
using MatB16_512x128 = Tile<TileType::Mat, bfloat16_t, 512, 128, BLayout::ColMajor, 512, 128, SLayout::RowMajor, 512>;
using LeftB16_128x128 = TileLeft<bfloat16_t, 128, 128, DYNAMIC, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 7168, 1>>;
using WDkvGm = GlobalTensor<bfloat16_t, Shape<1, 8, 32, 16, 16>, Stride<1, 114688, 256, 16, 1>, Layout::NZ>;
using KvFPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ float *kv_f_parts,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_dkv,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    int32_t kv_rank0_buffer = 0;  // which of 2 buffers this iteration of kv_rank0 uses
    int32_t kv_f_depth0_buffer = 0;  // which of 2 buffers this iteration of kv_f_depth0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 8;  // of t0, kv_f_part0 and kv_rank0
    for (int32_t tile = block; tile < tiles; tile += nblk, kv_rank0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 8 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t kv_f_part0 = tile / 4 % 2;
        const int32_t kv_rank0 = tile % 4 * 128;
        AccF32_128x128 kv_f_parts_acc(t0_valid); TASSIGN(kv_f_parts_acc, 0x00000 + kv_rank0_buffer * 0x10000);  // L0C 0x00000..0x20000, 2 copies
        for (int32_t kv_f_depth0 = 0; kv_f_depth0 < 3584; kv_f_depth0 += 512, kv_f_depth0_buffer ^= 1) {
            // kv_f: matmul(x, w_dkv, dtype=fp32)
            MatB16_128x512 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + kv_f_depth0_buffer * 0x20000);  // L1 0x00000..0x40000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv_f_depth0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 7168 + int64_t(kv_f_part0) * 3584 + int64_t(kv_f_depth0), {t0_valid});
            TLOAD(x_tile, x_in);
            MatB16_512x128 w_dkv_tile; TASSIGN(w_dkv_tile, 0x40000 + kv_f_depth0_buffer * 0x20000);  // L1 0x40000..0x80000, 2 copies
            WDkvGm w_dkv_in(w_dkv + int64_t(kv_f_part0) * 57344 + int64_t(kv_rank0) * 7168 + int64_t(kv_f_depth0) * 16);
            TLOAD(w_dkv_tile, w_dkv_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv_f_depth0_buffer));
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(kv_f_depth0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer ^= 1) {
                LeftB16_128x128 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + k1_buffer * 0x08000);  // L0A 0x00000..0x10000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(x_tile_l0a, x_tile, 0, k1);
                RightB16_128x128 w_dkv_tile_l0b; TASSIGN(w_dkv_tile_l0b, 0x00000 + k1_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                TEXTRACT(w_dkv_tile_l0b, w_dkv_tile, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (kv_f_depth0 + k1 == 0) {
                    TMATMUL<AccPhase::Partial>(kv_f_parts_acc, x_tile_l0a, w_dkv_tile_l0b);
                } else if (k1 + kv_f_depth0 + 128 < 3584) {
                    TMATMUL_ACC<AccPhase::Partial>(kv_f_parts_acc, kv_f_parts_acc, x_tile_l0a, w_dkv_tile_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(kv_f_parts_acc, kv_f_parts_acc, x_tile_l0a, w_dkv_tile_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(kv_f_depth0_buffer));
        }
        KvFPartsGm kv_f_parts_out(kv_f_parts + int64_t(kv_f_part0) * t * 512 + int64_t(t0) * 512 + int64_t(kv_rank0), {t0_valid});
        TSTORE<STPhase::Final>(kv_f_parts_out, kv_f_parts_acc);
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_linear_cube(
    __gm__ float *kv_f_parts, __gm__ bfloat16_t *x, __gm__ bfloat16_t *w_dkv, int32_t t_begin, int32_t t_end,
    int32_t t, int32_t nblk)
{
    run_block(kv_f_parts, x, w_dkv, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
