// Which earlier tasks a task must wait for, from the boxes of tensors that they declare.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
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
// smaller one that finds its cell crowded. An access stands in every cell that it touches, so finding what it meets
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
        for (const auto& cell : cells_) each_of(cell.second, each);
    }

private:
    struct Known {
        Box box;
        uint32_t id;
    };
    struct Cell {
        std::vector<Known> writers;
        std::vector<Known> readers;
        size_t sweep_at = kCrowded;
    };

    static constexpr uint64_t kMostCells = 64;
    static constexpr size_t kCrowded = 32;
    static constexpr size_t kManyCells = 4096;

    template <class Each>
    static void each_of(const Cell& cell, Each&& each)
    {
        for (const Known& known : cell.writers) each(Access{known.box, known.id, 0, false, true});
        for (const Known& known : cell.readers) each(Access{known.box, known.id, 0, true, false});
    }

    void meet(Cell& cell, const Box& part, const Access& access, std::vector<Dependency>& found);
    static void remember(Cell& cell, const Access& access);
    static void sweep(Cell& cell, uint32_t settled);
    void sweep_cells(uint32_t settled);
    bool refine(const Cell& cell, const Box& box);
    uint64_t cells_of(const Box& box) const;
    template <class Each>
    void for_cells(const Box& box, Each&& each);
    Box whole() const;

    const uint32_t rank_;
    uint64_t shape_[kMaxRank];
    uint64_t size_[kMaxRank];
    std::unordered_map<uint64_t, Cell> cells_;
    size_t sweep_at_ = kManyCells;
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

    // Adds to `found` what launch `id` must wait for because of one use, and remembers the use. Launches up to `settled`
    // have finished.
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
