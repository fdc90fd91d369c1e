// Which earlier tasks a task must wait for, from the boxes of tensors that they declare.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "interface.hpp"

namespace pto_rt::native {

enum class Reason : uint8_t { After, ReadAfterWrite, WriteAfterWrite, WriteAfterRead };

struct Dependency {
    uint32_t id;
    Reason reason;
};

// A box: [low, high) along each axis.
struct Box {
    uint64_t low[kMaxRank];
    uint64_t high[kMaxRank];

    bool overlaps(const Box& other, uint32_t rank) const
    {
        for (uint32_t axis = 0; axis < rank; ++axis) {
            if (low[axis] >= other.high[axis] || other.low[axis] >= high[axis]) return false;
        }
        return true;
    }

    // Whether this box covers what `other` has in common with `part`.
    bool covers(const Box& other, const Box& part, uint32_t rank) const
    {
        for (uint32_t axis = 0; axis < rank; ++axis) {
            const uint64_t from = other.low[axis] > part.low[axis] ? other.low[axis] : part.low[axis];
            const uint64_t to = other.high[axis] < part.high[axis] ? other.high[axis] : part.high[axis];
            if (low[axis] > from || high[axis] < to) return false;
        }
        return true;
    }
};

// What a launch does with a box. Launches up to `settled` have finished long ago: nobody needs to wait for them.
struct Access {
    Box box;
    uint32_t id;
    uint32_t settled;
    bool reads;
    bool writes;
};

// The accesses of one tensor. Its index space is cut into a grid whose cells have the extents of the first box, or of a
// smaller one that finds its cell crowded. An access stands in every cell that it accesses, so finding what it meets
// costs a few comparisons however many tiles there are; a box of very many cells stands in a list of its own. What has
// finished long ago is dropped now and then, so memory follows the launches in flight.
class TensorAccesses {
public:
    TensorAccesses(uint32_t rank, const uint64_t* shape, const Box& first);

    // Adds to `found` the launches that the access must wait for (one may come several times), and remembers it.
    void add(const Access& access, std::vector<Dependency>& found);

    // Remembers an access that has been added elsewhere.
    void put(const Access& access);

    // Gives every remembered access, in any order; one in several cells comes several times.
    template <class Each>
    void for_each(Each&& each) const
    {
        each_of(large_, each);
        for (const Cell& cell : cells_) each_of(cell, each);
    }

private:
    static constexpr uint64_t kMostCells = 64;
    static constexpr uint32_t kCrowded = 32;
    static constexpr size_t kFewestSlots = 256;
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr uint64_t kNoKey = UINT64_MAX;

    // An access in the list of a cell.
    struct Known {
        Box box;
        uint32_t id;
        uint32_t next;
    };

    // The accesses that access a cell: lists of indices into `known_`.
    struct Cell {
        uint64_t key = kNoKey;
        uint32_t writers = kNone;
        uint32_t readers = kNone;
        uint32_t count = 0;
        uint32_t sweep_at = kCrowded;
    };

    template <class Each>
    void each_of(const Cell& cell, Each&& each) const
    {
        for (uint32_t i = cell.writers; i != kNone; i = known_[i].next) {
            each(Access{known_[i].box, known_[i].id, 0, false, true});
        }
        for (uint32_t i = cell.readers; i != kNone; i = known_[i].next) {
            each(Access{known_[i].box, known_[i].id, 0, true, false});
        }
    }

    template <class Drop>
    void drop_from(Cell& cell, uint32_t& list, Drop&& drop);
    void meet(Cell& cell, const Box& part, const Access& access, std::vector<Dependency>& found);
    void remember(Cell& cell, const Access& access);
    void sweep(Cell& cell, uint32_t settled);
    void sweep_cells(uint32_t settled);
    void refine(const Access& access);
    bool is_crowded(const Cell& cell, const Box& box) const;
    Cell& cell_at(uint64_t key, uint32_t settled);
    Cell& slot_of(uint64_t key);
    uint64_t cells_of(const Box& box) const;
    template <class Each>
    void for_cells(const Box& box, Each&& each);
    Box whole() const;

    const uint32_t rank_;
    uint64_t shape_[kMaxRank];
    uint64_t size_[kMaxRank];
    std::vector<Cell> cells_;  // an open hash table, at most half full; a power of two
    size_t used_ = 0;
    std::vector<Known> known_;
    uint32_t free_ = kNone;
    Cell large_;
};

// The tensors of a run.
class RegionTracker {
public:
    // Forgets everything: a new run.
    void clear()
    {
        memories_.clear();
        last_ = nullptr;
    }

    // Adds to `found` what launch `id` must wait for because of one use, and remembers the use. Launches up to
    // `settled` have finished.
    void use(const Use& use, uint32_t id, uint32_t settled, std::vector<Dependency>& found);

private:
    // A range of addresses. Seen as one tensor, or, when tensors of several shapes lie in it, as bytes.
    struct Memory {
        Tensor tensor;
        uintptr_t begin;
        uintptr_t end;
        bool as_bytes;
        TensorAccesses accesses;

        bool holds(const Tensor& other) const;
    };

    Memory& memory_of(const Tensor& tensor, const Box& box);
    Memory& unite(uintptr_t begin, uintptr_t end);

    std::map<uintptr_t, Memory> memories_;  // by first address; they do not overlap
    Memory* last_ = nullptr;
};

}  // namespace pto_rt::native
