// norm_vec3: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages norm; tiles t 2; memory UB 172096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x7168 = Tile<TileType::Vec, float, 1, 7168, BLayout::RowMajor, 1, 7168>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_2x7168 = Tile<TileType::Vec, float, 2, 7168, BLayout::RowMajor, DYNAMIC, 7168>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecB16_2x7168 = Tile<TileType::Vec, bfloat16_t, 2, 7168, BLayout::RowMajor, DYNAMIC, 7168>;
using XN2Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 7168>, Stride<1, 1, 1, 1, 1>>;
using XNVarGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;
using XN1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 7168>, Stride<1, 1, 1, 7168, 1>>;
using XNGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 7168>, Stride<1, 1, 1, 7168, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *x_n,
    __gm__ float *x_n_var,
    __gm__ float *x_n_1,
    __gm__ float *x_n_2,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // x_n: cast(rms_norm(cast(x, fp32), cast(gamma, fp32), eps=eps), bf16)
    VecF32_1x7168 x_n_2_tile; TASSIGN<0x0e020>(x_n_2_tile);  // UB 0x0e020..0x15020
    XN2Gm x_n_2_in(x_n_2);
    TLOAD(x_n_2_tile, x_n_2_in);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free at first
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        VecF32_1x8 x_n_var_tile_row(t0_valid); TASSIGN<0x00000>(x_n_var_tile_row);  // as a row, same bytes as x_n_var_tile
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
        XNVarGm x_n_var_in(x_n_var + int64_t(t0), {t0_valid});
        TLOAD(x_n_var_tile_row, x_n_var_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        VecF32_2x7168 x_n_1_tile(t0_valid); TASSIGN<0x00020>(x_n_1_tile);  // UB 0x00020..0x0e020
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        XN1Gm x_n_1_in(x_n_1 + int64_t(t0) * 7168, {t0_valid});
        TLOAD(x_n_1_tile, x_n_1_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecF32_1x8 x_n_var_eps_row(t0_valid); TASSIGN<0x1c020>(x_n_var_eps_row);  // as a row, same bytes as x_n_var_eps
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TADDS(x_n_var_eps_row, x_n_var_tile_row, eps);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        VecF32_1x8 x_n_std_row(t0_valid); TASSIGN<0x1c020>(x_n_std_row);  // as a row, same bytes as x_n_std
        pipe_barrier(PIPE_V);
        TSQRT(x_n_std_row, x_n_var_eps_row);
        VecF32_2x7168 x_n_unit(t0_valid); TASSIGN<0x1c040>(x_n_unit);  // UB 0x1c040..0x2a040
        VecF32_8x1 x_n_std(t0_valid); TASSIGN<0x1c020>(x_n_std);  // UB 0x1c020..0x1c040
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TROWEXPANDDIV(x_n_unit, x_n_1_tile, x_n_std);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecF32_2x7168 x_n_4(t0_valid); TASSIGN<0x1c040>(x_n_4);  // UB 0x1c040..0x2a040
        pipe_barrier(PIPE_V);
        TCOLEXPANDMUL(x_n_4, x_n_unit, x_n_2_tile);
        VecB16_2x7168 x_n_tile(t0_valid); TASSIGN<0x15020>(x_n_tile);  // UB 0x15020..0x1c020
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(x_n_tile, x_n_4, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        XNGm x_n_out(x_n + int64_t(t0) * 7168, {t0_valid});
        TSTORE(x_n_out, x_n_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void norm_vec3(
    __gm__ bfloat16_t *x_n, __gm__ float *x_n_var, __gm__ float *x_n_1, __gm__ float *x_n_2, float eps,
    int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(x_n, x_n_var, x_n_1, x_n_2, eps, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
