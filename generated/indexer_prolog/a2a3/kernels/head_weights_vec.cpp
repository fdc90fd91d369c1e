// head_weights_vec: vector kernel of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages head_weights; tiles t 128; memory UB 65536 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x64 = Tile<TileType::Vec, float, 128, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecB16_128x64 = Tile<TileType::Vec, bfloat16_t, 128, 64, BLayout::RowMajor, DYNAMIC, 64>;
using VecF16_128x64 = Tile<TileType::Vec, half, 128, 64, BLayout::RowMajor, DYNAMIC, 64>;
using WBPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;
using WeightsGm = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 64, 1>>;

AICORE inline void run_block(
    __gm__ half *weights,
    __gm__ float *w_b_parts,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free at first
    for (int32_t t0 = t_begin + block * 128; t0 < t_end; t0 += nblk * 128) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        // w_b:     matmul(x, w_proj, dtype=bf16)
        VecF32_128x64 w_b_parts_tile(t0_valid); TASSIGN<0x00000>(w_b_parts_tile);  // UB 0x00000..0x08000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
        WBPartsGm w_b_parts_in(w_b_parts + int64_t(t0) * 64, {t0_valid});
        TLOAD(w_b_parts_tile, w_b_parts_in);
        VecF32_128x64 w_b_parts_tile_2(t0_valid); TASSIGN<0x08000>(w_b_parts_tile_2);  // UB 0x08000..0x10000
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        WBPartsGm w_b_parts_in_2(w_b_parts + int64_t(t) * 64 + int64_t(t0) * 64, {t0_valid});
        TLOAD(w_b_parts_tile_2, w_b_parts_in_2);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        VecF32_128x64 w_b_add(t0_valid); TASSIGN<0x00000>(w_b_add);  // UB 0x00000..0x08000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        TADD(w_b_add, w_b_parts_tile, w_b_parts_tile_2);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        VecF32_128x64 w_b_parts_tile_3(t0_valid); TASSIGN<0x08000>(w_b_parts_tile_3);  // UB 0x08000..0x10000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        WBPartsGm w_b_parts_in_3(w_b_parts + int64_t(t) * 128 + int64_t(t0) * 64, {t0_valid});
        TLOAD(w_b_parts_tile_3, w_b_parts_in_3);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TADD(w_b_add, w_b_add, w_b_parts_tile_3);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecF32_128x64 w_b_parts_tile_4(t0_valid); TASSIGN<0x08000>(w_b_parts_tile_4);  // UB 0x08000..0x10000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        WBPartsGm w_b_parts_in_4(w_b_parts + int64_t(t) * 192 + int64_t(t0) * 64, {t0_valid});
        TLOAD(w_b_parts_tile_4, w_b_parts_in_4);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TADD(w_b_add, w_b_add, w_b_parts_tile_4);
        VecB16_128x64 w_b(t0_valid); TASSIGN<0x08000>(w_b);  // UB 0x08000..0x0c000
        pipe_barrier(PIPE_V);
        TCVT(w_b, w_b_add, RoundMode::CAST_RINT, SaturationMode::ON);
        // weights: cast(cast(w_b, fp32) * (heads ** -0.5 * d ** -0.5), fp16)
        VecF32_128x64 weights_1(t0_valid); TASSIGN<0x00000>(weights_1);  // UB 0x00000..0x08000
        pipe_barrier(PIPE_V);
        TCVT(weights_1, w_b, RoundMode::CAST_RINT, SaturationMode::ON);
        pipe_barrier(PIPE_V);
        TMULS(weights_1, weights_1, 0.011048543f);
        VecF16_128x64 weights_tile(t0_valid); TASSIGN<0x08000>(weights_tile);  // UB 0x08000..0x0c000
        pipe_barrier(PIPE_V);
        TCVT(weights_tile, weights_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        WeightsGm weights_out(weights + int64_t(t0) * 64, {t0_valid});
        TSTORE(weights_out, weights_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void head_weights_vec(
    __gm__ half *weights, __gm__ float *w_b_parts, int32_t t_begin, int32_t t_end, int32_t t, int32_t nblk)
{
    run_block(weights, w_b_parts, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
