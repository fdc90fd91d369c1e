// Loads, stores and conversions with AVX-512. Included by simd.hpp only.
#pragma once

namespace pto::cpu {

/// The first n lanes of a mask register for elements of the given size.
template <int Bytes>
PTO_INLINE auto lane_mask(int n)
{
    if constexpr (Bytes == 1) {
        return static_cast<__mmask64>(n >= 64 ? ~0ULL : (1ULL << n) - 1);
    } else if constexpr (Bytes == 2) {
        return static_cast<__mmask32>(n >= 32 ? ~0U : (1U << n) - 1);
    } else if constexpr (Bytes == 4) {
        return static_cast<__mmask16>((1U << n) - 1);
    } else {
        return static_cast<__mmask8>((1U << n) - 1);
    }
}

PTO_INLINE f32v bf16_to_f32(__m256i bits) { return (f32v)_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16); }

/// Rounds to bf16, nearest even, NaN kept quiet. The hardware conversion flushes denormals, so vectors that have some
/// take the integer way.
PTO_INLINE __m256i f32_to_bf16_exact(f32v v)
{
    const __m512i u = (__m512i)v;
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), odd);
    const __mmask16 nan = _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_UNORD_Q);
    const __m512i quiet = _mm512_or_si512(u, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_mask_mov_epi32(rounded, nan, quiet), 16));
}

PTO_INLINE bool has_denormal(f32v v) { return _mm512_fpclass_ps_mask((__m512)v, 0x20) != 0; }

#if defined(PTO_CPU_BF16)

PTO_INLINE __m256i f32_to_bf16(f32v v)
{
    if (__builtin_expect(!has_denormal(v), 1)) {
        return (__m256i)_mm512_cvtneps_pbh((__m512)v);
    }
    return f32_to_bf16_exact(v);
}

/// Two vectors side by side, denormals as zeros.
PTO_INLINE __m512i two_f32_to_bf16(f32v low, f32v high)
{
    return (__m512i)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low);
}

#else

PTO_INLINE __m256i f32_to_bf16(f32v v) { return f32_to_bf16_exact(v); }
__m512i two_f32_to_bf16(f32v low, f32v high);  // not called

#endif

/// In a register: the form of this conversion that stores takes three times as long on Zen 5.
PTO_INLINE __m256i f32_to_f16(f32v v)
{
    __m256i bits = _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT);
    asm("" : "+v"(bits));
    return bits;
}
PTO_INLINE f32v f16_to_f32(__m256i bits) { return (f32v)_mm512_cvtph_ps(bits); }

template <typename T>
PTO_INLINE compute_vec<T> load(const T* p, Full)
{
    if constexpr (is_same<T, half>) {
        return f16_to_f32(load_bits<__m256i>(p));
    } else if constexpr (is_same<T, bfloat16_t>) {
        return bf16_to_f32(load_bits<__m256i>(p));
    } else {
        return load_bits<vec<T>>(p);
    }
}

template <typename T>
PTO_INLINE compute_vec<T> load(const T* p, Part part)
{
    const auto mask = lane_mask<sizeof(T)>(part.n);
    if constexpr (is_same<T, half>) {
        return f16_to_f32(_mm256_maskz_loadu_epi16(static_cast<__mmask16>(mask), p));
    } else if constexpr (is_same<T, bfloat16_t>) {
        return bf16_to_f32(_mm256_maskz_loadu_epi16(static_cast<__mmask16>(mask), p));
    } else if constexpr (sizeof(T) == 1) {
        return (vec<T>)_mm512_maskz_loadu_epi8(mask, p);
    } else if constexpr (sizeof(T) == 2) {
        return (vec<T>)_mm512_maskz_loadu_epi16(mask, p);
    } else if constexpr (sizeof(T) == 4) {
        return (vec<T>)_mm512_maskz_loadu_epi32(mask, p);
    } else {
        return (vec<T>)_mm512_maskz_loadu_epi64(mask, p);
    }
}

