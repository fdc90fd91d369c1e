// weights_vec2: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages weights; tiles heads 1, kv 256, sq 32; memory UB 164096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x256 = Tile<TileType::Vec, float, 32, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_1x32 = Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_32x1 = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, DYNAMIC, 1>;
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
    int32_t heads0_buffer = 0;  // which of 2 buffers this iteration of heads0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    const int32_t kv0_tiles = (kv + 255) / 256;
    const int32_t tiles = (sq_end - sq_begin + 31) / 32 * kv0_tiles * 8;  // of sq0, kv0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk, heads0_buffer ^= 1) {
        const int32_t sq0 = sq_begin + tile / (kv0_tiles * 8) * 32;
        const int32_t sq0_valid = sq_end - sq0 < 32 ? sq_end - sq0 : 32;
        const int32_t kv0 = tile / 8 % kv0_tiles * 256;
        const int32_t kv0_valid = kv - kv0 < 256 ? kv - kv0 : 256;
        const int32_t heads0 = tile % 8;
        // p: softmax(s)
        VecF32_32x256 s_tile(sq0_valid, kv0_valid); TASSIGN(s_tile, 0x00000 + heads0_buffer * 0x08000);  // UB 0x00000..0x10000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));  // free again
        SGm s_in(s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
        TLOAD(s_tile, s_in);
        VecF32_1x32 p_max_tile_row(sq0_valid); TASSIGN(p_max_tile_row, 0x10000 + heads0_buffer * 0x00080);  // as a row, same bytes as p_max_tile
        PMaxGm p_max_in(p_max + int64_t(heads0) * sq + int64_t(sq0), {sq0_valid});
        TLOAD(p_max_tile_row, p_max_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        VecF32_32x256 p_c(sq0_valid, kv0_valid); TASSIGN<0x20100>(p_c);  // UB 0x20100..0x28100
        VecF32_32x1 p_max_tile(sq0_valid); TASSIGN(p_max_tile, 0x10000 + heads0_buffer * 0x00080);  // UB 0x10000..0x10100, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(heads0_buffer));
        TROWEXPANDSUB(p_c, s_tile, p_max_tile);
        set_flag(PIPE_V, PIPE_MTE2, event_t(heads0_buffer));
        VecF32_32x256 p_e_tile(sq0_valid, kv0_valid); TASSIGN(p_e_tile, 0x10100 + heads0_buffer * 0x08000);  // UB 0x10100..0x20100, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));  // free again
        TEXP(p_e_tile, p_c);
        set_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(heads0_buffer));
        SGm p_e_out(p_e + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv0), {sq0_valid, kv0_valid}, {int64_t(kv)});
        TSTORE(p_e_out, p_e_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(heads0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void weights_vec2(
    __gm__ float *p_e, __gm__ float *s, __gm__ float *p_max, int32_t sq_begin, int32_t sq_end, int32_t sq,
    int32_t kv, int32_t nblk)
{
    run_block(p_e, s, p_max, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()));
}
