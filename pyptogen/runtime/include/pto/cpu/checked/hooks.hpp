// What kernels, launches, waits and events tell the checker; nothing of it without PTO_CHECKED.
#pragma once

#include <pto/common/type.hpp>

namespace pto::cpu {

struct LaunchState;

#if defined(PTO_CHECKED)

namespace checked {

/// Whether there is a checker.
constexpr bool kOn = true;

inline void finish_kernel();
inline void finish_launch(LaunchState& launch);
inline int next_event_id(int source, int destination);
inline void on_event(int source, int destination, int id, bool waits);

}  // namespace checked

namespace hooks = checked;

#else

namespace checked {
constexpr bool kOn = false;
}

namespace hooks {

/// A kernel ends on the calling core.
PTO_INLINE void finish_kernel() {}
/// All cores of a launch have ended.
PTO_INLINE void finish_launch(LaunchState&) {}
/// An event id for a pair of pipes.
PTO_INLINE int next_event_id(int, int) { return 0; }
/// An Event sets its flag, or waits for it.
PTO_INLINE void on_event(int, int, int, bool) {}

}  // namespace hooks

#endif

}  // namespace pto::cpu
