// The device that PTO_CHECKED checks for: define PTO_CHECKED_A2A3 or PTO_CHECKED_A5, or neither for the CPU itself.
#pragma once

#include <pto/cpu/checked/names.hpp>
#include <pto/cpu/core/platforms.hpp>

namespace pto::cpu::checked {

enum class CheckedFor { Cpu, A2a3, A5 };
#if defined(PTO_CHECKED_A2A3)
constexpr CheckedFor kCheckedFor = CheckedFor::A2a3;
#elif defined(PTO_CHECKED_A5)
constexpr CheckedFor kCheckedFor = CheckedFor::A5;
#else
constexpr CheckedFor kCheckedFor = CheckedFor::Cpu;
#endif

constexpr Platform kPlatform = kCheckedFor == CheckedFor::A2a3 ? kA2a3 : kCheckedFor == CheckedFor::A5 ? kA5 : kCpu;
constexpr bool kDevice = kCheckedFor != CheckedFor::Cpu;
/// Whether some instructions are made of others: kFilledFirst, kUsedUp.
constexpr bool kMadeOfOthers = kCheckedFor == CheckedFor::A2a3;

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
    return kCheckedFor == CheckedFor::A2a3 ? a2a3 : kCheckedFor == CheckedFor::A5 ? a5 : kEvery;
}

/// Whether one TCVT converts From to To there.
template <typename To, typename From>
constexpr bool converts()
{
    return (on_platform(casts_a2a3<type_bit<From>>, casts_a5<type_bit<From>>) & type_bit<To>) != 0;
}

}  // namespace pto::cpu::checked
