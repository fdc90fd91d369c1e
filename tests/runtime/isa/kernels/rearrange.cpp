// Padding, transposition, concatenation, gathering, scattering, sorting and convolution operands.
#include "common.hpp"

using namespace pto;

namespace {

template <typename T, int R, int C, PadValue P = PadValue::Null>
using Rows = Tile<TileType::Vec, T, R, C, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, P>;
template <typename T>
using Memory = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>>;

template <typename Tile, typename... Bytes>
void at(Tile& tile, uint64_t offset, Bytes*... bytes)
{
    TASSIGN(tile, offset);
    (fill_tile(tile, bytes), ...);
}

// dst is 8 x 32 when the larger form is asked for, else the source's 8 x 16.
template <typename T, PadValue P>
void pad(T* to, const T* from, int rows, int cols, int form)
{
    Rows<T, 8, 32> src(rows, cols);
    Rows<T, 8, 32, P> same(8, 32);
    Rows<T, 16, 64, P> larger(16, 64);
    at(src, 0, from);
    if (form == 0) {
        at(same, 0x4000, to);
        TFILLPAD(same, src);
        read_tile(to, same);
    } else if (form == 1) {
        TASSIGN(same, 0);
        TFILLPAD_INPLACE(same, src);
        read_tile(to, same);
    } else {
        at(larger, 0x4000, to);
        TFILLPAD_EXPAND(larger, src);
        read_tile(to, larger);
    }
}

// All of the tile, of which three rows of five elements are valid; and a ConvTile of one image, then the bytes behind it.
template <typename T>
void expand_in_l1(T* to, T* image, T value)
{
    Tile<TileType::Mat, T, 32, 64, BLayout::ColMajor, -1, -1, SLayout::RowMajor> tile(3, 5);
    constexpr int kC0 = 32 / static_cast<int>(sizeof(T));
    ConvTile<TileType::Mat, T, 2 * 4 * 32, Layout::NC1HWC0, ConvTileShape<-1, 1, 2, 2, kC0>> map(1);
    TASSIGN(tile, 0);
    TASSIGN(map, 0x8000);
    for (int i = 0; i < 8 * kC0; ++i) {
        map.data()[i] = image[i];
    }
    TEXPANDS(tile, value);
    TEXPANDS<decltype(map)>(map, value);
    for (int i = 0; i < 32 * 64; ++i) {
        to[i] = tile.GetElement(i / 64, i % 64);
    }
    for (int i = 0; i < 8 * kC0; ++i) {
        image[i] = map.data()[i];
    }
}

template <typename T>
void transpose(T* to, const T* from, int rows, int cols)
{
    Rows<T, 64, 96> src(rows, cols);
    Rows<T, 96, 64> dst(cols, rows), tmp(cols, rows);
    at(src, 0, from);
    at(dst, 0x10000, to);
    TASSIGN(tmp, 0x20000);
    TTRANS(dst, src, tmp);
    read_tile(to, dst);
}

template <MaskPattern P>
void pattern(float* gathered, float* rows, float* scattered, const float* from, int m, int n)
{
    Rows<float, 8, 32> src(m, n), out(8, 32);
    at(src, 0, from);
    at(out, 0x2000, gathered);
    TGATHER<Rows<float, 8, 32>, Rows<float, 8, 32>, P>(out, src);
    read_tile(gathered, out);
    at(out, 0x2000, rows);
    TGATHER<Rows<float, 8, 32>, Rows<float, 8, 32>, P, GatherAxis::GATHER_COL>(out, src);
    read_tile(rows, out);
    constexpr int kPeriod = P == MaskPattern::P1111 ? 1 : P == MaskPattern::P0101 || P == MaskPattern::P1010 ? 2 : 4;
    Rows<float, 8, 128> wide(m, n * kPeriod);
    at(wide, 0x4000, scattered);
    TSCATTER<P>(wide, src);
    read_tile(scattered, wide);
}

template <Coalesce Mode, GatherOOB Out, ScatterOOB Skip, ScatterAtomicOp Op>
void memory(float* gathered, float* table, const float* from, const int32_t* index, int m, int n, int rows, int cols)
{
    Rows<float, 8, 16> data(m, n);
    Rows<int32_t, 8, 16> where(Mode == Coalesce::Row ? 1 : m, Mode == Coalesce::Row ? m : n);
    at(where, 0x4000, index);
    Memory<float> global(table, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(cols));
    at(data, 0, gathered);
    MGATHER<Mode, Out>(data, global, where);
    read_tile(gathered, data);
    at(data, 0, from);
    MSCATTER<Mode, Op, Skip>(global, data, where);
}

template <typename T>
void sort(T* pairs, const T* values, const uint32_t* index, int rows, int cols)
{
    Rows<T, 4, 64> src(rows, cols);
    Rows<uint32_t, 4, 64> idx(rows, cols);
    constexpr int kPair = 8 / sizeof(T);
    Rows<T, 4, 64 * kPair> dst(rows, cols * kPair);
    at(src, 0, values);
    at(idx, 0x2000, index);
    at(dst, 0x4000, pairs);
    TSORT32(dst, src, idx, src);
    read_tile(pairs, dst);
}

}  // namespace

