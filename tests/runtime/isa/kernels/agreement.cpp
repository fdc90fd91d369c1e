// What the agreement tests need beside the kernels of the other tests: every fixpipe form, prefetches, transfers between
// chips, pushes under a word for each column.
#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 16, kCols = 32;
template <typename C>
using Acc = TileAcc<C, kRows, kCols, -1, -1>;
template <typename To>
using Mat = Tile<TileType::Mat, To, kRows, kCols, BLayout::ColMajor, -1, -1, SLayout::RowMajor>;
template <typename To>
using Vec = Tile<TileType::Vec, To, kRows, kCols, BLayout::RowMajor, -1, -1>;
using Words = Tile<TileType::Scaling, uint64_t, 1, kCols>;
template <typename T>
using Memory = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>>;

template <typename Tile, typename T>
void set_all(Tile& tile, const T* from)
{
    for (int i = 0; i < kRows * kCols; ++i) {
        tile.SetElement(i / kCols, i % kCols, from[i]);
    }
}
template <typename Tile, typename T>
void get_all(T* to, Tile& tile)
{
    for (int i = 0; i < kRows * kCols; ++i) {
        to[i] = tile.GetElement(i / kCols, i % kCols);
    }
}

// Forms: 0 TMOV_FP, 1 TEXTRACT_FP, 2 TINSERT_FP, 3 TSTORE_FP, 4 TMOV with a word, 5 TSTORE with a word, 6 TEXTRACT with a
// word, 7 TINSERT with a word; under relu where asked for.
template <typename To, typename C, ReluPreMode Relu>
void leave(int form, To* to, const C* from, const uint64_t* words, int rows, int cols, int row, int col)
{
    Acc<C> acc(form == 0 || form == 3 || form == 4 || form == 5 ? rows : kRows, form == 2 || form == 7 ? cols : kCols);
    if (form == 2 || form == 7 || form == 3 || form == 5) {
        acc = Acc<C>(rows, cols);
    }
    Mat<To> dst(form == 2 || form == 7 ? kRows : rows, form == 2 || form == 7 ? kCols : cols);
    Words fp;
    TASSIGN(acc, 0);
    TASSIGN(dst, 0);
    TASSIGN(fp, 0);
    set_all(acc, from);
    set_all(dst, to);
    __builtin_memcpy(fp.data(), words, kCols * sizeof(uint64_t));
    Memory<To> memory(to, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(kCols));
    using D = Mat<To>;
    using A = Acc<C>;
    switch (form) {
        case 0: TMOV_FP<D, A, Words, Relu>(dst, acc, fp); break;
        case 1: TEXTRACT_FP<D, A, Words, Relu>(dst, acc, fp, row, col); break;
        case 2: TINSERT_FP<D, A, Words, Relu>(dst, acc, fp, row, col); break;
        case 3: TSTORE_FP<A, Memory<To>, Words, AtomicType::AtomicNone, Relu>(memory, acc, fp); return;
        case 4: TMOV<D, A, Relu>(dst, acc, words[0]); break;
        case 5: TSTORE<A, Memory<To>, AtomicType::AtomicNone, Relu>(memory, acc, words[0]); return;
        case 6: TEXTRACT<D, A, Relu>(dst, acc, words[0], row, col); break;
        default: TINSERT<D, A, Relu>(dst, acc, words[0], row, col); break;
    }
    get_all(to, dst);
}

}  // namespace

#define LEAVE(NAME, To, C)                                                                                         \
    extern "C" void leave_##NAME(                                                                                  \
        int form, int relu, To* to, const C* from, const uint64_t* words, int rows, int cols, int row, int col)    \
    {                                                                                                              \
        relu != 0 ? leave<To, C, ReluPreMode::NormalRelu>(form, to, from, words, rows, cols, row, col)             \
                  : leave<To, C, ReluPreMode::NoRelu>(form, to, from, words, rows, cols, row, col);                \
    }
LEAVE(fp32_int8, int8_t, float)
LEAVE(fp32_uint8, uint8_t, float)
LEAVE(fp32_fp16, half, float)
LEAVE(fp32_bf16, bfloat16_t, float)
LEAVE(int32_int8, int8_t, int32_t)
LEAVE(int32_uint8, uint8_t, int32_t)
LEAVE(int32_fp16, half, int32_t)
LEAVE(int32_int16, int16_t, int32_t)

// A prefetch changes neither the tile nor memory.
extern "C" void prefetched(float* tile, float* memory)
{
    Vec<float> scratch(kRows, kCols);
    TASSIGN(scratch, 0);
    fill_tile(scratch, tile);
    Memory<float> from(memory, Shape<1, 1, 1, -1, -1>(kRows, kCols), Stride<1, 1, 1, -1, 1>(kCols));
    TPREFETCH(scratch, from);
    PrefetchAsyncContext context;
    TPREFETCH_ASYNC(from, context);
    read_tile(tile, scratch);
}

