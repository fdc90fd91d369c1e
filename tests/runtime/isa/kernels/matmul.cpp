#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 288;
constexpr int kInner = 256;
constexpr int kCols = 160;

enum Source { kNd, kDn, kNz, kPacked, kMatNd, kMatDn, kMatNz, kVec };

template <typename T>
using Left = TileLeft<T, kRows, kInner, -1, -1>;
template <typename T>
using Right = TileRight<T, kInner, kCols, -1, -1>;
template <typename C>
using Acc = TileAcc<C, kRows, kCols, -1, -1>;
using Anywhere = Shape<-1, -1, -1, -1, -1>;
using AnyStride = Stride<-1, -1, -1, -1, -1>;
template <typename T, Layout L>
using Global = GlobalTensor<T, Anywhere, AnyStride, L>;

template <Layout L, typename T>
Global<T, L> matrix(const T* p, int rows, int cols, int64_t row_stride, int64_t col_stride)
{
    return {const_cast<T*>(p), Anywhere(1, 1, 1, rows, cols), AnyStride(0, 0, 0, row_stride, col_stride)};
}

// Public NZ of a matrix padded to `rows` x `cols`: boxes of 16 rows by 32 bytes, panel after panel.
template <typename T>
Global<T, Layout::NZ> fractal(const T* p, int rows, int cols)
{
    constexpr int kBox = 32 / sizeof(T);
    return {
        const_cast<T*>(p), Anywhere(1, cols / kBox, rows / 16, 16, kBox),
        AnyStride(int64_t(rows) * cols, int64_t(rows) * kBox, 16 * kBox, kBox, 1)};
}

template <typename T>
void load_b(Right<T>& b, int source, const T* p, int k, int n)
{
    using MatNd = Tile<TileType::Mat, T, kInner, kCols, BLayout::ColMajor, -1, -1, SLayout::RowMajor>;
    using MatDn = Tile<TileType::Mat, T, kInner, kCols, BLayout::RowMajor, -1, -1, SLayout::ColMajor>;
    MatNd nd(k, n);
    MatDn dn(k, n);
    Tile<TileType::Vec, T, kInner, kCols, BLayout::RowMajor, -1, -1> vec(k, n);
    TASSIGN(nd, 0);
    TASSIGN(dn, 0);
    TASSIGN(vec, 0);
    constexpr int kStep = 64 / sizeof(T);
    auto row_major = matrix<Layout::ND>(p, k, n, n, 1);
    auto column_major = matrix<Layout::DN>(p, k, n, 1, k);
    auto boxes = fractal(p, (k + 15) / 16 * 16, (n + 31) / 32 * 32);
    auto packed = matrix<Layout::CPU_PACKED>(p, k, n, int64_t(k + kStep - 1) / kStep * kStep * 32, 1);
    switch (source) {
        case kNd: TLOAD(b, row_major); break;
        case kDn: TLOAD(b, column_major); break;
        case kNz: TLOAD(b, boxes); break;
        case kPacked: TLOAD(b, packed); break;
        case kMatNd: TLOAD(nd, row_major); TMOV(b, nd); break;
        case kMatDn: TLOAD(dn, column_major); TEXTRACT(b, dn, 0, 0); break;
        case kMatNz: TLOAD(nd, boxes); TMOV(b, nd); break;
        case kVec: TLOAD(vec, row_major); TMOV(b, vec); break;
        default: break;
    }
}

template <typename C, typename T>
void multiply(int source, int accumulate, C* c, const T* a, const T* b, int m, int k, int n)
{
    Left<T> left(m, k);
    Right<T> right(k, n);
    Acc<C> acc(m, n), other(m, n);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    TASSIGN(other, 0x80000);
    auto from = matrix<Layout::ND>(a, m, k, k, 1);
    auto to = matrix<Layout::ND>(c, m, n, n, 1);
    TLOAD(left, from);
    load_b(right, source, b, k, n);
    TMATMUL(acc, left, right);
    if (accumulate == 1) {
        TMATMUL_ACC(acc, left, right);
    } else if (accumulate == 2) {
        TMATMUL_ACC(other, acc, left, right);
        TSTORE(to, other);
        return;
    }
    TSTORE(to, acc);
}

// TEXTRACT from inside Mat tiles, and Vec to Left: both halves of the product of [m, k] and [k, n] at an offset.
template <typename T>
void extract(float* c, const T* a, const T* b, int m, int k, int n, int row, int inner, int col)
{
    using MatA = Tile<TileType::Mat, T, kRows, kInner, BLayout::ColMajor, -1, -1, SLayout::RowMajor>;
    using MatB = Tile<TileType::Mat, T, kInner, kCols, BLayout::ColMajor, -1, -1, SLayout::RowMajor>;
    MatA ma(kRows, kInner);
    MatB mb(kInner, kCols);
    TASSIGN(ma, 0);
    TASSIGN(mb, 0x100000);
    auto ga = matrix<Layout::ND>(a, kRows, kInner, kInner, 1);
    auto gb = matrix<Layout::ND>(b, kInner, kCols, kCols, 1);
    TLOAD(ma, ga);
    TLOAD(mb, gb);
    Left<T> left(m, k);
    Right<T> right(k, n);
    Acc<float> acc(m, n);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    TEXTRACT(left, ma, row, inner);
    TEXTRACT(right, mb, inner, col);
    TMATMUL(acc, left, right);
    auto to = matrix<Layout::ND>(c, m, n, n, 1);
    TSTORE(to, acc);
}

