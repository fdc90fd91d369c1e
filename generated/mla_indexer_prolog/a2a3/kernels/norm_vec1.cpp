// norm_vec1: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages norm; tiles t 2; memory UB 129024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_1x7168 = Tile<TileType::Vec, bfloat16_t, 1, 7168, BLayout::RowMajor, 1, 7168>;
using VecF32_1x7168 = Tile<TileType::Vec, float, 1, 7168, BLayout::RowMajor, 1, 7168>;
using VecB16_2x7168 = Tile<TileType::Vec, bfloat16_t, 2, 7168, BLayout::RowMajor, DYNAMIC, 7168>;
using VecF32_2x7168 = Tile<TileType::Vec, float, 2, 7168, BLayout::RowMajor, DYNAMIC, 7168>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 7168>, Stride<1, 1, 1, 1, 1>>;
using XN2Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 7168>, Stride<1, 1, 1, 1, 1>>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 7168>, Stride<1, 1, 1, 7168, 1>>;
using XN1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 7168>, Stride<1, 1, 1, 7168, 1>>;

AICORE inline void run_block(
    __gm__ float *x_n_1,
    __gm__ float *x_n_2,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *gamma,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // x_n: cast(rms_norm(cast(x, fp32), cast(gamma, fp32), eps=eps), bf16)
    VecB16_1x7168 gamma_tile; TASSIGN<0x15000>(gamma_tile);  // UB 0x15000..0x18800
    GammaGm gamma_in(gamma);
    TLOAD(gamma_tile, gamma_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    VecF32_1x7168 x_n_2_tile; TASSIGN<0x18800>(x_n_2_tile);  // UB 0x18800..0x1f800
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    TCVT(x_n_2_tile, gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    XN2Gm x_n_2_out(x_n_2);
    TSTORE(x_n_2_out, x_n_2_tile);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        VecB16_2x7168 x_tile(t0_valid); TASSIGN<0x00000>(x_tile);  // UB 0x00000..0x07000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        XGm x_in(x + int64_t(t0) * 7168, {t0_valid});
        TLOAD(x_tile, x_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecF32_2x7168 x_n_1_tile(t0_valid); TASSIGN<0x07000>(x_n_1_tile);  // UB 0x07000..0x15000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(x_n_1_tile, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        XN1Gm x_n_1_out(x_n_1 + int64_t(t0) * 7168, {t0_valid});
        TSTORE(x_n_1_out, x_n_1_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void norm_vec1(
    __gm__ float *x_n_1, __gm__ float *x_n_2, __gm__ bfloat16_t *x, __gm__ bfloat16_t *gamma, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    run_block(x_n_1, x_n_2, x, gamma, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
