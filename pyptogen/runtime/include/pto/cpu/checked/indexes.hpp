// Indices of MGATHER and MSCATTER, told to the checker; nothing of it without PTO_CHECKED.
#pragma once

#include <cstdint>

#include <pto/cpu/checked/hooks.hpp>

#if defined(PTO_CHECKED)
#include <pto/cpu/checked/engine.hpp>
#endif

namespace pto::cpu::checked {

#if !defined(PTO_CHECKED)

constexpr bool index_holds(int64_t, int64_t) { return true; }

#else

/// Whether an index for which the instruction has no rule lies in its table.
inline bool index_holds(int64_t index, int64_t capacity)
{
    if (index >= 0 && index < capacity) {
        return true;
    }
    report(
        engine().place,
        "an index is %lld, but the table has %lld rows or elements: say what is to become of it (Clamp, "
        "Wrap, Zero or Skip)",
        static_cast<long long>(index), static_cast<long long>(capacity));
    return false;
}

#endif

}  // namespace pto::cpu::checked
