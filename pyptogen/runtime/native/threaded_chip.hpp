// A chip of several cores: persistent threads that start launches when their inputs are ready.
#pragma once

#include <stdexcept>
#include <vector>

#include "chip.hpp"

namespace pto_rt::native {

// How many cores of each kind. Where `cube` and `vector` are 0, every one of the `unified` cores runs every kind, and the
// calling thread is one of them. Otherwise cube cores run cube and mixed launches, vector cores run vector launches, and
// the calling thread only orchestrates.
struct ChipShape {
    int unified = 0;
    int cube = 0;
    int vector = 0;
    uint32_t ring = 0;  // launches to hold at a time; 0: as the graphs need
};

// Launches live in a ring of records: id n in record n mod ring. `submit` reuses a record when its launch has retired and
// works on other launches until then, so memory is bounded however long a run is. A ring that was too short for a run is
// made longer before the next one, up to kLongestRing. A launch whose last predecessor finishes is continued by the core
// that finished it, or put into that core's ready queue; a core without work steals from the queues of its group. A core
// that takes a launch of several blocks puts it back once, while it has blocks left, so that other cores join.
class ThreadedChip final : public Chip {
public:
    explicit ThreadedChip(const ChipShape& shape);
    ~ThreadedChip() override;

    int cores(Core kind) const override { return static_cast<int>(group_of(kind).cores.size()); }
    void wait(Launch launch) override;

    std::vector<KernelThread*> threads() override;
    void abandon() override;

private:
    static constexpr uint32_t kShortestRing = 1024;
    static constexpr uint32_t kLongestRing = 16384;
    static constexpr uint32_t kSettleEvery = 256;

    struct Group;

    // A core: its queue, and what its thread remembers between blocks.
    struct alignas(64) CoreThread {
        ReadyQueue ready;
        KernelThread thread;
        Group* group = nullptr;
        size_t index = 0;          // in the chip
        size_t index_in_group = 0;
        size_t victim = 0;
        uint64_t finished = 0;
        const CoreHooks* hooks = nullptr;

        void use(const CoreHooks* wanted)
        {
            if (hooks == wanted) return;
            leave();
            hooks = wanted;
            hooks->enter();
        }
        void leave()
        {
            if (hooks != nullptr) hooks->leave();
            hooks = nullptr;
        }
    };

    // Cores that run the same kinds of launches.
    struct Group {
        std::vector<CoreThread*> cores;
        Parking parking;
        size_t next = 0;  // who gets the next launch from the orchestrator when that is no core itself
    };

    void begin_run() override;
    void end_run() override;
    Launch enqueue(const LaunchRequest& request) override;
    std::vector<std::string> core_names() const override;
    uint32_t ring() const override { return ring_size_; }
    uint32_t finished_launches() const override { return finished_.load(std::memory_order_relaxed); }

    uint32_t settled_launches() override;
    bool settle(uint32_t launch, bool wait) override;

    void stop();
    void make_ring(uint32_t size);
    LaunchRecord& record(uint32_t id) { return ring_[id & (ring_size_ - 1)]; }
    Group& group_of(Core kind) { return groups_[split_ && kind == Core::Vector ? 1 : 0]; }
    const Group& group_of(Core kind) const { return groups_[split_ && kind == Core::Vector ? 1 : 0]; }
    void core_main(CoreThread& core);
    void help_until_retired(LaunchRecord& launch, uint32_t id);
    LaunchRecord* take(CoreThread& core);
    void taken(LaunchRecord& launch);
    void work(LaunchRecord* launch, CoreThread& core);
    LaunchRecord* go_on(LaunchRecord* next, CoreThread& core);
    void run_blocks(LaunchRecord& launch, uint32_t id, const LaunchRecord::Claim& claim, CoreThread& core);
    LaunchRecord* complete(LaunchRecord& launch, CoreThread* core);
    void release(LaunchRecord& target, LaunchRecord*& next, CoreThread* core);
    static void make_claimable(LaunchRecord& launch);
    void make_ready(LaunchRecord& launch, CoreThread* core);
    void offer(LaunchRecord& launch, CoreThread* core);

    const bool split_;
    const bool ring_is_given_;
    uint32_t ring_size_ = 0;
    uint32_t wanted_ring_ = 0;
    uint32_t settled_ = 0;
    std::chrono::microseconds spin_{0};
    LaunchRecord* ring_ = nullptr;
    // A thread that comes late may look at a record of a shorter ring, so these stay.
    std::vector<std::unique_ptr<LaunchRecord[]>> rings_;
    std::vector<std::unique_ptr<CoreThread>> cores_;
    Group groups_[2];
    Parking orchestrator_parking_;
    Parking* orchestrator_sleeps_in_ = nullptr;
    CoreThread* orchestrator_ = nullptr;  // null when the calling thread is no core
    std::atomic<bool> stop_{false};
    // The launch whose completion the sleeping orchestrator waits for.
    std::atomic<uint32_t> awaited_{0};
    std::atomic<uint32_t> finished_{0};  // counted while tracing
    std::vector<std::thread> threads_;
};

}  // namespace pto_rt::native
