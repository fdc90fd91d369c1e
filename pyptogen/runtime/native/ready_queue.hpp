// A bounded queue of ready launches for many producers and many consumers, first in first out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pto_rt::native {

// Every cell carries a sequence number that says whose turn it is: `position` free for the producer of that turn,
// `position + 1` filled for its consumer. The chip never has more ids in flight than cells, so push cannot fail.
class ReadyQueue {
public:
    explicit ReadyQueue(uint32_t capacity) : cells_(new Cell[capacity]), mask_(capacity - 1)
    {
        for (uint32_t i = 0; i < capacity; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
    }

    void push(uint32_t id)
    {
        const uint64_t position = tail_.fetch_add(1, std::memory_order_relaxed);
        Cell& cell = cells_[position & mask_];
        // A consumer that has taken the cell's last content frees it a few instructions later.
        while (cell.turn.load(std::memory_order_acquire) != position) {
        }
        cell.id = id;
        cell.turn.store(position + 1, std::memory_order_release);
    }

    // The oldest id, or 0 when nothing is ready.
    uint32_t pop()
    {
        uint64_t position = head_.load(std::memory_order_relaxed);
        for (;;) {
            Cell& cell = cells_[position & mask_];
            const uint64_t turn = cell.turn.load(std::memory_order_acquire);
            if (turn == position + 1) {
                if (head_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
                    const uint32_t id = cell.id;
                    cell.turn.store(position + mask_ + 1, std::memory_order_release);
                    return id;
                }
            } else if (turn < position + 1) {
                return 0;
            } else {
                position = head_.load(std::memory_order_relaxed);
            }
        }
    }

private:
    struct Cell {
        std::atomic<uint64_t> turn;
        uint32_t id;
    };

    std::unique_ptr<Cell[]> cells_;
    const uint64_t mask_;
    alignas(64) std::atomic<uint64_t> tail_{0};
    alignas(64) std::atomic<uint64_t> head_{0};
};

}  // namespace pto_rt::native