extern "C" void pad_max_fp32(float* to, const float* from, int r, int c, int form)
{
    pad<float, PadValue::Max>(to, from, r, c, form);
}
extern "C" void pad_min_int8(int8_t* to, const int8_t* from, int r, int c, int form)
{
    pad<int8_t, PadValue::Min>(to, from, r, c, form);
}
extern "C" void pad_custom_fp16(half* to, const half* from, int r, int c, int form)
{
    pad<half, PadValueCustom(half(-1.5))>(to, from, r, c, form);
}
extern "C" void pad_on_load(float* tile, float* from, int rows, int cols)
{
    Rows<float, 8, 32, PadValue::Min> t(rows, cols);
    at(t, 0, tile);
    Memory<float> g(from, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(40));
    TLOAD(t, g);
    read_tile(tile, t);
}
extern "C" void expand_in_l1_fp32(float* to, float* image, float value) { expand_in_l1(to, image, value); }
extern "C" void expand_in_l1_int8(int8_t* to, int8_t* image, int value)
{
    expand_in_l1(to, image, static_cast<int8_t>(value));
}
extern "C" void transpose_fp32(float* to, const float* from, int r, int c) { transpose(to, from, r, c); }
extern "C" void transpose_int8(int8_t* to, const int8_t* from, int r, int c) { transpose(to, from, r, c); }
extern "C" void transpose_bf16(bfloat16_t* to, const bfloat16_t* from, int r, int c) { transpose(to, from, r, c); }

extern "C" void concat(float* to, int32_t* total, const float* a, const float* b, const int32_t* n_a, const int32_t* n_b, int rows, int form)
{
    Rows<float, 8, 24> dst(rows, 24);
    Rows<float, 8, 16> left(rows, 13), right(rows, 11);
    Rows<int32_t, 8, 8> sum(rows, 1), first(rows, 1), second(rows, 1);
    at(dst, 0, to);
    at(left, 0x1000, a);
    at(right, 0x2000, b);
    at(sum, 0x3000, total);
    at(first, 0x4000, n_a);
    at(second, 0x5000, n_b);
    if (form == 0) {
        TCONCAT(dst, left, right);
    } else if (form == 1) {
        TCONCAT(dst, left, right, first, second);
    } else {
        TCONCAT(dst, left, right, sum, first, second);
        read_tile(total, sum);
    }
    read_tile(to, dst);
}

extern "C" void interleave(int16_t* high, int16_t* low, int16_t* odd, int16_t* even, const int16_t* b, const int16_t* a)
{
    Rows<int16_t, 4, 32> d1(3, 20), d0(3, 20), s1(3, 20), s0(3, 20);
    at(d1, 0, high);
    at(d0, 0x1000, low);
    at(s1, 0x2000, b);
    at(s0, 0x3000, a);
    TINTERLEAVE(d1, d0, s1, s0);
    read_tile(high, d1);
    read_tile(low, d0);
    TDEINTERLEAVE(s1, s0, d1, d0);
    read_tile(odd, s1);
    read_tile(even, s0);
}

