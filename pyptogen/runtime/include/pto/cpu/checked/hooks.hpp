// What kernels, launches, waits and events tell the checker; nothing of it without PTO_CHECKED.
#pragma once

#include <pto/common/type.hpp>

namespace pto::cpu {

struct LaunchState;

namespace checked {

/// A line of source; {__builtin_FILE(), __builtin_LINE()} as the default of a parameter is that of the call.
struct Site {
    const char* file;
    int line;
};

}  // namespace checked

#if defined(PTO_CHECKED)

namespace checked {

/// Whether there is a checker.
constexpr bool kOn = true;

inline void begin_kernel();
inline void finish_kernel();
inline void finish_launch(LaunchState& launch);
inline int next_event_id(int source, int destination);
inline void on_event(int source, int destination, int id, bool waits);
inline bool on_element(const void* tile, size_t offset, size_t elements, size_t bytes, bool writes, Site site);
inline void note_workspace(const void* memory, uintptr_t bytes);

}  // namespace checked

namespace hooks = checked;

#else

namespace checked {
constexpr bool kOn = false;
}

namespace hooks {

/// A kernel begins on the calling core.
PTO_INLINE void begin_kernel() {}
/// A kernel ends on the calling core.
PTO_INLINE void finish_kernel() {}
/// All cores of a launch have ended.
PTO_INLINE void finish_launch(LaunchState&) {}
/// An event id for a pair of pipes.
PTO_INLINE int next_event_id(int, int) { return 0; }
/// An Event sets its flag, or waits for it.
PTO_INLINE void on_event(int, int, int, bool) {}
/// The scalar unit reads or writes an element of a vector tile; false when there is none.
constexpr bool on_element(const void*, size_t, size_t, size_t, bool, checked::Site) { return true; }
/// An orchestration has got memory.
PTO_INLINE void note_workspace(const void*, uintptr_t) {}

}  // namespace hooks

#endif

}  // namespace pto::cpu

namespace pto::cpu_sim {

/// To be called when a launch begins a kernel on the calling core, and when a run of an operator gets memory.
inline void begin_kernel() { cpu::hooks::begin_kernel(); }
inline void note_workspace(const void* memory, size_t bytes) { cpu::hooks::note_workspace(memory, bytes); }

}  // namespace pto::cpu_sim
