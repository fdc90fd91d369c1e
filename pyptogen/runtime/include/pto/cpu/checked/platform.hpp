// The device that PTO_CHECKED checks for: define PTO_CHECKED_A2A3 or PTO_CHECKED_A5, or neither for the CPU itself.
#pragma once

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
