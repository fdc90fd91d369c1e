// Global memory that lives as long as a run or as a scope of it, and is kept for the next one.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <vector>

// What is not handed out is out of bounds in builds with AddressSanitizer.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

namespace pto_rt::native {

// A stack of bump allocators over mapped chunks. The lowest one is the run's: what it hands out is valid until the run
// ends, and after a run that needed several chunks the next one finds one that holds all. The others are scopes: when one
// has ended and its launches have finished, its chunks go to the next scope. A scope that would exceed the budget waits
// for the oldest one that has ended, so memory is bounded however many there are.
class Workspace {
public:
    // `settled(launch, wait)`: whether all launches up to the given one have finished; it waits for that when it is told.
    template <class Settled>
    void* allocate(size_t bytes, Settled&& settled)
    {
        if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
        const size_t size = (bytes + kAlign - 1) / kAlign * kAlign + kApart;
        Arena& arena = scopes_.empty() ? run_ : scopes_.back();
        if (arena.chunks.empty() || arena.chunks.back().size - arena.used < size) {
            arena.chunks.push_back(scopes_.empty() ? map(size) : chunk_of_scope(size, settled));
            arena.used = 0;
        }
        void* at = arena.chunks.back().base + arena.used;
        arena.used += size;
        arena.total += size;
        ASAN_POISON_MEMORY_REGION(at, size);
        ASAN_UNPOISON_MEMORY_REGION(at, bytes);
        return at;
    }

    void begin_scope() { scopes_.emplace_back(); }

    // What the scope has handed out is valid until all launches up to `last_launch` have finished.
    void end_scope(uint32_t last_launch)
    {
        Arena ended = std::move(scopes_.back());
        scopes_.pop_back();
        ended.last_launch = last_launch;
        largest_scope_ = std::max(largest_scope_, size_of(ended));
        if (!ended.chunks.empty()) ended_.push_back(std::move(ended));
    }

    // Ends a run: everything handed out becomes invalid.
    void reset()
    {
        while (!scopes_.empty()) end_scope(0);
        while (!ended_.empty()) take_back();
        if (run_.chunks.size() > 1) {
            for (const Chunk& chunk : run_.chunks) unmap(chunk);
            run_.chunks.clear();
            run_.chunks.push_back(map(run_.total));
        }
        run_.used = 0;
        run_.total = 0;
    }

    Workspace() = default;
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    ~Workspace()
    {
        reset();
        for (const Chunk& chunk : run_.chunks) unmap(chunk);
        for (const Chunk& chunk : free_) unmap(chunk);
    }

private:
    static constexpr size_t kAlign = 64;
#if defined(__SANITIZE_ADDRESS__)
    static constexpr size_t kApart = 256;
#else
    static constexpr size_t kApart = 0;
#endif
    static constexpr size_t kHugePage = size_t{2} << 20;
    static constexpr size_t kSmallChunk = size_t{256} << 10;
    // What scopes may hold together: enough for several, and not much more than caches hold.
    static constexpr size_t kBudget = size_t{64} << 20;
    static constexpr size_t kScopesAtLeast = 4;

    struct Chunk {
        char* base;
        size_t size;
        void* mapping;
        size_t mapped;
    };

    struct Arena {
        std::vector<Chunk> chunks;
        size_t used = 0;  // of the last chunk
        size_t total = 0;
        uint32_t last_launch = 0;
    };

    static size_t size_of(const Arena& arena)
    {
        size_t size = 0;
        for (const Chunk& chunk : arena.chunks) size += chunk.size;
        return size;
    }

    template <class Settled>
    Chunk chunk_of_scope(size_t bytes, Settled&& settled)
    {
        while (!ended_.empty() && settled(ended_.front().last_launch, false)) take_back();
        for (;;) {
            auto best = free_.end();
            for (auto it = free_.begin(); it != free_.end(); ++it) {
                if (it->size >= bytes && (best == free_.end() || it->size < best->size)) best = it;
            }
            if (best != free_.end()) {
                const Chunk found = *best;
                free_.erase(best);
                return found;
            }
            const size_t budget = std::max(kBudget, kScopesAtLeast * std::max(largest_scope_, bytes));
            if (scoped_ + bytes <= budget) break;
            if (!ended_.empty()) {
                settled(ended_.front().last_launch, true);
                take_back();
            } else if (!free_.empty()) {
                scoped_ -= free_.back().size;
                unmap(free_.back());
                free_.pop_back();
            } else {
                break;  // open scopes need it all
            }
        }
        const Chunk made = map(bytes);
        scoped_ += made.size;
        return made;
    }

    // The chunks of the oldest scope that has ended are free.
    void take_back()
    {
        free_.insert(free_.end(), ended_.front().chunks.begin(), ended_.front().chunks.end());
        ended_.pop_front();
    }

    static Chunk map(size_t bytes)
    {
        const size_t step = bytes < kHugePage / 2 ? kSmallChunk : kHugePage;
        const size_t size = std::max<size_t>(1, (bytes + step - 1) / step) * step;
        const size_t mapped = size + step;
        void* mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapping == MAP_FAILED) throw std::bad_alloc();
        const uintptr_t aligned = (reinterpret_cast<uintptr_t>(mapping) + step - 1) / step * step;
        char* base = reinterpret_cast<char*>(aligned);
#ifdef MADV_HUGEPAGE
        if (step == kHugePage) madvise(base, size, MADV_HUGEPAGE);
#endif
        return {base, size, mapping, mapped};
    }

    static void unmap(const Chunk& chunk)
    {
        ASAN_UNPOISON_MEMORY_REGION(chunk.mapping, chunk.mapped);
        munmap(chunk.mapping, chunk.mapped);
    }

    Arena run_;
    std::vector<Arena> scopes_;  // open, the innermost last
    std::deque<Arena> ended_;    // the oldest first
    std::vector<Chunk> free_;
    size_t scoped_ = 0;  // bytes of all chunks that are not the run's
    size_t largest_scope_ = 0;
};

}  // namespace pto_rt::native
