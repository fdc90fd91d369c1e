// Tile types from structs that are specialised by element type and padding; kernels by `name<T, …>()`.
#include <pto/pto-inst.hpp>

using namespace pto;

template <typename T, int Rows, int Cols, PadValue Pad>
struct TileOf {
    using Type = Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor, -1, -1>;
};

template <typename T, int Rows, int Cols>
struct TileOf<T, Rows, Cols, PadValue::Max> {
    using Type = Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Max>;
};

template <typename T>
struct Step {
    static constexpr int kRows = 16;
};

template <>
struct Step<half> {
    static constexpr int kRows = 32;
};

template <typename T, int Cols, PadValue Pad>
AICORE void larger(__gm__ T *out, __gm__ T *a, __gm__ T *b)
{
    constexpr int rows = Step<T>::kRows;
    using Rows = typename TileOf<T, rows, Cols, Pad>::Type;
    using Gm = GlobalTensor<T, Shape<1, 1, 1, rows, Cols>, Stride<1, 1, 1, Cols, 1>>;
    Rows x(rows, Cols), y(rows, Cols), z(rows, Cols);
    TASSIGN(x, 0x0);
    TASSIGN(y, Rows::Numel * sizeof(T));
    TASSIGN(z, 2 * Rows::Numel * sizeof(T));
    Gm from_a(a), from_b(b), to(out);
    TLOAD(x, from_a);
    TLOAD(y, from_b);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMAX(z, x, y);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, z);
}

__global__ AICORE void larger_fp32(__gm__ float *out, __gm__ float *a, __gm__ float *b)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    larger<float, 64, PadValue::Max>(out, a, b);
}

__global__ AICORE void larger_fp16(__gm__ half *out, __gm__ half *a, __gm__ half *b)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    larger<half, 128, PadValue::Null>(out, a, b);
}
