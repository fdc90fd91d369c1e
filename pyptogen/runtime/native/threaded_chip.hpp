// A chip of several cores: persistent threads that start launches when their inputs are ready.
#pragma once

#include <array>
#include <stdexcept>
#include <vector>

#include "chip.hpp"
#include "launch_record.hpp"
#include "parking.hpp"
#include "ready_queue.hpp"

namespace pto_rt::native {

// The calling thread is the orchestrator and, whenever it has to wait, a core like the others.
//
// Launches live in a ring of records: id n in record n mod kRing. `submit` reuses a record when its launch has retired
// and works on other launches until then, so memory is bounded however long a run is. A launch whose last predecessor
// finishes is continued by the core that finished it, or put into a ready queue; a core that takes a launch of several
// blocks puts it back once, while it has blocks left, so that the other cores join.
class ThreadedChip final : public Chip {
public:
    explicit ThreadedChip(int cores);
    ~ThreadedChip() override;

    int cores(Core) const override { return cores_; }

private:
    static constexpr uint32_t kRing = 1024;
    static constexpr int kClasses = 3;  // priority above zero, zero, below zero

    // What one thread remembers between blocks.
    struct CoreState {
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

    void begin_run() override;
    void end_run() override;
    Launch submit(const LaunchRequest& request) override;

    LaunchRecord& record(uint32_t id) { return ring_[id % kRing]; }
    std::chrono::microseconds spin_time() const;
    void core_main(int index);
    void help_until_retired(LaunchRecord& launch, uint32_t id);
    uint32_t take();
    void work(uint32_t id, CoreState& core);
    void run_blocks(LaunchRecord& launch, const LaunchRecord::Claim& claim, CoreState& core);
    LaunchRecord* complete(LaunchRecord& launch);
    void release(LaunchRecord& target, LaunchRecord*& next);
    static void make_claimable(LaunchRecord& launch);
    void make_ready(LaunchRecord& launch);
    void share(LaunchRecord& launch, uint32_t id);

    const int cores_;
    std::unique_ptr<LaunchRecord[]> ring_;
    std::array<ReadyQueue, kClasses> ready_;
    Parking parking_;
    std::atomic<bool> failed_{false};
    std::atomic<bool> stop_{false};
    // The launch whose completion the sleeping orchestrator waits for.
    std::atomic<uint32_t> awaited_{0};
    uint32_t last_id_ = 0;
    CoreState orchestrator_;
    std::vector<std::thread> threads_;
};

}  // namespace pto_rt::native
