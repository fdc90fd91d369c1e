// normalise: vector kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages normalise; tiles b 1, s 1; memory UB 57408 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_16x128 = Tile<TileType::Vec, bfloat16_t, 16, 128, BLayout::RowMajor, 16, 128>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128>;
using VecF32_16x1 = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
using VecF32_1x16 = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;
using QGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 16, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    float eps,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t s0_buffer = 0;  // which of 2 buffers this iteration of s0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    const int32_t s0_tiles = s;
    const int32_t tiles = (b_end - b_begin) * s0_tiles;  // of b0 and s0
    for (int32_t tile = block; tile < tiles; tile += nblk, s0_buffer ^= 1) {
        const int32_t b0 = b_begin + tile / s0_tiles;
        const int32_t s0 = tile % s0_tiles;
        // f: cast(x, fp32)
        VecB16_16x128 q_tile; TASSIGN(q_tile, 0x00000 + s0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_buffer));  // free again
        QGm q_in(q + int64_t(b0) * s * 2048 + int64_t(s0) * 2048);
        TLOAD(q_tile, q_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_buffer));
        VecB16_16x128 k_tile; TASSIGN(k_tile, 0x04000 + s0_buffer * 0x01000);  // UB 0x04000..0x06000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));  // free again
        QGm k_in(k + int64_t(b0) * s * 2048 + int64_t(s0) * 2048);
        TLOAD(k_tile, k_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        VecF32_16x128 q_n_f; TASSIGN<0x08000>(q_n_f);  // UB 0x08000..0x0a000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + s0_buffer));
        TCVT(q_n_f, q_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + s0_buffer));
        // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)
        VecF32_16x128 q_n_1; TASSIGN<0x0a000>(q_n_1);  // UB 0x0a000..0x0c000
        pipe_barrier(PIPE_V);
        TMUL(q_n_1, q_n_f, q_n_f);
        VecF32_16x1 q_n_2; TASSIGN<0x0c000>(q_n_2);  // UB 0x0c000..0x0c040
        VecF32_16x128 q_n_2_tmp; TASSIGN<0x0c040>(q_n_2_tmp);  // UB 0x0c040..0x0e040
        pipe_barrier(PIPE_V);
        TROWSUM(q_n_2, q_n_1, q_n_2_tmp);
        VecF32_1x16 q_n_3_row; TASSIGN<0x0a000>(q_n_3_row);  // as a row, same bytes as q_n_3
        VecF32_1x16 q_n_2_row; TASSIGN<0x0c000>(q_n_2_row);  // as a row, same bytes as q_n_2
        pipe_barrier(PIPE_V);
        TADDS(q_n_3_row, q_n_2_row, eps);
        VecF32_1x16 q_n_4_row; TASSIGN<0x0a000>(q_n_4_row);  // as a row, same bytes as q_n_4
        pipe_barrier(PIPE_V);
        TSQRT(q_n_4_row, q_n_3_row);
        VecF32_1x16 q_n_4_inverse_row; TASSIGN<0x0a040>(q_n_4_inverse_row);  // as a row, same bytes as q_n_4_inverse
        pipe_barrier(PIPE_V);
        TRECIP(q_n_4_inverse_row, q_n_4_row);
        VecF32_16x128 q_n_5; TASSIGN<0x08000>(q_n_5);  // UB 0x08000..0x0a000
        VecF32_16x1 q_n_4_inverse; TASSIGN<0x0a040>(q_n_4_inverse);  // UB 0x0a040..0x0a080
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(q_n_5, q_n_f, q_n_4_inverse);
        // q_n: cast(unit(q) * dk ** -0.5, bf16)
        VecF32_16x128 q_n_6; TASSIGN<0x08000>(q_n_6);  // UB 0x08000..0x0a000
        pipe_barrier(PIPE_V);
        TMULS(q_n_6, q_n_5, 0.088388346f);
        VecB16_16x128 q_n_tile; TASSIGN(q_n_tile, 0x02000 + s0_buffer * 0x01000);  // UB 0x02000..0x04000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + s0_buffer));  // free again
        TCVT(q_n_tile, q_n_6, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_buffer));
        // f: cast(x, fp32)
        VecF32_16x128 k_n_f; TASSIGN<0x08000>(k_n_f);  // UB 0x08000..0x0a000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(s0_buffer));
        TCVT(k_n_f, k_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, event_t(s0_buffer));
        // return: f / sqrt(sum(f * f, axis=-1, keepdim=true) + eps)
        VecF32_16x128 k_n_1; TASSIGN<0x0a000>(k_n_1);  // UB 0x0a000..0x0c000
        pipe_barrier(PIPE_V);
        TMUL(k_n_1, k_n_f, k_n_f);
        VecF32_16x1 k_n_2; TASSIGN<0x0c000>(k_n_2);  // UB 0x0c000..0x0c040
        VecF32_16x128 k_n_2_tmp; TASSIGN<0x0c040>(k_n_2_tmp);  // UB 0x0c040..0x0e040
        pipe_barrier(PIPE_V);
        TROWSUM(k_n_2, k_n_1, k_n_2_tmp);
        VecF32_1x16 k_n_3_row; TASSIGN<0x0a000>(k_n_3_row);  // as a row, same bytes as k_n_3
        VecF32_1x16 k_n_2_row; TASSIGN<0x0c000>(k_n_2_row);  // as a row, same bytes as k_n_2
        pipe_barrier(PIPE_V);
        TADDS(k_n_3_row, k_n_2_row, eps);
        VecF32_1x16 k_n_4_row; TASSIGN<0x0a000>(k_n_4_row);  // as a row, same bytes as k_n_4
        pipe_barrier(PIPE_V);
        TSQRT(k_n_4_row, k_n_3_row);
        VecF32_1x16 k_n_4_inverse_row; TASSIGN<0x0a040>(k_n_4_inverse_row);  // as a row, same bytes as k_n_4_inverse
        pipe_barrier(PIPE_V);
        TRECIP(k_n_4_inverse_row, k_n_4_row);
        VecF32_16x128 k_n_5; TASSIGN<0x08000>(k_n_5);  // UB 0x08000..0x0a000
        VecF32_16x1 k_n_4_inverse; TASSIGN<0x0a040>(k_n_4_inverse);  // UB 0x0a040..0x0a080
        pipe_barrier(PIPE_V);
        TROWEXPANDMUL(k_n_5, k_n_f, k_n_4_inverse);
        // k_n: cast(unit(k), bf16)
        VecB16_16x128 k_n_tile; TASSIGN(k_n_tile, 0x06000 + s0_buffer * 0x01000);  // UB 0x06000..0x08000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));  // free again
        TCVT(k_n_tile, k_n_5, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + s0_buffer));
        // q_n: cast(unit(q) * dk ** -0.5, bf16)
        QGm q_n_out(q_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048);
        TSTORE(q_n_out, q_n_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + s0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(s0_buffer));
        // k_n: cast(unit(k), bf16)
        QGm k_n_out(k_n + int64_t(b0) * s * 2048 + int64_t(s0) * 2048);
        TSTORE(k_n_out, k_n_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(s0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void normalise(
    __gm__ bfloat16_t *q_n, __gm__ bfloat16_t *k_n, __gm__ bfloat16_t *q, __gm__ bfloat16_t *k, float eps,
    int32_t b_begin, int32_t b_end, int32_t s, int32_t nblk)
{
    run_block(q_n, k_n, q, k, eps, b_begin, b_end, s, nblk, static_cast<int32_t>(get_block_idx()));
}
