// norm: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages norm; tiles h 3584, t 2; memory UB 143424 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_8x3584 = Tile<TileType::Vec, bfloat16_t, 8, 3584, BLayout::RowMajor, DYNAMIC, 3584>;
using VecF32_8x3584 = Tile<TileType::Vec, float, 8, 3584, BLayout::RowMajor, DYNAMIC, 3584>;
using VecF32_8x3584_c1792 = Tile<TileType::Vec, float, 8, 3584, BLayout::RowMajor, DYNAMIC, 1792>;
using VecF32_8x3584_c896 = Tile<TileType::Vec, float, 8, 3584, BLayout::RowMajor, DYNAMIC, 896>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecB16_1x3584 = Tile<TileType::Vec, bfloat16_t, 1, 3584, BLayout::RowMajor, 1, 3584>;
using VecF32_1x3584 = Tile<TileType::Vec, float, 1, 3584, BLayout::RowMajor, 1, 3584>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 3584>, Stride<1, 1, 1, 7168, 1>>;
using GammaGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 3584>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *gamma,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t h0_buffer = 0;  // which of 2 buffers this iteration of h0 uses
    int32_t h0_buffer_2 = 0;  // which of 2 buffers this iteration of h0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 2; t0 < t_end; t0 += nblk * 2) {
        const int32_t t0_valid = t_end - t0 < 2 ? t_end - t0 : 2;
        // x_n: cast(rms_norm(cast(x, fp32), cast(gamma, fp32), eps=eps), bf16)
        VecF32_1x8 x_n_var_row(t0_valid); TASSIGN<0x18800>(x_n_var_row);  // as a row, same bytes as x_n_var
        TEXPANDS(x_n_var_row, 0.0f);
        for (int32_t h0 = 0; h0 < 7168; h0 += 3584, h0_buffer ^= 1) {
            VecB16_8x3584 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + h0_buffer * 0x03800);  // UB 0x00000..0x07000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + h0_buffer));  // free again
            XGm x_in(x + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_tile, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + h0_buffer));
            VecF32_8x3584 x_n_1(t0_valid); TASSIGN(x_n_1, 0x18820);  // UB 0x18820..0x1f820
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + h0_buffer));
            TCVT(x_n_1, x_tile, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + h0_buffer));
            VecF32_8x3584 x_n_square(t0_valid); TASSIGN(x_n_square, 0x18820);  // UB 0x18820..0x1f820
            pipe_barrier(PIPE_V);
            TMUL(x_n_square, x_n_1, x_n_1);
            VecF32_8x3584 x_n_var_part(t0_valid); TASSIGN(x_n_var_part, 0x18820);  // UB 0x18820..0x1f820
            pipe_barrier(PIPE_V);
            TMULS(x_n_var_part, x_n_square, 0.00013950893f);
            VecF32_8x3584_c1792 x_n_var_part_1792(t0_valid); TASSIGN(x_n_var_part_1792, 0x18820);  // columns 0.. of x_n_var_part
            VecF32_8x3584_c1792 x_n_var_part_from_1792(t0_valid); TASSIGN(x_n_var_part_from_1792, 0x1a420);  // columns 1792.. of x_n_var_part
            pipe_barrier(PIPE_V);
            TADD(x_n_var_part_1792, x_n_var_part_1792, x_n_var_part_from_1792);
            VecF32_8x3584_c896 x_n_var_part_896(t0_valid); TASSIGN(x_n_var_part_896, 0x18820);  // columns 0.. of x_n_var_part
            VecF32_8x3584_c896 x_n_var_part_from_896(t0_valid); TASSIGN(x_n_var_part_from_896, 0x19620);  // columns 896.. of x_n_var_part
            pipe_barrier(PIPE_V);
            TADD(x_n_var_part_896, x_n_var_part_896, x_n_var_part_from_896);
            VecF32_8x1 x_n_var_part_2(t0_valid); TASSIGN<0x1f820>(x_n_var_part_2);  // UB 0x1f820..0x1f840
            VecF32_8x128 x_n_var_part_2_tmp(t0_valid); TASSIGN<0x1f840>(x_n_var_part_2_tmp);  // UB 0x1f840..0x1fc40
            pipe_barrier(PIPE_V);
            TROWSUM(x_n_var_part_2, x_n_var_part_896, x_n_var_part_2_tmp);
            VecF32_1x8 x_n_var_part_2_row(t0_valid); TASSIGN<0x1f820>(x_n_var_part_2_row);  // as a row, same bytes as x_n_var_part_2
            pipe_barrier(PIPE_V);
            TADD(x_n_var_row, x_n_var_row, x_n_var_part_2_row);
        }
        VecF32_1x8 x_n_var_eps_row(t0_valid); TASSIGN<0x18800>(x_n_var_eps_row);  // as a row, same bytes as x_n_var_eps
        pipe_barrier(PIPE_V);
        TADDS(x_n_var_eps_row, x_n_var_row, eps);
        VecF32_1x8 x_n_std_row(t0_valid); TASSIGN<0x18800>(x_n_std_row);  // as a row, same bytes as x_n_std
        pipe_barrier(PIPE_V);
        TSQRT(x_n_std_row, x_n_var_eps_row);
        VecF32_1x8 x_n_std_inverse_row(t0_valid); TASSIGN<0x18820>(x_n_std_inverse_row);  // as a row, same bytes as x_n_std_inverse
        pipe_barrier(PIPE_V);
        TRECIP(x_n_std_inverse_row, x_n_std_row);
        for (int32_t h0 = 0; h0 < 7168; h0 += 3584, h0_buffer_2 ^= 1) {
            VecB16_8x3584 x_tile_2(t0_valid); TASSIGN(x_tile_2, 0x07000 + h0_buffer_2 * 0x03800);  // UB 0x07000..0x0e000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + h0_buffer_2));  // free again
            XGm x_in(x + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TLOAD(x_tile_2, x_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + h0_buffer_2));
            VecB16_1x3584 gamma_tile; TASSIGN(gamma_tile, 0x0e000 + h0_buffer_2 * 0x01c00);  // UB 0x0e000..0x11800, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(h0_buffer_2));  // free again
            GammaGm gamma_in(gamma + int64_t(h0));
            TLOAD(gamma_tile, gamma_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(h0_buffer_2));
            VecF32_8x3584 x_n_1_again(t0_valid); TASSIGN(x_n_1_again, 0x18840);  // UB 0x18840..0x1f840
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + h0_buffer_2));
            TCVT(x_n_1_again, x_tile_2, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + h0_buffer_2));
            VecF32_8x3584 x_n_unit(t0_valid); TASSIGN(x_n_unit, 0x18840);  // UB 0x18840..0x1f840
            VecF32_8x1 x_n_std_inverse(t0_valid); TASSIGN<0x18820>(x_n_std_inverse);  // UB 0x18820..0x18840
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(x_n_unit, x_n_1_again, x_n_std_inverse);
            VecF32_1x3584 x_n_2_again; TASSIGN<0x1f840>(x_n_2_again);  // UB 0x1f840..0x23040
            wait_flag(PIPE_MTE2, PIPE_V, event_t(h0_buffer_2));
            TCVT(x_n_2_again, gamma_tile, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE2, event_t(h0_buffer_2));
            VecF32_8x3584 x_n_4(t0_valid); TASSIGN(x_n_4, 0x18840);  // UB 0x18840..0x1f840
            pipe_barrier(PIPE_V);
            TCOLEXPANDMUL(x_n_4, x_n_unit, x_n_2_again);
            VecB16_8x3584 x_n_tile(t0_valid); TASSIGN(x_n_tile, 0x11800 + h0_buffer_2 * 0x03800);  // UB 0x11800..0x18800, 2 copies
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(h0_buffer_2));  // free again
            TCVT(x_n_tile, x_n_4, RoundMode::CAST_RINT, SaturationMode::ON);
            set_flag(PIPE_V, PIPE_MTE3, event_t(h0_buffer_2));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(h0_buffer_2));
            XGm x_n_out(x_n + int64_t(t0) * 7168 + int64_t(h0), {t0_valid});
            TSTORE(x_n_out, x_n_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(h0_buffer_2));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void norm(
    __gm__ bfloat16_t *x_n, __gm__ bfloat16_t *x, __gm__ bfloat16_t *gamma, float eps, int32_t t_begin,
    int32_t t_end, int32_t nblk)
{
    run_block(x_n, x, gamma, eps, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
