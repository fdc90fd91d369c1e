// Accesses of one core that others may still race with, found by their bytes.
#pragma once

#include <pto/cpu/checked/region.hpp>
#include <pto/cpu/checked/report.hpp>

#include <stdlib.h>

namespace pto::cpu::checked {

/// What one instruction did to one operand.
struct Access {
    Region region;
    const char* instruction;
    const char* memory;
    uintptr_t from, to;  // the bytes as kernels count them, from the beginning of the memory
    Place place;
    uint32_t time;
    int pipe;
    bool writes;
    bool atomic;
    bool handed = false;  // an accumulator, by unit flags
    bool global = false;  // memory, where the stores of a pipe may overtake each other
};

/// Accesses in order of time. Each lies in one or two cells of the smallest size (a power of two) that is no shorter
/// than itself; so those near a region are few, however many there are.
class AccessLog {
public:
    static constexpr size_t kNone = ~size_t(0);

    size_t count() const { return count_; }
    Access& operator[](size_t i) { return entries_[i]; }

    void clear()
    {
        count_ = 0;
        forget_cells();
    }

    size_t add(const Access& now)
    {
        if (count_ == room_) {
            room_ = room_ == 0 ? 256 : 2 * room_;
            entries_ = grown(entries_, room_);
        }
        entries_[count_] = now;
        find_place(count_);
        return count_++;
    }

    /// Puts an access whose region has become another one into its cells too.
    void find_place(size_t entry)
    {
        const Region& region = entries_[entry].region;
        const int level = level_of(region);
        levels_ |= uint64_t(1) << level;
        const uint64_t first = region.begin >> level, last = (region.end() - 1) >> level;
        put(level, first, entry);
        if (last != first) {
            put(level, last, entry);
        }
    }

    /// Calls `run(i)` for every access that may overlap a region, for some of them twice, in no order.
    template <typename Run>
    void near(const Region& region, Run run)
    {
        for (uint64_t left = levels_; left != 0; left &= left - 1) {
            const int level = __builtin_ctzll(left);
            const uint64_t first = region.begin >> level, last = (region.end() - 1) >> level;
            if (last - first >= count_) {
                for (size_t i = 0; i < count_; ++i) {
                    run(i);
                }
                return;
            }
            for (uint64_t cell = first; cell <= last; ++cell) {
                for (uint32_t at = heads_[slot_of(level, cell)]; at != 0; at = nodes_[at - 1].next) {
                    const Node& node = nodes_[at - 1];
                    if (node.level == level && node.cell == cell) {
                        run(node.entry);
                    }
                }
            }
        }
    }

    /// Keeps the accesses for which `keep(access)` holds.
    template <typename Keep>
    void filter(Keep keep)
    {
        size_t kept = 0;
        for (size_t i = 0; i < count_; ++i) {
            if (keep(entries_[i])) {
                entries_[kept++] = entries_[i];
            }
        }
        count_ = kept;
        forget_cells();
        for (size_t i = 0; i < count_; ++i) {
            find_place(i);
        }
    }

private:
    struct Node {
        uint64_t cell;
        int level;
        uint32_t entry;
        uint32_t next;  // number of the node + 1, or 0
    };

    template <typename T>
    static T* grown(T* old, size_t room)
    {
        T* all = static_cast<T*>(realloc(static_cast<void*>(old), room * sizeof(T)));
        if (all == nullptr) {
            abort();
        }
        return all;
    }

    static int level_of(const Region& region)
    {
        const uint64_t bytes = region.end() - region.begin;
        int level = 5;
        while (level < 62 && (uint64_t(1) << level) < bytes) {
            ++level;
        }
        return level;
    }

    size_t slot_of(int level, uint64_t cell) const
    {
        return static_cast<size_t>(
                   (cell * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(level) * 0xc2b2ae3d27d4eb4full) >> 20) &
               (slots_ - 1);
    }

    void put(int level, uint64_t cell, size_t entry)
    {
        if (used_ == node_room_) {
            node_room_ = node_room_ == 0 ? 512 : 2 * node_room_;
            nodes_ = grown(nodes_, node_room_);
        }
        nodes_[used_] = {cell, level, static_cast<uint32_t>(entry), 0};
        ++used_;
        if (used_ > slots_) {  // also the first time
            slots_ = slots_ == 0 ? 512 : 2 * slots_;
            heads_ = grown(heads_, slots_);
            __builtin_memset(heads_, 0, slots_ * sizeof(uint32_t));
            for (size_t i = 0; i < used_; ++i) {
                link(i);
            }
        } else {
            link(used_ - 1);
        }
    }

    void link(size_t node)
    {
        uint32_t& head = heads_[slot_of(nodes_[node].level, nodes_[node].cell)];
        nodes_[node].next = head;
        head = static_cast<uint32_t>(node + 1);
    }

    void forget_cells()
    {
        used_ = 0;
        levels_ = 0;
        if (heads_ != nullptr) {
            __builtin_memset(heads_, 0, slots_ * sizeof(uint32_t));
        }
    }

    Access* entries_ = nullptr;
    size_t count_ = 0, room_ = 0;
    Node* nodes_ = nullptr;
    size_t used_ = 0, node_room_ = 0;
    uint32_t* heads_ = nullptr;
    size_t slots_ = 0;
    uint64_t levels_ = 0;
};

}  // namespace pto::cpu::checked
