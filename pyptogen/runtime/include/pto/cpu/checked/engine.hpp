// The checker of one core: clocks of the pipes, flags, accesses that others may still race with, and bytes written.
#pragma once

#include <pto/cpu/checked/access_log.hpp>
#include <pto/cpu/checked/platform.hpp>
#include <pto/cpu/checked/region.hpp>
#include <pto/cpu/checked/report.hpp>
#include <pto/cpu/checked/unit_flags.hpp>

#include <stdlib.h>

namespace pto::cpu::checked {

struct Clock {
    uint32_t seen[kPipes] = {};

    void join(const Clock& other)
    {
        for (int p = 0; p < kPipes; ++p) {
            seen[p] = seen[p] > other.seen[p] ? seen[p] : other.seen[p];
        }
    }
};

struct Flag {
    Clock clock;
    Place place;
    bool pending = false;
};

/// Instructions run at once, in program order; what the checker follows is which of them a device could run in another
/// order. An instruction knows of another one if a chain of flags and barriers, or their common pipe, orders them.
class Engine {
public:
    Place place;
    UnitFlags unit_flags;
    bool inside = false;  // of an instruction, whose events the checker has waited for

    uint32_t begin_instruction(int pipe) { return ++issued_[pipe]; }

    /// Compares an access with those before it, then remembers it. A CPU runs one instruction after the other: kernels for
    /// it have no flags, and nothing there is out of order.
    void access(const Access& now)
    {
        if (now.region.empty() || !kDevice) {
            return;
        }
        for (;;) {  // the earliest first; one message is enough for what the same order would settle
            size_t found = AccessLog::kNone;
            log_.near(now.region, [&](size_t i) { found = i < found && races(now, log_[i]) ? i : found; });
            if (found == AccessLog::kNone) {
                break;
            }
            const Access before = log_[found];
            report_race(before, now);
            uint32_t& seen = clocks_[now.pipe].seen[before.pipe];
            seen = seen > before.time ? seen : before.time;
        }
        remember(now);
    }

    void set_flag(int source, int destination, int id)
    {
        Flag* flag = find_flag(source, destination, id);
        if (flag == nullptr) {
            return;
        }
        if (flag->pending) {
            report(
                place, "set_flag(%s, %s, %d) while this flag is still set by %s:%d: wait for it first",
                kPipeNames[source], kPipeNames[destination], id, flag->place.file, flag->place.line);
        }
        *flag = {clocks_[source], place, true};
        flag->clock.seen[source] = issued_[source];
        told_[source] = issued_[source];
    }

    void wait_flag(int source, int destination, int id)
    {
        Flag* flag = find_flag(source, destination, id);
        if (flag == nullptr) {
            return;
        }
        if (!flag->pending) {
            report(
                place, "wait_flag(%s, %s, %d) for a flag that nobody has set: the core would stop here for good",
                kPipeNames[source], kPipeNames[destination], id);
            return;
        }
        flag->pending = false;
        clocks_[destination].join(flag->clock);
        if (destination == PIPE_S) {  // the scalar unit issues what follows, to every pipe
            for (Clock& clock : clocks_) {
                clock.join(flag->clock);
            }
        }
        forget_known();
    }

    void barrier(int pipe)
    {
        if (pipe != PIPE_ALL) {
            clocks_[pipe].seen[pipe] = issued_[pipe];
            told_[pipe] = issued_[pipe];
            return;
        }
        for (Clock& clock : clocks_) {
            for (int p = 0; p < kPipes; ++p) {
                clock.seen[p] = issued_[p];
            }
        }
        log_.clear();
    }

    /// The next event id of a pair of pipes, in turn.
    int next_event(int source, int destination)
    {
        uint8_t& next = next_event_[source][destination];
        const int id = next;
        next = static_cast<uint8_t>((next + 1) % EVENT_ID_MAX);
        return id;
    }

    /// The end of a kernel: no flag may be left. Then everything begins anew.
    void finish()
    {
        for (int s = 0; s < kPipes; ++s) {
            for (int d = 0; d < kPipes; ++d) {
                for (int id = 0; id < EVENT_ID_MAX; ++id) {
                    const Flag& flag = flags_[s][d][id];
                    if (flag.pending) {
                        report(
                            flag.place, "set_flag(%s, %s, %d) is left over at the end: nobody waits for it",
                            kPipeNames[s], kPipeNames[d], id);
                    }
                }
            }
        }
        unit_flags.finish();
        restart();
    }

    void mark_written(const Region& region) { mark(region, generation_); }
    /// As if nobody had written there.
    void mark_unwritten(const Region& region) { mark(region, static_cast<uint8_t>(generation_ - 1)); }

    void mark(const Region& region, uint8_t generation)
    {
        uint8_t* marks = written_marks();
        for (int64_t i = 0; i < region.lines; ++i) {
            const size_t at = offset_of(region.begin + static_cast<uintptr_t>(i * region.pitch));
            if (at + static_cast<size_t>(region.length) <= CorePools::kBytes) {
                __builtin_memset(marks + at, generation, static_cast<size_t>(region.length));
            }
        }
    }

    /// The first byte of a region that nobody has written, or -1. With `whole` false one written byte is enough.
    int64_t first_unwritten(const Region& region, bool whole)
    {
        const uint8_t* marks = written_marks();
        bool any = false;
        for (int64_t i = 0; i < region.lines; ++i) {
            const size_t at = offset_of(region.begin + static_cast<uintptr_t>(i * region.pitch));
            for (int64_t b = 0; b < region.length && at + static_cast<size_t>(b) < CorePools::kBytes; ++b) {
                const bool written = marks[at + static_cast<size_t>(b)] == generation_;
                any = any || written;
                if (whole && !written) {
                    return i * region.pitch + b;
                }
                if (!whole && written) {
                    return -1;
                }
            }
        }
        return whole || any ? -1 : 0;
    }

private:
    static uint32_t now_time(const Access& now, const Access& before)
    {
        return now.pipe == before.pipe ? now.time : before.time + 1;  // equal only for operands of one instruction
    }

