// The best loops known by hand for instructions whose arithmetic takes longer than moving their bytes: intrinsics on
// arrays of 8 KB in L1, without the checks for NaN, denormals and overflow that the instructions need.
#include "cases.hpp"

#if defined(__AVX512BF16__) && defined(__AVX512VNNI__)
#include <immintrin.h>

namespace {

constexpr int64_t kBytes = 8192;

alignas(64) char memory[3 * kBytes];

inline __m512i at(int64_t place) { return _mm512_load_si512(memory + place); }
inline void put(int64_t place, __m512i v) { _mm512_store_si512(memory + 2 * kBytes + place, v); }
inline __m512 even(__m512i v) { return (__m512)_mm512_slli_epi32(v, 16); }
inline __m512 odd(__m512i v) { return (__m512)_mm512_and_si512(v, _mm512_set1_epi32(static_cast<int>(0xffff0000U))); }

/// Rounds to nearest even in the upper half: v + 0x7fff + bit 16 of v is a dot product of 16-bit numbers.
inline __m512i upper(__m512 v)
{
    const __m512i u = (__m512i)v;
    const __m512i factors =
        _mm512_ternarylogic_epi32(u, _mm512_set1_epi32(0x10000), _mm512_set1_epi32(1), 0xea);
    return _mm512_dpwssd_epi32(u, factors, _mm512_set1_epi32(0x00017fff));
}
inline __m512i joined(__m512 first, __m512 second)
{
    const __m512i bytes = _mm512_set4_epi32(0x0f0e0f0e, 0x0b0a0b0a, 0x07060706, 0x03020302);
    return _mm512_mask_shuffle_epi8(upper(second), 0x3333333333333333, upper(first), bytes);
}

/// Steps of 256 bytes of the wider side, on elements of T.
template <typename T, typename Body>
double loop(int64_t repeats, Body body)
{
    bench::fill(reinterpret_cast<T*>(memory), 2 * kBytes / sizeof(T));
    return bench::timed(repeats, [body] {
        for (int64_t i = 0; i < kBytes; i += 256) {
#pragma GCC unroll 4
            for (int u = 0; u < 4; ++u) {
                body(i + 64 * u);
            }
        }
    });
}

double add_bf16(int64_t repeats)
{
    return loop<bfloat16_t>(repeats, [](int64_t i) {
        const __m512i a = at(i), b = at(i + kBytes);
        put(i, joined(_mm512_add_ps(even(a), even(b)), _mm512_add_ps(odd(a), odd(b))));
    });
}
double scale_bf16(int64_t repeats)
{
    return loop<bfloat16_t>(repeats, [](int64_t i) {
        const __m512 s = _mm512_set1_ps(3.0f);
        put(i, joined(_mm512_mul_ps(even(at(i)), s), _mm512_mul_ps(odd(at(i)), s)));
    });
}

/// a + b where products are made: on Zen 5 shifts and conversions take the units that add.
inline __m512 plus(__m512 a, __m512 b)
{
    __m512 one = _mm512_set1_ps(1.0f);
    asm("" : "+v"(one));
    return _mm512_fmadd_ps(b, one, a);
}

/// Eight sums, two of each vector.
template <typename T, typename First, typename Second>
double sum(int64_t repeats, First first, Second second)
{
    bench::fill(reinterpret_cast<T*>(memory), kBytes / sizeof(T));
    return bench::timed(repeats, [=] {
        __m512 s0{}, s1{}, s2{}, s3{}, s4{}, s5{}, s6{}, s7{};
        for (int64_t i = 0; i < kBytes; i += 256) {
            const __m512i a = at(i), b = at(i + 64), c = at(i + 128), d = at(i + 192);
            s0 = _mm512_add_ps(s0, first(a));
            s1 = plus(s1, second(a));
            s2 = _mm512_add_ps(s2, first(b));
            s3 = plus(s3, second(b));
            s4 = _mm512_add_ps(s4, first(c));
            s5 = plus(s5, second(c));
            s6 = _mm512_add_ps(s6, first(d));
            s7 = plus(s7, second(d));
        }
        const __m512 low = _mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3));
        const __m512 high = _mm512_add_ps(_mm512_add_ps(s4, s5), _mm512_add_ps(s6, s7));
        asm volatile("" ::"v"(_mm512_add_ps(low, high)));
    });
}
double sum_bf16(int64_t repeats)
{
    return sum<bfloat16_t>(repeats, [](__m512i v) { return even(v); }, [](__m512i v) { return odd(v); });
}
double sum_fp16(int64_t repeats)
{
    return sum<half>(
        repeats, [](__m512i v) { return _mm512_cvtph_ps(_mm512_castsi512_si256(v)); },
        [](__m512i v) { return _mm512_cvtph_ps(_mm512_extracti64x4_epi64(v, 1)); });
}

