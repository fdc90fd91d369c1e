// weights_vec2: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages weights; tiles heads 1, kv 512, sq 64; memory UB 131328 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x512 = Tile<TileType::Vec, float, 64, 512, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_1x64 = Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using SGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PMaxGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ float *p_e,
    __gm__ float *s,
    __gm__ float *p_max,
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
                VecF32_64x512 s_tile(sq0_valid, kv0_valid); TASSIGN<0x00000>(s_tile);  // UB 0x00000..0x20000
                wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
                SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TLOAD(s_tile, s_in);
                VecF32_1x64 p_max_tile_row(sq0_valid); TASSIGN<0x20000>(p_max_tile_row);  // as a row, same bytes as p_max_tile
                PMaxGm p_max_in(p_max + int64_t(heads0) * sq + int64_t(sq0), {sq0_valid});
                TLOAD(p_max_tile_row, p_max_in);
                set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                VecF32_64x512 p_c(sq0_valid, kv0_valid); TASSIGN<0x00000>(p_c);  // UB 0x00000..0x20000
                VecF32_64x1 p_max_tile(sq0_valid); TASSIGN<0x20000>(p_max_tile);  // UB 0x20000..0x20100
                wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                TROWEXPANDSUB(p_c, s_tile, p_max_tile);
                VecF32_64x512 p_e_tile(sq0_valid, kv0_valid); TASSIGN<0x00000>(p_e_tile);  // UB 0x00000..0x20000
                pipe_barrier(PIPE_V);
                TEXP(p_e_tile, p_c);
                set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                SGm p_e_out(p_e + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
                TSTORE(p_e_out, p_e_tile);
                set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
            }
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void weights_vec2(
    __gm__ float *p_e, __gm__ float *s, __gm__ float *p_max, int32_t sq_begin, int32_t sq_end, int32_t sq,
    int32_t kv, int32_t nblk)
{
    run_block(p_e, s, p_max, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
