// The device that PTO_CHECKED checks for: define PTO_CHECKED_A2A3 or PTO_CHECKED_A5, or neither for the CPU itself.
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/core.hpp>

namespace pto::cpu::checked {

#if defined(PTO_CHECKED_A2A3)
constexpr const char* kPlatform = "A2/A3";
constexpr bool kVectorNeedsBarrier = true;  // a vector instruction may start before the one ahead of it has written
#elif defined(PTO_CHECKED_A5)
constexpr const char* kPlatform = "A5";
constexpr bool kVectorNeedsBarrier = false;
#else
constexpr const char* kPlatform = "CPU";
constexpr bool kVectorNeedsBarrier = false;
#endif

/// Bytes of the memory of a location.
constexpr size_t capacity(TileType loc)
{
    constexpr size_t kKiB = 1024;
    (void)kKiB;
#if defined(PTO_CHECKED_A2A3)
    switch (loc) {
        case TileType::Vec: return 192 * kKiB;
        case TileType::Mat: return 512 * kKiB;
        case TileType::Left:
        case TileType::Right: return 64 * kKiB;
        case TileType::Acc: return 128 * kKiB;
        case TileType::Bias: return 1 * kKiB;
        case TileType::Scaling: return 2 * kKiB;
        default: return 4 * kKiB;
    }
#elif defined(PTO_CHECKED_A5)
    switch (loc) {
        case TileType::Vec: return 256 * kKiB;
        case TileType::Mat: return 512 * kKiB;
        case TileType::Left:
        case TileType::Right: return 64 * kKiB;
        case TileType::Acc: return 256 * kKiB;
        default: return 4 * kKiB;
    }
#else
    return CorePools::capacity(loc);
#endif
}

constexpr const char* memory_name(TileType loc)
{
    switch (loc) {
        case TileType::Vec: return "UB";
        case TileType::Mat: return "L1";
        case TileType::Left: return "L0A";
        case TileType::Right: return "L0B";
        case TileType::Acc: return "L0C";
        case TileType::Bias: return "the bias table";
        case TileType::Scaling: return "the scaling memory";
        case TileType::ScaleLeft: return "the scales of L0A";
        default: return "the scales of L0B";
    }
}

/// Sets of element types that an instruction takes on A2/A3.
enum TypeSet { kAny, kFloats, kArithmetic, kNowhere };

template <typename T>
inline constexpr const char* type_name = "this type";
template <>
inline constexpr const char* type_name<float> = "fp32";
template <>
inline constexpr const char* type_name<half> = "fp16";
template <>
inline constexpr const char* type_name<bfloat16_t> = "bf16";
template <>
inline constexpr const char* type_name<int8_t> = "int8";
template <>
inline constexpr const char* type_name<uint8_t> = "uint8";
template <>
inline constexpr const char* type_name<int16_t> = "int16";
template <>
inline constexpr const char* type_name<uint16_t> = "uint16";
template <>
inline constexpr const char* type_name<int32_t> = "int32";
template <>
inline constexpr const char* type_name<uint32_t> = "uint32";
template <>
inline constexpr const char* type_name<int64_t> = "int64";

template <typename A, typename B>
inline constexpr bool same_type = false;
template <typename A>
inline constexpr bool same_type<A, A> = true;

/// Whether an instruction with such a set takes T on the platform that is checked for.
template <typename T>
constexpr bool legal(TypeSet set)
{
#if defined(PTO_CHECKED_A2A3)
    const bool is_float = same_type<T, float> || same_type<T, half>;
    switch (set) {
        case kFloats: return is_float;
        case kArithmetic: return is_float || same_type<T, int32_t> || same_type<T, int16_t>;
        case kNowhere: return false;
        default: return true;
    }
#else
    (void)set;
    return true;
#endif
}

}  // namespace pto::cpu::checked
