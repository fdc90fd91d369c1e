// Tiles in and out of every memory and layout. Whole tiles travel as plain row-major arrays by way of GetElement.
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

template <typename Tile, typename T>
void set_all(Tile& tile, const T* from)
{
    for (int r = 0; r < Tile::Rows; ++r) {
        for (int c = 0; c < Tile::Cols; ++c) {
            tile.SetElement(r, c, from[r * Tile::Cols + c]);
        }
    }
}

template <typename Tile, typename T>
void get_all(T* to, Tile& tile)
{
    for (int r = 0; r < Tile::Rows; ++r) {
        for (int c = 0; c < Tile::Cols; ++c) {
            to[r * Tile::Cols + c] = tile.GetElement(r, c);
        }
    }
}

template <TileType Loc, typename T, int R, int C, BLayout B, SLayout S, int Bytes = 512>
using Any = Tile<Loc, T, R, C, B, -1, -1, S, Bytes>;

// Load, then store: `tile` shows what the load wrote, `to` what the store wrote.
template <typename TileData, Layout L, typename T>
void through(T* tile, T* to, T* from, const int64_t* shape, const int64_t* stride, int rows, int cols)
{
    TileData t(rows, cols);
    TASSIGN(t, 0);
    set_all(t, tile);
    auto in = view<T, L>(from, shape, stride);
    auto out = view<T, L>(to, shape, stride);
    TLOAD(t, in);
    get_all(tile, t);
    TSTORE(out, t);
}

// A region of one tile into another; -1 as mode inserts.
template <typename Dst, typename Src, typename D, typename S>
void region(D* to, S* from, const int* at, bool insert)
{
    Src src(at[0], at[1]);
    Dst dst(at[2], at[3]);
    TASSIGN(src, 0);
    TASSIGN(dst, 0x10000);
    set_all(src, from);
    set_all(dst, to);
    if (insert) {
        TINSERT(dst, src, at[4], at[5]);
    } else {
        TEXTRACT(dst, src, at[4], at[5]);
    }
    get_all(to, dst);
}

}  // namespace

#define THROUGH(NAME, LOC, T, B, S, L)                                                                              \
    extern "C" void NAME(T* tile, T* to, T* from, const int64_t* shape, const int64_t* stride, int r, int c)        \
    {                                                                                                               \
        through<Any<TileType::LOC, T, 64, 64, BLayout::B, SLayout::S>, Layout::L, T>(                               \
            tile, to, from, shape, stride, r, c);                                                                   \
    }
THROUGH(vec_nd_nd, Vec, float, RowMajor, NoneBox, ND)
THROUGH(vec_dn_dn, Vec, float, ColMajor, NoneBox, DN)
THROUGH(vec_nz_nz, Vec, int8_t, ColMajor, RowMajor, NZ)
THROUGH(vec_nz_nd, Vec, half, ColMajor, RowMajor, ND)
THROUGH(mat_nd_nd, Mat, float, RowMajor, NoneBox, ND)
THROUGH(mat_nz_nd, Mat, half, ColMajor, RowMajor, ND)
THROUGH(mat_nz_dn, Mat, half, ColMajor, RowMajor, DN)
THROUGH(mat_zn_dn, Mat, int8_t, RowMajor, ColMajor, DN)
THROUGH(mat_zn_nd, Mat, float, RowMajor, ColMajor, ND)
THROUGH(mat_zz_nd, Mat, half, RowMajor, RowMajor, ND)
THROUGH(mat_nz_nz, Mat, float, ColMajor, RowMajor, NZ)
THROUGH(acc_nd, Acc, float, ColMajor, RowMajor, ND)
THROUGH(acc_nz, Acc, float, ColMajor, RowMajor, NZ)
THROUGH(acc_nc1hwc0, Acc, int32_t, ColMajor, RowMajor, NC1HWC0)
THROUGH(acc_ndc1hwc0_int32, Acc, int32_t, ColMajor, RowMajor, NDC1HWC0)
THROUGH(acc_ndc1hwc0_fp32, Acc, float, ColMajor, RowMajor, NDC1HWC0)

#define REGION(NAME, D, DT, S, ST)                                                                                   \
    extern "C" void NAME(DT* to, ST* from, const int* at, int insert) { region<D, S>(to, from, at, insert != 0); }
