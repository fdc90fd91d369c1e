// The TPipes of a launch under the checker: tiles that are left in them, and ends that do not agree.
#pragma once

#include <pto/common/fifo.hpp>
#include <pto/cpu/checked/cores.hpp>
#include <pto/cpu/fifo/pipe_state.hpp>

namespace pto::cpu::checked {

/// What a state of a launch says about its TPipe; see TPipe::GetSharedState for its key.
struct PipeView {
    const StateList::Node* node;

    bool is_pipe() const { return node->key[0] != kCoreLog; }
    unsigned flag() const { return static_cast<unsigned>(node->key[0] >> 56); }
    unsigned direction() const { return static_cast<unsigned>(node->key[0] >> 48 & 0xff); }
    unsigned slots() const { return static_cast<unsigned>(node->key[0] >> 40 & 0xff); }
    unsigned slot_bytes() const { return static_cast<unsigned>(node->key[0]); }
    unsigned block() const { return static_cast<unsigned>(node->key[2]); }
    const PipeFifo& fifo(int index) const
    {
        return reinterpret_cast<const PipeFifo*>(reinterpret_cast<const char*>(node) + StateList::kHeader)[index];
    }
    /// Of one core's task and block, with the same flag, but with another fifo.
    bool disagrees(const PipeView& other) const
    {
        return node->key[0] != other.node->key[0] && flag() == other.flag() && node->key[1] == other.node->key[1] &&
               block() == other.block();
    }
};

/// Reports two ends of a TPipe whose template arguments differ: what one pushes, the other never sees. Whether there
/// are.
inline bool report_unequal_ends(LaunchState& launch)
{
    for (const StateList::Node* first = launch.states.first; first != nullptr; first = first->next) {
        for (const StateList::Node* second = first->next; second != nullptr; second = second->next) {
            const PipeView a{second}, b{first};  // the newer one comes first
            if (a.is_pipe() && b.is_pipe() && a.disagrees(b)) {
                report(
                    engine().place,
                    "TPipe %u of block %u has %u slots of %u bytes (direction %u) at one end, %u of %u "
                    "(direction %u) at the other: both ends need the same template arguments",
                    a.flag(), a.block(), a.slots(), a.slot_bytes(), a.direction(), b.slots(), b.slot_bytes(),
                    b.direction());
                return true;
            }
        }
    }
    return false;
}

/// The end of a launch: every tile that was pushed has been popped.
inline void finish_launch(LaunchState& launch)
{
    if (report_unequal_ends(launch)) {
        return;
    }
    for (const StateList::Node* node = launch.states.first; node != nullptr; node = node->next) {
        const PipeView pipe{node};
        for (int index = 0; index < 2 && pipe.is_pipe(); ++index) {
            const PipeFifo& fifo = pipe.fifo(index);
            const uint32_t pushed = fifo.pushed_count(), popped = PipeFifo::least(fifo.popped, fifo.consumers);
            if (pushed != popped) {
                report(
                    engine().place, "TPipe %u of block %u is left with %u of %u tiles (%s) that nobody has popped",
                    pipe.flag(), pipe.block(), pushed - popped, pushed, index == 0 ? "C2V" : "V2C");
            }
        }
    }
}

}  // namespace pto::cpu::checked

namespace pto::cpu {

[[noreturn]] inline void report_deadlock()
{
    LaunchState* launch = core_state().launch;
    if (launch == nullptr || !checked::report_unequal_ends(*launch)) {
        checked::report(
            checked::engine().place,
            "this core waits for another one, and all others wait or have ended: a tile that nobody pushes or "
            "frees, a barrier that not all reach, or a signal that nobody sends");
    }
    abort();
}

}  // namespace pto::cpu