inline __m512i whole(int64_t place) { return _mm512_cvtps_epi32((__m512)at(place)); }

double fp32_to_bf16(int64_t repeats)
{
    bench::fill(reinterpret_cast<float*>(memory), kBytes / 4);
    return bench::timed(repeats, [] {
#pragma GCC unroll 4
        for (int64_t i = 0; i < kBytes; i += 128) {
            put(i / 2, (__m512i)_mm512_cvtne2ps_pbh((__m512)at(i + 64), (__m512)at(i)));
        }
    });
}
double fp32_to_int16(int64_t repeats)
{
    bench::fill(reinterpret_cast<float*>(memory), kBytes / 4);
    return bench::timed(repeats, [] {
        const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
#pragma GCC unroll 4
        for (int64_t i = 0; i < kBytes; i += 128) {
            put(i / 2, _mm512_permutexvar_epi64(order, _mm512_packs_epi32(whole(i), whole(i + 64))));
        }
    });
}
double fp32_to_int8(int64_t repeats)
{
    bench::fill(reinterpret_cast<float*>(memory), kBytes / 4);
    return bench::timed(repeats, [] {
        const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
#pragma GCC unroll 2
        for (int64_t i = 0; i < kBytes; i += 256) {
            const __m512i low = _mm512_packs_epi32(whole(i), whole(i + 64));
            const __m512i high = _mm512_packs_epi32(whole(i + 128), whole(i + 192));
            put(i / 4, _mm512_permutexvar_epi32(order, _mm512_packs_epi16(low, high)));
        }
    });
}
double fp16_to_bf16(int64_t repeats)
{
    return loop<half>(repeats, [](int64_t i) {
        const __m512 low = _mm512_cvtph_ps(_mm512_castsi512_si256(at(i)));
        const __m512 high = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(at(i), 1));
        put(i, (__m512i)_mm512_cvtne2ps_pbh(high, low));
    });
}

#if defined(__AVX512FP16__)

/// The largest of each lane, and whether one of them is no number.
double max_fp16(int64_t repeats)
{
    bench::fill(reinterpret_cast<half*>(memory), kBytes / sizeof(half));
    return bench::timed(repeats, [] {
        __m512h m0 = (__m512h)at(0), m1 = m0, m2 = m0, m3 = m0;
        __mmask32 nan = 0;
        for (int64_t i = 0; i < kBytes; i += 256) {
            const __m512h a = (__m512h)at(i), b = (__m512h)at(i + 64);
            const __m512h c = (__m512h)at(i + 128), d = (__m512h)at(i + 192);
            m0 = _mm512_max_ph(m0, a);
            m1 = _mm512_max_ph(m1, b);
            m2 = _mm512_max_ph(m2, c);
            m3 = _mm512_max_ph(m3, d);
            nan |= _mm512_cmp_ph_mask(a, b, _CMP_UNORD_Q) | _mm512_cmp_ph_mask(c, d, _CMP_UNORD_Q);
        }
        asm volatile("" ::"v"(_mm512_max_ph(_mm512_max_ph(m0, m1), _mm512_max_ph(m2, m3))), "r"(nan));
    });
}

double fp16_to_int8(int64_t repeats)
{
    bench::fill(reinterpret_cast<half*>(memory), kBytes / sizeof(half));
    return bench::timed(repeats, [] {
        const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
#pragma GCC unroll 4
        for (int64_t i = 0; i < kBytes; i += 128) {
            const __m512i low = _mm512_cvtph_epi16((__m512h)at(i)), high = _mm512_cvtph_epi16((__m512h)at(i + 64));
            put(i / 2, _mm512_permutexvar_epi64(order, _mm512_packs_epi16(low, high)));
        }
    });
}

#else  // halves go through fp32

inline __m512 half_at(int64_t place) { return _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(memory + place))); }
/// The form of the conversion that stores takes longer on Zen 5.
inline void put_half(int64_t place, __m512 v)
{
    __m256i bits = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
    asm("" : "+v"(bits));
    _mm256_store_si256(reinterpret_cast<__m256i*>(memory + 2 * kBytes + place), bits);
}

