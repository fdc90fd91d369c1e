// Three buffers, their events from a table and a `switch`; a loop with its test behind it.
#include <pto/pto-inst.hpp>

using namespace pto;

typedef Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor> Rows;
typedef GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>> Gm;
constexpr event_t kIds[] = {EVENT_ID2, EVENT_ID4, EVENT_ID6};
constexpr int kPlaces[3] = {0x0, 0x800, 0x1000};

AICORE inline void free_again(int turn)
{
    switch (turn) {
        case 0:
            set_flag(PIPE_MTE3, PIPE_MTE2, kIds[0]);
            break;
        case 1:
            set_flag(PIPE_MTE3, PIPE_MTE2, kIds[1]);
            break;
        default:
            set_flag(PIPE_MTE3, PIPE_MTE2, kIds[2]);
    }
}

__global__ AICORE void roots(__gm__ float *out, __gm__ float *in, int n)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    Rows x[3];
    int i = 0;
    do {
        TASSIGN(x[i], kPlaces[i]);
        free_again(i);
        ++i;
    } while (i < 3);
    for (int r = 0; r < n; ++r) {
        const int turn = r % 3;
        Gm from(in + r * 512), to(out + r * 512);
        wait_flag(PIPE_MTE3, PIPE_MTE2, kIds[turn]);
        TLOAD(x[turn], from);
        set_flag(PIPE_MTE2, PIPE_V, kIds[turn]);
        wait_flag(PIPE_MTE2, PIPE_V, kIds[turn]);
        TSQRT(x[turn], x[turn]);
        set_flag(PIPE_V, PIPE_MTE3, kIds[turn]);
        wait_flag(PIPE_V, PIPE_MTE3, kIds[turn]);
        TSTORE(to, x[turn]);
        free_again(turn);
    }
    for (int turn = 0; turn < 3; ++turn) {
        wait_flag(PIPE_MTE3, PIPE_MTE2, kIds[turn]);
    }
}
