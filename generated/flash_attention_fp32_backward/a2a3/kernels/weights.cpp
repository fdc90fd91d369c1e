// weights: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages weights; tiles heads 1, kv 512, sq 8; memory UB 151648 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x512 = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ float *p,
    __gm__ float *s,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t kv0_buffer = 0;  // which of 2 buffers this iteration of kv0 uses
    int32_t kv0_buffer_2 = 0;  // which of 2 buffers this iteration of kv0 uses
    int32_t kv0_buffer_3 = 0;  // which of 2 buffers this iteration of kv0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // 2 buffers are free at first
    const int32_t tiles = (sq_end - sq_begin + 7) / 8 * 8;  // of sq0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t sq0 = sq_begin + tile / 8 * 8;
        const int32_t sq0_valid = sq_end - sq0 < 8 ? sq_end - sq0 : 8;
        const int32_t heads0 = tile % 8;
        // p: softmax(s)
        VecF32_1x8 p_max_row(sq0_valid); TASSIGN<0x20000>(p_max_row);  // as a row, same bytes as p_max
        TEXPANDS(p_max_row, -__builtin_inff());
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 512, kv0_buffer ^= 1) {
            const int32_t kv0_valid = kv - kv0 < 512 ? kv - kv0 : 512;
            VecF32_8x512 s_tile(sq0_valid, kv0_valid); TASSIGN(s_tile, 0x00000 + kv0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));  // free again
            SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
            TLOAD(s_tile, s_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(4 + kv0_buffer));
            VecF32_8x1 p_max_part(sq0_valid); TASSIGN<0x20020>(p_max_part);  // UB 0x20020..0x20040
            VecF32_8x128 p_max_part_tmp(sq0_valid); TASSIGN<0x20040>(p_max_part_tmp);  // UB 0x20040..0x21040
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + kv0_buffer));
            TROWMAX(p_max_part, s_tile, p_max_part_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(kv0_buffer));
            VecF32_1x8 p_max_part_row(sq0_valid); TASSIGN<0x20020>(p_max_part_row);  // as a row, same bytes as p_max_part
            pipe_barrier(PIPE_V);
            TMAX(p_max_row, p_max_row, p_max_part_row);
        }
        VecF32_1x8 p_sum_row(sq0_valid); TASSIGN<0x20020>(p_sum_row);  // as a row, same bytes as p_sum
        pipe_barrier(PIPE_V);
        TEXPANDS(p_sum_row, 0.0f);
        VecF32_8x1 p_max(sq0_valid); TASSIGN<0x20000>(p_max);  // UB 0x20000..0x20020
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 512, kv0_buffer_2 ^= 1) {
            const int32_t kv0_valid = kv - kv0 < 512 ? kv - kv0 : 512;
            VecF32_8x512 s_tile_2(sq0_valid, kv0_valid); TASSIGN(s_tile_2, 0x08000 + kv0_buffer_2 * 0x04000);  // UB 0x08000..0x10000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer_2));  // free again
            SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
            TLOAD(s_tile_2, s_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer_2));
            VecF32_8x512 p_c(sq0_valid, kv0_valid); TASSIGN<0x20040>(p_c);  // UB 0x20040..0x24040
            wait_flag(PIPE_MTE2, PIPE_V, event_t(kv0_buffer_2));
            TROWEXPANDSUB(p_c, s_tile_2, p_max);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + kv0_buffer_2));
            VecF32_8x512 p_e(sq0_valid, kv0_valid); TASSIGN<0x20040>(p_e);  // UB 0x20040..0x24040
            pipe_barrier(PIPE_V);
            TEXP(p_e, p_c);
            VecF32_8x1 p_sum_part(sq0_valid); TASSIGN<0x24040>(p_sum_part);  // UB 0x24040..0x24060
            VecF32_8x128 p_sum_part_tmp(sq0_valid); TASSIGN<0x24060>(p_sum_part_tmp);  // UB 0x24060..0x25060
            pipe_barrier(PIPE_V);
            TROWSUM(p_sum_part, p_e, p_sum_part_tmp);
            VecF32_1x8 p_sum_part_row(sq0_valid); TASSIGN<0x24040>(p_sum_part_row);  // as a row, same bytes as p_sum_part
            pipe_barrier(PIPE_V);
            TADD(p_sum_row, p_sum_row, p_sum_part_row);
        }
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 512, kv0_buffer_3 ^= 1) {
            const int32_t kv0_valid = kv - kv0 < 512 ? kv - kv0 : 512;
            VecF32_8x512 s_tile_3(sq0_valid, kv0_valid); TASSIGN(s_tile_3, 0x10000 + kv0_buffer_3 * 0x04000);  // UB 0x10000..0x18000, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + kv0_buffer_3));  // free again
            SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
            TLOAD(s_tile_3, s_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv0_buffer_3));
            VecF32_8x512 p_c_again(sq0_valid, kv0_valid); TASSIGN<0x20040>(p_c_again);  // UB 0x20040..0x24040
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + kv0_buffer_3));
            TROWEXPANDSUB(p_c_again, s_tile_3, p_max);
            set_flag(PIPE_V, PIPE_MTE2, event_t(4 + kv0_buffer_3));
            VecF32_8x512 p_e_again(sq0_valid, kv0_valid); TASSIGN<0x20040>(p_e_again);  // UB 0x20040..0x24040
            pipe_barrier(PIPE_V);
            TEXP(p_e_again, p_c_again);
            VecF32_8x512 p_tile(sq0_valid, kv0_valid); TASSIGN(p_tile, 0x18000 + kv0_buffer_3 * 0x04000);  // UB 0x18000..0x20000, 2 copies
            VecF32_8x1 p_sum(sq0_valid); TASSIGN<0x20020>(p_sum);  // UB 0x20020..0x20040
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE3, PIPE_V, event_t(kv0_buffer_3));  // free again
            TROWEXPANDDIV(p_tile, p_e_again, p_sum);
            set_flag(PIPE_V, PIPE_MTE3, event_t(kv0_buffer_3));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(kv0_buffer_3));
            SGm p_out(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
            TSTORE(p_out, p_tile);
            set_flag(PIPE_MTE3, PIPE_V, event_t(kv0_buffer_3));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void weights(
    __gm__ float *p, __gm__ float *s, int32_t sq_begin, int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    run_block(p, s, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
