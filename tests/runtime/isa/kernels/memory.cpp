#include "common.hpp"

using namespace pto;

namespace {

using Anywhere = Shape<-1, -1, -1, -1, -1>;
using AnyStride = Stride<-1, -1, -1, -1, -1>;
template <typename T, Layout L>
using Global = GlobalTensor<T, Anywhere, AnyStride, L>;

template <typename T, Layout L>
Global<T, L> view(T* p, const int64_t* shape, const int64_t* stride)
{
    return {p, Anywhere(shape[0], shape[1], shape[2], shape[3], shape[4]),
            AnyStride(stride[0], stride[1], stride[2], stride[3], stride[4])};
}

// A row-major or column-major vector tile of 32 x 64 and back: `tile` gets the bytes after the load.
template <typename T, BLayout B, Layout L>
void round_trip(T* tile, T* to, T* from, const int64_t* shape, const int64_t* stride, int rows, int cols)
{
    Tile<TileType::Vec, T, 32, 64, B, -1, -1> t(rows, cols);
    TASSIGN(t, 0);
    fill_tile(t, tile);
    auto in = view<T, L>(from, shape, stride);
    auto out = view<T, L>(to, shape, stride);
    TLOAD(t, in);
    read_tile(tile, t);
    TSTORE(out, t);
}

}  // namespace

#define ROUND_TRIP(NAME, T)                                                                                           \
    extern "C" void nd_##NAME(T* tile, T* to, T* from, const int64_t* shape, const int64_t* stride, int r, int c)     \
    {                                                                                                                 \
        round_trip<T, BLayout::RowMajor, Layout::ND>(tile, to, from, shape, stride, r, c);                            \
    }                                                                                                                 \
    extern "C" void dn_##NAME(T* tile, T* to, T* from, const int64_t* shape, const int64_t* stride, int r, int c)     \
    {                                                                                                                 \
        round_trip<T, BLayout::ColMajor, Layout::DN>(tile, to, from, shape, stride, r, c);                            \
    }
ROUND_TRIP(fp32, float)
ROUND_TRIP(bf16, bfloat16_t)
ROUND_TRIP(int8, int8_t)
ROUND_TRIP(int64, int64_t)

// Every few elements of each row, known when this is compiled.
template <typename T, int Step>
void every(T* tile, T* from, int64_t pitch, int rows, int cols)
{
    Tile<TileType::Vec, T, 8, 128, BLayout::RowMajor, -1, -1> t(rows, cols);
    TASSIGN(t, 0);
    fill_tile(t, tile);
    using Rows = GlobalTensor<T, Anywhere, Stride<-1, -1, -1, -1, Step>, Layout::DN>;
    Rows in(from, Anywhere(1, 1, 1, rows, cols), Stride<-1, -1, -1, -1, Step>(0, 0, 0, pitch));
    TLOAD(t, in);
    read_tile(tile, t);
}
#define EVERY(NAME, T)                                                                              \
    extern "C" void every_##NAME(T* tile, T* from, int64_t step, int64_t pitch, int rows, int cols) \
    {                                                                                               \
        step == 2   ? every<T, 2>(tile, from, pitch, rows, cols)                                    \
        : step == 4 ? every<T, 4>(tile, from, pitch, rows, cols)                                    \
                    : every<T, 8>(tile, from, pitch, rows, cols);                                   \
    }
EVERY(fp32, float)
EVERY(bf16, bfloat16_t)
EVERY(int8, int8_t)
EVERY(int64, int64_t)

// A static tile through the shortest constructors: a fixed 8 x 16 block at a fixed stride of 24.
extern "C" void fixed_block(float* to, float* from)
{
    using Block = Tile<TileType::Vec, float, 8, 16>;
    using Memory = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 24, 1>>;
    Block t;
    TASSIGN(t, 64);
    Memory in(from), out(to);
    RecordEvent loaded = TLOAD(t, in);
    TSTORE(out, t, loaded);
}

