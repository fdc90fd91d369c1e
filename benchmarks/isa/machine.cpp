// The machine's own limits, measured beside the instructions: moving bytes in L1 and from memory, fused
// multiply-adds, and the matrix unit fed from L1.
#include "cases.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

constexpr int64_t kResident = 8192;          // bytes of each stream of an L1 loop
constexpr int64_t kFar = int64_t(64) << 20;  // bytes of each stream of a memory loop

constexpr int kLine = pto::cpu::kVectorBytes;  // what one register of this machine holds

typedef int64_t line __attribute__((vector_size(kLine)));

alignas(64) char near_memory[6 * kResident];

char* far_memory(int stream)
{
    static char* const memory = [] {
        constexpr size_t kHuge = size_t(2) << 20;
        char* made = static_cast<char*>(aligned_alloc(kHuge, 3 * kFar));
        (void)madvise(made, 3 * kFar, MADV_HUGEPAGE);
        __builtin_memset(made, 1, 3 * kFar);
        return made;
    }();
    return memory + stream * kFar;
}

inline line load_line(const char* p)
{
    line v;
    __builtin_memcpy(&v, p, kLine);
    return v;
}

template <bool Streaming>
inline void store_line(char* p, line v)
{
#if defined(__AVX512F__)
    if constexpr (Streaming) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)v);
        return;
    }
#elif defined(__AVX2__)
    if constexpr (Streaming) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)v);
        return;
    }
#endif
    __builtin_memcpy(p, &v, kLine);
}

/// Reads `Reads` registers from as many streams and writes `Writes`, for each step of a stream of `bytes`.
template <int Reads, int Writes, bool Streaming>
inline void move(const char* from, char* to, int64_t stream, int64_t bytes)
{
    line sum[4] = {};
    for (int64_t i = 0; i < bytes; i += 4 * kLine) {
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) {
            line v = load_line(from + i + u * kLine);
#pragma GCC unroll 4
            for (int r = 1; r < Reads; ++r) {
                v |= load_line(from + r * stream + i + u * kLine);
            }
            if constexpr (Writes == 0) {
                sum[u] |= v;
            }
#pragma GCC unroll 4
            for (int w = 0; w < Writes; ++w) {
                store_line<Streaming>(to + w * stream + i + u * kLine, v);
            }
        }
    }
    if constexpr (Writes == 0) {
        const line all = sum[0] | sum[1] | sum[2] | sum[3];
        asm volatile("" ::"x"(all));
    }
}

template <int Reads, int Writes>
double near_move(int64_t repeats)
{
    return bench::timed(repeats, [] {
        move<Reads, Writes, false>(near_memory, near_memory + Reads * kResident, kResident, kResident);
    });
}

template <int Reads, int Writes, bool Streaming>
double far_move(int64_t repeats)
{
    char* memory = far_memory(0);
    return bench::timed(repeats, [memory] {
        move<Reads, Writes, Streaming>(memory, memory + Reads * kFar, kFar, kFar);
#if defined(__AVX2__)
        if constexpr (Streaming) {
            _mm_sfence();
        }
#endif
    });
}

/// What instructions leave of the overlap of such streams: a tile of each is brought close, then combined, then stored.
template <int Reads>
double in_turns(int64_t repeats)
{
    constexpr int64_t kTile = 16384;
    alignas(4096) static char tiles[(Reads + 1) * kTile];
    const char* from = far_memory(0);
    char* to = far_memory(2);
    return bench::timed(repeats, [=] {
        for (int64_t at = 0; at < kFar; at += kTile) {
            for (int r = 0; r < Reads; ++r) {
                move<1, 1, false>(from + r * kFar + at, tiles + r * kTile, 0, kTile);
                asm volatile("" ::: "memory");
            }
            move<Reads, 1, false>(tiles, tiles + Reads * kTile, kTile, kTile);
            asm volatile("" ::: "memory");
            move<1, 1, true>(tiles + Reads * kTile, to + at, 0, kTile);
            asm volatile("" ::: "memory");
        }
#if defined(__AVX2__)
        _mm_sfence();
#endif
    });
}

constexpr int64_t kSteps = 1000;
/// More than two a cycle times the latency of four; with both factors they fill 14 of the 16 registers of AVX2.
constexpr int kSums = 12;

/// Independent fused multiply-adds in registers.
double multiply_adds(int64_t repeats)
{
    typedef float floats __attribute__((vector_size(kLine)));
    return bench::timed(repeats, [] {
        floats a = {}, b = {}, sum[kSums] = {};
        asm volatile("" : "+x"(a), "+x"(b));
#pragma GCC unroll 12
        for (int j = 0; j < kSums; ++j) {
            asm volatile("" : "+x"(sum[j]));  // or the compiler finds that all sums are one
        }
        for (int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
            for (int j = 0; j < kSums; ++j) {
#if defined(__AVX512F__)
                sum[j] = (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)sum[j]);
#elif defined(__FMA__)
                sum[j] = (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)sum[j]);
#else
                sum[j] = a * b + sum[j];
#endif
            }
        }
#pragma GCC unroll 12
        for (int j = 0; j < kSums; ++j) {
            asm volatile("" ::"x"(sum[j]));
        }
    });
}

