#include "threaded_chip.hpp"

#include <pthread.h>
#include <signal.h>

#include <cstdio>

namespace pto_rt::native {

namespace {

// Long enough to bridge the gaps inside a run and between calls in a loop, short enough to leave a laptop cool.
constexpr std::chrono::microseconds kSpin{50};

int priority_class(int32_t priority) { return priority > 0 ? 0 : priority == 0 ? 1 : 2; }

// Signals belong to the threads of the application (Python handles them on its main thread).
class SignalsBlocked {
public:
    SignalsBlocked()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

}  // namespace

ThreadedChip::ThreadedChip(int cores)
    : cores_(cores), ring_(new LaunchRecord[kRing]), ready_{ReadyQueue(kRing), ReadyQueue(kRing), ReadyQueue(kRing)}
{
    SignalsBlocked guard;
    try {
        for (int i = 1; i < cores; ++i) threads_.emplace_back(&ThreadedChip::core_main, this, i);
    } catch (...) {
        stop_.store(true, std::memory_order_seq_cst);
        parking_.wake_all();
        for (std::thread& thread : threads_) thread.join();
        throw;
    }
}

ThreadedChip::~ThreadedChip()
{
    stop_.store(true, std::memory_order_seq_cst);
    parking_.wake_all();
    for (std::thread& thread : threads_) thread.join();
}

// More threads than processors: spinning would take the time of those that work.
std::chrono::microseconds ThreadedChip::spin_time() const
{
    const unsigned processors = std::thread::hardware_concurrency();
    return processors >= static_cast<unsigned>(cores_) ? kSpin : std::chrono::microseconds(0);
}

void ThreadedChip::core_main(int index)
{
    char name[16];
    std::snprintf(name, sizeof(name), "pto-core-%d", index);
#if defined(__linux__)
    pthread_setname_np(pthread_self(), name);
#endif
    const auto spin = spin_time();
    CoreState core;
    while (!stop_.load(std::memory_order_relaxed)) {
        uint32_t id = take();
        if (id == 0) {
            core.leave();
            parking_.wait([&] { return (id = take()) != 0 || stop_.load(std::memory_order_seq_cst); }, spin);
        }
        if (id != 0) work(id, core);
    }
    core.leave();
}

void ThreadedChip::begin_run()
{
    last_id_ = 0;
    failed_.store(false, std::memory_order_relaxed);
}

void ThreadedChip::end_run()
{
    // Newest first: mostly the last one to finish, so that the rest is found finished.
    const uint32_t live = last_id_ < kRing ? last_id_ : kRing;
    for (uint32_t i = 0; i < live; ++i) help_until_retired(record(last_id_ - i), last_id_ - i);
    orchestrator_.leave();
}

Launch ThreadedChip::submit(const LaunchRequest& request)
{
    if (last_id_ == UINT32_MAX) throw std::length_error("more than 4294967295 launches in one run");
    const uint32_t id = ++last_id_;
    LaunchRecord& launch = record(id);
    if (id > kRing) help_until_retired(launch, id - kRing);
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
        if (predecessor.id != before) continue;  // finished long ago, its record serves another launch
        edge->target = &launch;
        launch.pending.fetch_add(1, std::memory_order_relaxed);
        if (predecessor.add_waiting(edge)) {
            ++edge;
        } else {
            launch.pending.fetch_sub(1, std::memory_order_acq_rel);
        }
    }
    if (launch.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        LaunchRecord* ready = launch.blocks > 0 ? &launch : complete(launch);
        if (ready != nullptr) make_ready(*ready);
    }
    return {id};
}

// Works on whatever is ready until the given launch has retired.
void ThreadedChip::help_until_retired(LaunchRecord& launch, uint32_t id)
{
    while (!launch.retired()) {
        uint32_t found = take();
        if (found == 0) {
            awaited_.store(id, std::memory_order_seq_cst);
            parking_.wait([&] { return launch.retired() || (found = take()) != 0; }, spin_time());
            awaited_.store(0, std::memory_order_relaxed);
        }
        if (found != 0) work(found, orchestrator_);
    }
}

// The id of a launch that has blocks to claim or had when it was queued; 0 when there is none.
uint32_t ThreadedChip::take()
{
    for (ReadyQueue& queue : ready_) {
        const uint32_t id = queue.pop();
        if (id != 0) {
            record(id).queued.store(false, std::memory_order_seq_cst);
            if (awaited_.load(std::memory_order_seq_cst) == id) parking_.wake_all();
            return id;
        }
    }
    return 0;
}

// Claims and runs blocks of a launch until it has none left, then goes on with what it made ready.
void ThreadedChip::work(uint32_t id, CoreState& core)
{
    while (id != 0) {
        LaunchRecord& launch = record(id);
        bool shared = false;
        LaunchRecord* next = nullptr;
        for (;;) {
            const LaunchRecord::Claim claim = launch.claim(id, static_cast<uint32_t>(cores_));
            if (claim.count == 0) break;
            if (claim.left > 0 && !shared) {
                share(launch, id);
                shared = true;
            }
            run_blocks(launch, claim, core);
            const bool whole = claim.count == launch.blocks;
            if (whole || launch.unfinished.fetch_sub(claim.count, std::memory_order_acq_rel) == claim.count) {
                next = complete(launch);
                break;
            }
        }
        id = 0;
        if (next != nullptr) {
            id = next->id;
            make_claimable(*next);
        }
    }
}

void ThreadedChip::run_blocks(LaunchRecord& launch, const LaunchRecord::Claim& claim, CoreState& core)
{
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
        core.use(launch.hooks);
        launch.run(launch.body, claim.first, claim.first + claim.count);
    } catch (...) {
        fail(std::current_exception());
        failed_.store(true, std::memory_order_relaxed);
    }
}