template <typename To, typename C>
void acc_to_vec(To* to, const C* values, int row, int col, int rows, int cols, To* stored)
{
    Acc<C> acc(64, kCols);
    TASSIGN(acc, 0);
    for (int r = 0; r < 64; ++r) {
        for (int c = 0; c < kCols; ++c) {
            acc.SetElement(r, c, values[r * kCols + c]);
        }
    }
    Tile<TileType::Vec, To, 40, 128, BLayout::RowMajor, -1, -1> vec(rows, cols);
    TASSIGN(vec, 0);
    fill_tile(vec, to);
    TEXTRACT(vec, acc, row, col);
    read_tile(to, vec);
    auto global = matrix<Layout::ND>(stored, 64, kCols, kCols, 1);
    TSTORE(global, acc);
}

template <typename C, typename T>
void vec_times(C* c, const T* a, const T* b, int m, int k, int n)
{
    Tile<TileType::Vec, T, 48, 128, BLayout::RowMajor, -1, -1> vec(m, k);
    TASSIGN(vec, 0);
    fill_tile(vec, a);
    Left<T> left(m, k);
    Right<T> right(k, n);
    Acc<C> acc(m, n);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    TMOV(left, vec);
    load_b(right, kNd, b, k, n);
    TMATMUL(acc, left, right);
    auto to = matrix<Layout::ND>(c, m, n, n, 1);
    TSTORE(to, acc);
}

}  // namespace

#define MATMUL(NAME, C, T)                                                                                            \
    extern "C" void matmul_##NAME(int source, int acc, C* c, const T* a, const T* b, int m, int k, int n)             \
    {                                                                                                                 \
        multiply<C, T>(source, acc, c, a, b, m, k, n);                                                                \
    }                                                                                                                 \
    extern "C" void vec_times_##NAME(C* c, const T* a, const T* b, int m, int k, int n)                               \
    {                                                                                                                 \
        vec_times<C, T>(c, a, b, m, k, n);                                                                            \
    }
MATMUL(fp32, float, float)
MATMUL(fp16, float, half)
MATMUL(bf16, float, bfloat16_t)
MATMUL(int8, int32_t, int8_t)

extern "C" void extract_bf16(
    float* c, const bfloat16_t* a, const bfloat16_t* b, int m, int k, int n, int row, int inner, int col)
{
    extract(c, a, b, m, k, n, row, inner, col);
}

#define ACC_TO_VEC(NAME, To, C)                                                                                    \
    extern "C" void acc_to_vec_##NAME(To* to, const C* values, int row, int col, int rows, int cols, To* stored)   \
    {                                                                                                              \
        acc_to_vec<To, C>(to, values, row, col, rows, cols, stored);                                               \
    }
ACC_TO_VEC(fp32, float, float)
ACC_TO_VEC(fp16, half, float)
ACC_TO_VEC(bf16, bfloat16_t, float)
ACC_TO_VEC(int32, int32_t, int32_t)

// The way for a CPU whose matrix unit the system refuses: called directly, because here it may be granted.
template <typename C, typename T>
void without_matrix_unit(C* c, const T* a, const T* b, int m, int k, int n)
{
    Left<T> left(m, k);
    Right<T> right(k, n);
    Acc<C> acc(m, n);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    auto from = matrix<Layout::ND>(a, m, k, k, 1);
    auto to = matrix<Layout::ND>(c, m, n, n, 1);
    TLOAD(left, from);
    load_b(right, kNd, b, k, n);
    constexpr int kStep = 64 / sizeof(T);
    for (int pass = 0; pass < 2; ++pass) {
        cpu::multiply_widened_small<T, C>(
            reinterpret_cast<char*>(acc.data()), cpu::acc_panel_bytes<Acc<C>>, reinterpret_cast<char*>(left.data()),
            cpu::left_panel_bytes<Left<T>>, right.operand, right.operandPanelBytes, m, (n + 31) / 32,
            (k + kStep - 1) / kStep, pass == 1);
    }
    TSTORE(to, acc);
}

extern "C" void twice_without_unit_int8(int32_t* c, const int8_t* a, const int8_t* b, int m, int k, int n)
{
    without_matrix_unit(c, a, b, m, k, n);
}
extern "C" void twice_without_unit_bf16(float* c, const bfloat16_t* a, const bfloat16_t* b, int m, int k, int n)
{
    without_matrix_unit(c, a, b, m, k, n);
}

extern "C" void core(int enter)
{
    if (enter != 0) {
        cpu_sim::enter_core();
    } else {
        cpu_sim::leave_core();
    }
}
