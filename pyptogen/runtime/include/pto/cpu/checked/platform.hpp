// The device that PTO_CHECKED checks for: define PTO_CHECKED_A2A3 or PTO_CHECKED_A5, or neither for the CPU itself.
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/checked/names.hpp>
#include <pto/cpu/core/core.hpp>

namespace pto::cpu::checked {

#if defined(PTO_CHECKED_A2A3) || defined(PTO_CHECKED_A5)
constexpr bool kDevice = true;
#else
constexpr bool kDevice = false;
#endif

#if defined(PTO_CHECKED_A2A3)
constexpr const char* kPlatform = "A2/A3";
constexpr bool kVectorNeedsBarrier = true;  // a vector instruction may start before the one ahead of it has written
constexpr bool kTurnsOnLoad = false;        // columns stay columns in L1
constexpr bool kMadeOfOthers = true;        // some instructions are: kFilledFirst, kUsedUp
#elif defined(PTO_CHECKED_A5)
constexpr const char* kPlatform = "A5";
constexpr bool kVectorNeedsBarrier = false;
constexpr bool kTurnsOnLoad = true;
constexpr bool kMadeOfOthers = false;
#else
constexpr const char* kPlatform = "CPU";
constexpr bool kVectorNeedsBarrier = false;
constexpr bool kTurnsOnLoad = true;
constexpr bool kMadeOfOthers = false;
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

/// The bit and the name of an element type; no bit for types that no device has.
template <typename T>
inline constexpr Types type_bit = 0;
template <typename T>
inline constexpr const char* type_name = "this type";

#define PTO_CHECKED_TYPE(T, BIT, NAME) \
    template <> \
    inline constexpr Types type_bit<T> = BIT; \
    template <> \
    inline constexpr const char* type_name<T> = NAME;
PTO_CHECKED_TYPE(float, kFp32, "fp32")
PTO_CHECKED_TYPE(half, kFp16, "fp16")
PTO_CHECKED_TYPE(bfloat16_t, kBf16, "bf16")
PTO_CHECKED_TYPE(int8_t, kInt8, "int8")
PTO_CHECKED_TYPE(uint8_t, kUint8, "uint8")
PTO_CHECKED_TYPE(int16_t, kInt16, "int16")
PTO_CHECKED_TYPE(uint16_t, kUint16, "uint16")
PTO_CHECKED_TYPE(int32_t, kInt32, "int32")
PTO_CHECKED_TYPE(uint32_t, kUint32, "uint32")
PTO_CHECKED_TYPE(int64_t, kInt64, "int64")
PTO_CHECKED_TYPE(uint64_t, kUint64, "uint64")
PTO_CHECKED_TYPE(float8_e4m3_t, kE4m3, "e4m3")
PTO_CHECKED_TYPE(float8_e5m2_t, kE5m2, "e5m2")
PTO_CHECKED_TYPE(hifloat8_t, kHif8, "hif8")
PTO_CHECKED_TYPE(float8_e8m0_t, kE8m0, "e8m0")
PTO_CHECKED_TYPE(float4_e2m1x2_t, kE2m1, "e2m1")
PTO_CHECKED_TYPE(float4_e1m2x2_t, kE1m2, "e1m2")
PTO_CHECKED_TYPE(int4b_t, kInt4, "int4")
#undef PTO_CHECKED_TYPE

/// Which operand of an instruction its element types are about: the first, or the first that is read.
enum TypedOperand { kFirst, kRead };

/// Element types of an instruction on the platform that is checked for.
constexpr Types on_platform([[maybe_unused]] Types a2a3, [[maybe_unused]] Types a5)
{
#if defined(PTO_CHECKED_A2A3)
    return a2a3;
#elif defined(PTO_CHECKED_A5)
    return a5;
#else
    return kEvery;
#endif
}

/// Whether one TCVT converts From to To there.
template <typename To, typename From>
constexpr bool converts()
{
    return (on_platform(casts_a2a3<type_bit<From>>, casts_a5<type_bit<From>>) & type_bit<To>) != 0;
}

}  // namespace pto::cpu::checked