double add_fp16(int64_t repeats)
{
    return loop<half>(repeats, [](int64_t i) {
        put_half(i, plus(half_at(i), half_at(i + kBytes)));
        put_half(i + 32, plus(half_at(i + 32), half_at(i + kBytes + 32)));
    });
}
double scale_fp16(int64_t repeats)
{
    return loop<half>(repeats, [](int64_t i) {
        const __m512 s = _mm512_set1_ps(3.0f);
        put_half(i, _mm512_mul_ps(half_at(i), s));
        put_half(i + 32, _mm512_mul_ps(half_at(i + 32), s));
    });
}
double compare_fp16(int64_t repeats)
{
    bench::fill(reinterpret_cast<half*>(memory), 2 * kBytes / sizeof(half));
    return bench::timed(repeats, [] {
        for (int64_t i = 0; i < kBytes; i += 128) {
            uint64_t bits = 0;
#pragma GCC unroll 4
            for (int u = 0; u < 4; ++u) {
                const __mmask16 some = _mm512_cmp_ps_mask(half_at(i + 32 * u), half_at(kBytes + i + 32 * u), _CMP_GT_OQ);
                bits |= static_cast<uint64_t>(some) << (16 * u);
            }
            __builtin_memcpy(memory + 2 * kBytes + i / 16, &bits, 8);
        }
    });
}

/// Of each lane the largest signed and the smallest and largest unsigned integer, of which one is the largest number.
double max_fp16(int64_t repeats)
{
    bench::fill(reinterpret_cast<half*>(memory), kBytes / sizeof(half));
    return bench::timed(repeats, [] {
        __m512i high = at(0), low = high, top = high, also_high = high, also_low = high, also_top = high;
        for (int64_t i = 0; i < kBytes; i += 128) {
            high = _mm512_max_epi16(high, at(i));
            low = _mm512_min_epu16(low, at(i));
            top = _mm512_max_epu16(top, at(i));
            also_high = _mm512_max_epi16(also_high, at(i + 64));
            also_low = _mm512_min_epu16(also_low, at(i + 64));
            also_top = _mm512_max_epu16(also_top, at(i + 64));
        }
        asm volatile("" ::"v"(_mm512_max_epi16(high, also_high)), "v"(_mm512_min_epu16(low, also_low)),
                     "v"(_mm512_max_epu16(top, also_top)));
    });
}
double fp16_to_int8(int64_t repeats)
{
    bench::fill(reinterpret_cast<half*>(memory), kBytes / sizeof(half));
    return bench::timed(repeats, [] {
        const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
        const auto words = [](int64_t i) {
            return _mm512_packs_epi32(_mm512_cvtps_epi32(half_at(i)), _mm512_cvtps_epi32(half_at(i + 32)));
        };
#pragma GCC unroll 2
        for (int64_t i = 0; i < kBytes; i += 128) {
            put(i / 2, _mm512_permutexvar_epi32(order, _mm512_packs_epi16(words(i), words(i + 64))));
        }
    });
}

#endif

const bench::Case cases[] = {
    {"loop bf16 add", "", kBytes / 2, 2 * kBytes, kBytes, 0, add_bf16},
    {"loop bf16 scale", "", kBytes / 2, kBytes, kBytes, 0, scale_bf16},
    {"loop bf16 sum", "", kBytes / 2, kBytes, 0, 0, sum_bf16},
    {"loop fp16 sum", "", kBytes / 2, kBytes, 0, 0, sum_fp16},
    {"loop fp16 max", "", kBytes / 2, kBytes, 0, 0, max_fp16},
    {"loop fp32 to bf16", "", kBytes / 4, kBytes, kBytes / 2, 0, fp32_to_bf16},
    {"loop fp32 to int16", "", kBytes / 4, kBytes, kBytes / 2, 0, fp32_to_int16},
    {"loop fp32 to int8", "", kBytes / 4, kBytes, kBytes / 4, 0, fp32_to_int8},
    {"loop fp16 to int8", "", kBytes / 2, kBytes, kBytes / 2, 0, fp16_to_int8},
#if !defined(__AVX512FP16__)
    {"loop fp16 add", "", kBytes / 2, 2 * kBytes, kBytes, 0, add_fp16},
    {"loop fp16 scale", "", kBytes / 2, kBytes, kBytes, 0, scale_fp16},
    {"loop fp16 compare", "", kBytes / 2, 2 * kBytes, kBytes / 16, 0, compare_fp16},
#endif
    {"loop fp16 to bf16", "", kBytes / 2, kBytes, kBytes, 0, fp16_to_bf16},
};

}  // namespace

extern "C" int loops_count() { return sizeof(cases) / sizeof(cases[0]); }
extern "C" const bench::Case* loops_cases() { return cases; }

#else

extern "C" int loops_count() { return 0; }
extern "C" const bench::Case* loops_cases() { return nullptr; }

#endif
