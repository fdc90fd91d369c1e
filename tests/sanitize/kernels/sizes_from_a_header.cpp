// Sizes, events and macros of a header beside the file, in a namespace of its own.
#include <pto/pto-inst.hpp>
#include "shared_sizes.hpp"

using namespace pto;

namespace {
using Half = Tile<TileType::Vec, half, sizes::kRows, sizes::kCols, BLayout::RowMajor>;
using Full = Tile<TileType::Vec, float, sizes::kRows, sizes::kCols, BLayout::RowMajor>;

AICORE inline uint32_t place_of(uint32_t buffer, uint32_t bytes = sizes::kBytes)
{
    return buffer * bytes;
}
} // namespace

__global__ AICORE void widened(__gm__ float *out, __gm__ half *in, uint32_t rows)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    Half x;
    Full y;
    TASSIGN(x, place_of(0));
    TASSIGN(y, place_of(BUFFERS));
    const uint32_t rounds = (rows + sizes::kRows - 1) / sizes::kRows;
    set_flag(PIPE_V, PIPE_MTE2, (event_t)USED);
    set_flag(PIPE_MTE3, PIPE_V, (event_t)STORED);
    for (uint32_t i = 0; i < rounds; ++i) {
        const uint64_t at = static_cast<uint64_t>(i) * sizes::kRows * sizes::kCols;
        GlobalTensor<half, Shape<1, 1, 1, 32, 64>, Stride<1, 1, 1, 64, 1>> from(in + at);
        GlobalTensor<float, Shape<1, 1, 1, 32, 64>, Stride<1, 1, 1, 64, 1>> to(out + at);
        wait_flag(PIPE_V, PIPE_MTE2, (event_t)USED);
        TLOAD(x, from);
        set_flag(PIPE_MTE2, PIPE_V, (event_t)LOADED);
        wait_flag(PIPE_MTE2, PIPE_V, (event_t)LOADED);
        wait_flag(PIPE_MTE3, PIPE_V, (event_t)STORED);
        TCVT(y, x, RoundMode::CAST_NONE);
        set_flag(PIPE_V, PIPE_MTE2, (event_t)USED);
        set_flag(PIPE_V, PIPE_MTE3, (event_t)LOADED);
        wait_flag(PIPE_V, PIPE_MTE3, (event_t)LOADED);
        TSTORE(to, y);
        set_flag(PIPE_MTE3, PIPE_V, (event_t)STORED);
    }
    wait_flag(PIPE_V, PIPE_MTE2, (event_t)USED);
    wait_flag(PIPE_MTE3, PIPE_V, (event_t)STORED);
}