    bool known(int pipe, const Access& before) const
    {
        // Stores of one pipe leave in order, and nobody says that they arrive so.
        const bool stored = kDevice && before.writes && before.global && (pipe == PIPE_MTE3 || pipe == PIPE_FIX);
        if (pipe == before.pipe && !stored && !(pipe == PIPE_V && kPlatform.vector_barriers)) {
            return true;
        }
        return clocks_[pipe].seen[before.pipe] >= before.time;
    }

    /// Unit flags order a product and a store of the same bytes.
    bool races(const Access& now, const Access& before) const
    {
        if (now.handed && before.handed && now.region == before.region) {
            return false;
        }
        return (now.writes || before.writes) && !(now.atomic && before.atomic) && !known(now.pipe, before) &&
               before.time != now_time(now, before) && overlap(now.region, before.region);
    }

    /// Drops accesses that every pipe knows of, where there are twice as many as were left the last time.
    void forget_known()
    {
        if (log_.count() < 2 * left_ + 64) {
            return;
        }
        log_.filter([this](const Access& access) {
            bool all = true;
            for (int p = 0; p < kPipes; ++p) {
                all = all && (p == PIPE_ALL || known(p, access));
            }
            return !all;
        });
        left_ = log_.count();
        scalar_[0] = scalar_[1] = AccessLog::kNone;
    }

    void remember(const Access& now)
    {
        size_t same = AccessLog::kNone;
        log_.near(now.region, [&](size_t i) {
            const Access& before = log_[i];
            const bool alike = before.pipe == now.pipe && before.writes == now.writes && before.atomic == now.atomic &&
                               before.handed == now.handed;
            same = alike && before.region == now.region ? i : same;
        });
        if (same != AccessLog::kNone) {
            log_[same] = now;  // whoever knows of the later one knows of the earlier one
            return;
        }
        size_t& last = scalar_[now.writes];
        if (now.pipe == PIPE_S && last < log_.count()) {
            // Nobody knows of the one and not of the other: a scalar loop stays one access.
            Access& before = log_[last];
            if (before.pipe == PIPE_S && before.writes == now.writes && before.time > told_[PIPE_S] &&
                before.place.line == now.place.line && extend(before.region, now.region)) {
                before.time = now.time;
                before.to = now.to > before.to ? now.to : before.to;
                log_.find_place(last);
                return;
            }
        }
        const size_t at = log_.add(now);
        last = now.pipe == PIPE_S ? at : last;
    }

    void report_race(const Access& before, const Access& now)
    {
        const uintptr_t begin = before.from > now.from ? before.from : now.from;
        const uintptr_t end = before.to < now.to ? before.to : now.to;
        report(
            place, "race: %s (pipe %s) %s %s bytes %#zx to %#zx that %s (pipe %s, %s:%d) %s; nothing orders the two",
            now.instruction, kPipeNames[now.pipe], now.writes ? "writes" : "reads", now.memory,
            static_cast<size_t>(begin), static_cast<size_t>(end), before.instruction, kPipeNames[before.pipe],
            before.place.file, before.place.line, before.writes ? "writes" : "reads");
    }

    Flag* find_flag(int source, int destination, int id)
    {
        if (source < 0 || source >= kPipes || destination < 0 || destination >= kPipes || id < 0 ||
            id >= EVENT_ID_MAX) {
            report(
                place, "a flag needs two pipes and an event id from 0 to %d, but the id is %d", EVENT_ID_MAX - 1, id);
            return nullptr;
        }
        return &flags_[source][destination][id];
    }

    static size_t offset_of(uintptr_t address)
    {
        return static_cast<size_t>(address - reinterpret_cast<uintptr_t>(pool_address(TileType::Vec, 0)));
    }

    uint8_t* written_marks()
    {
        if (written_ == nullptr) {
            written_ = static_cast<uint8_t*>(calloc(CorePools::kBytes, 1));
            if (written_ == nullptr) {
                abort();
            }
        }
        return written_;
    }

    void restart()
    {
        for (int p = 0; p < kPipes; ++p) {
            clocks_[p] = {};
            issued_[p] = 0;
            told_[p] = 0;
        }
        __builtin_memset(static_cast<void*>(flags_), 0, sizeof(flags_));
        __builtin_memset(next_event_, 0, sizeof(next_event_));
        log_.clear();
        left_ = 0;
        if (++generation_ == 0) {
            generation_ = 1;
            __builtin_memset(written_marks(), 0, CorePools::kBytes);
        }
    }

    Clock clocks_[kPipes];
    uint32_t issued_[kPipes] = {};
    uint32_t told_[kPipes] = {};  // how much of each pipe others may know of
    Flag flags_[kPipes][kPipes][EVENT_ID_MAX];
    uint8_t next_event_[kPipes][kPipes] = {};
    AccessLog log_;
    size_t left_ = 0;  // accesses that were kept when the known ones were dropped
    size_t scalar_[2] = {AccessLog::kNone, AccessLog::kNone};  // the last read and the last write of the scalar unit
    uint8_t* written_ = nullptr;
    uint8_t generation_ = 1;
};

/// The calling core's checker. It lives as long as the thread; what it has allocated as long as the process.
PTO_CPU_OWN inline Engine& engine()
{
    static thread_local Engine* mine = new Engine;
    return *mine;
}

}  // namespace pto::cpu::checked
