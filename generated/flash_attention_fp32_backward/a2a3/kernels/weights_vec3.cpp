// weights_vec3: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages weights; tiles i1 1536, i2 4; memory UB 51296 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x1536 = Tile<TileType::Vec, float, 8, 1536, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using PEGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PSumGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *p_sum,
    __gm__ float *p_e,
    int32_t sq,
    int32_t kv,
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
    for (int32_t i2 = block * 4; i2 < sq * 8; i2 += nblk * 4, i2_buffer ^= 1) {
        const int32_t i2_valid = sq * 8 - i2 < 4 ? sq * 8 - i2 : 4;
        // p: softmax(s)
        VecF32_1x8 total_row(i2_valid); TASSIGN(total_row, 0x00000 + i2_buffer * 0x00020);  // as a row, same bytes as total
        wait_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));  // free again
        TEXPANDS(total_row, 0.0f);
        for (int32_t i1 = 0; i1 < kv; i1 += 1536, i1_buffer ^= 1) {
            const int32_t i1_valid = kv - i1 < 1536 ? kv - i1 : 1536;
            VecF32_8x1536 part(i2_valid, i1_valid); TASSIGN(part, 0x00040 + i1_buffer * 0x06000);  // UB 0x00040..0x0c040, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));  // free again
            PEGm p_e_in(p_e + int64_t(i1) + int64_t(i2) * kv, {i2_valid, i1_valid}, {int64_t(kv)});
            TLOAD(part, p_e_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
            VecF32_8x1 found(i2_valid); TASSIGN<0x0c040>(found);  // UB 0x0c040..0x0c060
            VecF32_8x128 found_tmp(i2_valid); TASSIGN<0x0c060>(found_tmp);  // UB 0x0c060..0x0c860
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(i1_buffer));
            TROWSUM(found, part, found_tmp);
            set_flag(PIPE_V, PIPE_MTE2, event_t(i1_buffer));
            VecF32_1x8 found_row(i2_valid); TASSIGN<0x0c040>(found_row);  // as a row, same bytes as found
            pipe_barrier(PIPE_V);
            TADD(total_row, total_row, found_row);
        }
        set_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(i2_buffer));
        PSumGm p_sum_out(p_sum + int64_t(i2), {i2_valid});
        TSTORE(p_sum_out, total_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(i2_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void weights_vec3(
    __gm__ float *p_sum, __gm__ float *p_e, int32_t sq, int32_t kv, int32_t nblk)
{
    run_block(p_sum, p_e, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
