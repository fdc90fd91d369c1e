// Overloads by number of arguments, a tail of fewer rows, two levels of buffers, `while` with a countdown.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kRows = 16, kCols = 64;
using Rows = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, -1, kCols>;

AICORE inline void order(int id)
{
    set_flag(PIPE_MTE2, PIPE_V, (event_t)id);
    wait_flag(PIPE_MTE2, PIPE_V, (event_t)id);
}

AICORE inline void order(int id, bool store)
{
    if (store) {
        set_flag(PIPE_V, PIPE_MTE3, (event_t)id);
        wait_flag(PIPE_V, PIPE_MTE3, (event_t)id);
    } else {
        order(id);
    }
}

__global__ AICORE void added(__gm__ float *out, __gm__ float *a, __gm__ float *b, int rows)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    uint64_t next = 0;
    Rows pair[2][2] = {{Rows(kRows), Rows(kRows)}, {Rows(kRows), Rows(kRows)}};
    for (auto i = 0; i < 2; ++i) {
        for (auto j = 0; j < 2; ++j) {
            TASSIGN(pair[i][j], next);
            next += kRows * kCols * sizeof(float);
        }
        set_flag(PIPE_MTE3, PIPE_MTE2, (event_t)i);
    }
    int left = rows, turn = 0;
    while (left > 0) {
        const int valid = left < kRows ? left : kRows;
        auto &x = pair[turn][0];
        auto &y = pair[turn][1];
        using Dynamic = GlobalTensor<float, Shape<1, 1, 1, -1, kCols>, Stride<1, 1, 1, kCols, 1>>;
        Dynamic from_a(a, Shape<1, 1, 1, -1, kCols>(valid));
        Dynamic from_b(b, Shape<1, 1, 1, -1, kCols>(valid));
        Dynamic to(out, Shape<1, 1, 1, -1, kCols>(valid));
        wait_flag(PIPE_MTE3, PIPE_MTE2, (event_t)turn);
        TLOAD(x, from_a);
        TLOAD(y, from_b);
        order(turn, false);
        TADD(x, x, y);
        order(turn, true);
        TSTORE(to, x);
        set_flag(PIPE_MTE3, PIPE_MTE2, (event_t)turn);
        left -= valid;
        turn = 1 - turn;
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
}
