// Loads, stores and conversions on GNU vector extensions, for any CPU. Included by simd.hpp only.
#pragma once

namespace pto::cpu {

template <typename T>
using quarter_or_half_vec = typename VectorOf<T, kF32Lanes* static_cast<int>(sizeof(T))>::type;

PTO_INLINE f32v bf16_to_f32(quarter_or_half_vec<uint16_t> bits)
{
    return (f32v)(__builtin_convertvector(bits, u32v) << 16);
}

/// Rounds to bf16, nearest even, NaN kept quiet.
PTO_INLINE quarter_or_half_vec<uint16_t> f32_to_bf16(f32v v)
{
    const u32v u = (u32v)v;
    const u32v rounded = u + 0x7fffU + ((u >> 16) & 1U);
    const u32v kept = (v != v) ? (u | 0x400000U) : rounded;
    return __builtin_convertvector(kept >> 16, quarter_or_half_vec<uint16_t>);
}

PTO_INLINE quarter_or_half_vec<half> f32_to_f16(f32v v)
{
    return __builtin_convertvector(v, quarter_or_half_vec<half>);
}
PTO_INLINE f32v f16_to_f32(quarter_or_half_vec<half> bits) { return __builtin_convertvector(bits, f32v); }

template <typename T>
PTO_INLINE compute_vec<T> load(const T* p, Full)
{
    if constexpr (is_same<T, half>) {
        return f16_to_f32(load_bits<quarter_or_half_vec<half>>(p));
    } else if constexpr (is_same<T, bfloat16_t>) {
        return bf16_to_f32(load_bits<quarter_or_half_vec<uint16_t>>(p));
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
    T lanes[kLanes<T>] = {};
    __builtin_memcpy(lanes, p, part.n * sizeof(T));
    return load(lanes, Full{});
}

template <typename T>
PTO_INLINE void store(T* p, compute_vec<T> v, Part part)
{
    T lanes[kLanes<T>];
    store(lanes, v, Full{});
    __builtin_memcpy(p, lanes, part.n * sizeof(T));
}

/// Stores two vectors of fp32 side by side.
template <typename T>
PTO_INLINE void store_two(T* p, f32v low, f32v high)
{
    store(p, low, Full{});
    store(p + kF32Lanes, high, Full{});
}

/// Loads one vector of int32 from a narrower integer type, or from int32 itself.
template <typename T>
PTO_INLINE i32v load_int(const T* p, Full)
{
    return __builtin_convertvector(load_bits<quarter_or_half_vec<T>>(p), i32v);
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
    store_bits(p, __builtin_convertvector(v, quarter_or_half_vec<T>));
}
template <typename T>
PTO_INLINE void store_int(T* p, i32v v, Part part)
{
    T lanes[kF32Lanes];
    store_int(lanes, v, Full{});
    __builtin_memcpy(p, lanes, part.n * sizeof(T));
}

/// To the nearest int32, ties to even; |v| must be below 2^31.
PTO_INLINE i32v round_to_int(f32v v)
{
    const f32v magic = (f32v)(((u32v)v & 0x80000000U) | 0x4b000000U);  // 2^23 with v's sign
    const f32v small = (v + magic) - magic;
    const f32v magnitude = (f32v)((u32v)v & 0x7fffffffU);
    return __builtin_convertvector(magnitude < 8388608.0f ? small : v, i32v);
}

/// Nothing goes past the caches.
PTO_INLINE void finish_streams() {}

}  // namespace pto::cpu