// A statistics column is loaded from a row-major [t, 1] tensor, and leaves through the row-major tile at its address.
extern "C" void column_as_row(float* to, float* from, int n)
{
    Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor, -1, 1> column(n);
    Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, 1, -1> row(n);
    TASSIGN(column, 96);
    TASSIGN(row, 96);
    GlobalTensor<float, Shape<1, 1, 1, -1, 1>, Stride<1, 1, 1, 3, 1>> in(from, Shape<1, 1, 1, -1, 1>(n));
    GlobalTensor<float, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, 1, 1>> out(to, Shape<1, 1, 1, 1, -1>(n));
    TLOAD(column, in);
    TSTORE(out, row);
}

// A column slice of a tile is another tile of the same pitch; only its own columns change.
extern "C" void column_slice(float* block)
{
    using Whole = Tile<TileType::Vec, float, 8, 64>;
    using Slice = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 24>;
    Whole whole;
    Slice left, right, view;
    TASSIGN(whole, 0);
    TASSIGN(left, 0);
    TASSIGN(right, 24 * sizeof(float));
    fill_tile(whole, block);
    TADD(right, right, left);
    TSUBVIEW(view, whole, 0, 24);
    TADDS(view, view, 1.0f);
    read_tile(block, whole);
}

extern "C" void copy_between_tiles(int32_t* to, const int32_t* from, int rows, int cols, int row, int col)
{
    using Block = Tile<TileType::Vec, int32_t, 16, 32, BLayout::RowMajor, -1, -1>;
    Block s(16, 32), d(rows, cols);
    TASSIGN(s, 0);
    TASSIGN(d, 0x4000);
    fill_tile(s, from);
    fill_tile(d, to);
    TEXTRACT(d, s, row, col);
    read_tile(to, d);
}

extern "C" void reshaped(int32_t* to, const int32_t* from)
{
    Tile<TileType::Vec, int32_t, 8, 16> s, copy;
    Tile<TileType::Vec, int32_t, 4, 32> d;
    TASSIGN(s, 0);
    fill_tile(s, from);
    TRESHAPE(d, s);
    read_tile(to, d);
    TASSIGN(copy, 0x1000);
    TMOV(copy, s);
    for (int i = 0; i < 8; ++i) {
        copy.SetElement(i, 3, copy.GetElement(i, 3) + copy.GetValue(i * 16));
    }
    copy.SetValue(5, -1);
    read_tile(to + 128, copy);
}

// Two threads' worth of identity on one thread.
extern "C" uint32_t identity(uint32_t block, uint32_t sub, uint32_t blocks)
{
    cpu_sim::set_execution_context(block, sub, 2);
    cpu_sim::set_block_num(blocks);
    const uint32_t mixed = get_block_idx() + 100 * get_subblockid() + 10000 * get_block_num() + 1000000 * get_subblockdim();
    cpu_sim::reset_execution_context();
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    pipe_barrier(PIPE_ALL);
    return mixed + get_block_idx();
}

// Starts of the pools: what must hold is alignment, and that no pool reaches into the next.
extern "C" uint64_t pool(int location, uint64_t offset)
{
    return reinterpret_cast<uint64_t>(cpu::pool_address(static_cast<TileType>(location), offset));
}

extern "C" uint16_t to_bf16(float value) { return bfloat16_t(value).bits; }

// Tiles of four rows from dense memory to rows `stride` elements apart, one after the other.
extern "C" void store_rows(float* to, const float* from, int64_t tiles, int cols, int64_t stride)
{
    using Global = GlobalTensor<float, Shape<1, 1, 1, 4, -1>, pto::Stride<1, 1, 1, -1, 1>>;
    Tile<TileType::Vec, float, 4, 512, BLayout::RowMajor, 4, -1> tile(cols);
    TASSIGN(tile, 0);
    for (int64_t i = 0; i < tiles; ++i) {
        Global source(const_cast<float*>(from) + i * 4 * cols, {cols}, {cols});
        Global target(to + i * 4 * stride, {cols}, {stride});
        TLOAD(tile, source);
        TSTORE(target, tile);
    }
}
