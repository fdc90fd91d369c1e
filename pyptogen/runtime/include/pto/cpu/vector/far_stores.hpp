// Stores that go around the cache, for results too large to be found there again.
#pragma once

#include <pto/cpu/vector/cvt.hpp>

namespace pto {

/// Whether a kernel's stores go around the cache: its results are far larger than a core's share of it. Such stores wait
/// in buffers of their own; they are visible to other cores when the object's life ends.
class FarStores {
public:
    static constexpr int64_t kLeastBytes = int64_t(8) << 20;

    explicit FarStores(int64_t bytes) : far_(bytes >= kLeastBytes) {}
    ~FarStores()
    {
        if (far_) {
            cpu::finish_streams();
        }
    }
    FarStores(const FarStores&) = delete;
    FarStores& operator=(const FarStores&) = delete;
    PTO_INLINE explicit operator bool() const { return far_; }

private:
    bool far_;
};

namespace cpu {

#if defined(PTO_CPU_STREAMS)

// Bits around the cache where the address allows it, in pieces of as many bytes as it is a multiple of (at least 16).
#if defined(PTO_CPU_AVX512)
PTO_INLINE void stream_bits(void* to, __m512i bits)
{
    const auto place = reinterpret_cast<uintptr_t>(to) % 64;
    if (place == 0) {
        _mm512_stream_si512(static_cast<__m512i*>(to), bits);
    } else if (place % 16 == 0) {
        auto* part = static_cast<__m128i*>(to);
        _mm_stream_si128(part, _mm512_castsi512_si128(bits));
        _mm_stream_si128(part + 1, _mm512_extracti32x4_epi32(bits, 1));
        _mm_stream_si128(part + 2, _mm512_extracti32x4_epi32(bits, 2));
        _mm_stream_si128(part + 3, _mm512_extracti32x4_epi32(bits, 3));
    } else {
        store_bits(to, bits);
    }
}
#endif
PTO_INLINE void stream_bits(void* to, __m256i bits)
{
    const auto place = reinterpret_cast<uintptr_t>(to) % 32;
    if (place == 0) {
        _mm256_stream_si256(static_cast<__m256i*>(to), bits);
    } else if (place % 16 == 0) {
        auto* part = static_cast<__m128i*>(to);
        _mm_stream_si128(part, _mm256_castsi256_si128(bits));
        _mm_stream_si128(part + 1, _mm256_extracti128_si256(bits, 1));
    } else {
        store_bits(to, bits);
    }
}
PTO_INLINE void stream_bits(void* to, __m128i bits)
{
    if (reinterpret_cast<uintptr_t>(to) % 16 == 0) {
        _mm_stream_si128(static_cast<__m128i*>(to), bits);
    } else {
        store_bits(to, bits);
    }
}

/// One vector of fp32 or int32 values as T, around the cache.
template <typename T, typename V>
PTO_INLINE void store_far(T* to, V v)
{
    alignas(64) T converted[kF32Lanes];
    if constexpr (is_float<T>) {
        store(converted, v, Full{});
    } else if constexpr (is_same<V, f32v>) {
        store_saturated<T>(converted, nearest_for_int<T>(v), Full{});
    } else {
        store_int(converted, v, Full{});
    }
    constexpr int kBytes = kF32Lanes * static_cast<int>(sizeof(T));
    if constexpr (kBytes < 16) {
        if (reinterpret_cast<uintptr_t>(to) % 8 == 0) {
            _mm_stream_si64(reinterpret_cast<long long*>(to), load_bits<long long>(converted));
        } else {
            __builtin_memcpy(to, converted, kBytes);
        }
    } else {
        stream_bits(to, load_bits<typename VectorOf<long long, kBytes>::type>(converted));
    }
}

#else

template <typename T, typename V>
PTO_INLINE void store_far(T* to, V v)
{
    if constexpr (is_float<T>) {
        store(to, v, Full{});
    } else if constexpr (is_same<V, f32v>) {
        store_saturated<T>(to, nearest_for_int<T>(v), Full{});
    } else {
        store_int(to, v, Full{});
    }
}

#endif

}  // namespace cpu

}  // namespace pto
