// Memory of small new tensors: blocks that are kept when their tensors go, since asking the system's allocator for aligned
// memory takes longer than all else that makes a small tensor.
#pragma once

#include <c10/core/CPUAllocator.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

class SmallBlocks final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override
    {
        if (bytes <= 256) return of<256>(bytes);
        if (bytes <= 1024) return of<1024>(bytes);
        if (bytes <= 4096) return of<4096>(bytes);
        return c10::GetCPUAllocator()->allocate(bytes);
    }

    void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }

private:
    static constexpr size_t kMost = 32;

    // Those of a size that a thread has let go of, for its next tensors. It is read until the thread's very end.
    struct Kept {
        void* blocks[kMost];
        size_t count;
        bool closed;
    };

    template <size_t size>
    static Kept& kept()
    {
        thread_local Kept kept{};
        thread_local const struct Freeing {
            Kept& kept;
            ~Freeing()
            {
                while (kept.count > 0) std::free(kept.blocks[--kept.count]);
                kept.closed = true;
            }
        } freeing{kept};
        (void)freeing;
        return kept;
    }

    template <size_t size>
    static c10::DataPtr of(size_t bytes)
    {
        Kept& own = kept<size>();
        void* block = nullptr;
        if (own.count > 0) {
            block = own.blocks[--own.count];
        } else if (posix_memalign(&block, 64, size) != 0) {
            return c10::GetCPUAllocator()->allocate(bytes);  // says that there is none
        }
        return {block, block, &give_back<size>, c10::Device(c10::DeviceType::CPU)};
    }

    template <size_t size>
    static void give_back(void* block)
    {
        Kept& own = kept<size>();
        if (own.closed || own.count == kMost) {
            std::free(block);
        } else {
            own.blocks[own.count++] = block;
        }
    }
};
