// What an instruction returns. Instructions are complete when they return here, so there is nothing to wait for.
#pragma once

namespace pto {

struct RecordEvent {};

/// Waits for operations or events: nothing to do, because every instruction has finished when it returns.
template <typename... Events>
inline void TSYNC(const Events&...)
{
}

}  // namespace pto
