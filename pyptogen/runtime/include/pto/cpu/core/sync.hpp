// SYNCALL: a barrier between the cores of a launch.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/cpu/core/wait.hpp>

#include <stdio.h>

namespace pto {

namespace cpu {

/// Counts one arrival and waits until the round of `participants` arrivals that it belongs to is complete.
inline void arrive_and_wait(uint32_t* arrivals, uint32_t participants)
{
    const uint32_t mine = __atomic_fetch_add(arrivals, 1U, __ATOMIC_ACQ_REL);
    const uint32_t round_end = (mine / participants + 1) * participants;
    wait_until([=] { return static_cast<int32_t>(load_acquire(arrivals) - round_end) >= 0; });
}

/// Cores that meet at a barrier: one per block for AICOnly, else every sub-block of every block.
inline uint32_t barrier_participants(SyncCoreType type)
{
    const CoreState& core = core_state();
    const uint32_t blocks = core.launch != nullptr ? core.launch->blocks : core.block_num;
    const uint32_t subblocks = core.launch != nullptr ? core.launch->subblocks : core.subblock_dim;
    return type == SyncCoreType::AICOnly ? blocks : blocks * subblocks;
}

inline bool takes_part(SyncCoreType type) { return type != SyncCoreType::AICOnly || core_state().subblock_id == 0; }

}  // namespace cpu

/// Waits until every core of the launch has come here.
///
/// The cores must run at the same time, as they do in pto::cpu_sim::LaunchKernelMultiCore. Where a launch runs its blocks
/// one after the other this ends the process: continuing would be silently wrong. For SyncCoreType::AICOnly one core
/// per block takes part (sub-block 0); the others pass.
template <SyncCoreType CoreType = SyncCoreType::AIVOnly>
inline RecordEvent SYNCALL()
{
    cpu::CoreState& core = cpu::core_state();
    const uint32_t participants = cpu::barrier_participants(CoreType);
    if (participants == 1 || !cpu::takes_part(CoreType)) {
        return {};
    }
    if (core.launch == nullptr) {
        fputs(
            "pto: SYNCALL: the blocks of this launch do not run at the same time; "
            "launch with pto::cpu_sim::LaunchKernelMultiCore, or pass a workspace\n",
            stderr);
        abort();
    }
    cpu::arrive_and_wait(&core.launch->barriers[static_cast<int>(CoreType)], participants);
    return {};
}

/// The same. With SyncAllMode::Soft the first int32 of gmWorkspace counts arrivals, so threads that no launch knows can
/// meet too; it must be zero before the first use. usedCores = 0 stands for all cores.
template <SyncAllMode Mode, SyncCoreType CoreType = SyncCoreType::AIVOnly, typename GlobalData>
inline RecordEvent SYNCALL(GlobalData& gmWorkspace, int32_t usedCores = 0)
{
    if constexpr (Mode == SyncAllMode::Hard) {
        return SYNCALL<CoreType>();
    } else {
        static_assert(sizeof(typename GlobalData::RawDType) == 4, "SYNCALL needs a workspace of int32");
        const uint32_t participants =
            usedCores > 0 ? static_cast<uint32_t>(usedCores) : cpu::barrier_participants(CoreType);
        if (participants > 1 && (usedCores > 0 || cpu::takes_part(CoreType))) {
            cpu::note_other_order();
            cpu::arrive_and_wait(reinterpret_cast<uint32_t*>(gmWorkspace.data()), participants);
        }
        return {};
    }
}

}  // namespace pto
