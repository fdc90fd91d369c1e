// What this machine can do at best, on one thread: the yardsticks of library.py.
#include <cstddef>
#include <cstdint>
#include <ctime>

#include <pto/pto-inst.hpp>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

using namespace pto::cpu;

namespace {
double now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

template <typename Once>
double fastest(int runs, Once once)
{
    double best = 1e30;
    for (int i = 0; i < runs; ++i) {
        const double start = now();
        once();
        const double took = now() - start;
        best = took < best ? took : best;
    }
    return best;
}
}  // namespace

/// Seconds for a copy of `bytes` (a multiple of 64, both ends aligned) with stores that go around the cache.
extern "C" double limit_copy(char *to, const char *from, int64_t bytes, int runs)
{
    return fastest(runs, [=] {
        for (int64_t i = 0; i < bytes; i += 64) {
#if defined(PTO_CPU_AVX512)
            _mm512_stream_si512(reinterpret_cast<__m512i *>(to + i), _mm512_load_si512(from + i));
#elif defined(__AVX2__)
            const auto *source = reinterpret_cast<const __m256i *>(from + i);
            auto *target = reinterpret_cast<__m256i *>(to + i);
            _mm256_stream_si256(target, _mm256_load_si256(source));
            _mm256_stream_si256(target + 1, _mm256_load_si256(source + 1));
#else
            __builtin_memcpy(to + i, from + i, 64);
#endif
        }
        __sync_synchronize();
    });
}

/// Floating-point operations a second of fp32 multiply-adds in registers.
extern "C" double limit_fma(int runs)
{
    constexpr int kChains = 12, kSteps = 1 << 18;
    f32v sum[kChains];
    for (int i = 0; i < kChains; ++i) {
        sum[i] = splat(float(i));
    }
    f32v a = splat(0.999f), b = splat(1e-3f);
    const double seconds = fastest(runs, [&] {
        for (int s = 0; s < kSteps; ++s) {
            PTO_CPU_UNROLL
            for (int i = 0; i < kChains; ++i) {
                sum[i] = multiply_add(sum[i], a, b);
            }
        }
    });
    f32v all = sum[0];
    for (int i = 1; i < kChains; ++i) {
        all += sum[i];
    }
    volatile float keep = all[0];
    (void)keep;
    return 2.0 * kChains * kSteps * kF32Lanes / seconds;
}

#if defined(PTO_CPU_BF16_DOTS) && defined(PTO_CPU_INT8_DOTS)
/// Operations a second of dot products in registers, each of `products` products: add(sum, a, b).
template <typename V, typename Add>
static double dot_rate(int runs, double products, Add add)
{
    constexpr int kChains = 24, kSteps = 1 << 17;
    const double seconds = fastest(runs, [add] {
        V sum[kChains] = {}, a = {}, b = {};
        asm volatile("" : "+v"(a), "+v"(b));
#pragma GCC unroll 24
        for (int i = 0; i < kChains; ++i) {
            asm volatile("" : "+v"(sum[i]));  // or the compiler finds that all sums are one
        }
        for (int s = 0; s < kSteps; ++s) {
#pragma GCC unroll 24
            for (int i = 0; i < kChains; ++i) {
                sum[i] = add(sum[i], a, b);
            }
        }
#pragma GCC unroll 24
        for (int i = 0; i < kChains; ++i) {
            asm volatile("" ::"v"(sum[i]));
        }
    });
    return 2.0 * kChains * kSteps * products / seconds;
}
#endif

/// Operations a second of bf16, or int8: of the matrix unit on random operands that it loads from L1, or of dot products in
/// registers. 0: there is neither.
extern "C" double limit_matrix(int is_int8, int runs)
{
#if defined(PTO_CPU_AMX)
    if (!amx_permitted()) {
        return 0.0;
    }
    constexpr int kFragments = 16, kPasses = 1 << 11;
    alignas(64) static thread_local char operands[kFragments * 1024];
    uint32_t seed = 1;
    for (char &byte : operands) {
        seed = seed * 1664525u + 1013904223u;
        byte = char(is_int8 ? seed >> 24 : (seed >> 24) & 0x3f);
    }
    const TileScope scope(16);
    const double seconds = fastest(runs, [&] {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
        for (int pass = 0; pass < kPasses; ++pass) {
            for (int i = 0; i < kFragments; i += 4) {
                const char *at = operands + i * 1024;
                _tile_loadd(4, at, 64);
                _tile_loadd(5, at + 1024, 64);
                _tile_loadd(6, at + 2048, 64);
                _tile_loadd(7, at + 3072, 64);
                if (is_int8) {
                    _tile_dpbssd(0, 4, 6);
                    _tile_dpbssd(1, 4, 7);
                    _tile_dpbssd(2, 5, 6);
                    _tile_dpbssd(3, 5, 7);
                } else {
                    _tile_dpbf16ps(0, 4, 6);
                    _tile_dpbf16ps(1, 4, 7);
                    _tile_dpbf16ps(2, 5, 6);
                    _tile_dpbf16ps(3, 5, 7);
                }
            }
        }
    });
    return double(kPasses) * kFragments * (is_int8 ? 32768.0 : 16384.0) / seconds;
#elif defined(PTO_CPU_BF16_DOTS) && defined(PTO_CPU_INT8_DOTS)
    return is_int8 ? dot_rate<i32v>(runs, 64.0, [](i32v sum, i32v a, i32v b) {
        return (i32v)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
    }) : dot_rate<f32v>(runs, 32.0, [](f32v sum, f32v a, f32v b) {
        return (f32v)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
    });
#else
    (void)is_int8;
    (void)runs;
    return 0.0;
#endif
}
