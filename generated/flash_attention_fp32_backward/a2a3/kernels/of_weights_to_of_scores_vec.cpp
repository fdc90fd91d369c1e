// of_weights_to_of_scores_vec: vector kernel of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
// stages of_scores; tiles heads 1, kv 128, sq 128; memory UB 164096 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x128 = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_64x128m = Tile<TileType::Vec, float, 64, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_64x1 = Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, DYNAMIC, 1>;
using OGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using PGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using DPPipe = TPipe<0, Direction::DIR_C2V, 65536, 4, 2, true, true>;  // 4 tiles of up to 128 x 128, to both vector cores
using DPSlot = GlobalTensor<float, Shape<1, 1, 1, 128, 128>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *d_s,
    __gm__ float *d_o,
    __gm__ float *o,
    __gm__ float *p,
    __gm__ float *d_p_fifo,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk,
    int32_t block,
    int32_t subblock)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    DPPipe d_p_pipe(d_p_fifo + int64_t(block) * 65536, 0x0, 0x0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free at first
    const int32_t kv0_tiles = (kv + 127) / 128;
    const int32_t tiles = (sq_end - sq_begin + 127) / 128 * kv0_tiles * 8;  // of sq0, kv0 and heads0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t sq0 = sq_begin + tile / (kv0_tiles * 8) * 128;
        const int32_t sq0_valid = sq_end - sq0 < 128 ? sq_end - sq0 : 128;
        const int32_t sq0_half = (sq0_valid + 1) / 2;  // half of the rows for each vector core
        const int32_t sq0_first = subblock * (sq0_valid - sq0_half);  // the first row of this core
        const int32_t kv0 = tile / 8 % kv0_tiles * 128;
        const int32_t kv0_valid = kv - kv0 < 128 ? kv - kv0 : 128;
        const int32_t heads0 = tile % 8;
        // d_s: p * (d_p - sum(o * d_o, axis=-1, keepdim=true)) * scale
        VecF32_64x128 o_tile(sq0_half); TASSIGN<0x00000>(o_tile);  // UB 0x00000..0x08000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
        OGm o_in(o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128 + int64_t(sq0_first) * 128, {sq0_half});
        TLOAD(o_tile, o_in);
        VecF32_64x128 d_o_tile_2(sq0_half); TASSIGN<0x08000>(d_o_tile_2);  // UB 0x08000..0x10000
        OGm d_o_in(d_o + int64_t(heads0) * sq * 128 + int64_t(sq0) * 128 + int64_t(sq0_first) * 128, {sq0_half});
        TLOAD(d_o_tile_2, d_o_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        VecF32_64x128m p_tile(sq0_half, kv0_valid); TASSIGN<0x18000>(p_tile);  // UB 0x18000..0x20000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        PGm p_in(p + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv) * sq0_first + int64_t(kv0), {sq0_half, kv0_valid}, {int64_t(kv)});
        TLOAD(p_tile, p_in);
        VecF32_64x128 d_s_1(sq0_half); TASSIGN<0x00000>(d_s_1);  // UB 0x00000..0x08000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TMUL(d_s_1, o_tile, d_o_tile_2);
        VecF32_64x1 d_s_2(sq0_half); TASSIGN<0x20000>(d_s_2);  // UB 0x20000..0x20100
        VecF32_64x128 d_s_2_tmp(sq0_half); TASSIGN<0x20100>(d_s_2_tmp);  // UB 0x20100..0x28100
        pipe_barrier(PIPE_V);
        TROWSUM(d_s_2, d_s_1, d_s_2_tmp);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        DPSlot d_p_view(d_p_fifo);
        TPOP<DPPipe, DPSlot, TileSplitAxis::TILE_NO_SPLIT>(d_p_pipe, d_p_view);
        __gm__ float *d_p_slot = d_p_view.data();
        VecF32_64x128m d_p(sq0_half, kv0_valid); TASSIGN<0x10000>(d_p);  // UB 0x10000..0x18000
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        PGm d_p_slot_in(d_p_slot + int64_t(kv0_valid) * sq0_first, {sq0_half, kv0_valid}, {int64_t(kv0_valid)});
        TLOAD(d_p, d_p_slot_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TFREE<DPPipe, DPSlot, TileSplitAxis::TILE_NO_SPLIT>(d_p_pipe, d_p_view);
        VecF32_64x128m d_s_3(sq0_half, kv0_valid); TASSIGN<0x10000>(d_s_3);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TROWEXPANDSUB(d_s_3, d_p, d_s_2);
        pipe_barrier(PIPE_V);
        TMUL(d_s_3, p_tile, d_s_3);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecF32_64x128m d_s_tile(sq0_half, kv0_valid); TASSIGN<0x10000>(d_s_tile);  // UB 0x10000..0x18000
        pipe_barrier(PIPE_V);
        TMULS(d_s_tile, d_s_3, scale);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        PGm d_s_out(d_s + int64_t(heads0) * kv * sq + int64_t(kv) * sq0 + int64_t(kv) * sq0_first + int64_t(kv0), {sq0_half, kv0_valid}, {int64_t(kv)});
        TSTORE(d_s_out, d_s_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void of_weights_to_of_scores_vec(
    __gm__ uint64_t *ffts, __gm__ float *d_s, __gm__ float *d_o, __gm__ float *o, __gm__ float *p,
    __gm__ float *d_p_fifo, float scale, int32_t sq_begin, int32_t sq_end, int32_t sq, int32_t kv, int32_t nblk)
{
    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));
    run_block(
        d_s, d_o, o, p, d_p_fifo, scale, sq_begin, sq_end, sq, kv, nblk, static_cast<int32_t>(get_block_idx()),
        static_cast<int32_t>(get_subblockid()));
}
