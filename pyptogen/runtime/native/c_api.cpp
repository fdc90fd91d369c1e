// The functions that Python calls.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "chip_call.hpp"
#include "driver.hpp"
#include "inline_chip.hpp"
#include "interrupts.hpp"
#include "json_file.hpp"
#include "shared_chips.hpp"
#include "threaded_chip.hpp"

using pto_rt::native::Chip;
using pto_rt::native::ChipShape;
using pto_rt::native::Driver;
using pto_rt::native::Entry;
using pto_rt::native::InlineChip;
using pto_rt::native::Interruptible;
using pto_rt::native::JsonFile;
using pto_rt::native::KernelThread;
using pto_rt::native::Policy;
using pto_rt::native::ThreadedChip;
using pto_rt::native::Trace;
using pto_rt::native::TraceLog;
using pto_rt::native::TracePlace;

#define PTO_API extern "C" __attribute__((visibility("default")))

// A chip of `unified` cores, or, where that is 0, of cube and vector cores. `ring` is the number of launches to hold at
// a time, 0 for as many as the graphs need. Null when the threads could not be started.
PTO_API Chip* pto_chip_create(int unified, int cube, int vector, uint32_t ring)
{
    try {
        if (unified == 1) return new InlineChip();
        return new ThreadedChip(ChipShape{unified, cube, vector, ring});
    } catch (...) {
        return nullptr;
    }
}

PTO_API void pto_chip_destroy(Chip* chip)
{
    for (int cores = 1; cores <= pto_rt::native::kMostCores; ++cores) {
        Chip* shared = chip;
        pto_rt::native::shared_chip(cores).compare_exchange_strong(shared, nullptr);
    }
    delete chip;
}

// From now on native calls with this many cores run on this chip; null: on none, after a fork, or because it is closed.
PTO_API void pto_chip_share(int cores, Chip* chip) { pto_rt::native::shared_chip(cores).store(chip); }
PTO_API Chip* pto_chip_shared(int cores) { return pto_rt::native::shared_chip(cores).load(std::memory_order_acquire); }

// Runs an operator; calls from several threads take turns. Returns 0 when it went well; 1 when it failed, with the
// message; 2 when only the trace or the graph could not be written, with its path as the message.
PTO_API int pto_chip_run(Chip* chip, pto_chip_call* call)
{
    std::lock_guard guard(chip->lock());
    std::optional<Interruptible> guarded;
    if (call->brief == 0) guarded.emplace(*chip);
    const bool trace = call->trace_path != nullptr || call->graph_path != nullptr || call->log_file >= 0;
    call->report = chip->run(call->entry, call->args, {static_cast<Policy>(call->policy), trace});
    const auto say = [call](const char* text, size_t length) {
        length = std::min<size_t>(length, call->message_bytes - 1);
        std::memcpy(call->message, text, length);
        call->message[length] = '\0';
    };
    // Where memory for the log has run out, the trace will show the task without its cores.
    if (call->log_file >= 0) (void)chip->trace().append_to_log(call->log_file, call->log_task);
    const char* unwritten = nullptr;
    if (call->trace_path != nullptr && !chip->trace().write_trace(call->trace_path, call->process_name, call->pid)) {
        unwritten = call->trace_path;
    }
    if (call->graph_path != nullptr && !chip->trace().write_graph(call->graph_path)) unwritten = call->graph_path;
    if (!chip->error().empty()) {
        say(chip->error().data(), chip->error().size());
        return 1;
    }
    if (unwritten != nullptr) say(unwritten, std::strlen(unwritten));
    return unwritten != nullptr ? 2 : 0;
}

// A chip with a thread that makes its runs, and the run in progress.
struct pto_driver {
    Chip* chip;
    Driver driver;
    pto_chip_call* call = nullptr;
};

// Null when the system allows no thread.
PTO_API pto_driver* pto_driver_create(Chip* chip)
{
    try {
        return new pto_driver{chip, {}};
    } catch (...) {
        return nullptr;
    }
}

// Waits for the run in progress. The chip stays.
PTO_API void pto_driver_destroy(pto_driver* self) { delete self; }

// Starts a run; one at a time.
PTO_API void pto_driver_start(pto_driver* self, pto_chip_call* call)
{
    self->call = call;
    self->chip->uncancel();
    const auto run = [](void* context) {
        auto* driver = static_cast<pto_driver*>(context);
        return pto_chip_run(driver->chip, driver->call);
    };
    self->driver.start(run, self);
}

// Waits for the run: what `pto_chip_run` returned, or -1 when it is not over after so many seconds.
PTO_API int pto_driver_wait(pto_driver* self, double seconds)
{
    const auto most = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
    return self->driver.wait(most) ? self->driver.result() : -1;
}

// Asks the run in progress to end: no more blocks start.
PTO_API void pto_driver_cancel(pto_driver* self) { self->chip->cancel(); }

// Gives up a run that hangs, with its chip and this driver: parks the threads that are inside of the operator and lets the
// others end. Neither may be used again, nor destroyed. Returns how many threads could not be parked.
PTO_API int pto_driver_abandon(pto_driver* self)
{
    std::vector<KernelThread*> threads = self->chip->threads();
    threads.push_back(&self->driver.thread());
    const int left = pto_rt::native::park(threads, reinterpret_cast<const void*>(self->call->entry));
    self->chip->abandon();
    self->driver.abandon();
    return left;
}

// Bytes of the whole runs at the start of a chip's log: what follows was being written when the chip was killed.
PTO_API size_t pto_log_whole(const char* log, size_t bytes)
{
    TraceLog runs(log, bytes);
    while (runs.next() != 0) {
    }
    return runs.whole();
}

// Appends the runs of the given tasks (sorted) to a trace that ends with an event. Tracks of the cores start at 1;
// arrows are numbered from `*first_arrow`, which is moved on. Returns 0 when it went well.
PTO_API int pto_log_write_trace(
    const char* path, const char* log, size_t bytes, const uint64_t* tasks, size_t count, int64_t pid,
    uint64_t* first_arrow)
{
    JsonFile file = JsonFile::append(path);
    if (!file) return 1;
    TraceLog runs(log, bytes);
    Trace run;
    TracePlace place{pid, 1};
    for (uint64_t task = runs.next(); task != 0; task = runs.next()) {
        if (!std::binary_search(tasks, tasks + count, task) || !runs.read(run)) continue;
        place.host_task = task;
        place.first_arrow = *first_arrow;
        *first_arrow += run.write_events(file, place);
        place.names_tracks = false;
    }
    return file.close() ? 0 : 1;
}
