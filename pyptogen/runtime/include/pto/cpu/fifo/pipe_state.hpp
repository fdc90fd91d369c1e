// The fifos of a TPipe: who has pushed, popped and freed how much.
//
// Each direction is a fifo of its own. A subblock is a vector core of the block (0 or 1); the cube core is subblock 0.
// Counters only grow; slot n of a fifo is n modulo the number of slots.
#pragma once

#include <pto/cpu/core/wait.hpp>

namespace pto::cpu {

struct PipeFifo {
    uint32_t pushed[2];
    uint32_t popped[2];
    uint32_t freed[2];
    uint32_t producers;  // subblocks that take part, as bits; 0 stands for subblock 0 alone
    uint32_t consumers;

    static uint32_t least(const uint32_t* counts, uint32_t subblocks)
    {
        const uint32_t first = load_acquire(&counts[0]);
        if (subblocks <= 1) {
            return first;
        }
        const uint32_t second = load_acquire(&counts[1]);
        if (subblocks == 2) {
            return second;
        }
        return static_cast<int32_t>(first - second) < 0 ? first : second;
    }
    uint32_t pushed_count() const { return least(pushed, load_acquire(&producers)); }
    uint32_t free_count() const { return least(freed, load_acquire(&consumers)); }
    void advance(uint32_t (&counts)[2], uint32_t subblock) { store_release(&counts[subblock], counts[subblock] + 1); }
};

/// What the cores of a block share of one TPipe, in zero-initialised memory. The counters in the fifos decide; the
/// members after them repeat the state of the C2V or V2C fifo for whoever looks at it from outside.
template <uint32_t SlotNum, size_t SlotBytes>
struct PipeState {
    PipeFifo fifos[2];  // C2V, V2C
    BriefLock mirror_lock;
    int next_producer_slot;
    int occupied;
    uint32_t producers_allocated[SlotNum];
    uint32_t producers_done[SlotNum];
    alignas(64) unsigned char slots[2][SlotNum][SlotBytes];

    void note_allocated(uint32_t slot, uint32_t subblock)
    {
        mirror_lock.lock();
        producers_allocated[slot] |= 1U << subblock;
        mirror_lock.unlock();
    }
    void note_pushed(uint32_t slot, uint32_t subblock, uint32_t subblocks)
    {
        mirror_lock.lock();
        producers_done[slot] |= 1U << subblock;
        if (producers_done[slot] == subblocks) {
            producers_done[slot] = producers_allocated[slot] = 0;
            next_producer_slot = static_cast<int>((slot + 1) % SlotNum);
        }
        mirror_lock.unlock();
        note_occupation();
    }
    void note_occupation()
    {
        mirror_lock.lock();
        occupied = 0;
        for (const PipeFifo& fifo : fifos) {
            occupied += static_cast<int>(fifo.pushed_count() - fifo.free_count());
        }
        mirror_lock.unlock();
    }
};

}  // namespace pto::cpu
