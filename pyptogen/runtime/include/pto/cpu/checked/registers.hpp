// Registers of a core of A2/A3 that outlive a kernel. What the bundled instructions compute does not depend on them, so
// one that counts on what a kernel has not set is told.
// - The vector mask: an instruction of the vector pipe works on the elements of a repeat that it names, unless the
//   instruction sets it for itself. Nobody knows what the kernel before a launch has left there.
// - The base of the flags between cores, which the launch passes and the kernel sets before it uses a fifo.
#pragma once

#include <pto/cpu/checked/calls.hpp>
#include <pto/cpu/checked/report.hpp>

#include <cstdint>

namespace pto::cpu::checked {

#if defined(PTO_CHECKED_A2A3)
constexpr bool kHasRegisters = true;
#else
constexpr bool kHasRegisters = false;
#endif

/// The registers of one core, and the line that set the mask, if one of this or an earlier kernel did.
struct Registers {
    uint64_t high = ~uint64_t(0);
    uint64_t low = ~uint64_t(0);
    const char* file = nullptr;
    int line = 0;
    bool base = true;
};
inline Registers& registers()
{
    static thread_local Registers own;
    return own;
}

/// A launched kernel begins: it follows another one that nobody here knows.
inline void begin_kernel()
{
    if (kHasRegisters) {
        registers() = {0, 0, nullptr, 0, false};
    }
}

/// Tells of a vector instruction under a mask that leaves elements out; once for each such mask.
inline void check_mask(const Place& place, const char* name, int pipe)
{
    Registers& own = registers();
    if (!kHasRegisters || pipe != PIPE_V || (own.high & own.low) == ~uint64_t(0)) {
        return;
    }
    if (own.file == nullptr) {
        report(
            place,
            "%s works under the vector mask that the kernel before has left; set_mask_norm() and "
            "set_vector_mask(-1, -1) stand before vector work",
            name);
    } else {
        report(
            place,
            "%s works under the vector mask %#llx %#llx that %s:%d left; set_vector_mask(-1, -1) stands before "
            "vector work",
            name, static_cast<unsigned long long>(own.high), static_cast<unsigned long long>(own.low), own.file,
            own.line);
    }
    own.high = own.low = ~uint64_t(0);
}

/// Tells of a fifo between cores whose flags the kernel cannot know; once in a kernel.
inline void check_base(const Place& place, const char* name)
{
    if (kHasRegisters && !registers().base && (same_text(name, "TPUSH") || same_text(name, "TPOP"))) {
        report(
            place,
            "%s uses the flags between cores before the kernel knows where they are; set_ffts_base_addr comes "
            "first, with the address that the launch passes",
            name);
        registers().base = true;
    }
}

}  // namespace pto::cpu::checked

/// Stands where a device sets the mask: `high` and `low` name elements 127 to 64 and 63 to 0 of a repeat.
inline void pto_set_vector_mask(uint64_t high, uint64_t low, const char* file, int line)
{
    pto::cpu::checked::Registers& own = pto::cpu::checked::registers();
    own = {high, low, file, line, own.base};
}
#undef set_vector_mask
#define set_vector_mask(...) pto_set_vector_mask(__VA_ARGS__, __FILE__, __LINE__)

inline void pto_set_ffts_base_addr(uint64_t) { pto::cpu::checked::registers().base = true; }
#undef set_ffts_base_addr
#define set_ffts_base_addr(...) pto_set_ffts_base_addr(__VA_ARGS__)
