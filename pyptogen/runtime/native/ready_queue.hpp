// The launches that one core has to start: its own, until another core steals some.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "launch_record.hpp"
#include "parking.hpp"

namespace pto_rt::native {

// In which order ready launches are started.
enum class Policy : uint8_t {
    CriticalPath,  // by priority; among equals the oldest; a core goes on with what it made ready
    Breadth,       // the oldest first
    Depth,         // the newest first; a core goes on with what it made ready
};

// A list per level of priority, linked through the records, and a bit set of the lists that are not empty. There is no
// capacity to exceed, and every operation takes a few instructions.
class ReadyQueue {
public:
    void push(LaunchRecord& launch, bool newest_first)
    {
        const int level = level_of(launch.priority);
        std::lock_guard guard(lock_);
        add(launch, level, newest_first);
    }

    // The most urgent launch, or null. Its `queued` is still set.
    LaunchRecord* pop()
    {
        if (empty()) return nullptr;
        std::lock_guard guard(lock_);
        return remove();
    }

    // Moves up to half of the launches, at most kBatch, into `thief`'s queue, but the first, which is returned.
    LaunchRecord* steal(ReadyQueue& thief, bool newest_first)
    {
        if (empty()) return nullptr;
        LaunchRecord* batch[kBatch];
        uint32_t count = 0;
        {
            std::lock_guard guard(lock_);
            const uint32_t wanted = (size_.load(std::memory_order_relaxed) + 1) / 2;
            while (count < wanted && count < kBatch) batch[count++] = remove();
        }
        if (count == 0) return nullptr;
        if (count > 1) {
            std::lock_guard guard(thief.lock_);
            for (uint32_t i = 1; i < count; ++i) {
                const uint32_t at = newest_first ? count - i : i;
                thief.add(*batch[at], level_of(batch[at]->priority), newest_first);
            }
        }
        return batch[0];
    }

    bool empty() const { return size_.load(std::memory_order_seq_cst) == 0; }
    uint32_t size() const { return size_.load(std::memory_order_relaxed); }

    // True when a launch is queued that is more urgent than `priority`. May be outdated at once.
    bool has_above(int32_t priority) const
    {
        const int level = level_of(priority);
        return level < kLevels - 1 && filled_.load(std::memory_order_relaxed) >> (level + 1) != 0;
    }

private:
    static constexpr int kLevels = 64;
    static constexpr uint32_t kBatch = 32;

    static int level_of(int32_t priority)
    {
        constexpr int32_t kMiddle = kLevels / 2;
        return priority < -kMiddle ? 0 : priority >= kMiddle ? kLevels - 1 : priority + kMiddle;
    }

    void add(LaunchRecord& launch, int level, bool at_front)
    {
        const uint64_t filled = filled_.load(std::memory_order_relaxed);
        const uint64_t bit = uint64_t{1} << level;
        Level& list = levels_[level];
        if ((filled & bit) == 0) {
            launch.next_ready = nullptr;
            list.first = list.last = &launch;
            filled_.store(filled | bit, std::memory_order_relaxed);
        } else if (at_front) {
            launch.next_ready = list.first;
            list.first = &launch;
        } else {
            launch.next_ready = nullptr;
            list.last->next_ready = &launch;
            list.last = &launch;
        }
        size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    LaunchRecord* remove()
    {
        const uint64_t filled = filled_.load(std::memory_order_relaxed);
        if (filled == 0) return nullptr;
        const int level = kLevels - 1 - __builtin_clzll(filled);
        Level& list = levels_[level];
        LaunchRecord* launch = list.first;
        list.first = launch->next_ready;
        if (list.first == nullptr) filled_.store(filled & ~(uint64_t{1} << level), std::memory_order_relaxed);
        size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
        return launch;
    }

    struct Level {
        LaunchRecord* first;
        LaunchRecord* last;
    };

    alignas(64) SpinLock lock_;
    std::atomic<uint32_t> size_{0};
    std::atomic<uint64_t> filled_{0};
    Level levels_[kLevels] = {};
};

}  // namespace pto_rt::native