template <typename T>
PTO_INLINE void store(T* p, compute_vec<T> v, Full)
{
    if constexpr (is_same<T, half>) {
        store_bits(p, f32_to_f16(v));
    } else if constexpr (is_same<T, bfloat16_t>) {
        store_bits(p, f32_to_bf16(v));
    } else {
        store_bits(p, v);
    }
}

template <typename T>
PTO_INLINE void store(T* p, compute_vec<T> v, Part part)
{
    const auto mask = lane_mask<sizeof(T)>(part.n);
    if constexpr (is_same<T, half>) {
        _mm256_mask_storeu_epi16(p, static_cast<__mmask16>(mask), f32_to_f16(v));
    } else if constexpr (is_same<T, bfloat16_t>) {
        _mm256_mask_storeu_epi16(p, static_cast<__mmask16>(mask), f32_to_bf16(v));
    } else if constexpr (sizeof(T) == 1) {
        _mm512_mask_storeu_epi8(p, mask, (__m512i)v);
    } else if constexpr (sizeof(T) == 2) {
        _mm512_mask_storeu_epi16(p, mask, (__m512i)v);
    } else if constexpr (sizeof(T) == 4) {
        _mm512_mask_storeu_epi32(p, mask, (__m512i)v);
    } else {
        _mm512_mask_storeu_epi64(p, mask, (__m512i)v);
    }
}

/// Stores two vectors of fp32 side by side; for bf16 with one conversion for both, where there is one. That one makes zeros
/// of denormals, so results with zeros are looked at again.
template <typename T>
PTO_INLINE void store_two(T* p, f32v low, f32v high)
{
    if constexpr (kHasBf16 && is_same<T, bfloat16_t>) {
        const __m512i both = two_f32_to_bf16(low, high);
        const __mmask32 zeros = _mm512_testn_epi16_mask(both, _mm512_set1_epi16(0x7fff));
        if (__builtin_expect(zeros == 0, 1) || !(has_denormal(low) || has_denormal(high))) {
            store_bits(p, both);
            return;
        }
    }
    store(p, low, Full{});
    store(p + kF32Lanes, high, Full{});
}

template <typename T>
PTO_INLINE void store_two_flushed(T* p, f32v low, f32v high)
{
    store_bits(p, two_f32_to_bf16(low, high));
}

#if defined(PTO_CPU_VNNI)

/// Rounds fp32 to bf16 in the upper half of its lane, to nearest even, in two steps: v + 0x7fff * 1 + 1 * (bit 16 of v) is
/// a sum that the dot product of 16-bit numbers has. A NaN has to be one of bf16: with nothing in the lower half.
PTO_INLINE __m512i rounded_upper_half(f32v v)
{
    const __m512i u = (__m512i)v;
    const __m512i factors = _mm512_ternarylogic_epi32(  // (u & bit 16) | 1
        u, _mm512_set1_epi32(0x10000), _mm512_set1_epi32(1), 0xea);
    return _mm512_dpwssd_epi32(u, factors, _mm512_set1_epi32(0x00017fff));
}

/// Two vectors as bf16, whose elements take turns. NaN are those of operands or made by an operation.
PTO_INLINE __m512i pair_to_bf16(f32v first, f32v second)
{
    const __m512i upper_bytes = _mm512_set4_epi32(0x0f0e0f0e, 0x0b0a0b0a, 0x07060706, 0x03020302);
    return _mm512_mask_shuffle_epi8(
        rounded_upper_half(second), 0x3333333333333333, rounded_upper_half(first), upper_bytes);
}

#else

PTO_INLINE __m512i pair_to_bf16(f32v first, f32v second)
{
    const __m512i even = _mm512_cvtepu16_epi32(f32_to_bf16_exact(first));
    const __m512i odd = _mm512_slli_epi32(_mm512_cvtepu16_epi32(f32_to_bf16_exact(second)), 16);
    return _mm512_or_si512(even, odd);
}