using MatNz = Any<TileType::Mat, half, 64, 96, BLayout::ColMajor, SLayout::RowMajor>;
using MatZn = Any<TileType::Mat, half, 64, 96, BLayout::RowMajor, SLayout::ColMajor>;
using MatNd = Any<TileType::Mat, half, 64, 96, BLayout::RowMajor, SLayout::NoneBox>;
using MatDn = Any<TileType::Mat, half, 64, 96, BLayout::ColMajor, SLayout::NoneBox>;
using LeftTile = TileLeft<half, 48, 80, -1, -1>;
using RightTile = TileRight<half, 48, 80, -1, -1>;
using MatB = Any<TileType::Mat, int8_t, 64, 96, BLayout::ColMajor, SLayout::RowMajor>;
using MatBZn = Any<TileType::Mat, int8_t, 64, 96, BLayout::RowMajor, SLayout::ColMajor>;
using LeftB = TileLeft<int8_t, 48, 96, -1, -1>;
using RightB = TileRight<int8_t, 64, 80, -1, -1>;
using AccTile = TileAcc<float, 64, 96, -1, -1>;
using VecNd = Any<TileType::Vec, half, 48, 80, BLayout::RowMajor, SLayout::NoneBox>;
using VecDn = Any<TileType::Vec, half, 48, 80, BLayout::ColMajor, SLayout::NoneBox>;
using VecNz = Any<TileType::Vec, half, 48, 80, BLayout::ColMajor, SLayout::RowMajor>;
using VecWide = Any<TileType::Vec, half, 64, 96, BLayout::RowMajor, SLayout::NoneBox>;
using VecWideZn = Any<TileType::Vec, half, 64, 96, BLayout::RowMajor, SLayout::ColMajor>;
using AccSmall = TileAcc<float, 48, 80, -1, -1>;
REGION(left_nz, LeftTile, half, MatNz, half)
REGION(left_zn, LeftTile, half, MatZn, half)
REGION(left_nd, LeftTile, half, MatNd, half)
REGION(left_dn, LeftTile, half, MatDn, half)
REGION(left_vec, LeftTile, half, VecWide, half)
REGION(right_nz, RightTile, half, MatNz, half)
REGION(right_zn, RightTile, half, MatZn, half)
REGION(right_nd, RightTile, half, MatNd, half)
REGION(right_dn, RightTile, half, MatDn, half)
REGION(left_int8, LeftB, int8_t, MatB, int8_t)
REGION(right_int8_nz, RightB, int8_t, MatB, int8_t)
REGION(right_int8_zn, RightB, int8_t, MatBZn, int8_t)
REGION(vec_acc, VecNd, half, AccTile, float)
REGION(vec_acc_dn, VecDn, half, AccTile, float)
REGION(vec_acc_nz, VecNz, half, AccTile, float)
REGION(vec_vec, VecNd, half, VecWideZn, half)
REGION(nz_vec, VecNz, half, VecWide, half)
REGION(mat_from_acc, MatNz, half, AccSmall, float)
REGION(mat_from_vec, MatNz, half, VecNd, half)
REGION(wide_from_vec, VecWide, half, VecNz, half)

// One accumulator value for each column under relu, one word, and one word for each column.
extern "C" void scales_of_rows(uint8_t* to, const uint8_t* from, int groups, int cols)
{
    Tile<TileType::Vec, uint8_t, 8, 64, BLayout::RowMajor, -1, -1> src(groups, cols);
    Tile<TileType::Vec, uint8_t, 64, 8, BLayout::RowMajor, -1, -1, SLayout::RowMajor, 32> dst(cols, groups);
    TASSIGN(src, 0);
    TASSIGN(dst, 0x1000);
    fill_tile(src, from);
    fill_tile(dst, to);
    TMOV<0>(dst, src, src);
    read_tile(to, dst);
}

extern "C" void quantised(int8_t* by_word, int8_t* by_column, half* relu, const float* from, const uint64_t* words)
{
    TileAcc<float, 16, 32> acc;
    Tile<TileType::Scaling, uint64_t, 1, 32> scale;
    Tile<TileType::Mat, int8_t, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor> to;
    Tile<TileType::Mat, half, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor> wide;
    TASSIGN(acc, 0);
    TASSIGN(scale, 0);
    TASSIGN(to, 0);
    TASSIGN(wide, 0x4000);
    set_all(acc, from);
    set_all(scale, words);
    using To = decltype(to);
    using Acc = decltype(acc);
    TMOV<To, Acc, ReluPreMode::NoRelu>(to, acc, words[0]);
    get_all(by_word, to);
    TEXTRACT<To, Acc, decltype(scale), AccToVecMode::SingleModeVec0, ReluPreMode::NormalRelu>(to, acc, scale, 0, 0);
    get_all(by_column, to);
    TMOV<decltype(wide), Acc, ReluPreMode::NormalRelu>(wide, acc);
    get_all(relu, wide);
}

