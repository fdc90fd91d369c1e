// A product of panels: buffers in a struct, flags by functions of pipes, the accumulator's first step apart.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr uint32_t M = 64, N = 128, K = 64;
using PanelA = Tile<TileType::Mat, half, M, K, BLayout::ColMajor, M, K, SLayout::RowMajor>;
using PanelB = Tile<TileType::Mat, half, K, N, BLayout::ColMajor, K, N, SLayout::RowMajor>;

struct Buffers {
    PanelA a[2];
    PanelB b[2];
    TileLeft<half, M, K, M, K> left[2];
    TileRight<half, K, N, K, N> right[2];
    TileAcc<float, M, N, M, N> sum;
};

template <pipe_t From, pipe_t To>
AICORE inline void set(uint32_t id)
{
    set_flag(From, To, static_cast<event_t>(id));
}

template <pipe_t From, pipe_t To>
AICORE inline void wait(uint32_t id)
{
    wait_flag(From, To, static_cast<event_t>(id));
}

AICORE inline void place(Buffers &at)
{
    for (uint32_t i = 0; i < 2; ++i) {
        TASSIGN(at.a[i], i * M * K * sizeof(half));
        TASSIGN(at.b[i], 0x10000 + i * K * N * sizeof(half));
        TASSIGN(at.left[i], i * 32 * 1024);
        TASSIGN(at.right[i], i * 32 * 1024);
    }
    TASSIGN(at.sum, 0x0);
}

AICORE inline void one_panel(Buffers &at, __gm__ half *a, __gm__ half *b, uint32_t k, uint32_t turn)
{
    GlobalTensor<half, Shape<1, 1, 1, M, K>, Stride<1, 1, 1, 4096, 1>> from_a(a + k * K);
    GlobalTensor<half, Shape<1, 1, 1, K, N>, Stride<1, 1, 1, N, 1>> from_b(b + k * K * N);
    wait<PIPE_MTE1, PIPE_MTE2>(turn);
    TLOAD(at.a[turn], from_a);
    TLOAD(at.b[turn], from_b);
    set<PIPE_MTE2, PIPE_MTE1>(turn);
    wait<PIPE_MTE2, PIPE_MTE1>(turn);
    wait<PIPE_M, PIPE_MTE1>(turn);
    TMOV(at.left[turn], at.a[turn]);
    TMOV(at.right[turn], at.b[turn]);
    set<PIPE_MTE1, PIPE_MTE2>(turn);
    set<PIPE_MTE1, PIPE_M>(turn);
    wait<PIPE_MTE1, PIPE_M>(turn);
    if (k == 0) {
        TMATMUL(at.sum, at.left[turn], at.right[turn]);
    } else {
        TMATMUL_ACC(at.sum, at.sum, at.left[turn], at.right[turn]);
    }
    set<PIPE_M, PIPE_MTE1>(turn);
}

__global__ AICORE void gemm(__gm__ float *out, __gm__ half *a, __gm__ half *b, uint32_t panels)
{
    Buffers at;
    place(at);
    for (uint32_t i = 0; i < 2; ++i) {
        set<PIPE_MTE1, PIPE_MTE2>(i);
        set<PIPE_M, PIPE_MTE1>(i);
    }
    for (uint32_t k = 0; k < panels; ++k) {
        one_panel(at, a, b, k, k & 1);
    }
    for (uint32_t i = 0; i < 2; ++i) {
        wait<PIPE_MTE1, PIPE_MTE2>(i);
        wait<PIPE_M, PIPE_MTE1>(i);
    }
    set<PIPE_M, PIPE_FIX>(0);
    wait<PIPE_M, PIPE_FIX>(0);
    GlobalTensor<float, Shape<1, 1, 1, M, N>, Stride<1, 1, 1, N, 1>> to(out);
    TSTORE(to, at.sum);
}