#endif

/// 32 narrow floats as two vectors of fp32, and back. Which elements are in the first vector is the element type's
/// affair: the first 16 of half, the even ones of bf16.
template <typename T>
PTO_INLINE f32v load_first(const T* p)
{
    if constexpr (is_same<T, bfloat16_t>) {
        return (f32v)_mm512_slli_epi32(load_bits<__m512i>(p), 16);
    } else {
        return load(p, Full{});
    }
}
template <typename T>
PTO_INLINE f32v load_second(const T* p)
{
    if constexpr (is_same<T, bfloat16_t>) {
        return (f32v)_mm512_and_si512(load_bits<__m512i>(p), _mm512_set1_epi32(static_cast<int>(0xffff0000U)));
    } else {
        return load(p + 16, Full{});
    }
}
/// Stores what was computed from such a pair.
template <typename T>
PTO_INLINE void store_pair(T* p, f32v first, f32v second)
{
    if constexpr (is_same<T, bfloat16_t>) {
        store_bits(p, pair_to_bf16(first, second));
    } else {
        store(p, first, Full{});
        store(p + 16, second, Full{});
    }
}

/// Loads one vector of int32 from a narrower integer type, or from int32 itself.
template <typename T>
PTO_INLINE i32v load_int(const T* p, Full)
{
    if constexpr (is_same<T, int8_t>) {
        return (i32v)_mm512_cvtepi8_epi32(load_bits<__m128i>(p));
    } else if constexpr (is_same<T, uint8_t>) {
        return (i32v)_mm512_cvtepu8_epi32(load_bits<__m128i>(p));
    } else if constexpr (is_same<T, int16_t>) {
        return (i32v)_mm512_cvtepi16_epi32(load_bits<__m256i>(p));
    } else if constexpr (is_same<T, uint16_t>) {
        return (i32v)_mm512_cvtepu16_epi32(load_bits<__m256i>(p));
    } else {
        return load_bits<i32v>(p);
    }
}
template <typename T>
PTO_INLINE i32v load_int(const T* p, Part part)
{
    const __mmask16 mask = lane_mask<4>(part.n);
    if constexpr (is_same<T, int8_t>) {
        return (i32v)_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, p));
    } else if constexpr (is_same<T, uint8_t>) {
        return (i32v)_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, p));
    } else if constexpr (is_same<T, int16_t>) {
        return (i32v)_mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, p));
    } else if constexpr (is_same<T, uint16_t>) {
        return (i32v)_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, p));
    } else {
        return (i32v)_mm512_maskz_loadu_epi32(mask, p);
    }
}

/// Stores the low bits of one vector of int32 as a narrower integer type, or as int32 itself.
template <typename T>
PTO_INLINE void store_int(T* p, i32v v, Full)
{
    if constexpr (sizeof(T) == 1) {
        store_bits(p, _mm512_cvtepi32_epi8((__m512i)v));
    } else if constexpr (sizeof(T) == 2) {
        store_bits(p, _mm512_cvtepi32_epi16((__m512i)v));
    } else {
        store_bits(p, v);
    }
}
template <typename T>
PTO_INLINE void store_int(T* p, i32v v, Part part)
{
    const __mmask16 mask = lane_mask<4>(part.n);
    if constexpr (sizeof(T) == 1) {
        _mm512_mask_cvtepi32_storeu_epi8(p, mask, (__m512i)v);
    } else if constexpr (sizeof(T) == 2) {
        _mm512_mask_cvtepi32_storeu_epi16(p, mask, (__m512i)v);
    } else {
        _mm512_mask_storeu_epi32(p, mask, (__m512i)v);
    }
}

/// Copies 64 bytes past the caches, to where a cache line begins. Such stores are visible to others once they are finished.
PTO_INLINE void stream_line(char* to, const char* from)
{
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), load_bits<__m512i>(from));
}
PTO_INLINE void finish_streams() { _mm_sfence(); }

}  // namespace pto::cpu
