// One helper for all operations, chosen by `if constexpr`; tiles by reference, their types deduced.
#include <pto/pto-inst.hpp>

using namespace pto;

enum class What { Add, Multiply, Copy };

template <What Op, bool InPlace = false, typename TileT>
AICORE inline void apply(TileT &dst, TileT &left, TileT &right)
{
    if constexpr (Op == What::Add) {
        TADD(dst, left, right);
    } else if constexpr (Op == What::Multiply) {
        TMUL(dst, left, right);
    } else {
        TMOV(dst, left);
    }
    if constexpr (InPlace) {
        pipe_barrier(PIPE_V);
        TADDS(dst, dst, (typename TileT::DType)1);
    }
}

template <typename TileT, typename T>
AICORE inline void load_rows(TileT &tile, __gm__ T *from)
{
    using Gm = GlobalTensor<T, Shape<1, 1, 1, TileT::Rows, TileT::Cols>, Stride<1, 1, 1, TileT::Cols, 1>>;
    Gm window(from);
    TLOAD(tile, window);
}

template <typename T, int N>
AICORE inline void spread(Tile<TileType::Vec, T, N, 32, BLayout::RowMajor> &x, __gm__ T *to)
{
    Tile<TileType::Vec, T, N, 32, BLayout::RowMajor> twice;
    TASSIGN(twice, 0x4000);
    TADDS(twice, x, (T)2);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    GlobalTensor<T, Shape<1, 1, 1, N, 32>, Stride<1, 1, 1, 32, 1>> window(to);
    TSTORE(window, twice);
}

__global__ AICORE void combined(__gm__ float *out, __gm__ float *a, __gm__ float *b)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    using Rows = Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor>;
    Rows x, y, z;
    TASSIGN<0x0>(x);
    TASSIGN<0x1000>(y);
    TASSIGN<0x2000>(z);
    load_rows(x, a);
    load_rows(y, b);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    apply<What::Multiply>(z, x, y);
    pipe_barrier(PIPE_V);
    apply<What::Add, true>(z, z, x);
    pipe_barrier(PIPE_V);
    spread(z, out);
}
