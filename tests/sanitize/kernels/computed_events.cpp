// Two buffers in turn: the event's id is computed from the round, or turned over.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr uint32_t kRows = 16, kCols = 128, kBuffers = 2;
constexpr uint32_t kTileBytes = kRows * kCols * sizeof(float);
using Block = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor>;
using Gm = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;

extern "C" __global__ AICORE void scale_in_turn(__gm__ float *out, __gm__ float *in, float scale, uint32_t rounds)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    Block x[kBuffers], y[kBuffers];
    for (uint32_t i = 0; i < kBuffers; ++i) {
        TASSIGN(x[i], i * kTileBytes);
        TASSIGN(y[i], (kBuffers + i) * kTileBytes);
    }
    for (uint32_t i = 0; i < kBuffers; ++i) {
        set_flag(PIPE_V, PIPE_MTE2, static_cast<event_t>(EVENT_ID0 + i));
        set_flag(PIPE_MTE3, PIPE_V, static_cast<event_t>(EVENT_ID0 + i));
    }
    uint32_t ping = 0;
    for (uint32_t round = get_block_idx(); round < rounds; round += get_block_num()) {
        const event_t mine = static_cast<event_t>(EVENT_ID0 + ping);
        Gm from(in + round * kRows * kCols), to(out + round * kRows * kCols);
        wait_flag(PIPE_V, PIPE_MTE2, mine);
        TLOAD(x[ping], from);
        set_flag(PIPE_MTE2, PIPE_V, mine);
        wait_flag(PIPE_MTE2, PIPE_V, mine);
        wait_flag(PIPE_MTE3, PIPE_V, mine);
        TMULS(y[ping], x[ping], scale);
        set_flag(PIPE_V, PIPE_MTE2, mine);
        set_flag(PIPE_V, PIPE_MTE3, mine);
        wait_flag(PIPE_V, PIPE_MTE3, mine);
        TSTORE(to, y[ping]);
        set_flag(PIPE_MTE3, PIPE_V, mine);
        ping ^= 1;
    }
    for (uint32_t i = 0; i < kBuffers; ++i) {
        wait_flag(PIPE_V, PIPE_MTE2, static_cast<event_t>(EVENT_ID0 + i));
        wait_flag(PIPE_MTE3, PIPE_V, static_cast<event_t>(EVENT_ID0 + i));
    }
}