#define PATTERN(NAME)                                                                                          \
    extern "C" void pattern_##NAME(float* g, float* r, float* s, const float* from, int m, int n)              \
    {                                                                                                          \
        pattern<MaskPattern::NAME>(g, r, s, from, m, n);                                                       \
    }
PATTERN(P0101)
PATTERN(P1010)
PATTERN(P0001)
PATTERN(P0010)
PATTERN(P0100)
PATTERN(P1000)
PATTERN(P1111)

extern "C" void gather_index(half* to, const half* from, const int32_t* index, int rows, int cols)
{
    Rows<half, 8, 32> dst(rows, cols), src(8, 32);
    Rows<int32_t, 8, 32> idx(rows, cols);
    at(src, 0, from);
    at(idx, 0x2000, index);
    at(dst, 0x4000, to);
    TGATHER(dst, src, idx, idx);
    read_tile(to, dst);
}

extern "C" void gather_matches(int32_t* to, int32_t* counts, const float* from, const int32_t* value, int rows, int cols)
{
    using S = Rows<float, 8, 32>;
    using I = Rows<int32_t, 8, 32>;
    using K = Rows<int32_t, 1, 8>;
    S src(rows, cols);
    I dst(rows, cols);
    K k(1, rows), n(1, rows);
    Rows<uint8_t, 8, 32> tmp(8, 32);
    at(src, 0, from);
    at(dst, 0x2000, to);
    at(k, 0x4000, value);
    at(n, 0x5000, counts);
    TASSIGN(tmp, 0x6000);
    TGATHER<I, S, K, K, decltype(tmp), CmpMode::GT>(dst, src, k, n, tmp, 100);
    read_tile(to, dst);
    read_tile(counts, n);
}

extern "C" void gather_blocks(float* to, const float* from, const uint32_t* offset, int rows, int cols)
{
    Rows<float, 4, 32> dst(rows, cols), src(4, 32);
    Rows<uint32_t, 4, 8> off(rows, 4);
    at(src, 0, from);
    at(off, 0x1000, offset);
    at(dst, 0x2000, to);
    TGATHERB(dst, src, off);
    read_tile(to, dst);
}

extern "C" void scatter_index(float* to, const float* from, const int32_t* index, int rows, int cols)
{
    Rows<float, 8, 32> dst(7, 30), src(rows, cols);
    Rows<int32_t, 8, 32> idx(rows, cols);
    at(src, 0, from);
    at(idx, 0x2000, index);
    at(dst, 0x4000, to);
    TSCATTER(dst, src, idx);
    read_tile(to, dst);
}

#define MEMORY(NAME, MODE, GATHER, SCATTER, OP)                                                                      \
    extern "C" void NAME(float* g, float* t, const float* f, const int32_t* i, int m, int n, int rows, int cols)     \
    {                                                                                                                \
        memory<Coalesce::MODE, GatherOOB::GATHER, ScatterOOB::SCATTER, ScatterAtomicOp::OP>(                         \
            g, t, f, i, m, n, rows, cols);                                                                           \
    }
MEMORY(row_zero_skip, Row, Zero, Skip, None)
MEMORY(row_clamp_add, Row, Clamp, Clamp, Add)
MEMORY(elem_wrap_max, Elem, Wrap, Wrap, Max)
MEMORY(elem_zero_min, Elem, Zero, Skip, Min)

extern "C" void sort_fp32(float* p, const float* v, const uint32_t* i, int r, int c) { sort(p, v, i, r, c); }
extern "C" void sort_fp16(half* p, const half* v, const uint32_t* i, int r, int c) { sort(p, v, i, r, c); }

