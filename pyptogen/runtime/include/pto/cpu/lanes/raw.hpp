// The unsigned integer of a size: elements that are only moved, or compared bit by bit, are handled as such.
#pragma once

#include <cstdint>

namespace pto::cpu {

template <int Bytes>
struct RawOfSize;
template <>
struct RawOfSize<1> {
    using type = uint8_t;
};
template <>
struct RawOfSize<2> {
    using type = uint16_t;
};
template <>
struct RawOfSize<4> {
    using type = uint32_t;
};
template <>
struct RawOfSize<8> {
    using type = uint64_t;
};
template <int Bytes>
using raw_of_size_t = typename RawOfSize<Bytes>::type;
template <typename T>
using raw_t = raw_of_size_t<static_cast<int>(sizeof(T))>;

}  // namespace pto::cpu
