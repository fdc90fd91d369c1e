#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 48;
constexpr int kInner = 192;
constexpr int kCols = 64;

template <typename T>
using Left = TileLeft<T, kRows, kInner, -1, -1>;
template <typename T>
using Right = TileRight<T, kInner, kCols, -1, -1>;
template <typename C>
using Acc = TileAcc<C, kRows, kCols, -1, -1>;
using Anywhere = Shape<1, 1, 1, -1, -1>;
using AnyStride = Stride<1, 1, 1, -1, 1>;
template <typename T>
using Global = GlobalTensor<T, Anywhere, AnyStride>;

template <typename T>
Global<T> matrix(const T* p, int rows, int cols)
{
    return {const_cast<T*>(p), Anywhere(rows, cols), AnyStride(cols)};
}

enum Form { kPlain, kBias, kAccumulate };

template <typename C, typename T, typename R>
void multiply(int form, int vector, C* c, const T* a, const R* b, const C* bias, int m, int k, int n)
{
    Left<T> left(m, k);
    Right<R> right(k, n);
    Acc<C> acc(m, n), other(m, n);
    Tile<TileType::Mat, C, 1, kCols, BLayout::RowMajor, 1, -1> row(n);
    Tile<TileType::Bias, C, 1, kCols, BLayout::RowMajor, 1, -1> bias_row(n);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    TASSIGN(other, kRows * kCols * sizeof(C));  // side by side, as kernels put them
    TASSIGN(row, 0);
    TASSIGN(bias_row, 0);
    auto from = matrix(a, m, k);
    auto by = matrix(b, k, n);
    auto to = matrix(c, m, n);
    auto bias_from = matrix(bias, 1, n);
    TLOAD(left, from);
    TLOAD(right, by);
    TLOAD(row, bias_from);
    TMOV(bias_row, row);
    if (form == kPlain) {
        vector != 0 ? TGEMV<AccPhase::Final>(acc, left, right) : TMATMUL<AccPhase::Final>(acc, left, right);
    } else if (form == kBias) {
        vector != 0 ? TGEMV_BIAS(acc, left, right, bias_row)
                    : TMATMUL_BIAS<AccPhase::Partial>(acc, left, right, bias_row);
    } else {
        TMATMUL(other, left, right);
        vector != 0 ? TGEMV_ACC<AccPhase::Partial>(acc, other, left, right) : TMATMUL_ACC(acc, other, left, right);
        TMATMUL_ACC<AccPhase::Final>(acc, left, right);
    }
    TSTORE(to, acc);
}

/// The product with rounded operands, once more without, and what a kernel after one that forgot to reset has.
void multiply_rounded(
    RoundMode mode, float* rounded, float* plain, float* next, const float* a, const float* b, int m, int k, int n)
{
    Left<float> left(m, k);
    Right<float> right(k, n);
    Acc<float> acc(m, n);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    auto from = matrix(a, m, k);
    auto by = matrix(b, k, n);
    TLOAD(left, from);
    TLOAD(right, by);
    const auto product = [&](float* to) {
        auto out = matrix(to, m, n);
        TMATMUL(acc, left, right);
        TSTORE(out, acc);
    };
    left.SetMadTF32Mode(mode);
    product(rounded);
    left.ResetMadMode();
    product(plain);
    left.SetMadTF32Mode();
    cpu_sim::reset_execution_context();
    product(next);
}

template <typename A, typename B>
void multiply_mx(
    int form, float* c, const A* a, const B* b, const uint8_t* a_scale, const uint8_t* b_scale, const float* bias, int m,
    int k, int n)
{
    using Scale = float8_e8m0_t;
    constexpr int kGroups = kInner / 32;
    Tile<TileType::Mat, A, kRows, kInner, BLayout::ColMajor, -1, -1, SLayout::RowMajor> mat(m, k);
    Left<A> left(m, k);
    Right<B> right(k, n);
    TileLeftScale<Scale, kRows, kGroups> left_scale;
    TileRightScale<Scale, kGroups, kCols> right_scale;
    Acc<float> acc(m, n), other(m, n);
    Tile<TileType::Bias, float, 1, kCols, BLayout::RowMajor, 1, -1> bias_row(n);
    TASSIGN(mat, 0);
    TASSIGN(left, 0);
    TASSIGN(right, 0x1000);
    TASSIGN(left_scale, GetScaleAddr(left.data()));
    TGET_SCALE_ADDR(right_scale, right);
    TASSIGN(acc, 0);
    TASSIGN(other, kRows * kCols * 4);
    TASSIGN(bias_row, 0);
    auto from = matrix(a, m, k);
    auto by = matrix(b, k, n);
    auto to = matrix(c, m, n);
    TLOAD(mat, from);
    TMOV(left, mat);
    TLOAD(right, by);
    for (int g = 0; g < kGroups; ++g) {
        for (int r = 0; r < kRows; ++r) {
            left_scale.SetElement(r, g, Scale::FromRaw(a_scale[r * kGroups + g]));
        }
        for (int col = 0; col < kCols; ++col) {
            right_scale.SetElement(g, col, Scale::FromRaw(b_scale[g * kCols + col]));
        }
    }
    for (int col = 0; col < n; ++col) {
        bias_row.SetElement(0, col, bias[col]);
    }
    if (form == kPlain) {
        TMATMUL_MX<AccPhase::Final>(acc, left, left_scale, right, right_scale);
    } else if (form == kBias) {
        TGEMV_MX(acc, left, left_scale, right, right_scale, bias_row);
    } else {
        TMATMUL_MX(other, left, left_scale, right, right_scale);
        TGEMV_MX<AccPhase::Partial>(acc, other, left, left_scale, right, right_scale);
        TMATMUL_MX(acc, acc, left, left_scale, right, right_scale);
    }
    TSTORE(to, acc);
}

