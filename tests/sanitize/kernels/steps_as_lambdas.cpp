// A pipeline of three steps, each a lambda; the next load is issued before this round's arithmetic.
#include <pto/pto-inst.hpp>

using namespace pto;

using Rows = Tile<TileType::Vec, half, 8, 256, BLayout::RowMajor, -1, -1>;

__global__ AICORE void prefetched(__gm__ half *out, __gm__ half *in, int rounds)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    using Gm = GlobalTensor<half, Shape<1, 1, 1, 8, 256>, Stride<1, 1, 1, 256, 1>>;
    Rows x[2] = {Rows(8, 256), Rows(8, 256)};
    Rows y(8, 256);
    TASSIGN(x[0], 0x0);
    TASSIGN(x[1], 0x1000);
    TASSIGN(y, 0x2000);
    auto load = [&](int i) {
        Gm from(in + i * 2048);
        wait_flag(PIPE_V, PIPE_MTE2, static_cast<event_t>(i % 2));
        TLOAD(x[i % 2], from);
        set_flag(PIPE_MTE2, PIPE_V, static_cast<event_t>(i % 2));
    };
    auto compute = [&x, &y](int i) -> void {
        wait_flag(PIPE_MTE2, PIPE_V, static_cast<event_t>(i % 2));
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        TEXP(y, x[i % 2]);
        set_flag(PIPE_V, PIPE_MTE2, static_cast<event_t>(i % 2));
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    };
    auto store = [&](int i) {
        Gm to(out + i * 2048);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, y);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    };
    if (rounds <= 0) {
        return;
    }
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    load(0);
    for (int i = 0; i < rounds; ++i) {
        if (i + 1 < rounds) {
            load(i + 1);
        }
        compute(i);
        store(i);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
}
