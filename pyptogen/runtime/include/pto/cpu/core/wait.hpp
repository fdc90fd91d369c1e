// How a core waits for another core.
//
// The cores of a launch are threads, and there may be more of them than processors or pool threads. Whoever waits says
// so once, so that the launch can start the cores that nobody runs yet; then it yields, and at last sleeps.
#pragma once

#include <pto/cpu/checked/hooks.hpp>
#include <pto/cpu/core/core.hpp>
#include <pto/cpu/lanes/simd.hpp>

#include <sched.h>
#include <time.h>

namespace pto::cpu {

template <typename T>
PTO_INLINE T load_acquire(const T* from)
{
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
/// Also after stores past the caches, which no plain release waits for: see stream_store.hpp.
template <typename T>
PTO_INLINE void store_release(T* to, T value)
{
    finish_streams();
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

#if defined(__x86_64__)
PTO_INLINE void pause_thread() { __builtin_ia32_pause(); }
#else
PTO_INLINE void pause_thread() {}
#endif

/// Tells the launch of the calling core that this thread is stuck.
inline void announce_wait();

#if defined(PTO_CHECKED)
/// The calling core among those of its launch that wait, for as long as this lives.
class Waiting {
public:
    inline Waiting();
    inline ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    /// To be asked again and again: whether every core of the launch has waited or been done for a second.
    inline bool for_good();

private:
    int polls_ = 0;
};

#else
struct Waiting {
    bool for_good() { return false; }
};
#endif

/// Reports that the calling core waits for good, and ends the process.
[[noreturn]] inline void report_deadlock();

/// Returns when ready() does. `ready` must look at memory with acquire order.
template <typename Ready>
inline void wait_until(Ready ready)
{
    constexpr int kSpins = 200;
    constexpr int kYields = 2000;
    for (int i = 0; i < kSpins; ++i) {
        if (ready()) {
            return;
        }
        pause_thread();
    }
    announce_wait();
    [[maybe_unused]] Waiting waiting;
    for (int i = 0; !ready(); ++i) {
        if constexpr (checked::kOn) {
            if (i >= kYields && waiting.for_good()) {
                report_deadlock();
            }
        }
        if (i < kYields) {
            sched_yield();
        } else {
            const timespec brief{0, 20000};
            nanosleep(&brief, nullptr);
        }
    }
}

/// A lock for a few instructions, in zero-initialised memory.
struct BriefLock {
    uint32_t taken;

    void lock()
    {
        wait_until([this] { return __atomic_exchange_n(&taken, 1U, __ATOMIC_ACQUIRE) == 0; });
    }
    void unlock() { store_release(&taken, 0U); }
};

/// Zero-initialised state that cores find by key: the fifos of a TPipe.
struct StateList {
    struct Node {
        Node* next;
        uint64_t key[3];
    };
    static constexpr size_t kHeader = 64;  // the state follows the node, aligned

    BriefLock guard;
    Node* first;

    /// The state with this key; made when nobody has asked for it yet.
    void* find(uint64_t type, uint64_t owner, uint64_t block, size_t bytes)
    {
        guard.lock();
        Node* node = first;
        while (node != nullptr && (node->key[0] != type || node->key[1] != owner || node->key[2] != block)) {
            node = node->next;
        }
        if (node == nullptr) {
            const size_t whole = (kHeader + bytes + 63) / 64 * 64;
            node = static_cast<Node*>(aligned_alloc(64, whole));
            if (node == nullptr) {
                abort();
            }
            __builtin_memset(static_cast<void*>(node), 0, whole);
            *node = {first, {type, owner, block}};
            first = node;
        }
        guard.unlock();
        return reinterpret_cast<char*>(node) + kHeader;
    }

    void clear()
    {
        while (first != nullptr) {
            Node* next = first->next;
            free(first);
            first = next;
        }
    }
};
static_assert(sizeof(StateList::Node) <= StateList::kHeader);

/// The states of threads that belong to no launch, of kernels in one library.
PTO_CPU_OWN inline constinit StateList process_states{};

/// What the cores of one launch share. It lives as long as the launch.
struct LaunchState {
    uint64_t id = 0;
    uint32_t blocks = 1;
    uint32_t subblocks = 1;
    uint32_t barriers[3] = {};  // arrivals so far, by SyncCoreType
    uint32_t idle = 0;  // cores that wait or have ended; for PTO_CHECKED
    uint32_t ordered_otherwise = 0;  // whether cores have met other than by SYNCALL of the launch; for PTO_CHECKED
    void (*on_wait)(LaunchState&) = nullptr;
    StateList states{};

    LaunchState() = default;
    ~LaunchState() { states.clear(); }
    LaunchState(const LaunchState&) = delete;
    LaunchState& operator=(const LaunchState&) = delete;
};

inline void announce_wait()
{
    LaunchState* launch = core_state().launch;
    if (launch != nullptr && launch->on_wait != nullptr) {
        launch->on_wait(*launch);
    }
}

#if defined(PTO_CHECKED)
inline Waiting::Waiting()
{
    if (LaunchState* launch = core_state().launch; launch != nullptr) {
        __atomic_fetch_add(&launch->idle, 1U, __ATOMIC_ACQ_REL);
    }
}
inline Waiting::~Waiting()
{
    if (LaunchState* launch = core_state().launch; launch != nullptr) {
        __atomic_fetch_sub(&launch->idle, 1U, __ATOMIC_ACQ_REL);
    }
}
inline bool Waiting::for_good()
{
    constexpr int kPolls = 20000;  // of 20 us and more: a core that may go on has long done so
    const LaunchState* launch = core_state().launch;
    const bool all = launch != nullptr && load_acquire(&launch->idle) == launch->blocks * launch->subblocks;
    polls_ = all ? polls_ + 1 : 0;
    return polls_ > kPolls;
}
#endif

/// Says that the calling core orders itself with others by signals or by a barrier in memory of its own.
inline void note_other_order()
{
    LaunchState* launch = core_state().launch;
    if (checked::kOn && launch != nullptr) {
        __atomic_store_n(&launch->ordered_otherwise, 1U, __ATOMIC_RELAXED);
    }
}

}  // namespace pto::cpu
