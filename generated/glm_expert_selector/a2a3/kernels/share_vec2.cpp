// share_vec2: vector kernel of `glm_expert_selector` for a2a3. Made by pyptogen; change the spec, not this file.
// stages share; tiles t 32; memory UB 5248 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x8 = Tile<TileType::Vec, float, 32, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using ChosenGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ float *weight,
    __gm__ float *chosen,
    float scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 32; t0 < t_end; t0 += nblk * 32, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 32 ? t_end - t0 : 32;
        // weight: chosen / (sum(chosen, axis=-1, keepdim=true) + 1.0e-20) * scale
        VecF32_32x8 chosen_tile(t0_valid); TASSIGN(chosen_tile, 0x00000 + t0_buffer * 0x00400);  // UB 0x00000..0x00800, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        ChosenGm chosen_in(chosen + int64_t(t0) * 8, {t0_valid});
        TLOAD(chosen_tile, chosen_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecF32_32x1 weight_1(t0_valid); TASSIGN<0x01000>(weight_1);  // UB 0x01000..0x01080
        VecF32_32x8 weight_1_tmp(t0_valid); TASSIGN<0x01080>(weight_1_tmp);  // UB 0x01080..0x01480
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TROWSUM(weight_1, chosen_tile, weight_1_tmp);
        VecF32_1x32 weight_2_row(t0_valid); TASSIGN<0x01000>(weight_2_row);  // as a row, same bytes as weight_2
        VecF32_1x32 weight_1_row(t0_valid); TASSIGN<0x01000>(weight_1_row);  // as a row, same bytes as weight_1
        pipe_barrier(PIPE_V);
        TADDS(weight_2_row, weight_1_row, 1e-20f);
        VecF32_32x8 weight_3(t0_valid); TASSIGN<0x01080>(weight_3);  // UB 0x01080..0x01480
        VecF32_32x1 weight_2(t0_valid); TASSIGN<0x01000>(weight_2);  // UB 0x01000..0x01080
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(weight_3, chosen_tile, weight_2);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecF32_32x8 weight_tile(t0_valid); TASSIGN(weight_tile, 0x00800 + t0_buffer * 0x00400);  // UB 0x00800..0x01000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TMULS(weight_tile, weight_3, scale);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        ChosenGm weight_out(weight + int64_t(t0) * 8, {t0_valid});
        TSTORE(weight_out, weight_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void share_vec2(
    __gm__ float *weight, __gm__ float *chosen, float scale, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(weight, chosen, scale, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