// what: 0 TGET, 1 TPUT, 2 TPUT that adds, 3 TGET with two staging tiles, 4 TPUT with its atomicity at run time.
template <typename T>
void transfer(int what, T* to, T* from, int rows, int cols, int pitch)
{
    Memory<T> dst(to, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(pitch));
    Memory<T> src(from, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(pitch));
    Tile<TileType::Vec, T, 4, 64> ping, pong;
    TASSIGN(ping, 0);
    TASSIGN(pong, 0x1000);
    switch (what) {
        case 0: comm::TGET(dst, src, ping); break;
        case 1: comm::TPUT(dst, src, ping, pong); break;
        case 2: comm::TPUT<AtomicType::AtomicAdd>(dst, src, ping, pong); break;
        case 3: comm::TGET(dst, src, ping, pong); break;
        default: comm::TPUT(dst, src, ping, AtomicType::AtomicAdd);
    }
}
// The tensors of four ranks, one behind the other, reduced to one.
template <typename T>
void reduce_ranks(T* to, T* ranks, int rows, int cols, int pitch, int root, int op)
{
    Memory<T> views[4];
    for (int r = 0; r < 4; ++r) {
        views[r] = Memory<T>(
            ranks + r * rows * pitch, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(pitch));
    }
    comm::ParallelGroup<Memory<T>> group(views, 4, root);
    Memory<T> result(to, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(pitch));
    Tile<TileType::Vec, T, 4, 64> sum, next;
    TASSIGN(sum, 0);
    TASSIGN(next, 0x1000);
    comm::TREDUCE(group, result, sum, next, static_cast<comm::ReduceOp>(op));
}
#define BETWEEN_RANKS(NAME, T)                                                                                     \
    extern "C" void transfer_##NAME(int what, T* to, T* from, int rows, int cols, int pitch)                       \
    {                                                                                                              \
        transfer<T>(what, to, from, rows, cols, pitch);                                                            \
    }                                                                                                              \
    extern "C" void reduce_##NAME(T* to, T* ranks, int rows, int cols, int pitch, int root, int op)                \
    {                                                                                                              \
        reduce_ranks<T>(to, ranks, rows, cols, pitch, root, op);                                                   \
    }
BETWEEN_RANKS(fp32, float)
BETWEEN_RANKS(fp16, half)
BETWEEN_RANKS(bf16, bfloat16_t)
BETWEEN_RANKS(int8, int8_t)
BETWEEN_RANKS(uint8, uint8_t)
BETWEEN_RANKS(int16, int16_t)
BETWEEN_RANKS(uint16, uint16_t)
BETWEEN_RANKS(int32, int32_t)
BETWEEN_RANKS(uint32, uint32_t)
BETWEEN_RANKS(int64, int64_t)

extern "C" int32_t notified(int32_t signal, int32_t value, int op)
{
    comm::Signal one(&signal);
    comm::TNOTIFY(one, value, static_cast<comm::NotifyOp>(op));
    return signal;
}

// Pushes an accumulator under a word for each column.
extern "C" void push_by_columns(int8_t* out, const int32_t* in, const uint64_t* words)
{
    using Source = TileAcc<int32_t, kRows, kCols>;
    using Target = Tile<TileType::Vec, int8_t, kRows, kCols>;
    using Config = FixpipeParams<LayoutMode_t::NZ2ND, VREQ8>;
    using Pipe = TPipe<5, Direction::DIR_C2V, kRows * kCols, 1>;
    Pipe::reset_for_cpu_sim();
    Pipe pipe(nullptr, 0, 0);
    Source acc;
    Target vec;
    Words fp;
    TASSIGN(acc, 0);
    TASSIGN(fp, 0);
    set_all(acc, in);
    __builtin_memcpy(fp.data(), words, kCols * sizeof(uint64_t));
    SET_QUANT_VECTOR(fp);
    TPUSH<Pipe, Source, Config>(pipe, acc);
    TPOP<Pipe, Target, TILE_NO_SPLIT>(pipe, vec);
    TFREE(pipe);
    read_tile(out, vec);
}

// A tile's own place, read as a tile of another type at the same offset; and its scales' place.
extern "C" int64_t placed(const float* bytes, uint16_t* seen, int offset)
{
    Tile<TileType::Vec, float, 8, 64> whole;
    Tile<TileType::Vec, uint16_t, 4, 32> part;
    TASSIGN(whole, 0);
    fill_tile(whole, bytes);
    TASSIGN(part, offset);
    read_tile(seen, part);
    TileLeft<float8_e4m3_t, 16, 64> left;
    TileLeftScale<float8_e8m0_t, 16, 2> scale;
    TASSIGN(left, 0x1000);
    TASSIGN(scale, 0);
    const char* base = reinterpret_cast<const char*>(scale.data());
    TGET_SCALE_ADDR(scale, left);
    return reinterpret_cast<const char*>(scale.data()) - base;
}

// Odd and even elements of one tile.
extern "C" void deinterleaved(int16_t* odd, int16_t* even, const int16_t* both)
{
    Tile<TileType::Vec, int16_t, 4, 32, BLayout::RowMajor, -1, -1> d1(3, 10), d0(3, 10), s(3, 20);
    TASSIGN(d1, 0);
    TASSIGN(d0, 0x1000);
    TASSIGN(s, 0x2000);
    fill_tile(d1, odd);
    fill_tile(d0, even);
    fill_tile(s, both);
    TDEINTERLEAVE(d1, d0, s);
    read_tile(odd, d1);
    read_tile(even, d0);
}
