#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 96;
constexpr int kInner = 2304;
constexpr int kCols = 96;

/// c = a b of row-major matrices, or twice that, added up in the accumulator.
template <typename C, typename T>
void product(C* c, const T* a, const T* b, int m, int k, int n, int twice)
{
    using Anywhere = Shape<-1, -1, -1, -1, -1>;
    using AnyStride = Stride<-1, -1, -1, -1, -1>;
    GlobalTensor<T, Anywhere, AnyStride> from_a(const_cast<T*>(a), Anywhere(1, 1, 1, m, k), AnyStride(0, 0, 0, k, 1));
    GlobalTensor<T, Anywhere, AnyStride> from_b(const_cast<T*>(b), Anywhere(1, 1, 1, k, n), AnyStride(0, 0, 0, n, 1));
    GlobalTensor<C, Anywhere, AnyStride> to(c, Anywhere(1, 1, 1, m, n), AnyStride(0, 0, 0, n, 1));
    TileLeft<T, kRows, kInner, -1, -1> left(m, k);
    TileRight<T, kInner, kCols, -1, -1> right(k, n);
    TileAcc<C, kRows, kCols, -1, -1> sum(m, n);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(sum, 0);
    TLOAD(left, from_a);
    TLOAD(right, from_b);
    TMATMUL(sum, left, right);
    if (twice != 0) {
        TMATMUL_ACC(sum, left, right);
    }
    TSTORE(to, sum);
}

/// c = a b, of which a lies column after column.
template <typename C, typename T>
void product_of_columns(C* c, const T* a, const T* b, int m, int k, int n)
{
    using Anywhere = Shape<-1, -1, -1, -1, -1>;
    using AnyStride = Stride<-1, -1, -1, -1, -1>;
    GlobalTensor<T, Anywhere, AnyStride, Layout::DN> from_a(
        const_cast<T*>(a), Anywhere(1, 1, 1, m, k), AnyStride(0, 0, 0, 1, m));
    GlobalTensor<T, Anywhere, AnyStride> from_b(const_cast<T*>(b), Anywhere(1, 1, 1, k, n), AnyStride(0, 0, 0, n, 1));
    GlobalTensor<C, Anywhere, AnyStride> to(c, Anywhere(1, 1, 1, m, n), AnyStride(0, 0, 0, n, 1));
    TileLeft<T, kRows, kInner, -1, -1> left(m, k);
    TileRight<T, kInner, kCols, -1, -1> right(k, n);
    TileAcc<C, kRows, kCols, -1, -1> sum(m, n);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(sum, 0);
    __builtin_memset(static_cast<void*>(left.data()), 0x7f, 4 * kInner * 32);  // NaN, or 127, where nobody writes
    TLOAD(left, from_a);
    TLOAD(right, from_b);
    TMATMUL(sum, left, right);
    TSTORE(to, sum);
}

}  // namespace

#define PRODUCT(NAME, C, T)                                                                                  \
    extern "C" void product_##NAME(C* c, const T* a, const T* b, int m, int k, int n, int twice)             \
    {                                                                                                        \
        product<C, T>(c, a, b, m, k, n, twice);                                                              \
    }                                                                                                        \
    extern "C" void product_of_columns_##NAME(C* c, const T* a, const T* b, int m, int k, int n)             \
    {                                                                                                        \
        product_of_columns<C, T>(c, a, b, m, k, n);                                                          \
    }
PRODUCT(fp32, float, float)
PRODUCT(fp16, float, half)
PRODUCT(bf16, float, bfloat16_t)
PRODUCT(int8, int32_t, int8_t)
