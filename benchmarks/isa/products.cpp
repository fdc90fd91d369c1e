// Products of resident operands, and whole products whose operands come through boxed Mat tiles.
#include "cases.hpp"

#include <type_traits>

using namespace pto;

namespace {

template <typename T>
using sum_t = std::conditional_t<cpu::is_same<T, int8_t>, int32_t, float>;

/// TMATMUL or TMATMUL_ACC on tiles that stay where they are.
template <typename T, int M, int N, int K, bool Accumulate>
double resident(int64_t repeats)
{
    TileLeft<T, M, K> a;
    TileRight<T, K, N> b;
    TileAcc<sum_t<T>, M, N> c;
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    bench::fill(a.data(), M * K);
    bench::fill(b.data(), K * N, 2);
    pto::cpu_sim::enter_core();
    TMATMUL(c, a, b);
    const double seconds = bench::timed(repeats, [&] {
        if constexpr (Accumulate) {
            TMATMUL_ACC(c, c, a, b);
        } else {
            TMATMUL(c, a, b);
        }
    });
    pto::cpu_sim::leave_core();
    return seconds;
}

/// C = A B by blocks of M x N, K in steps: memory to Mat tiles, from there to Left and Right, the accumulator back.
template <typename T, int Size, int M, int N, int K>
double through_mat(int64_t repeats)
{
    using C = sum_t<T>;
    constexpr size_t kCount = size_t(Size) * Size;
    static T* const memory = [] {
        void* made = aligned_alloc(size_t(2) << 20, kCount * (2 * sizeof(T) + sizeof(C)));
        bench::fill(static_cast<T*>(made), 2 * kCount);
        return static_cast<T*>(made);
    }();
    T* from_a = memory;
    T* from_b = memory + kCount;
    C* to = reinterpret_cast<C*>(memory + 2 * kCount);
    using Global = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, pto::Stride<1, 1, 1, Size, 1>>;
    using Result = GlobalTensor<C, Shape<1, 1, 1, M, N>, pto::Stride<1, 1, 1, Size, 1>>;
    Tile<TileType::Mat, T, M, K, BLayout::ColMajor, M, K, SLayout::RowMajor> mat_a;
    Tile<TileType::Mat, T, K, N, BLayout::ColMajor, K, N, SLayout::RowMajor> mat_b;
    TileLeft<T, M, K> a;
    TileRight<T, K, N> b;
    TileAcc<C, M, N> c;
    TASSIGN(mat_a, 0);
    TASSIGN(mat_b, M * K * sizeof(T));
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    pto::cpu_sim::enter_core();
    const double seconds = bench::timed(repeats, [&] {
        for (int i = 0; i < Size; i += M) {
            for (int j = 0; j < Size; j += N) {
                for (int k = 0; k < Size; k += K) {
                    Global global_a(from_a + size_t(i) * Size + k, {M, K});
                    Global global_b(from_b + size_t(k) * Size + j, {K, N});
                    TLOAD(mat_a, global_a);
                    TLOAD(mat_b, global_b);
                    TMOV(a, mat_a);
                    TMOV(b, mat_b);
                    if (k == 0) {
                        TMATMUL(c, a, b);
                    } else {
                        TMATMUL_ACC(c, c, a, b);
                    }
                }
                Result result(to + size_t(i) * Size + j);
                TSTORE(result, c);
            }
        }
    });
    pto::cpu_sim::leave_core();
    return seconds;
}

// The limits of narrow types: of the matrix unit, of dot products, or of multiply-adds, which they are widened for.
#if defined(PTO_CPU_AMX)
#define BF16_LIMIT "bf16 tiles"
#define FP16_LIMIT "bf16 tiles"
#define INT8_LIMIT "int8 tiles"
#else
#define FP16_LIMIT "fp32 multiply-add"
#if defined(PTO_CPU_BF16_DOTS)
#define BF16_LIMIT "bf16 dot products"
#else
#define BF16_LIMIT "fp32 multiply-add"
#endif
#if defined(PTO_CPU_INT8_DOTS)
#define INT8_LIMIT "int8 dot products"
#else
#define INT8_LIMIT "fp32 multiply-add"
#endif
#endif

#define RESIDENT(T, LIMIT, M, N, K) \
    {"TMATMUL " #T " " #M "x" #N "x" #K, LIMIT, 0, 0, 0, 2.0 * M * N * K, resident<T, M, N, K, false>}, \
    {"TMATMUL_ACC " #T " " #M "x" #N "x" #K, LIMIT, 0, 0, 0, 2.0 * M * N * K, resident<T, M, N, K, true>}
#define THROUGH_MAT(T, LIMIT, SIZE, M, N, K) \
    {"GEMM " #T " " #SIZE " by Mat " #M "x" #N "x" #K, LIMIT, 0, 0, 0, 2.0 * SIZE * SIZE * SIZE, \
     through_mat<T, SIZE, M, N, K>}

const bench::Case cases[] = {
    RESIDENT(float, "fp32 multiply-add", 128, 128, 128),
    RESIDENT(float, "fp32 multiply-add", 128, 128, 256),
    RESIDENT(float, "fp32 multiply-add", 256, 256, 512),
    RESIDENT(bfloat16_t, BF16_LIMIT, 128, 128, 256),
    RESIDENT(bfloat16_t, BF16_LIMIT, 256, 256, 512),
    RESIDENT(bfloat16_t, BF16_LIMIT, 256, 256, 1024),
    RESIDENT(int8_t, INT8_LIMIT, 128, 128, 256),
    RESIDENT(int8_t, INT8_LIMIT, 256, 256, 512),
    RESIDENT(int8_t, INT8_LIMIT, 256, 256, 1024),
    RESIDENT(half, FP16_LIMIT, 128, 128, 256),
    RESIDENT(half, FP16_LIMIT, 256, 256, 512),
    THROUGH_MAT(float, "fp32 multiply-add", 1024, 128, 128, 256),
    THROUGH_MAT(bfloat16_t, BF16_LIMIT, 1024, 128, 128, 512),
    THROUGH_MAT(half, FP16_LIMIT, 1024, 128, 128, 512),
    THROUGH_MAT(int8_t, INT8_LIMIT, 1024, 128, 128, 1024),
};

}  // namespace

extern "C" int products_count() { return sizeof(cases) / sizeof(cases[0]); }
extern "C" const bench::Case* products_cases() { return cases; }