template <typename To, typename C>
void store_quantised(int form, To* to, const C* values, uint64_t word, const uint64_t* words, int rows, int cols)
{
    Acc<C> acc(rows, cols);
    Tile<TileType::Scaling, uint64_t, 1, kCols> scaling;
    TASSIGN(acc, 0);
    TASSIGN(scaling, 0);
    __builtin_memcpy(scaling.data(), words, kCols * sizeof(uint64_t));
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            acc.SetElement(r, c, values[r * cols + c]);
        }
    }
    auto global = matrix(to, rows, cols);
    using G = Global<To>;
    using A = Acc<C>;
    switch (form) {
        case 0: TSTORE(global, acc, word); break;
        case 1: TSTORE<STPhase::Final, A, G, AtomicType::AtomicNone, ReluPreMode::NormalRelu>(global, acc, word); break;
        case 2: TSTORE_FP(global, acc, scaling); break;
        default:
            TSTORE_FP<A, G, decltype(scaling), AtomicType::AtomicNone, ReluPreMode::NormalRelu>(global, acc, scaling);
    }
}

}  // namespace

#define FORMS(NAME, C, T, R)                                                                                       \
    extern "C" void multiply_##NAME(                                                                               \
        int form, int vector, C* c, const T* a, const R* b, const C* bias, int m, int k, int n)                    \
    {                                                                                                              \
        multiply<C, T, R>(form, vector, c, a, b, bias, m, k, n);                                                   \
    }
FORMS(fp32, float, float, float)
FORMS(fp16, float, half, half)
FORMS(bf16, float, bfloat16_t, bfloat16_t)
FORMS(int8, int32_t, int8_t, int8_t)
FORMS(e4m3_e4m3, float, float8_e4m3_t, float8_e4m3_t)
FORMS(e4m3_e5m2, float, float8_e4m3_t, float8_e5m2_t)
FORMS(e5m2_e4m3, float, float8_e5m2_t, float8_e4m3_t)
FORMS(e5m2_e5m2, float, float8_e5m2_t, float8_e5m2_t)
FORMS(hif8_hif8, float, hifloat8_t, hifloat8_t)

extern "C" void multiply_rounded(
    int away, float* rounded, float* plain, float* next, const float* a, const float* b, int m, int k, int n)
{
    multiply_rounded(
        away != 0 ? RoundMode::CAST_ROUND : RoundMode::CAST_RINT, rounded, plain, next, a, b, m, k, n);
}

#define MX_FORMS(NAME, A, B)                                                                                       \
    extern "C" void multiply_mx_##NAME(                                                                            \
        int form, float* c, const A* a, const B* b, const uint8_t* as, const uint8_t* bs, const float* bias, int m, \
        int k, int n)                                                                                              \
    {                                                                                                              \
        multiply_mx<A, B>(form, c, a, b, as, bs, bias, m, k, n);                                                   \
    }
MX_FORMS(e4m3_e5m2, float8_e4m3_t, float8_e5m2_t)
MX_FORMS(e4m3_e4m3, float8_e4m3_t, float8_e4m3_t)
MX_FORMS(e2m1_e1m2, float4_e2m1x2_t, float4_e1m2x2_t)

#define STORE(NAME, To, C)                                                                                         \
    extern "C" void store_##NAME(                                                                                  \
        int form, To* to, const C* values, uint64_t word, const uint64_t* words, int rows, int cols)               \
    {                                                                                                              \
        store_quantised(form, to, values, word, words, rows, cols);                                                \
    }
STORE(fp32_int8, int8_t, float)
STORE(int32_uint8, uint8_t, int32_t)
STORE(int32_fp16, half, int32_t)
STORE(fp32_fp16, half, float)
STORE(fp32_fp32, float, float)
STORE(int32_bf16, bfloat16_t, int32_t)
