// key_norm: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_norm; tiles t 8; memory UB 121888 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x512 = Tile<TileType::Vec, bfloat16_t, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_1x512 = Tile<TileType::Vec, float, 1, 512, BLayout::RowMajor, 1, 512>;
using VecF32_8x512 = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_8x512 = Tile<TileType::Vec, bfloat16_t, 8, 512, BLayout::RowMajor, DYNAMIC, 512>;
using KvGammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 1, 1>>;
using KvFGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
using KvCacheGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *kv_cache,
    __gm__ bfloat16_t *kv_gamma,
    __gm__ float *kv_f,
    __gm__ int64_t *slot,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t t0_buffer = 0;  // which of 4 buffers this iteration of t0 uses
    // kv: cast(rms_norm(kv_f, cast(kv_gamma, fp32), eps=eps), bf16)
    VecB16_1x512 kv_gamma_tile; TASSIGN<0x00000>(kv_gamma_tile);  // UB 0x00000..0x00400
    KvGammaGm kv_gamma_in(kv_gamma);
    TLOAD(kv_gamma_tile, kv_gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    VecF32_1x512 kv_1; TASSIGN<0x18400>(kv_1);  // UB 0x18400..0x18c00
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
    TCVT(kv_1, kv_gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_buffer = (t0_buffer + 1) % 4) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        VecF32_8x512 kv_f_tile(t0_valid); TASSIGN(kv_f_tile, 0x00400 + t0_buffer * 0x04000);  // UB 0x00400..0x10400, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        KvFGm kv_f_in(kv_f + int64_t(t0) * 512, {t0_valid});
        TLOAD(kv_f_tile, kv_f_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_8x512 kv_square(t0_valid); TASSIGN<0x18c00>(kv_square);  // UB 0x18c00..0x1cc00
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TMUL(kv_square, kv_f_tile, kv_f_tile);
        VecF32_8x512 kv_var_part(t0_valid); TASSIGN<0x18c00>(kv_var_part);  // UB 0x18c00..0x1cc00
        pipe_barrier(PIPE_V);
        TMULS(kv_var_part, kv_square, 0.001953125f);
        VecF32_8x1 kv_var(t0_valid); TASSIGN<0x1cc00>(kv_var);  // UB 0x1cc00..0x1cc20
        VecF32_8x128 kv_var_tmp(t0_valid); TASSIGN<0x1cc20>(kv_var_tmp);  // UB 0x1cc20..0x1dc20
        pipe_barrier(PIPE_V);
        TROWSUM(kv_var, kv_var_part, kv_var_tmp);
        VecF32_1x8 kv_var_eps_row(t0_valid); TASSIGN<0x18c00>(kv_var_eps_row);  // as a row, same bytes as kv_var_eps
        VecF32_1x8 kv_var_row(t0_valid); TASSIGN<0x1cc00>(kv_var_row);  // as a row, same bytes as kv_var
        pipe_barrier(PIPE_V);
        TADDS(kv_var_eps_row, kv_var_row, eps);
        VecF32_1x8 kv_std_row(t0_valid); TASSIGN<0x18c00>(kv_std_row);  // as a row, same bytes as kv_std
        pipe_barrier(PIPE_V);
        TSQRT(kv_std_row, kv_var_eps_row);
        VecF32_1x8 kv_std_inverse_row(t0_valid); TASSIGN<0x18c20>(kv_std_inverse_row);  // as a row, same bytes as kv_std_inverse
        pipe_barrier(PIPE_V);
        TRECIP(kv_std_inverse_row, kv_std_row);
        VecF32_8x512 kv_unit(t0_valid); TASSIGN<0x18c40>(kv_unit);  // UB 0x18c40..0x1cc40
        VecF32_8x1 kv_std_inverse(t0_valid); TASSIGN<0x18c20>(kv_std_inverse);  // UB 0x18c20..0x18c40
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(kv_unit, kv_f_tile, kv_std_inverse);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_8x512 kv_3(t0_valid); TASSIGN<0x18c40>(kv_3);  // UB 0x18c40..0x1cc40
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(kv_3, kv_unit, kv_1);
        VecB16_8x512 kv(t0_valid); TASSIGN(kv, 0x10400 + t0_buffer * 0x02000);  // UB 0x10400..0x18400, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(kv, kv_3, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        // rows of kv to the slots in slot
        for (int32_t row = 0; row < t0_valid; ++row) {
            const int64_t slot_i = slot[int64_t(row) + int64_t(t0)];
            if (slot_i < 0) {  // this row is not kept
                continue;
            }
            // kv_cache: scatter_update(kv_cache, slot, kv, dim=0)
            VecB16_1x512 kv_one; TASSIGN(kv_one, 0x10400 + row * 0x00400 + t0_buffer * 0x02000);  // row of kv
            KvCacheGm kv_cache_out(kv_cache + int64_t(slot_i) * 512);
            TSTORE(kv_cache_out, kv_one);
        }
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_norm(
    __gm__ bfloat16_t *kv_cache, __gm__ bfloat16_t *kv_gamma, __gm__ float *kv_f, __gm__ int64_t *slot, float eps,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(kv_cache, kv_gamma, kv_f, slot, eps, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
