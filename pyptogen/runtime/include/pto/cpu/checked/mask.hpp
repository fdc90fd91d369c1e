// The vector mask, a register of A2/A3 that outlives a kernel: an instruction of the vector pipe works on the elements of
// a repeat that it names, unless the instruction sets it for itself. What the bundled instructions compute does not
// depend on it, so one at work under another mask than "all" is told, in whichever kernel of the core it stands.
#pragma once

#include <pto/cpu/checked/report.hpp>

#include <cstdint>

namespace pto::cpu::checked {

#if defined(PTO_CHECKED_A2A3)
constexpr bool kHasVectorMask = true;
#else
constexpr bool kHasVectorMask = false;
#endif

/// The mask of one core, and the line that set it.
struct VectorMask {
    uint64_t high = ~uint64_t(0);
    uint64_t low = ~uint64_t(0);
    const char* file = "?";
    int line = 0;

    bool all() const { return (high & low) == ~uint64_t(0); }
};
inline VectorMask& vector_mask()
{
    static thread_local VectorMask mask;
    return mask;
}

/// Tells of a vector instruction under a mask that leaves elements out; once for each such mask.
inline void check_mask(const Place& place, const char* name, int pipe)
{
    VectorMask& mask = vector_mask();
    if (!kHasVectorMask || pipe != PIPE_V || mask.all()) {
        return;
    }
    report(place, "%s works under the vector mask %#llx %#llx that %s:%d left; set_vector_mask(-1, -1) stands before "
           "vector work", name, static_cast<unsigned long long>(mask.high), static_cast<unsigned long long>(mask.low),
           mask.file, mask.line);
    mask = {};
}

}  // namespace pto::cpu::checked

/// Stands where a device sets the register: `high` and `low` name elements 127 to 64 and 63 to 0 of a repeat.
inline void pto_set_vector_mask(uint64_t high, uint64_t low, const char* file, int line)
{
    pto::cpu::checked::vector_mask() = {high, low, file, line};
}
#undef set_vector_mask
#define set_vector_mask(...) pto_set_vector_mask(__VA_ARGS__, __FILE__, __LINE__)
