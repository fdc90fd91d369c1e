// Global memory that lives as long as a run and is kept for the next one.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace pto_rt::native {

// A bump allocator over mapped chunks. After a run that needed several chunks, the next run finds one that holds all.
class Workspace {
public:
    Workspace() = default;
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    ~Workspace() { unmap_all(); }

    void* allocate(size_t bytes)
    {
        if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
        const size_t size = (bytes + kAlign - 1) / kAlign * kAlign;
        if (chunks_.empty() || chunks_.back().size - used_ < size) {
            map(size);
            used_ = 0;
        }
        void* at = chunks_.back().base + used_;
        used_ += size;
        total_ += size;
        return at;
    }

    // Ends a run: everything handed out becomes invalid.
    void reset()
    {
        if (chunks_.size() > 1) {
            const size_t needed = total_;
            unmap_all();
            map(needed);
        }
        used_ = 0;
        total_ = 0;
    }

private:
    static constexpr size_t kAlign = 64;
    static constexpr size_t kHugePage = size_t{2} << 20;

    struct Chunk {
        char* base;
        size_t size;
        void* mapping;
        size_t mapped;
    };

    void map(size_t bytes)
    {
        const size_t size = (bytes + kHugePage - 1) / kHugePage * kHugePage;
        const size_t mapped = size + kHugePage;
        void* mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapping == MAP_FAILED) throw std::bad_alloc();
        const uintptr_t aligned = (reinterpret_cast<uintptr_t>(mapping) + kHugePage - 1) / kHugePage * kHugePage;
        char* base = reinterpret_cast<char*>(aligned);
#ifdef MADV_HUGEPAGE
        madvise(base, size, MADV_HUGEPAGE);
#endif
        chunks_.push_back({base, size, mapping, mapped});
    }

    void unmap_all()
    {
        for (const Chunk& chunk : chunks_) munmap(chunk.mapping, chunk.mapped);
        chunks_.clear();
    }

    std::vector<Chunk> chunks_;
    size_t used_ = 0;
    size_t total_ = 0;
};

}  // namespace pto_rt::native
