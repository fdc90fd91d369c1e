// Flags, places and divisions by macros with arguments.
#include <pto/pto-inst.hpp>

using namespace pto;

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define ORDER(from, to, id)        \
    set_flag(from, to, id);        \
    wait_flag(from, to, id)
#define ROWS_AT(name, address) \
    Rows name;                 \
    TASSIGN(name, address)
#define TILE_BYTES (16 * 64 * 4)

using Rows = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor>;
using Column = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor>;

__global__ AICORE void normalised(__gm__ float *out, __gm__ float *in)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    ROWS_AT(x, 0);
    ROWS_AT(tmp, TILE_BYTES);
    Column most;
    TASSIGN(most, CEIL_DIV(2 * TILE_BYTES, 512) * 512);
    for (int i = 0; i < CEIL_DIV(100, 16); ++i) {
        GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>> from(in + i * 1024), to(out + i * 1024);
        TLOAD(x, from);
        ORDER(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TROWMAX(most, x, tmp);
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(x, x, most);
        ORDER(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, x);
        ORDER(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
}
