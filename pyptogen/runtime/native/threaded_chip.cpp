#include "threaded_chip.hpp"

#include <algorithm>
#include <cstdio>

#include "signals.hpp"

namespace pto_rt::native {

namespace {

// Long enough to bridge the gaps inside a run and between calls in a loop, short enough to leave a laptop cool.
constexpr std::chrono::microseconds kSpin{50};

// A thief's patience with a short queue, in steps of 8 pauses (a third of a microsecond each), and what is not short.
constexpr int kPatience = 3;
constexpr uint32_t kEnough = 32;

uint32_t power_of_two(uint32_t at_least)
{
    uint32_t size = 1;
    while (size < at_least) size *= 2;
    return size;
}

}  // namespace

ThreadedChip::ThreadedChip(const ChipShape& shape) : split_(shape.unified == 0), ring_is_given_(shape.ring > 0)
{
    make_ring(ring_is_given_ ? power_of_two(std::max<uint32_t>(shape.ring, 2)) : kShortestRing);
    wanted_ring_ = ring_size_;
    const int first = split_ ? shape.cube : shape.unified;
    const int total = split_ ? shape.cube + shape.vector : shape.unified;
    for (int i = 0; i < total; ++i) {
        cores_.push_back(std::make_unique<CoreThread>());
        CoreThread& core = *cores_.back();
        core.group = &groups_[i < first ? 0 : 1];
        core.index = static_cast<size_t>(i);
        core.index_in_group = core.group->cores.size();
        core.group->cores.push_back(&core);
    }
    orchestrator_ = split_ ? nullptr : cores_[0].get();
    orchestrator_sleeps_in_ = split_ ? &orchestrator_parking_ : &groups_[0].parking;
    // More threads than processors: polling would take the time of those that work.
    const int threads = split_ ? total + 1 : total;
    if (std::thread::hardware_concurrency() >= static_cast<unsigned>(threads)) spin_ = kSpin;
    SignalsBlocked guard;
    try {
        for (size_t i = split_ ? 0 : 1; i < cores_.size(); ++i) {
            threads_.emplace_back(&ThreadedChip::core_main, this, std::ref(*cores_[i]));
        }
    } catch (...) {
        stop();
        throw;
    }
}

ThreadedChip::~ThreadedChip() { stop(); }

void ThreadedChip::stop()
{
    stop_.store(true, std::memory_order_seq_cst);
    for (Group& group : groups_) group.parking.wake_all();
    for (std::thread& thread : threads_) thread.join();
}

void ThreadedChip::abandon()
{
    stop_.store(true, std::memory_order_seq_cst);
    for (Group& group : groups_) group.parking.wake_all();
    for (std::thread& thread : threads_) thread.detach();
}

std::vector<KernelThread*> ThreadedChip::threads()
{
    std::vector<KernelThread*> found;
    for (const auto& core : cores_) {
        if (core.get() != orchestrator_) found.push_back(&core->thread);
    }
    return found;
}

void ThreadedChip::make_ring(uint32_t size)
{
    rings_.emplace_back(new LaunchRecord[size]);
    ring_ = rings_.back().get();
    ring_size_ = size;
}

std::vector<std::string> ThreadedChip::core_names() const
{
    std::vector<std::string> names;
    for (const auto& core : cores_) {
        const char* kind = !split_ ? "core " : core->group == &groups_[0] ? "cube core " : "vector core ";
        names.push_back(kind + std::to_string(core->index_in_group));
    }
    return names;
}

void ThreadedChip::core_main(CoreThread& core)
{
    core.thread.adopt();
#if defined(__linux__)
    char name[16];
    std::snprintf(name, sizeof(name), "pto-core-%d", static_cast<int>(core.index));
    pthread_setname_np(pthread_self(), name);
#endif
    while (!stop_.load(std::memory_order_relaxed)) {
        LaunchRecord* launch = take(core);
        if (launch == nullptr) {
            core.leave();
            core.group->parking.wait(
                core.index_in_group,
                [&] { return (launch = take(core)) != nullptr || stop_.load(std::memory_order_seq_cst); }, spin_);
        }
        if (launch != nullptr) work(launch, core);
    }
    core.leave();
}

void ThreadedChip::begin_run()
{
    // Nothing is in flight, and no queue holds a record.
    if (wanted_ring_ > ring_size_) make_ring(wanted_ring_);
    settled_ = 0;
    finished_.store(0, std::memory_order_relaxed);
}

void ThreadedChip::end_run()
{
    // Newest first: mostly the last one to finish, so that the rest is found finished.
    const uint32_t live = std::min(last_id_, ring_size_);
    for (uint32_t i = 0; i < live; ++i) help_until_retired(record(last_id_ - i), last_id_ - i);
    if (orchestrator_ != nullptr) orchestrator_->leave();
    if (!ring_is_given_ && last_id_ > ring_size_) {
        wanted_ring_ = power_of_two(std::min(last_id_, kLongestRing));
    }
}

Launch ThreadedChip::enqueue(const LaunchRequest& request)
{
    if (last_id_ == UINT32_MAX) throw std::length_error("more than 4294967295 launches in one run");
    const uint32_t id = ++last_id_;
    LaunchRecord& launch = record(id);
    if (id > ring_size_) help_until_retired(launch, id - ring_size_);
    const char* soon = reinterpret_cast<const char*>(&record(id + 8));
    __builtin_prefetch(soon, 1);
    __builtin_prefetch(soon + 64, 1);
    try {
        launch.begin(id, request);
    } catch (...) {
        --last_id_;
        throw;
    }
    Edge* edge = launch.edges(request.after_count);
    for (size_t i = 0; i < request.after_count; ++i) {
        const uint32_t before = request.after[i].id;
        if (before == 0 || before >= id) continue;
        LaunchRecord& predecessor = record(before);
        if (predecessor.id.load(std::memory_order_relaxed) != before) continue;  // finished long ago
        edge->target = &launch;
        launch.pending.fetch_add(1, std::memory_order_relaxed);
        if (predecessor.add_waiting(edge)) {
            ++edge;
        } else {
            launch.pending.fetch_sub(1, std::memory_order_acq_rel);
        }
    }
    if (request.after_count == 0 || launch.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        LaunchRecord* ready = launch.blocks > 0 ? &launch : complete(launch, orchestrator_);
        if (ready != nullptr) make_ready(*ready, orchestrator_);
    }
    return {id};
}

// Looks at the records now and then only: they are in the caches of the cores that ran them.
uint32_t ThreadedChip::settled_launches()
{
    if (last_id_ % kSettleEvery != 0) return settled_;
    if (last_id_ > ring_size_) settled_ = std::max(settled_, last_id_ - ring_size_);
    while (settled_ < last_id_ && record(settled_ + 1).finished()) ++settled_;
    return settled_;
}

void ThreadedChip::wait(Launch launch)
{
    if (launch.id == 0 || launch.id > last_id_ || last_id_ - launch.id >= ring_size_) return;
    help_until_retired(record(launch.id), launch.id);
}

bool ThreadedChip::settle(uint32_t launch, bool wait)
{
    if (last_id_ > ring_size_) settled_ = std::max(settled_, last_id_ - ring_size_);
    while (settled_ < launch) {
        LaunchRecord& next = record(settled_ + 1);
        if (!next.finished()) {
            if (!wait) return false;
            help_until_retired(next, settled_ + 1);
        }
        ++settled_;
    }
    return true;
}

// Works on whatever is ready until the given launch has retired.
void ThreadedChip::help_until_retired(LaunchRecord& launch, uint32_t id)
{
    while (!launch.retired()) {
        LaunchRecord* found = orchestrator_ != nullptr ? take(*orchestrator_) : nullptr;
        if (found == nullptr) {
            Inside waiting(false);
            awaited_.store(id, std::memory_order_seq_cst);
            orchestrator_sleeps_in_->wait(
                0,
                [&] {
                    return launch.retired() || (orchestrator_ != nullptr && (found = take(*orchestrator_)) != nullptr);
                },
                spin_);
            awaited_.store(0, std::memory_order_relaxed);
        }
        if (found != nullptr) work(found, *orchestrator_);
    }
}

// A launch that has blocks to claim, or had when it was queued: the core's own, else one of its group. Null if none.
LaunchRecord* ThreadedChip::take(CoreThread& core)
{
    LaunchRecord* launch = core.ready.pop();
    const auto& group = core.group->cores;
    for (size_t i = 0; launch == nullptr && i < group.size(); ++i) {
        CoreThread& victim = *group[core.victim];
        if (&victim != &core && !victim.ready.empty()) {
            // Taking one launch at a time costs both sides more than small launches do: let a few gather.
            for (int waits = 0; waits < kPatience && victim.ready.size() < kEnough; ++waits) {
                for (int i = 0; i < 8; ++i) relax();
            }
            launch = victim.ready.steal(core.ready, policy() == Policy::Depth);
        }
        if (launch == nullptr && ++core.victim == group.size()) core.victim = 0;
    }
    return launch;
}

// Marks a launch from a queue as no longer queued. From here on it may retire.
void ThreadedChip::taken(LaunchRecord& launch)
{
    const uint32_t id = launch.id.load(std::memory_order_relaxed);
    launch.queued.store(false, std::memory_order_seq_cst);
    if (awaited_.load(std::memory_order_seq_cst) == id) orchestrator_sleeps_in_->wake(0);
}

// Claims and runs blocks of a launch until it has none left, then goes on with what it made ready.
void ThreadedChip::work(LaunchRecord* launch, CoreThread& core)
{
    const uint32_t sharers = static_cast<uint32_t>(core.group->cores.size());
    bool from_queue = true;
    while (launch != nullptr) {
        const uint32_t id = launch->id.load(std::memory_order_relaxed);
        LaunchRecord* next = nullptr;
        LaunchRecord::Claim claim = launch->claim(id, sharers);
        if (from_queue) {
            // Still claimed by this core, or finished by others: either way its time in the queue is over.
            if (claim.left > 0) {
                offer(*launch, &core);
            } else {
                taken(*launch);
            }
        } else if (claim.left > 0) {
            launch->queued.store(true, std::memory_order_relaxed);
            offer(*launch, &core);
        }
        for (; claim.count > 0; claim = launch->claim(id, sharers)) {
            run_blocks(*launch, id, claim, core);
            const bool whole = claim.count == launch->blocks;
            if (whole || launch->unfinished.fetch_sub(claim.count, std::memory_order_acq_rel) == claim.count) {
                next = complete(*launch, &core);
                break;
            }
        }
        launch = go_on(next, core);
        from_queue = false;
    }
}

// What the core works on after a launch that made `next` ready: that, unless the policy says that others come first.
LaunchRecord* ThreadedChip::go_on(LaunchRecord* next, CoreThread& core)
{
    if (next == nullptr) return nullptr;
    const bool others = policy() == Policy::Breadth ? !core.ready.empty() : core.ready.has_above(next->priority);
    if (others) {
        make_ready(*next, &core);
        return nullptr;
    }
    make_claimable(*next);
    return next;
}

void ThreadedChip::run_blocks(LaunchRecord& launch, uint32_t id, const LaunchRecord::Claim& claim, CoreThread& core)
{
    if (failed()) return;
    const uint64_t begin = tracing() ? ticks() : 0;
    try {
        Inside kernel(true);
        core.use(launch.hooks);
        // One at a time, so that a run which is to stop stops between them.
        for (uint32_t block = claim.first; block < claim.first + claim.count && !failed(); ++block) {
            launch.run(launch.body, block, block + 1);
        }
    } catch (...) {
        fail_kernel(std::current_exception());
    }
    if (tracing()) {
        trace_.core(core.index).spans.push({begin, ticks(), id, claim.first, claim.count, core.ready.size()});
    }
}

// Finishes a launch and releases those that waited for it. Returns one of them, of the highest priority, that the
// caller has to go on with; the others are in the ready queues.
LaunchRecord* ThreadedChip::complete(LaunchRecord& launch, CoreThread* core)
{
    LaunchRecord* next = nullptr;
    launch.next_finished = nullptr;
    for (LaunchRecord* done = &launch; done != nullptr;) {
        LaunchRecord* more = done->next_finished;
        const uint32_t id = done->id.load(std::memory_order_relaxed);
        if (tracing()) finished_.fetch_add(1, std::memory_order_relaxed);
        Edge* edge = done->waiting.exchange(LaunchRecord::closed(), std::memory_order_seq_cst);
        // From here on the orchestrator may reuse `done`.
        if (awaited_.load(std::memory_order_seq_cst) == id) orchestrator_sleeps_in_->wake(0);
        while (edge != nullptr) {
            Edge* following = edge->next;
            LaunchRecord& target = *edge->target;
            if (target.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                if (target.blocks == 0) {
                    target.next_finished = more;
                    more = &target;
                } else {
                    release(target, next, core);
                }
            }
            edge = following;
        }
        done = more;
    }
    return next;
}

// Keeps the more urgent of the two as `next` and queues the other. A launch for another kind of core is always queued.
void ThreadedChip::release(LaunchRecord& target, LaunchRecord*& next, CoreThread* core)
{
    if (core == nullptr || &group_of(target.core) != core->group) {
        make_ready(target, core);
    } else if (next == nullptr) {
        next = &target;
    } else if (target.priority > next->priority) {
        make_ready(*next, core);
        next = &target;
    } else {
        make_ready(target, core);
    }
}

void ThreadedChip::make_claimable(LaunchRecord& launch)
{
    const uint64_t id = launch.id.load(std::memory_order_relaxed);
    launch.unclaimed.store(id << 32 | launch.blocks, std::memory_order_release);
}

// Queues a launch whose predecessors have finished. It must be marked as queued before anybody can claim (and finish)
// it, because its record may be reused once it is neither queued nor unfinished.
void ThreadedChip::make_ready(LaunchRecord& launch, CoreThread* core)
{
    launch.queued.store(true, std::memory_order_relaxed);
    make_claimable(launch);
    offer(launch, core);
}

// Puts a launch into a ready queue: the calling core's, or that of a core which can run it.
void ThreadedChip::offer(LaunchRecord& launch, CoreThread* core)
{
    Group& group = group_of(launch.core);
    if (core == nullptr || core->group != &group) {
        const uint32_t id = launch.id.load(std::memory_order_relaxed);
        core = group.cores[id % group.cores.size()];
    }
    core->ready.push(launch, policy() == Policy::Depth);
    group.parking.wake_one();
}

}  // namespace pto_rt::native
