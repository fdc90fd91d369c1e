// norm_vec2: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages norm; tiles i1 1536, i2 4; memory UB 75872 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1536 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using XN1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 7168, 1>>;
using XNVarGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *x_n_var,
    __gm__ float *x_n_1,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i2 = block * 4; i2 < t; i2 += nblk * 4, i2_buffer ^= 1) {
        const int32_t i2_valid = t - i2 < 4 ? t - i2 : 4;
        // x_n: cast(rms_norm(cast(x, fp32), cast(gamma, fp32), eps=eps), bf16)
        VecF32_1x8 total_row(i2_valid); TASSIGN(total_row, 0x00000 + i2_buffer * 0x00020);  // as a row, same bytes as total
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        TEXPANDS(total_row, 0.0f);
        for (int32_t i1 = 0; i1 < 7168; i1 += 1536, i1_buffer ^= 1) {
            const int32_t i1_valid = 7168 - i1 < 1536 ? 7168 - i1 : 1536;
            VecF32_8x1536 x_n_1_tile(i2_valid, i1_valid); TASSIGN(x_n_1_tile, 0x00040 + i1_buffer * 0x06000);  // UB 0x00040..0x0c040, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
            XN1Gm x_n_1_in(x_n_1 + int64_t(i2) * 7168 + int64_t(i1), {i2_valid, i1_valid});
            TLOAD(x_n_1_tile, x_n_1_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
            VecF32_8x1536 x_n_square(i2_valid, i1_valid); TASSIGN<0x0c040>(x_n_square);  // UB 0x0c040..0x12040
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
            TMUL(x_n_square, x_n_1_tile, x_n_1_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
            VecF32_8x1536 x_n_var_part(i2_valid, i1_valid); TASSIGN<0x0c040>(x_n_var_part);  // UB 0x0c040..0x12040
            pipe_barrier(PIPE_V);
            TMULS(x_n_var_part, x_n_square, 0.00013950893f);
            VecF32_8x1 found(i2_valid); TASSIGN<0x12040>(found);  // UB 0x12040..0x12060
            VecF32_8x128 found_tmp(i2_valid); TASSIGN<0x12060>(found_tmp);  // UB 0x12060..0x12860
            pipe_barrier(PIPE_V);
            TROWSUM(found, x_n_var_part, found_tmp);
            VecF32_1x8 found_row(i2_valid); TASSIGN<0x12040>(found_row);  // as a row, same bytes as found
            pipe_barrier(PIPE_V);
            TADD(total_row, total_row, found_row);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        XNVarGm x_n_var_out(x_n_var + int64_t(i2), {i2_valid});
        TSTORE(x_n_var_out, total_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void norm_vec2(__gm__ float *x_n_var, __gm__ float *x_n_1, int32_t t, int32_t nblk)
{
    run_block(x_n_var, x_n_1, t, nblk, static_cast<int32_t>(get_block_idx()));
}
