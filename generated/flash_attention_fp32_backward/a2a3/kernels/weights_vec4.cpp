// weights_vec4: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages weights; tiles heads 1, kv 512, sq 64; memory UB 131328 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x512 = Tile<TileType::Vec, float, 64, 512, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using PEGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PSumGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *p,
    __gm__ float *p_e,
    __gm__ float *p_sum,
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
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    for (int32_t sq0 = sq_begin; sq0 < sq_end; sq0 += 64) {
        const int32_t sq0_valid = sq_end - sq0 < 64 ? sq_end - sq0 : 64;
        for (int32_t kv0 = 0; kv0 < kv; kv0 += 512) {
            const int32_t kv0_valid = kv - kv0 < 512 ? kv - kv0 : 512;
            for (int32_t heads0 = block; heads0 < 8; heads0 += nblk) {
                // p: softmax(s)
                VecF32_64x512 p_e_tile(sq0_valid, kv0_valid); TASSIGN<0x00000>(p_e_tile);  // UB 0x00000..0x20000
                wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
                PEGm p_e_in(p_e + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TLOAD(p_e_tile, p_e_in);
                VecF32_1x64 p_sum_tile_row(sq0_valid); TASSIGN<0x20000>(p_sum_tile_row);  // as a row, same bytes as p_sum_tile
                PSumGm p_sum_in(p_sum + int64_t(heads0) * sq + int64_t(sq0), {sq0_valid});
                TLOAD(p_sum_tile_row, p_sum_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                VecF32_64x512 p_tile(sq0_valid, kv0_valid); TASSIGN<0x00000>(p_tile);  // UB 0x00000..0x20000
                VecF32_64x1 p_sum_tile(sq0_valid); TASSIGN<0x20000>(p_sum_tile);  // UB 0x20000..0x20100
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TROWEXPANDDIV(p_tile, p_e_tile, p_sum_tile);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                PEGm p_out(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TSTORE(p_out, p_tile);
                set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
            }
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void weights_vec4(
    __gm__ float *p, __gm__ float *p_e, __gm__ float *p_sum, int32_t sq_begin, int32_t sq_end, int32_t sq,
    int32_t kv, int32_t nblk)
{
    run_block(p, p_e, p_sum, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