// Four sorted blocks of `block` pairs in one, and lists of 24, 40 and 8 pairs in another.
extern "C" void merge(float* blocks, float* lists, uint16_t* taken, const float* from, int block, int exhausted)
{
    Rows<float, 1, 512> src(1, 512), dst(1, 512);
    at(src, 0, from);
    at(dst, 0x4000, blocks);
    TMRGSORT(dst, src, static_cast<uint32_t>(block * 2));
    read_tile(blocks, dst);
    using List = Rows<float, 1, 128>;
    List a(1, 48), b(1, 80), c(1, 16);
    using Out = Rows<float, 1, 256>;
    Out out(1, 144), tmp(1, 144);
    at(a, 0, from);
    at(b, 0x1000, from + 128);
    at(c, 0x2000, from + 256);
    at(out, 0x4000, lists);
    TASSIGN(tmp, 0x8000);
    MrgSortExecutedNumList done{};
    if (exhausted != 0) {
        TMRGSORT<Out, Out, List, List, List, true>(out, done, tmp, a, b, c);
    } else {
        TMRGSORT<Out, Out, List, List, List, false>(out, done, tmp, a, b, c);
    }
    read_tile(lists, out);
    __builtin_memcpy(taken, &done, sizeof(done));
}

extern "C" void histogram(uint32_t* high, uint32_t* low, uint32_t* third, const uint16_t* narrow, const uint8_t* filter, const uint32_t* wide, const uint8_t* filters)
{
    Rows<uint16_t, 4, 64> src(4, 60);
    Tile<TileType::Vec, uint8_t, 32, 1, BLayout::ColMajor, 4, 1> idx;
    Rows<uint32_t, 4, 256> dst(4, 256);
    Rows<uint32_t, 4, 64> src4(4, 60);
    Rows<uint8_t, 4, 64> idx4(3, 60);
    at(src, 0, narrow);
    at(idx, 0x1000, filter);
    at(src4, 0x2000, wide);
    at(idx4, 0x4000, filters);
    TASSIGN(dst, 0x8000);
    THISTOGRAM<HistByte::BYTE_1>(dst, src, idx);
    read_tile(high, dst);
    THISTOGRAM<HistByte::BYTE_0>(dst, src, idx);
    read_tile(low, dst);
    THISTOGRAM<HistByte::BYTE_1>(dst, src4, idx4);
    read_tile(third, dst);
}

// A 3 x 3 convolution over 2 images of 32 channels, 5 x 6 pixels, padded by one, with a stride of two across.
extern "C" void columns(half* to, half* from, half* filter, const half* weights, int first_m, int first_k)
{
    using Map = ConvTile<TileType::Mat, half, 2 * 2 * 5 * 6 * 16 * 2, Layout::NC1HWC0, ConvTileShape<2, -1, 5, 6, 16>>;
    Map map(int64_t(2));
    TASSIGN(map, 0);
    GlobalTensor<half, Shape<2, 2, 5, 6, 16>, Stride<960, 480, 96, 16, 1>, Layout::NC1HWC0> memory(from);
    TLOAD(map, memory);
    map.SetFilterH(3);
    map.SetFilterW(3);
    map.SetStrideW(2);
    map.SetPadValue(half(-1));
    const uint8_t padding[4] = {1, 1, 1, 1};
    map.SetPadListArray(padding);
    SETFMATRIX(map);
    TileLeft<half, 32, 64> left;
    TASSIGN(left, 0);
    TIMG2COL(left, map, first_m, first_k);
    for (int r = 0; r < 32; ++r) {
        for (int c = 0; c < 64; ++c) {
            to[r * 64 + c] = left.GetElement(r, c);
        }
    }
    ConvTile<TileType::Mat, half, 18 * 2 * 16 * 16 * 2, Layout::FRACTAL_Z, ConvTileShape<18, 2, 16, 16>> kernel;
    TASSIGN(kernel, 0x10000);
    __builtin_memcpy(static_cast<void*>(kernel.data()), weights, 18 * 2 * 16 * 16 * 2);
    TileRight<half, 64, 32> right;
    TASSIGN(right, 0);
    TEXTRACT(right, kernel, 32, 0);
    for (int r = 0; r < 64; ++r) {
        for (int c = 0; c < 32; ++c) {
            filter[r * 32 + c] = right.GetElement(r, c);
        }
    }
}

