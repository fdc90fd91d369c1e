// What kernels, launches, waits and events tell the checker; nothing of it without PTO_CHECKED.
#pragma once

#include <pto/common/type.hpp>

namespace pto::cpu {

struct LaunchState;

namespace checked {

#if !defined(PTO_CHECKED)

/// Whether there is a checker.
constexpr bool kOn = false;

PTO_INLINE void finish_kernel() {}
PTO_INLINE void finish_launch(LaunchState&) {}
PTO_INLINE int next_event_id(int, int) { return 0; }
PTO_INLINE void on_event(int, int, int, bool) {}

#else

constexpr bool kOn = true;

/// A kernel ends on the calling core.
inline void finish_kernel();
/// All cores of a launch have ended.
inline void finish_launch(LaunchState& launch);
/// An event id for a pair of pipes.
inline int next_event_id(int source, int destination);
/// An Event sets its flag, or waits for it.
inline void on_event(int source, int destination, int id, bool waits);

#endif

}  // namespace checked
}  // namespace pto::cpu