// Finishes a launch and releases those that waited for it. Returns one of them, of the highest priority, that the
// caller has to go on with; the others are in the ready queues.
LaunchRecord* ThreadedChip::complete(LaunchRecord& launch)
{
    LaunchRecord* next = nullptr;
    launch.next_finished = nullptr;
    for (LaunchRecord* done = &launch; done != nullptr;) {
        LaunchRecord* more = done->next_finished;
        const uint32_t id = done->id;
        Edge* edge = done->waiting.exchange(LaunchRecord::closed(), std::memory_order_seq_cst);
        // From here on the orchestrator may reuse `done`.
        if (awaited_.load(std::memory_order_seq_cst) == id) parking_.wake_all();
        while (edge != nullptr) {
            Edge* following = edge->next;
            LaunchRecord& target = *edge->target;
            if (target.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                if (target.blocks == 0) {
                    target.next_finished = more;
                    more = &target;
                } else {
                    release(target, next);
                }
            }
            edge = following;
        }
        done = more;
    }
    return next;
}

// Keeps the more urgent of the two as `next` and queues the other.
void ThreadedChip::release(LaunchRecord& target, LaunchRecord*& next)
{
    if (next == nullptr) {
        next = &target;
    } else if (target.priority > next->priority) {
        make_ready(*next);
        next = &target;
    } else {
        make_ready(target);
    }
}

void ThreadedChip::make_claimable(LaunchRecord& launch)
{
    launch.unclaimed.store(uint64_t{launch.id} << 32 | launch.blocks, std::memory_order_release);
}

// Queues a launch whose predecessors have finished. It must be marked as queued before anybody can claim (and finish)
// it, because its record may be reused once it is neither queued nor unfinished.
void ThreadedChip::make_ready(LaunchRecord& launch)
{
    const uint32_t id = launch.id;
    const int queue = priority_class(launch.priority);
    launch.queued.store(true, std::memory_order_relaxed);
    make_claimable(launch);
    ready_[static_cast<size_t>(queue)].push(id);
    parking_.wake_one();
}

// Offers a launch of which the caller holds unfinished blocks to the other cores.
void ThreadedChip::share(LaunchRecord& launch, uint32_t id)
{
    launch.queued.store(true, std::memory_order_relaxed);
    ready_[static_cast<size_t>(priority_class(launch.priority))].push(id);
    parking_.wake_one();
}

}  // namespace pto_rt::native
