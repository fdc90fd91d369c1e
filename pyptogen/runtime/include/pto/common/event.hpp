// What an instruction returns, Event<> and TSYNC.
//
// An instruction is complete when it returns here, so waiting costs nothing. With PTO_CHECKED defined an Event sets and
// waits for the flag that it stands for, and the checker sees whether the order that the kernel asks for is enough.
#pragma once

#include <pto/common/operation.hpp>

namespace pto {

struct RecordEvent {};

struct EventBaseTag {};

/// The order "SrcOp before DstOp": assign an instruction's result to record it, wait for it with Wait(), TSYNC(event)
/// or by passing it to a later instruction. With AutoToken an event id is chosen; otherwise EventID is used.
template <Op SrcOp, Op DstOp, bool AutoToken = true, event_t EventID = EVENT_ID0>
struct Event : EventBaseTag {
    static constexpr Op srcOp = SrcOp;
    static constexpr Op dstOp = DstOp;
    static constexpr pipe_t srcPipe = cpu::pipe_of(SrcOp);
    static constexpr pipe_t dstPipe = cpu::pipe_of(DstOp);
    static constexpr bool isSamePipe = srcPipe == dstPipe;
    static constexpr bool IsCrossCore = (SrcOp == Op::TMOV_A2V && dstPipe == PIPE_V) ||
                                        ((SrcOp == Op::TMOV_V2M || SrcOp == Op::TEXTRACT_V2M) && dstPipe == PIPE_MTE1);
    static_assert(!IsCrossCore || !AutoToken, "an Event between cores needs its EventID given");
    static_assert(IsCrossCore || (srcPipe != PIPE_ALL && dstPipe != PIPE_ALL), "an Event needs two operations");

    const event_t token =
        cpu::checked::kOn && AutoToken && !isSamePipe ? cpu::hooks::next_event_id(srcPipe, dstPipe) : EventID;

    PTO_INLINE Event() = default;
    PTO_INLINE Event(RecordEvent) { Record(); }
    PTO_INLINE Event& operator=(RecordEvent) { return Record(); }

    PTO_INLINE Event& InitAddr(uint64_t) { return *this; }

    template <uint8_t CrossCoreId = 0xff>
    PTO_INLINE Event& Record()
    {
        check_one_core();
        if constexpr (!isSamePipe && !IsCrossCore) {
            cpu::hooks::on_event(srcPipe, dstPipe, token, false);
        }
        return *this;
    }
    template <uint8_t CrossCoreId = 0xff>
    PTO_INLINE Event& Init()
    {
        return Record<CrossCoreId>();
    }

    template <uint8_t CrossCoreId = 0xff>
    PTO_INLINE const Event& Wait() const
    {
        check_one_core();
        if constexpr (!IsCrossCore) {
            cpu::hooks::on_event(srcPipe, dstPipe, token, true);
        }
        return *this;
    }

private:
    PTO_INLINE static void check_one_core()
    {
        static_assert(
            !IsCrossCore,
            "an Event between a cube and a vector core: flags between cores are not simulated; a TPipe or SYNCALL orders "
            "them");
    }
};

/// DstPipe stops until SrcPipe has done what was issued to it.
#if defined(PTO_CHECKED)
template <pipe_t SrcPipe, pipe_t DstPipe>
inline void PtoSetWaitFlag(
    event_t SetEventId = EVENT_ID0, event_t WaitEventId = EVENT_ID0, const char* file = __builtin_FILE(),
    int line = __builtin_LINE())
{
    set_flag(SrcPipe, DstPipe, SetEventId, file, line);
    wait_flag(SrcPipe, DstPipe, WaitEventId, file, line);
}
#else
template <pipe_t SrcPipe, pipe_t DstPipe>
PTO_INLINE void PtoSetWaitFlag(event_t SetEventId = EVENT_ID0, event_t WaitEventId = EVENT_ID0)
{
    set_flag(SrcPipe, DstPipe, SetEventId);
    wait_flag(SrcPipe, DstPipe, WaitEventId);
}
#endif

namespace cpu {
template <typename T>
struct Plain {
    using type = T;
};
template <typename T>
struct Plain<const T&> {
    using type = T;
};
template <typename T>
using plain_t = typename Plain<T>::type;
}  // namespace cpu

template <typename T>
struct is_event {
    static constexpr bool value = __is_base_of(EventBaseTag, T);
};
template <typename... Ts>
inline constexpr bool all_events_v = (is_event<Ts>::value && ...);

/// Waits until the pipe of OpCode has done everything that was issued to it.
template <Op OpCode>
PTO_INST RecordEvent TSYNC()
{
    pipe_barrier(cpu::pipe_of(OpCode));
    return {};
}

/// Waits for events.
template <typename... Events>
PTO_INST RecordEvent TSYNC(const Events&... events)
{
    [[maybe_unused]] const auto wait_for = [](const auto& event) {
        if constexpr (is_event<cpu::plain_t<decltype(event)>>::value) {
            event.Wait();
        }
    };
    (static_cast<void>(wait_for(events)), ...);
    return {};
}

}  // namespace pto