// Two threads' worth of a split: what each of two vector cores gets of one accumulator.
extern "C" void split(float* halves, const float* from, int by_columns)
{
    TileAcc<float, 32, 32> acc;
    Tile<TileType::Vec, float, 16, 32> rows;
    Tile<TileType::Vec, float, 32, 16> cols;
    TASSIGN(acc, 0);
    TASSIGN(rows, 0);
    TASSIGN(cols, 0x2000);
    set_all(acc, from);
    using Acc = decltype(acc);
    for (uint32_t core = 0; core < 2; ++core) {
        cpu_sim::set_execution_context(0, core, 2);
        if (by_columns != 0) {
            TMOV<decltype(cols), Acc, AccToVecMode::DualModeSplitN>(cols, acc);
            get_all(halves + core * 512, cols);
        } else {
            TMOV<decltype(rows), Acc, AccToVecMode::DualModeSplitM>(rows, acc);
            get_all(halves + core * 512, rows);
        }
    }
    cpu_sim::reset_execution_context();
}

// Two regions of one tile at once.
extern "C" void two_regions(half* first, half* second, const half* from)
{
    Tile<TileType::Vec, half, 32, 64> src;
    Tile<TileType::Vec, half, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor> a;
    Tile<TileType::Vec, half, 16, 16, BLayout::ColMajor, 7, 9, SLayout::RowMajor> b;
    TASSIGN(src, 0);
    TASSIGN(a, 0x2000);
    TASSIGN(b, 0x4000);
    set_all(src, from);
    set_all(b, second);
    TEXTRACT(a, b, src, 3, 5, 20, 17);
    get_all(first, a);
    get_all(second, b);
}

// Addition into global memory; each of `times` stores adds once.
extern "C" void add_to_memory(float* to, half* narrow, int32_t* whole, const float* from, int times)
{
    Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 5, 11> t;
    Tile<TileType::Vec, half, 8, 16, BLayout::RowMajor, 5, 11> h;
    TileAcc<int32_t, 16, 16, 5, 11> acc;
    TASSIGN(t, 0);
    TASSIGN(h, 0x1000);
    TASSIGN(acc, 0);
    for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 16; ++c) {
            t.SetElement(r, c, from[r * 16 + c]);
            h.SetElement(r, c, static_cast<half>(from[r * 16 + c]));
            acc.SetElement(r, c, static_cast<int32_t>(from[r * 16 + c]));
        }
    }
    using At = Shape<1, 1, 1, 5, 11>;
    using Step = Stride<1, 1, 1, 16, 1>;
    GlobalTensor<float, At, Step> g(to);
    GlobalTensor<half, At, Step> gh(narrow);
    GlobalTensor<int32_t, At, Step> gi(whole);
    for (int i = 0; i < times; ++i) {
        TSTORE<decltype(t), decltype(g), AtomicType::AtomicAdd>(g, t);
        TSTORE<decltype(h), decltype(gh), AtomicType::AtomicAdd>(gh, h);
        TSTORE<STPhase::Final, decltype(acc), decltype(gi), AtomicType::AtomicAdd, ReluPreMode::NormalRelu>(gi, acc);
    }
}

// Tiles of other shapes on the same bytes.
extern "C" void views(half* reshaped, half* boxed, half* sub, half* acc_view, const half* from, const half* wide)
{
    Any<TileType::Mat, half, 32, 32, BLayout::ColMajor, SLayout::RowMajor> src(32, 32);
    Any<TileType::Mat, half, 64, 16, BLayout::ColMajor, SLayout::RowMajor> dst(64, 16);
    TASSIGN(src, 0);
    set_all(src, from);
    TRESHAPE(dst, src);
    get_all(reshaped, dst);
    // A plain tile at the address of a boxed one sees the boxes' bytes.
    Any<TileType::Mat, half, 32, 32, BLayout::RowMajor, SLayout::NoneBox> plain(32, 32);
    TASSIGN(plain, 0);
    get_all(boxed, plain);
    Any<TileType::Vec, half, 32, 64, BLayout::ColMajor, SLayout::RowMajor> whole(32, 64);
    Any<TileType::Vec, half, 32, 32, BLayout::ColMajor, SLayout::RowMajor> part(16, 32);
    TASSIGN(whole, 0);
    set_all(whole, wide);
    TSUBVIEW(part, whole, 16, 32);
    part.SetElement(0, 0, static_cast<half>(-7));
    for (int r = 0; r < 16; ++r) {
        for (int c = 0; c < 32; ++c) {
            sub[r * 32 + c] = part.GetElement(r, c);
        }
    }
    sub[512] = whole.GetElement(16, 32);
    Any<TileType::Acc, half, 32, 32, BLayout::ColMajor, SLayout::RowMajor> tall(32, 32);
    Any<TileType::Acc, half, 64, 16, BLayout::ColMajor, SLayout::RowMajor> wider(64, 16);
    TASSIGN(tall, 0);
    set_all(tall, from);
    TRESHAPE(wider, tall);
    get_all(acc_view, wider);
}