/// Independent dot products in registers: of pairs of bf16, or of quads of int8.
template <typename T>
double dot_products(int64_t repeats)
{
#if defined(PTO_CPU_BF16_DOTS) || defined(PTO_CPU_INT8_DOTS)
    constexpr int kDots = 2 * kSums;  // they take longer than multiply-adds
    return bench::timed(repeats, [] {
        line a = {}, b = {}, sum[kDots] = {};
        asm volatile("" : "+v"(a), "+v"(b));
#pragma GCC unroll 24
        for (int j = 0; j < kDots; ++j) {
            asm volatile("" : "+v"(sum[j]));
        }
        for (int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 24
            for (int j = 0; j < kDots; ++j) {
                if constexpr (sizeof(T) == 2) {
#if defined(PTO_CPU_BF16_DOTS)
                    sum[j] = (line)_mm512_dpbf16_ps((__m512)sum[j], (__m512bh)a, (__m512bh)b);
#endif
                } else {
#if defined(PTO_CPU_INT8_DOTS)
                    sum[j] = (line)_mm512_dpbusd_epi32((__m512i)sum[j], (__m512i)a, (__m512i)b);
#endif
                }
            }
        }
#pragma GCC unroll 24
        for (int j = 0; j < kDots; ++j) {
            asm volatile("" ::"v"(sum[j]));
        }
    });
#else
    (void)repeats;
    return 0;
#endif
}

#if defined(__AMX_TILE__)

/// Two by two tiles over panels of 16 steps that stay in L1 (8 and 32 KB): every multiplication has its operands
/// loaded.
template <typename T>
double tile_products(int64_t repeats)
{
    alignas(64) static char a[8 * 1024], b[16 * 1024];
    bench::fill(reinterpret_cast<T*>(a), sizeof(a) / sizeof(T));
    bench::fill(reinterpret_cast<T*>(b), sizeof(b) / sizeof(T), 2);
    if (!pto::cpu::amx_permitted()) {
        return 0;
    }
    const pto::cpu::TileConfiguration configuration(16);
    _tile_loadconfig(&configuration);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    const double seconds = bench::timed(repeats, [] {
        for (int64_t i = 0; i < 4; ++i) {
            _tile_loadd(4, a + i * 2048, 64);
            _tile_loadd(6, b + i * 2048, 64);
            _tile_loadd(7, b + i * 2048 + 1024, 64);
            _tile_loadd(5, a + i * 2048 + 1024, 64);
            if constexpr (sizeof(T) == 1) {
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
    });
    _tile_release();
    return seconds;
}

#endif

constexpr double kNear = kResident;
constexpr double kWide = kFar;

const bench::Case cases[] = {
    {"L1 read", "", 0, 2 * kNear, 0, 0, near_move<2, 0>},
    {"L1 write", "", 0, 0, kNear, 0, [](int64_t repeats) {
         return bench::timed(repeats, [] {
             line v = {};
             asm volatile("" : "+x"(v));
#pragma GCC unroll 8
             for (int64_t i = 0; i < kResident; i += kLine) {
                 store_line<false>(near_memory + i, v);
             }
         });
     }},
    {"L1 1:1", "", 0, kNear, kNear, 0, near_move<1, 1>},
    {"L1 2:1", "", 0, 2 * kNear, kNear, 0, near_move<2, 1>},
    {"L1 1:2", "", 0, kNear, 2 * kNear, 0, near_move<1, 2>},
    {"L1 4:1", "", 0, 4 * kNear, kNear, 0, near_move<4, 1>},
    {"memory read", "", 0, kWide, 0, 0, far_move<1, 0, false>},
    {"memory 1:1", "", 0, kWide, kWide, 0, far_move<1, 1, false>},
    {"memory 1:1 streaming", "", 0, kWide, kWide, 0, far_move<1, 1, true>},
    {"memory 2:1 streaming", "", 0, 2 * kWide, kWide, 0, far_move<2, 1, true>},
    {"memory 1:2 streaming", "", 0, kWide, 2 * kWide, 0, far_move<1, 2, true>},
    {"memory 1:1 in turns", "", 0, kWide, kWide, 0, in_turns<1>},
    {"memory 2:1 in turns", "", 0, 2 * kWide, kWide, 0, in_turns<2>},
    {"fp32 multiply-add", "", 0, 0, 0, 2.0 * (kLine / 4) * kSums * kSteps, multiply_adds},
#if defined(PTO_CPU_BF16_DOTS)
    {"bf16 dot products", "", 0, 0, 0, 2.0 * 32 * 2 * kSums * kSteps, dot_products<bfloat16_t>},
#endif
#if defined(PTO_CPU_INT8_DOTS)
    {"int8 dot products", "", 0, 0, 0, 2.0 * 64 * 2 * kSums * kSteps, dot_products<int8_t>},
#endif
#if defined(__AMX_TILE__)
    {"bf16 tiles", "", 0, 0, 0, 4.0 * 4 * 2 * 16 * 16 * 32, tile_products<bfloat16_t>},
    {"int8 tiles", "", 0, 0, 0, 4.0 * 4 * 2 * 16 * 16 * 64, tile_products<int8_t>},
#endif
};

}  // namespace

extern "C" int machine_count() { return sizeof(cases) / sizeof(cases[0]); }
extern "C" const bench::Case* machine_cases() { return cases; }
