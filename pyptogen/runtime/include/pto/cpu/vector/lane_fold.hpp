// The lanes of one vector: folded to one value, looked at for NaN.
#pragma once

#include <pto/cpu/vector/words.hpp>

namespace pto::cpu {

/// The 32-bit lanes of a vector, rotated so that lane i gets lane i ^ Distance; where there is a vector unit.
template <int Distance, typename C>
PTO_INLINE vec<C> exchanged(vec<C> v);

#if defined(PTO_CPU_AVX512)

template <int Distance, typename C>
PTO_INLINE vec<C> exchanged(vec<C> v)
{
    const i32v w = (i32v)v;
    if constexpr (Distance == 8) {
        return (vec<C>)__builtin_shufflevector(w, w, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    } else if constexpr (Distance == 4) {
        return (vec<C>)__builtin_shufflevector(w, w, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    } else if constexpr (Distance == 2) {
        return (vec<C>)__builtin_shufflevector(w, w, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    } else {
        return (vec<C>)__builtin_shufflevector(w, w, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    }
}

/// Two vectors of every other element of 32, side by side again.
PTO_INLINE void interleave(f32v& even, f32v& odd)
{
    const f32v e = even, o = odd;
    even = (f32v)__builtin_shufflevector(e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    odd = (f32v)__builtin_shufflevector(e, o, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/// One flag for each lane of 32 bits.
using LaneFlags = __mmask16;
constexpr LaneFlags kAllLanes = 0xffff;

/// Lanes that are NaN.
PTO_INLINE LaneFlags unordered_lanes(f32v a, f32v b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q); }
PTO_INLINE LaneFlags unordered_lanes(f32v v) { return unordered_lanes(v, v); }
PTO_INLINE bool any_lane(LaneFlags lanes) { return lanes != 0; }
PTO_INLINE bool any_lane(i32v lanes) { return _mm512_test_epi32_mask((__m512i)lanes, (__m512i)lanes) != 0; }
PTO_INLINE bool every_lane(LaneFlags lanes) { return lanes == kAllLanes; }

/// The lanes of `so_far` in which neither is NaN.
PTO_INLINE LaneFlags still_ordered(LaneFlags so_far, f32v x, f32v y)
{
    return _mm512_mask_cmp_ps_mask(so_far, (__m512)x, (__m512)y, _CMP_ORD_Q);
}

#elif defined(PTO_CPU_AVX2)

template <int Distance, typename C>
PTO_INLINE vec<C> exchanged(vec<C> v)
{
    const i32v w = (i32v)v;
    if constexpr (Distance == 4) {
        return (vec<C>)__builtin_shufflevector(w, w, 4, 5, 6, 7, 0, 1, 2, 3);
    } else if constexpr (Distance == 2) {
        return (vec<C>)__builtin_shufflevector(w, w, 2, 3, 0, 1, 6, 7, 4, 5);
    } else {
        return (vec<C>)__builtin_shufflevector(w, w, 1, 0, 3, 2, 5, 4, 7, 6);
    }
}

/// Two vectors of every other element of 16, side by side again.
PTO_INLINE void interleave(f32v& even, f32v& odd)
{
    const f32v e = even, o = odd;
    even = (f32v)__builtin_shufflevector(e, o, 0, 8, 1, 9, 2, 10, 3, 11);
    odd = (f32v)__builtin_shufflevector(e, o, 4, 12, 5, 13, 6, 14, 7, 15);
}

/// One flag for each lane of 32 bits.
using LaneFlags = i32v;
constexpr LaneFlags kAllLanes = {-1, -1, -1, -1, -1, -1, -1, -1};

/// Lanes that are NaN.
PTO_INLINE LaneFlags unordered_lanes(f32v a, f32v b)
{
    return (LaneFlags)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
}
PTO_INLINE LaneFlags unordered_lanes(f32v v) { return unordered_lanes(v, v); }
PTO_INLINE bool any_lane(LaneFlags lanes) { return _mm256_movemask_ps((__m256)lanes) != 0; }
PTO_INLINE bool every_lane(LaneFlags lanes) { return _mm256_movemask_ps((__m256)lanes) == 0xff; }

/// The lanes of `so_far` in which neither is NaN.
PTO_INLINE LaneFlags still_ordered(LaneFlags so_far, f32v x, f32v y)
{
    return so_far & (LaneFlags)_mm256_cmp_ps((__m256)x, (__m256)y, _CMP_ORD_Q);
}

#else

/// Lanes that are NaN.
PTO_INLINE i32v unordered_lanes(f32v v) { return v != v; }
PTO_INLINE i32v unordered_lanes(f32v a, f32v b) { return unordered_lanes(a) | unordered_lanes(b); }
PTO_INLINE bool any_lane(i32v lanes)
{
    int32_t any = 0;
    for (int i = 0; i < kF32Lanes; ++i) {
        any |= lanes[i];
    }
    return any != 0;
}

#endif

/// Reduces one vector to a scalar by halving.
template <typename Op, typename C>
PTO_INLINE C reduce_lanes(vec<C> v)
{
    if constexpr (kHasVectorUnit) {
        if constexpr (kHasAvx512) {
            v = Op::template apply<C>(v, exchanged<8, C>(v));
        }
        v = Op::template apply<C>(v, exchanged<4, C>(v));
        v = Op::template apply<C>(v, exchanged<2, C>(v));
        if constexpr (sizeof(C) < 8) {
            v = Op::template apply<C>(v, exchanged<1, C>(v));
        }
        if constexpr (sizeof(C) < 4) {
            v = Op::template apply<C>(v, (vec<C>)((u32v)v >> 16));
        }
        if constexpr (sizeof(C) < 2) {
            v = Op::template apply<C>(v, (vec<C>)((u32v)v >> 8));
        }
    } else {
        for (int half_count = kVectorBytes / static_cast<int>(sizeof(C)) / 2; half_count > 0; half_count /= 2) {
            vec<C> upper = v;
            for (int i = 0; i < half_count; ++i) {
                upper[i] = v[i + half_count];
            }
            v = Op::template apply<C>(v, upper);
        }
    }
    return v[0];
}

}  // namespace pto::cpu
