// Loads, stores and conversions with AVX2, FMA and F16C. Included by simd.hpp only.
#pragma once

namespace pto::cpu {

template <typename T>
using quarter_or_half_vec = typename VectorOf<T, kF32Lanes* static_cast<int>(sizeof(T))>::type;

/// All bits of the first n lanes of a vector whose lanes have 4 or 8 bytes.
template <int Bytes>
PTO_INLINE __m256i lane_mask(int n)
{
    if constexpr (Bytes == 4) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    } else {
        return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
    }
}

/// The low words of eight dwords.
PTO_INLINE __m128i low_words(__m256i v)
{
    const __m256i order = _mm256_broadcastsi128_si256(_mm_setr_epi32(0x05040100, 0x0d0c0908, -1, -1));
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_shuffle_epi8(v, order), 0x08));
}

PTO_INLINE f32v bf16_to_f32(__m128i bits) { return (f32v)_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16); }

/// Rounds to bf16, nearest even, in the upper half of its lane; of a NaN the lower half has to be empty.
PTO_INLINE __m256i rounded_upper_half(f32v v)
{
    const __m256i u = (__m256i)v;
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(_mm256_add_epi32(u, _mm256_set1_epi32(0x7fff)), odd);
}

/// Rounds to bf16, nearest even, NaN kept quiet.
PTO_INLINE __m128i f32_to_bf16(f32v v)
{
    const __m256i quiet = _mm256_or_si256((__m256i)v, _mm256_set1_epi32(0x400000));
    const __m256i nan = (__m256i)_mm256_cmp_ps((__m256)v, (__m256)v, _CMP_UNORD_Q);
    const __m256i upper = _mm256_srli_epi32(_mm256_blendv_epi8(rounded_upper_half(v), quiet, nan), 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256(upper, 1));
}

PTO_INLINE __m128i f32_to_f16(f32v v) { return _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT); }
PTO_INLINE f32v f16_to_f32(__m128i bits) { return (f32v)_mm256_cvtph_ps(bits); }

template <typename T>
PTO_INLINE compute_vec<T> load(const T* p, Full)
{
    if constexpr (is_same<T, half>) {
        return f16_to_f32(load_bits<__m128i>(p));
    } else if constexpr (is_same<T, bfloat16_t>) {
        return bf16_to_f32(load_bits<__m128i>(p));
    } else {
        return load_bits<vec<T>>(p);
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
PTO_INLINE compute_vec<T> load(const T* p, Part part)
{
    if constexpr (sizeof(T) == 4) {
        return (vec<T>)_mm256_maskload_epi32(reinterpret_cast<const int*>(p), lane_mask<4>(part.n));
    } else if constexpr (sizeof(T) == 8) {
        return (vec<T>)_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), lane_mask<8>(part.n));
    } else {
        T lanes[kLanes<T>] = {};
        __builtin_memcpy(lanes, p, part.n * sizeof(T));
        return load(lanes, Full{});
    }
}

template <typename T>
PTO_INLINE void store(T* p, compute_vec<T> v, Part part)
{
    if constexpr (sizeof(T) == 4) {
        _mm256_maskstore_epi32(reinterpret_cast<int*>(p), lane_mask<4>(part.n), (__m256i)v);
    } else if constexpr (sizeof(T) == 8) {
        _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), lane_mask<8>(part.n), (__m256i)v);
    } else {
        T lanes[kLanes<T>];
        store(lanes, v, Full{});
        __builtin_memcpy(p, lanes, part.n * sizeof(T));
    }
}

/// Stores two vectors of fp32 side by side.
template <typename T>
PTO_INLINE void store_two(T* p, f32v low, f32v high)
{
    store(p, low, Full{});
    store(p + kF32Lanes, high, Full{});
}

/// 16 narrow floats as two vectors of fp32, and back. Which elements are in the first vector is the element type's
/// affair: the first 8 of half, the even ones of bf16.
template <typename T>
PTO_INLINE f32v load_first(const T* p)
{
    if constexpr (is_same<T, bfloat16_t>) {
        return (f32v)_mm256_slli_epi32(load_bits<__m256i>(p), 16);
    } else {
        return load(p, Full{});
    }
}
template <typename T>
PTO_INLINE f32v load_second(const T* p)
{
    if constexpr (is_same<T, bfloat16_t>) {
        return (f32v)_mm256_and_si256(load_bits<__m256i>(p), _mm256_set1_epi32(static_cast<int>(0xffff0000U)));
    } else {
        return load(p + kF32Lanes, Full{});
    }
}
/// Stores what was computed from such a pair. NaN among bf16 are those of operands or made by an operation.
template <typename T>
PTO_INLINE void store_pair(T* p, f32v first, f32v second)
{
    if constexpr (is_same<T, bfloat16_t>) {
        const __m256i even = _mm256_srli_epi32(rounded_upper_half(first), 16);
        store_bits(p, _mm256_blend_epi16(even, rounded_upper_half(second), 0xaa));
    } else {
        store_two(p, first, second);
    }
}

/// Loads one vector of int32 from a narrower integer type, or from int32 itself.
template <typename T>
PTO_INLINE i32v load_int(const T* p, Full)
{
    if constexpr (is_same<T, int8_t>) {
        return (i32v)_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    } else if constexpr (is_same<T, uint8_t>) {
        return (i32v)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    } else if constexpr (is_same<T, int16_t>) {
        return (i32v)_mm256_cvtepi16_epi32(load_bits<__m128i>(p));
    } else if constexpr (is_same<T, uint16_t>) {
        return (i32v)_mm256_cvtepu16_epi32(load_bits<__m128i>(p));
    } else {
        return load_bits<i32v>(p);
    }
}
template <typename T>
PTO_INLINE i32v load_int(const T* p, Part part)
{
    T lanes[kF32Lanes] = {};
    __builtin_memcpy(lanes, p, part.n * sizeof(T));
    return load_int(lanes, Full{});
}

/// Stores the low bits of one vector of int32 as a narrower integer type, or as int32 itself.
template <typename T>
PTO_INLINE void store_int(T* p, i32v v, Full)
{
    if constexpr (sizeof(T) == 1) {
        const __m128i bytes = _mm_shuffle_epi8(low_words((__m256i)v), _mm_set_epi64x(-1, 0x0e0c0a0806040200));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(p), bytes);
    } else if constexpr (sizeof(T) == 2) {
        store_bits(p, low_words((__m256i)v));
    } else {
        store_bits(p, v);
    }
}
template <typename T>
PTO_INLINE void store_int(T* p, i32v v, Part part)
{
    T lanes[kF32Lanes];
    store_int(lanes, v, Full{});
    __builtin_memcpy(p, lanes, part.n * sizeof(T));
}

/// Copies 64 bytes past the caches, to where a cache line begins. Such stores are visible to others once they are finished.
PTO_INLINE void stream_line(char* to, const char* from)
{
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), load_bits<__m256i>(from));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + 32), load_bits<__m256i>(from + 32));
}
PTO_INLINE void finish_streams() { _mm_sfence(); }

}  // namespace pto::cpu
