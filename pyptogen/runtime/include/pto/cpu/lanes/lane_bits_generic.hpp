// Predicates as bits, on GNU vector extensions. Included by lane_bits.hpp only.
#pragma once

namespace pto::cpu {

/// Bit i is set where lane i of a comparison's result is true.
template <typename M>
PTO_INLINE uint64_t lane_bits(M mask)
{
    constexpr int kLane = static_cast<int>(sizeof(mask[0]));
    uint64_t bits = 0;
    for (int i = 0; i < kVectorBytes / kLane; ++i) {
        bits |= static_cast<uint64_t>(mask[i] & 1) << i;
    }
    return bits;
}

/// Lane i of a where bit i is set, of b elsewhere. R is an unsigned integer type.
template <typename R>
PTO_INLINE vec<R> select_lanes(uint64_t bits, vec<R> a, vec<R> b)
{
    for (int i = 0; i < kVectorBytes / static_cast<int>(sizeof(R)); ++i) {
        b[i] = (bits >> i) & 1 ? a[i] : b[i];
    }
    return b;
}

}  // namespace pto::cpu
