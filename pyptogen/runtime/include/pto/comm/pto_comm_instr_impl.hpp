// The communication instructions under the names that the public headers use inside.
#pragma once

#include <pto/comm/pto_comm_inst.hpp>

namespace pto::comm {

template <typename GlobalSignalData>
inline void TNOTIFY_IMPL(GlobalSignalData& dstSignalData, int32_t value, NotifyOp op)
{
    TNOTIFY(dstSignalData, value, op);
}
template <typename GlobalSignalData>
inline void TWAIT_IMPL(GlobalSignalData& signalData, int32_t cmpValue, WaitCmp cmp)
{
    TWAIT(signalData, cmpValue, cmp);
}
template <typename GlobalSignalData>
inline bool TTEST_IMPL(GlobalSignalData& signalData, int32_t cmpValue, WaitCmp cmp)
{
    return TTEST(signalData, cmpValue, cmp);
}

}  // namespace pto::comm
