// TNOTIFY, TWAIT and TTEST: int32 signals in memory that all ranks see.
#pragma once

#include <pto/comm/transfer.hpp>
#include <pto/cpu/core/wait.hpp>

namespace pto::comm {

namespace detail {

constexpr bool holds(int32_t value, int32_t limit, WaitCmp cmp)
{
    switch (cmp) {
        case WaitCmp::EQ: return value == limit;
        case WaitCmp::NE: return value != limit;
        case WaitCmp::GT: return value > limit;
        case WaitCmp::GE: return value >= limit;
        case WaitCmp::LT: return value < limit;
        default: return value <= limit;
    }
}

template <typename Global>
inline bool all_hold(Global& signals, int32_t limit, WaitCmp cmp)
{
    static_assert(sizeof(typename Global::RawDType) == 4, "TNOTIFY, TWAIT and TTEST: a signal must be an int32");
    int64_t shape[5];
    shape_of(signals, shape);
    bool all = true;
    for_each_line(signals, signals, shape, [&](int64_t line, int64_t) {
        for (int64_t m = 0; m < shape[4]; ++m) {
            const int32_t value =
                cpu::load_acquire(reinterpret_cast<const int32_t*>(signals.data()) + line + m * signals.GetStride(4));
            all = all && holds(value, limit, cmp);
        }
    });
    return all;
}

}  // namespace detail

/// Sets the signal or adds to it, after everything that this core has written.
template <typename GlobalSignalData, typename... Events>
PTO_INST RecordEvent TNOTIFY(GlobalSignalData& dstSignalData, int32_t value, NotifyOp op, const Events&... events)
{
    static_assert(
        sizeof(typename GlobalSignalData::RawDType) == 4, "TNOTIFY, TWAIT and TTEST: a signal must be an int32");
    TSYNC(events...);
    cpu::note_other_order();
    int32_t* signal = reinterpret_cast<int32_t*>(dstSignalData.data());
    if (op == NotifyOp::AtomicAdd) {
        __atomic_fetch_add(signal, value, __ATOMIC_SEQ_CST);
    } else {
        __atomic_store_n(signal, value, __ATOMIC_SEQ_CST);
    }
    return {};
}

/// Waits until the comparison holds for every signal of the tensor, however long that takes.
template <typename GlobalSignalData, typename... Events>
inline RecordEvent TWAIT(GlobalSignalData& signalData, int32_t cmpValue, WaitCmp cmp, const Events&... events)
{
    TSYNC(events...);
    cpu::note_other_order();
    cpu::wait_until([&] { return detail::all_hold(signalData, cmpValue, cmp); });
    return {};
}

/// Whether the comparison holds now for every signal of the tensor.
template <typename GlobalSignalData, typename... Events>
inline bool TTEST(GlobalSignalData& signalData, int32_t cmpValue, WaitCmp cmp, const Events&... events)
{
    TSYNC(events...);
    cpu::note_other_order();
    return detail::all_hold(signalData, cmpValue, cmp);
}

}  // namespace pto::comm
