// Races between the cores of a launch in global memory.
#pragma once

#include <pto/cpu/checked/engine.hpp>
#include <pto/cpu/core/wait.hpp>

namespace pto::cpu::checked {

/// What the cores of one launch did to global memory. It lies in the launch's list of states, so it is as old as that.
struct CoreLog {
    static constexpr uint32_t kRoom = 4096;

    struct Entry {
        Access access;
        uint32_t core;
        uint32_t round;  // SYNCALLs that every core had passed
    };

    BriefLock guard;
    uint32_t count;
    Entry entries[kRoom];
};
constexpr uint64_t kCoreLog = 0x434f5245;

/// Whether only SYNCALL orders the cores of a launch: a TPipe, a signal or a workspace barrier is not followed here.
inline bool only_barriers(LaunchState& launch)
{
    launch.states.guard.lock();
    bool only = !__atomic_load_n(&launch.ordered_otherwise, __ATOMIC_RELAXED);
    for (StateList::Node* node = launch.states.first; node != nullptr; node = node->next) {
        only = only && node->key[0] == kCoreLog;
    }
    launch.states.guard.unlock();
    return only;
}

/// Compares an access to global memory with those of other cores since the last SYNCALL, then keeps it. Two atomic ones
/// may meet.
inline void share(const Access& now)
{
    CoreState& core = core_state();
    LaunchState* launch = core.launch;
    if (launch == nullptr || launch->blocks * launch->subblocks < 2 || now.region.empty() || !only_barriers(*launch)) {
        return;
    }
    const uint32_t cores = launch->blocks * launch->subblocks;
    const uint32_t mine = core.block_idx * launch->subblocks + core.subblock_id;
    uint32_t round = 0;
    for (int type = 0; type < 3; ++type) {
        const bool cube = static_cast<SyncCoreType>(type) == SyncCoreType::AICOnly;
        round += load_acquire(&launch->barriers[type]) / (cube ? launch->blocks : cores);
    }
    auto& log = *static_cast<CoreLog*>(launch->states.find(kCoreLog, 0, 0, sizeof(CoreLog)));
    const CoreLog::Entry entry{now, mine, round};
    CoreLog::Entry found{};
    bool race = false, known = false;
    log.guard.lock();
    for (uint32_t i = 0; i < log.count && !race; ++i) {
        const CoreLog::Entry& before = log.entries[i];
        known = known || (before.core == mine && before.round == round && before.access.writes == now.writes &&
                          before.access.atomic == now.atomic && before.access.region == now.region);
        race = before.core != mine && before.round == round && (now.writes || before.access.writes) &&
               !(now.atomic && before.access.atomic) && overlap(now.region, before.access.region);
        found = race ? before : found;
    }
    // Rows of one loop stay one entry.
    CoreLog::Entry* last = log.count == 0 ? nullptr : &log.entries[log.count - 1];
    if (!race && !known && last != nullptr && last->core == mine && last->round == round &&
        last->access.writes == now.writes && last->access.atomic == now.atomic &&
        last->access.place.line == now.place.line && extend(last->access.region, now.region)) {
        last->access.to = last->access.region.end();
    } else if (!race && !known && log.count < CoreLog::kRoom) {
        log.entries[log.count++] = entry;
    }
    log.guard.unlock();
    if (race) {
        const Access& before = found.access;
        report(
            now.place,
            "race between cores: %s %s global memory bytes %#zx to %#zx that %s of block %u.%u (%s:%d) %s; "
            "no SYNCALL orders the two",
            now.instruction, now.writes ? "writes" : "reads", static_cast<size_t>(now.from),
            static_cast<size_t>(now.to), before.instruction, found.core / launch->subblocks,
            found.core % launch->subblocks, before.place.file, before.place.line, before.writes ? "writes" : "reads");
    }
}

}  // namespace pto::cpu::checked
