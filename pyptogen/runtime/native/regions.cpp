#include "regions.hpp"

#include <algorithm>

namespace pto_rt::native {

namespace {

Box box_of(const Tensor& tensor)
{
    Box box{};
    for (uint32_t axis = 0; axis < tensor.rank; ++axis) {
        box.low[axis] = tensor.offset[axis];
        box.high[axis] = tensor.offset[axis] + tensor.extent[axis];
    }
    return box;
}

bool is_empty(const Tensor& tensor)
{
    for (uint32_t axis = 0; axis < tensor.rank; ++axis) {
        if (tensor.extent[axis] == 0) return true;
    }
    return false;
}

uint64_t bytes_of(const Tensor& tensor)
{
    uint64_t bytes = tensor.element_bytes;
    for (uint32_t axis = 0; axis < tensor.rank; ++axis) bytes *= tensor.shape[axis];
    return bytes;
}

// From the first to the last byte of a box of a tensor that starts `start` bytes into its memory.
Box byte_range(const Tensor& tensor, const Box& box, uint64_t start)
{
    uint64_t first = 0;
    uint64_t last = 0;
    for (uint32_t axis = 0; axis < tensor.rank; ++axis) {
        first = first * tensor.shape[axis] + box.low[axis];
        last = last * tensor.shape[axis] + box.high[axis] - 1;
    }
    Box range{};
    range.low[0] = start + first * tensor.element_bytes;
    range.high[0] = start + (last + 1) * tensor.element_bytes;
    return range;
}

}  // namespace

TensorAccesses::TensorAccesses(uint32_t rank, const uint64_t* shape, const Box& first) : rank_(rank)
{
    for (uint32_t axis = 0; axis < rank; ++axis) {
        shape_[axis] = std::max<uint64_t>(shape[axis], 1);
        size_[axis] = std::max<uint64_t>(first.high[axis] - first.low[axis], 1);
    }
}

Box TensorAccesses::whole() const
{
    Box box{};
    for (uint32_t axis = 0; axis < rank_; ++axis) box.high[axis] = UINT64_MAX;
    return box;
}

uint64_t TensorAccesses::cells_of(const Box& box) const
{
    uint64_t cells = 1;
    for (uint32_t axis = 0; axis < rank_ && cells <= kMostCells; ++axis) {
        cells *= (box.high[axis] - 1) / size_[axis] - box.low[axis] / size_[axis] + 1;
    }
    return cells;
}

// Calls each(key, part) for every cell that a box touches.
template <class Each>
void TensorAccesses::for_cells(const Box& box, Each&& each)
{
    uint64_t at[kMaxRank];
    for (uint32_t axis = 0; axis < rank_; ++axis) at[axis] = box.low[axis] / size_[axis];
    for (;;) {
        uint64_t key = 0;
        Box part{};
        for (uint32_t axis = 0; axis < rank_; ++axis) {
            key = key * ((shape_[axis] - 1) / size_[axis] + 1) + at[axis];
            part.low[axis] = at[axis] * size_[axis];
            part.high[axis] = part.low[axis] + size_[axis];
        }
        each(key, part);
        uint32_t axis = rank_;
        while (axis > 0 && at[axis - 1] == (box.high[axis - 1] - 1) / size_[axis - 1]) {
            --axis;
            at[axis] = box.low[axis] / size_[axis];
        }
        if (axis == 0) return;
        ++at[axis - 1];
    }
}

void TensorAccesses::add(const Access& access, std::vector<Dependency>& found)
{
    meet(large_, whole(), access, found);
    if (cells_of(access.box) > kMostCells) {
        for (auto& cell : cells_) meet(cell.second, whole(), access, found);
        sweep_cells(access.settled);
        remember(large_, access);
        return;
    }
    if (cells_.size() >= sweep_at_) {
        sweep_cells(access.settled);
        sweep_at_ = std::max(kManyCells, 2 * cells_.size());
    }
    bool crowded = false;
    for_cells(access.box, [&](uint64_t key, const Box& part) {
        Cell& cell = cells_[key];
        meet(cell, part, access, found);
        remember(cell, access);
        crowded |= refine(cell, access.box);
    });
    if (!crowded) return;
    for (uint32_t axis = 0; axis < rank_; ++axis) {
        size_[axis] = std::min(size_[axis], access.box.high[axis] - access.box.low[axis]);
    }
    // Put everything into the finer grid. Nothing is met again: what had to wait has been told.
    std::unordered_map<uint64_t, Cell> coarse;
    coarse.swap(cells_);
    std::vector<Access> moved;
    for (const auto& cell : coarse) each_of(cell.second, [&](const Access& known) { moved.push_back(known); });
    for (const Access& known : moved) put(known);
}

void TensorAccesses::put(const Access& access)
{
    if (cells_of(access.box) > kMostCells) {
        remember(large_, access);
    } else {
        for_cells(access.box, [&](uint64_t key, const Box&) { remember(cells_[key], access); });
    }
}

// Whether a cell holds many accesses and a box is much smaller than the cell.
bool TensorAccesses::refine(const Cell& cell, const Box& box)
{
    if (cell.writers.size() + cell.readers.size() <= kCrowded) return false;
    for (uint32_t axis = 0; axis < rank_; ++axis) {
        if ((box.high[axis] - box.low[axis]) * 2 <= size_[axis]) return true;
    }
    return false;
}

// Finds what an access waits for in one cell. What a write covers is forgotten: whoever comes later waits for the write.
void TensorAccesses::meet(Cell& cell, const Box& part, const Access& access, std::vector<Dependency>& found)
{
    const Reason of_writer = access.reads ? Reason::ReadAfterWrite : Reason::WriteAfterWrite;
    auto check = [&](std::vector<Known>& all, Reason reason) {
        size_t kept = 0;
        for (size_t i = 0; i < all.size(); ++i) {
            const Known& known = all[i];
            bool keep = true;
            if (known.id != access.id && access.box.overlaps(known.box, rank_)) {
                if (known.id > access.settled) found.push_back({known.id, reason});
                keep = !access.writes || !access.box.covers(known.box, part, rank_);
            }
            if (keep) {
                if (kept != i) all[kept] = known;
                ++kept;
            }
        }
        all.resize(kept);
    };
    check(cell.writers, of_writer);
    if (access.writes) check(cell.readers, Reason::WriteAfterRead);
}

void TensorAccesses::remember(Cell& cell, const Access& access)
{
    if (access.writes) {
        cell.writers.push_back({access.box, access.id});
    } else {
        cell.readers.push_back({access.box, access.id});
    }
    if (cell.writers.size() + cell.readers.size() < cell.sweep_at) return;
    sweep(cell, access.settled);
    cell.sweep_at = std::max(kCrowded, 2 * (cell.writers.size() + cell.readers.size()));
}

void TensorAccesses::sweep(Cell& cell, uint32_t settled)
{
    auto old = [settled](const Known& known) { return known.id <= settled; };
    cell.writers.erase(std::remove_if(cell.writers.begin(), cell.writers.end(), old), cell.writers.end());
    cell.readers.erase(std::remove_if(cell.readers.begin(), cell.readers.end(), old), cell.readers.end());
}

// Drops what has finished long ago, and the cells in which nothing is left.
void TensorAccesses::sweep_cells(uint32_t settled)
{
    for (auto cell = cells_.begin(); cell != cells_.end();) {
        sweep(cell->second, settled);
        const bool empty = cell->second.writers.empty() && cell->second.readers.empty();
        cell = empty ? cells_.erase(cell) : std::next(cell);
    }
}

bool RegionTracker::Memory::holds(const Tensor& other) const
{
    if (as_bytes) {
        const uintptr_t start = reinterpret_cast<uintptr_t>(other.data);
        return begin <= start && start + bytes_of(other) <= end;
    }
    return other.data == tensor.data && other.rank == tensor.rank && other.element_bytes == tensor.element_bytes &&
           std::equal(other.shape, other.shape + other.rank, tensor.shape);
}

void RegionTracker::use(const Use& use, uint32_t id, uint32_t settled, std::vector<Dependency>& found)
{
    if (!use.tracked || is_empty(use.tensor)) return;
    Box box = box_of(use.tensor);
    Memory& memory = last_ != nullptr && last_->holds(use.tensor) ? *last_ : memory_of(use.tensor, box);
    last_ = &memory;
    if (memory.as_bytes) box = byte_range(use.tensor, box, reinterpret_cast<uintptr_t>(use.tensor.data) - memory.begin);
    memory.accesses.add({box, id, settled, use.mode != Mode::Output, use.mode != Mode::Input}, found);
}

RegionTracker::Memory& RegionTracker::memory_of(const Tensor& tensor, const Box& box)
{
    const uintptr_t begin = reinterpret_cast<uintptr_t>(tensor.data);
    const uintptr_t end = begin + bytes_of(tensor);
    auto next = memories_.upper_bound(begin);
    if (next != memories_.begin() && std::prev(next)->second.end > begin) --next;
    if (next == memories_.end() || next->first >= end) {
        return memories_
            .emplace(begin, Memory{tensor, begin, end, false, TensorAccesses(tensor.rank, tensor.shape, box)})
            .first->second;
    }
    return next->second.holds(tensor) ? next->second : unite(begin, end);
}

// Makes one range of bytes of everything that overlaps the given one.
RegionTracker::Memory& RegionTracker::unite(uintptr_t begin, uintptr_t end)
{
    auto first = memories_.upper_bound(begin);
    if (first != memories_.begin() && std::prev(first)->second.end > begin) --first;
    auto last = first;
    while (last != memories_.end() && last->first < end) ++last;
    begin = std::min(begin, first->second.begin);
    end = std::max(end, std::prev(last)->second.end);
    const uint64_t size = end - begin;
    bool sized = false;
    Box cell{};
    std::vector<Access> moved;
    for (auto memory = first; memory != last; ++memory) {
        const Memory& old = memory->second;
        old.accesses.for_each([&](const Access& known) {
            moved.push_back(known);
            Box& box = moved.back().box;
            const uint64_t start = old.begin - begin;
            if (old.as_bytes) {
                box.low[0] += start;
                box.high[0] += start;
            } else {
                box = byte_range(old.tensor, box, start);
            }
            if (!sized || box.high[0] - box.low[0] < cell.high[0] - cell.low[0]) cell = box;
            sized = true;
        });
    }
    if (!sized) cell.high[0] = size;
    memories_.erase(first, last);
    Memory united{Tensor{}, begin, end, true, TensorAccesses(1, &size, cell)};
    for (const Access& access : moved) united.accesses.put(access);
    return memories_.emplace(begin, std::move(united)).first->second;
}

}  // namespace pto_rt::native
