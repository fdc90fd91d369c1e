// normalise: vector kernel of `gated_delta_step` for a2a3. Made by pyptogen; change the spec, not this file.
// stages normalise; tiles b 2; memory UB 151680 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x8_c2 = Tile<TileType::Vec, float, 32, 8, BLayout::RowMajor, DYNAMIC, 2>;
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using GGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 2>, Stride<1, 1, 1, 2, 1>>;
using QNGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *q_n,
    __gm__ float *k_n,
    __gm__ float *decay,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ float *g,
    float eps,
    int32_t b_begin,
    int32_t b_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t b0_buffer = 0;  // which of 2 buffers this iteration of b0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t b0 = b_begin + block * 2; b0 < b_end; b0 += nblk * 2, b0_buffer ^= 1) {
        const int32_t b0_valid = b_end - b0 < 2 ? b_end - b0 : 2;
        // f: cast(x, fp32)
        VecB16_32x128 q_tile(b0_valid * 16); TASSIGN(q_tile, 0x00000 + b0_buffer * 0x02000);  // UB 0x00000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + b0_buffer));  // free again
        QGm q_in(q + int64_t(b0) * 2048, {b0_valid * 16});
        TLOAD(q_tile, q_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + b0_buffer));
        VecB16_32x128 k_tile(b0_valid * 16); TASSIGN(k_tile, 0x0c000 + b0_buffer * 0x02000);  // UB 0x0c000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + b0_buffer));  // free again
        QGm k_in(k + int64_t(b0) * 2048, {b0_valid * 16});
        TLOAD(k_tile, k_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + b0_buffer));
        // decay: exp(g)
        VecF32_32x8_c2 g_tile(b0_valid * 16); TASSIGN(g_tile, 0x18000 + b0_buffer * 0x00400);  // UB 0x18000..0x18800, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(b0_buffer));  // free again
        GGm g_in(g + int64_t(b0) * 32, {b0_valid * 16});
        TLOAD(g_tile, g_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(b0_buffer));
        // f: cast(x, fp32)
        VecF32_32x128 q_n_f(b0_valid * 16); TASSIGN<0x19000>(q_n_f);  // UB 0x19000..0x1d000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + b0_buffer));
        TCVT(q_n_f, q_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + b0_buffer));
        // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)
        VecF32_32x128 q_n_1(b0_valid * 16); TASSIGN<0x1d000>(q_n_1);  // UB 0x1d000..0x21000
        pipe_barrier(PIPE_V);
        TMUL(q_n_1, q_n_f, q_n_f);
        VecF32_32x1 q_n_2(b0_valid * 16); TASSIGN<0x21000>(q_n_2);  // UB 0x21000..0x21080
        VecF32_32x128 q_n_2_tmp(b0_valid * 16); TASSIGN<0x21080>(q_n_2_tmp);  // UB 0x21080..0x25080
        pipe_barrier(PIPE_V);
        TROWSUM(q_n_2, q_n_1, q_n_2_tmp);
        VecF32_1x32 q_n_3_row(b0_valid * 16); TASSIGN<0x1d000>(q_n_3_row);  // as a row, same bytes as q_n_3
        VecF32_1x32 q_n_2_row(b0_valid * 16); TASSIGN<0x21000>(q_n_2_row);  // as a row, same bytes as q_n_2
        pipe_barrier(PIPE_V);
        TADDS(q_n_3_row, q_n_2_row, eps);
        VecF32_1x32 q_n_4_row(b0_valid * 16); TASSIGN<0x1d000>(q_n_4_row);  // as a row, same bytes as q_n_4
        pipe_barrier(PIPE_V);
        TSQRT(q_n_4_row, q_n_3_row);
        VecF32_32x128 q_n_5(b0_valid * 16); TASSIGN<0x19000>(q_n_5);  // UB 0x19000..0x1d000
        VecF32_32x1 q_n_4(b0_valid * 16); TASSIGN<0x1d000>(q_n_4);  // UB 0x1d000..0x1d080
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(q_n_5, q_n_f, q_n_4);
        // q_n: unit(q) * dk ** -0.5
        VecF32_32x128 q_n_tile(b0_valid * 16); TASSIGN(q_n_tile, 0x04000 + b0_buffer * 0x04000);  // UB 0x04000..0x0c000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + b0_buffer));  // free again
        TMULS(q_n_tile, q_n_5, 0.088388346f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + b0_buffer));
        // f: cast(x, fp32)
        VecF32_32x128 k_n_f(b0_valid * 16); TASSIGN<0x19000>(k_n_f);  // UB 0x19000..0x1d000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + b0_buffer));
        TCVT(k_n_f, k_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + b0_buffer));
        // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)
        VecF32_32x128 k_n_1(b0_valid * 16); TASSIGN<0x1d000>(k_n_1);  // UB 0x1d000..0x21000
        pipe_barrier(PIPE_V);
        TMUL(k_n_1, k_n_f, k_n_f);
        VecF32_32x1 k_n_2(b0_valid * 16); TASSIGN<0x21000>(k_n_2);  // UB 0x21000..0x21080
        VecF32_32x128 k_n_2_tmp(b0_valid * 16); TASSIGN<0x21080>(k_n_2_tmp);  // UB 0x21080..0x25080
        pipe_barrier(PIPE_V);
        TROWSUM(k_n_2, k_n_1, k_n_2_tmp);
        VecF32_1x32 k_n_3_row(b0_valid * 16); TASSIGN<0x1d000>(k_n_3_row);  // as a row, same bytes as k_n_3
        VecF32_1x32 k_n_2_row(b0_valid * 16); TASSIGN<0x21000>(k_n_2_row);  // as a row, same bytes as k_n_2
        pipe_barrier(PIPE_V);
        TADDS(k_n_3_row, k_n_2_row, eps);
        VecF32_1x32 k_n_4_row(b0_valid * 16); TASSIGN<0x1d000>(k_n_4_row);  // as a row, same bytes as k_n_4
        pipe_barrier(PIPE_V);
        TSQRT(k_n_4_row, k_n_3_row);
        VecF32_32x128 k_n_tile(b0_valid * 16); TASSIGN(k_n_tile, 0x10000 + b0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        VecF32_32x1 k_n_4(b0_valid * 16); TASSIGN<0x1d000>(k_n_4);  // UB 0x1d000..0x1d080
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(b0_buffer));  // free again
        TROWEXPANDDIV(k_n_tile, k_n_f, k_n_4);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + b0_buffer));
        // decay: exp(g)
        VecF32_32x8_c2 decay_tile(b0_valid * 16); TASSIGN(decay_tile, 0x18800 + b0_buffer * 0x00400);  // UB 0x18800..0x19000, 2 copies
        wait_flag(PIPE_MTE2, PIPE_V, event_t(b0_buffer));
        TEXP(decay_tile, g_tile);
        set_flag(PIPE_V, PIPE_MTE3, event_t(b0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(b0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + b0_buffer));
        // q_n: unit(q) * dk ** -0.5
        QNGm q_n_out(q_n + int64_t(b0) * 2048, {b0_valid * 16});
        TSTORE(q_n_out, q_n_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + b0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + b0_buffer));
        // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)
        QNGm k_n_out(k_n + int64_t(b0) * 2048, {b0_valid * 16});
        TSTORE(k_n_out, k_n_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(b0_buffer));
        // decay: exp(g)
        GGm decay_out(decay + int64_t(b0) * 32, {b0_valid * 16});
        TSTORE(decay_out, decay_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(b0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void normalise(
    __gm__ float *q_n, __gm__ float *k_n, __gm__ float *decay, __gm__ bfloat16_t *q, __gm__ bfloat16_t *k,
    __gm__ float *g, float eps, int32_t b_begin, int32_t b_end, int32_t nblk)
{
    run_block(q_n, k_n, decay, q, k, g, eps, b_begin, b_end, nblk, static_cast<int32_t>(get_block_idx()));
}