// NCHW to NC1HWC0 and back, and to FRACTAL_Z.
extern "C" void channel_blocks(float* split, float* back, float* fractal, const float* from)
{
    ConvTile<TileType::Vec, float, 3 * 10 * 4 * 4, Layout::NCHW, ConvTileShape<3, 10, 2, 2>> whole, again;
    ConvTile<TileType::Vec, float, 3 * 2 * 4 * 8 * 4, Layout::NC1HWC0, ConvTileShape<3, 2, 2, 2, 8>> blocks;
    ConvTile<TileType::Vec, float, 8 * 16 * 8 * 4, Layout::FRACTAL_Z, ConvTileShape<8, 1, 16, 8>> filter;
    TASSIGN(whole, 0);
    TASSIGN(again, 0x1000);
    TASSIGN(blocks, 0x2000);
    TASSIGN(filter, 0x4000);
    __builtin_memcpy(whole.data(), from, 120 * 4);
    __builtin_memcpy(blocks.data(), split, 192 * 4);
    __builtin_memcpy(filter.data(), fractal, 1024 * 4);
    TTRANS(blocks, whole, whole);
    TTRANS(again, blocks, blocks);
    TTRANS(filter, blocks, blocks);
    __builtin_memcpy(split, blocks.data(), 192 * 4);
    __builtin_memcpy(back, again.data(), 120 * 4);
    __builtin_memcpy(fractal, filter.data(), 1024 * 4);
}

// A feature map that is larger than the tensor, and a filter that has one row of channels less than it: what both have
// is loaded, and stored again.
extern "C" void common_part(float* map, float* filter, float* stored, float* from)
{
    using Part = GlobalTensor<float, Shape<1, 1, 2, 3, 8>, Stride<48, 48, 24, 8, 1>, Layout::NC1HWC0>;
    using Rows = GlobalTensor<float, Shape<2, 2, 1, 16, 8>, Stride<256, 128, 128, 8, 1>, Layout::FRACTAL_Z>;
    ConvTile<TileType::Mat, float, 2 * 3 * 4 * 8 * 4, Layout::NC1HWC0, ConvTileShape<1, 2, 3, 4, 8>> tile;
    ConvTile<TileType::Mat, float, 4 * 16 * 8 * 4, Layout::FRACTAL_Z, ConvTileShape<3, 1, 16, 8>> fractal;
    TASSIGN(tile, 0);
    TASSIGN(fractal, 0x1000);
    __builtin_memcpy(tile.data(), map, 192 * 4);
    __builtin_memcpy(fractal.data(), filter, 512 * 4);
    Part part(from), result(stored);
    Rows rows(from);
    TLOAD(tile, part);
    TLOAD(fractal, rows);
    TSTORE(result, tile);
    __builtin_memcpy(map, tile.data(), 192 * 4);
    __builtin_memcpy(filter, fractal.data(), 512 * 4);
}

// A filter that a tensor has by channels, height, width and outputs, and one whose outputs a tile cuts elsewhere.
extern "C" void filter_of_pixels(float* filter, float* cut, float* from)
{
    using Pixels = GlobalTensor<float, Shape<2, 1, 3, 16, 8>, Stride<384, 384, 128, 8, 1>, Layout::FRACTAL_Z>;
    ConvTile<TileType::Mat, float, 6 * 16 * 8 * 4, Layout::FRACTAL_Z, ConvTileShape<6, 1, 16, 8>> whole;
    ConvTile<TileType::Mat, float, 4 * 16 * 8 * 4, Layout::FRACTAL_Z, ConvTileShape<2, 2, 16, 8>> part;
    TASSIGN(whole, 0);
    TASSIGN(part, 0x4000);
    __builtin_memcpy(whole.data(), filter, 768 * 4);
    __builtin_memcpy(part.data(), cut, 512 * 4);
    Pixels pixels(from);
    TLOAD(whole, pixels);
    TLOAD(part, pixels);
    __builtin_memcpy(filter, whole.data(), 768 * 4);
    __builtin_memcpy(cut, part.data(), 512 * 4);
}
