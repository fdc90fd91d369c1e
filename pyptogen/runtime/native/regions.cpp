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

// Calls each(key, part) for every cell that a box accesses.
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
        for (Cell& cell : cells_) {
            if (cell.count == 0) continue;
            meet(cell, whole(), access, found);
            sweep(cell, access.settled);
        }
        remember(large_, access);
        return;
    }
    bool crowded = false;
    for_cells(access.box, [&](uint64_t key, const Box& part) {
        Cell& cell = cell_at(key, access.settled);
        meet(cell, part, access, found);
        remember(cell, access);
        crowded |= is_crowded(cell, access.box);
    });
    if (crowded) refine(access);
}

void TensorAccesses::put(const Access& access)
{
    if (cells_of(access.box) > kMostCells) {
        remember(large_, access);
    } else {
        for_cells(access.box, [&](uint64_t key, const Box&) { remember(cell_at(key, access.settled), access); });
    }
}

// Whether a cell holds many accesses and a box is much smaller than the cell.
bool TensorAccesses::is_crowded(const Cell& cell, const Box& box) const
{
    if (cell.count <= kCrowded) return false;
    for (uint32_t axis = 0; axis < rank_; ++axis) {
        if ((box.high[axis] - box.low[axis]) * 2 <= size_[axis]) return true;
    }
    return false;
}

// Makes the cells as small as a box. Nothing is met again: what had to wait has been told.
void TensorAccesses::refine(const Access& access)
{
    std::vector<Access> moved;
    for (Cell& cell : cells_) each_of(cell, [&](const Access& known) { moved.push_back(known); });
    for (Cell& cell : cells_) sweep(cell, UINT32_MAX);
    std::fill(cells_.begin(), cells_.end(), Cell{});
    used_ = 0;
    for (uint32_t axis = 0; axis < rank_; ++axis) {
        size_[axis] = std::min(size_[axis], access.box.high[axis] - access.box.low[axis]);
    }
    for (Access& known : moved) {
        known.settled = access.settled;
        put(known);
    }
}

// The place of a key in the table: its cell, or an empty one.
TensorAccesses::Cell& TensorAccesses::slot_of(uint64_t key)
{
    const size_t mask = cells_.size() - 1;
    size_t at = static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 20) & mask;
    while (cells_[at].key != key && cells_[at].key != kNoKey) at = (at + 1) & mask;
    return cells_[at];
}

TensorAccesses::Cell& TensorAccesses::cell_at(uint64_t key, uint32_t settled)
{
    if (2 * (used_ + 1) > cells_.size()) sweep_cells(settled);
    Cell& cell = slot_of(key);
    if (cell.key == kNoKey) {
        cell.key = key;
        ++used_;
    }
    return cell;
}

// Drops what has finished long ago and the cells in which nothing is left; makes the table fit the rest.
void TensorAccesses::sweep_cells(uint32_t settled)
{
    std::vector<Cell> old;
    old.swap(cells_);
    size_t left = 0;
    for (Cell& cell : old) {
        sweep(cell, settled);
        left += cell.count > 0;
    }
    size_t slots = kFewestSlots;
    while (slots < 4 * (left + 1)) slots *= 2;
    cells_.resize(slots);
    used_ = left;
    for (const Cell& cell : old) {
        if (cell.count > 0) slot_of(cell.key) = cell;
    }
}

// Takes those out of a list for which drop(access) is true.
template <class Drop>
void TensorAccesses::drop_from(Cell& cell, uint32_t& list, Drop&& drop)
{
    for (uint32_t* link = &list; *link != kNone;) {
        const uint32_t at = *link;
        Known& known = known_[at];
        if (!drop(known)) {
            link = &known.next;
            continue;
        }
        *link = known.next;
        known.next = free_;
        free_ = at;
        --cell.count;
    }
}

// Finds what an access waits for in one cell. What a write covers is forgotten: whoever comes later waits for the
// write.
void TensorAccesses::meet(Cell& cell, const Box& part, const Access& access, std::vector<Dependency>& found)
{
    auto check = [&](uint32_t& list, Reason reason) {
        drop_from(cell, list, [&](const Known& known) {
            if (known.id == access.id || !access.box.overlaps(known.box, rank_)) return false;
            if (known.id > access.settled) found.push_back({known.id, reason});
            return access.writes && access.box.covers(known.box, part, rank_);
        });
    };
    check(cell.writers, access.reads ? Reason::ReadAfterWrite : Reason::WriteAfterWrite);
    if (access.writes) check(cell.readers, Reason::WriteAfterRead);
}

void TensorAccesses::remember(Cell& cell, const Access& access)
{
    uint32_t& list = access.writes ? cell.writers : cell.readers;
    uint32_t at = free_;
    if (at != kNone) {
        free_ = known_[at].next;
        known_[at] = {access.box, access.id, list};
    } else {
        at = static_cast<uint32_t>(known_.size());
        known_.push_back({access.box, access.id, list});
    }
    list = at;
    if (++cell.count < cell.sweep_at) return;
    sweep(cell, access.settled);
    cell.sweep_at = std::max(kCrowded, 2 * cell.count);
}

void TensorAccesses::sweep(Cell& cell, uint32_t settled)
{
    auto old = [settled](const Known& known) { return known.id <= settled; };
    drop_from(cell, cell.writers, old);
    drop_from(cell, cell.readers, old);
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
