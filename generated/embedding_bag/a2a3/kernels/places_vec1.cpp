// places_vec1: vector kernel of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles bag 128, t 16; memory UB 73728 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_16x128 = Tile<TileType::Vec, int32_t, 16, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using VecF32_16x128 = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using TokenGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using ThereGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

AICORE inline void run_block(
    __gm__ float *there,
    __gm__ int32_t *token,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t bag0_buffer = 0;  // which of 4 buffers this iteration of bag0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 4 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 4 buffers are free at first
    const int32_t bag0_tiles = (bag + 127) / 128;
    const int32_t tiles = (t_end - t_begin + 15) / 16 * bag0_tiles;  // of t0 and bag0
    for (int32_t tile = block; tile < tiles; tile += nblk, bag0_buffer = (bag0_buffer + 1) % 4) {
        const int32_t t0 = t_begin + tile / bag0_tiles * 16;
        const int32_t t0_valid = t_end - t0 < 16 ? t_end - t0 : 16;
        const int32_t bag0 = tile % bag0_tiles * 128;
        const int32_t bag0_valid = bag - bag0 < 128 ? bag - bag0 : 128;
        // there: cast(clip(token + 1, 0, 1), fp32)
        VecI32_16x128 token_tile(t0_valid, bag0_valid); TASSIGN(token_tile, 0x00000 + bag0_buffer * 0x02000);  // UB 0x00000..0x08000, 4 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(bag0_buffer));  // free again
        TokenGm token_in(token + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
        TLOAD(token_tile, token_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(bag0_buffer));
        VecI32_16x128 there_1(t0_valid, bag0_valid); TASSIGN<0x10000>(there_1);  // UB 0x10000..0x12000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(bag0_buffer));
        TADDS(there_1, token_tile, 1);
        set_flag(PIPE_V, PIPE_MTE2, event_t(bag0_buffer));
        pipe_barrier(PIPE_V);
        TMAXS(there_1, there_1, 0);
        pipe_barrier(PIPE_V);
        TMINS(there_1, there_1, 1);
        VecF32_16x128 there_tile(t0_valid, bag0_valid); TASSIGN(there_tile, 0x08000 + bag0_buffer * 0x02000);  // UB 0x08000..0x10000, 4 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(bag0_buffer));  // free again
        TCVT(there_tile, there_1, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(bag0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(bag0_buffer));
        ThereGm there_out(there + int64_t(bag) * t0 + int64_t(bag0), {t0_valid, bag0_valid}, {int64_t(bag)});
        TSTORE(there_out, there_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(bag0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 4 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 4 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec1(
    __gm__ float *there, __gm__ int32_t *token, int32_t t_begin, int32_t t_end, int32_t bag, int32_t nblk)
{
    run_block(there, token, t_begin, t_end, bag, nblk, static_cast<int32_t>(get_block_idx()));
}
