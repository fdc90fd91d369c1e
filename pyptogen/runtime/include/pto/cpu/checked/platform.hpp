// The device that PTO_CHECKED checks for: define PTO_CHECKED_A2A3 or PTO_CHECKED_A5, or neither for the CPU itself.
#pragma once

#include <pto/cpu/checked/names.hpp>
#include <pto/cpu/core/platforms.hpp>

namespace pto::cpu::checked {

/// The platform, whether it is a device, and whether some of its instructions are made of others: kFilledFirst, kUsedUp.
#if defined(PTO_CHECKED_A2A3)
constexpr const Platform& kPlatform = kA2a3;
constexpr bool kDevice = true;
constexpr bool kMadeOfOthers = true;
#elif defined(PTO_CHECKED_A5)
constexpr const Platform& kPlatform = kA5;
constexpr bool kDevice = true;
constexpr bool kMadeOfOthers = false;
#else
constexpr const Platform& kPlatform = kCpu;
constexpr bool kDevice = false;
constexpr bool kMadeOfOthers = false;
#endif

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
constexpr Types on_platform(Types a2a3, Types a5)
{
    return &kPlatform == &kA2a3 ? a2a3 : &kPlatform == &kA5 ? a5 : kEvery;
}

/// Whether one TCVT converts From to To there.
template <typename To, typename From>
constexpr bool converts()
{
    return (on_platform(casts_a2a3<type_bit<From>>, casts_a5<type_bit<From>>) & type_bit<To>) != 0;
}

}  // namespace pto::cpu::checked
