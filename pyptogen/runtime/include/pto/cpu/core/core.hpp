// What a thread that plays a core owns: its identity, its on-chip memories and the state of its matrix unit.
#pragma once

#include <pto/common/type.hpp>
#include <pto/cpu/core/machine.hpp>
#include <pto/cpu/core/platforms.hpp>

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

namespace pto::cpu {

/// On-chip memories, one after the other in one huge-page region per thread.
///
/// Sizes are those of kCpu. Each pool starts 64-byte aligned; the starts are skewed by an odd number
/// of cache lines so that tiles at equal offsets of different pools do not compete for the same L1 sets.
struct CorePools {
    static constexpr size_t kMiB = size_t(1) << 20;
    static constexpr size_t kSkew = 13 * 64;

    // Tiles of the matrix unit's memories come in panels of 32 rows or columns and 64 bytes, so one may take up to four
    // times the bytes that the API gives it. Offsets there count fourfold: tiles that kernels put side by side stay
    // apart.
    static constexpr size_t kSpread = 4;

    static constexpr size_t kVecAt = 0;
    static constexpr size_t kAccAt = kVecAt + kCpu.vec + kSkew;
    static constexpr size_t kLeftAt = kAccAt + kSpread * kCpu.acc + kSkew;
    static constexpr size_t kRightAt = kLeftAt + kSpread * kCpu.left + kSkew;
    static constexpr size_t kMatAt = kRightAt + kSpread * kCpu.right + kSkew;
    static constexpr size_t kBiasAt = kMatAt + kCpu.mat + kSkew;
    static constexpr size_t kScalingAt = kBiasAt + kCpu.bias;
    static constexpr size_t kScaleLeftAt = kScalingAt + kCpu.scaling;
    static constexpr size_t kScaleRightAt = kScaleLeftAt + kCpu.scale_left;

    // Packed Mat tiles; see held_operands.hpp.
    static constexpr int kHeldSlots = 8;
    static constexpr size_t kHeldSlot = 256 * 1024;
    static constexpr size_t kHeldAt = kScaleRightAt + kCpu.scale_right + kSkew;

    static constexpr size_t kBytes = 38 * kMiB;
    static_assert(kHeldAt + kHeldSlots * (kHeldSlot + kSkew) <= kBytes, "the pools must fit the region");

    /// Start of the pool of a tile location, in bytes from the start of the region.
    static constexpr size_t at(TileType loc)
    {
        switch (loc) {
            case TileType::Vec: return kVecAt;
            case TileType::Mat: return kMatAt;
            case TileType::Left: return kLeftAt;
            case TileType::Right: return kRightAt;
            case TileType::Acc: return kAccAt;
            case TileType::Bias: return kBiasAt;
            case TileType::Scaling: return kScalingAt;
            case TileType::ScaleLeft: return kScaleLeftAt;
            default: return kScaleRightAt;
        }
    }

    /// Bytes of memory for one byte of a TASSIGN offset.
    static constexpr size_t spread(TileType loc)
    {
        return loc == TileType::Left || loc == TileType::Right || loc == TileType::Acc ? kSpread : 1;
    }
};

struct LaunchState;  // what the cores of one launch share; see wait.hpp

/// Stores to global memory that went on where the one before ended: the last of them, and the bytes of all.
struct StoreStream {
    const char* start = nullptr;
    const char* end = nullptr;
    size_t bytes = 0;
};

/// The first index of a block that named no place; see indices.hpp.
struct WrongIndex {
    int64_t index = 0;
    int64_t bound = 0;
    int32_t site = 0;
    bool noted = false;
};

/// Per-thread state. Trivially initialised, so that a thread pays nothing before its first use.
struct CoreState {
    char* memory = nullptr;
    uint32_t block_idx = 0;
    uint32_t block_num = 1;
    uint32_t subblock_id = 0;
    uint32_t subblock_dim = 1;
    int tile_rows = 0;          // rows the matrix unit is configured for; 0: not configured
    bool inside_core = false;   // between enter_core() and leave_core()
    LaunchState* launch = nullptr;
    uint64_t task_cookie = 0;
    uint64_t ctrl = 0;          // the CTRL register, for get_ctrl() and set_ctrl()
    uint64_t quant_word = 0;    // set by SET_QUANT_SCALAR; 0: none
    const uint64_t* quant_words = nullptr;
    static constexpr int kStreams = 4;
    StoreStream streams[kStreams] = {};  // see stream_store.hpp
    int next_stream = 0;
    bool backwards = false;     // the order of the last multiplication; see multiply_wide
    WrongIndex wrong_index = {};
};

/// Where g++ makes unique symbols, one for all shared objects of a process that are compiled alike.
PTO_CPU_OF_ALIKE inline constinit thread_local CoreState thread_core{};

PTO_INLINE CoreState& core_state() { return thread_core; }

/// Frees a thread's region when the thread ends: the destructor is libc's own free, so it outlives any kernel. It goes
/// with thread_core, one key for each.
PTO_CPU_OF_ALIKE inline pthread_key_t core_memory_key()
{
    static const pthread_key_t key = [] {
        pthread_key_t made;
        if (pthread_key_create(&made, free) != 0) {
            abort();
        }
        return made;
    }();
    return key;
}

/// Allocates the calling thread's region; called once per thread.
__attribute__((noinline, cold)) inline char* allocate_core_memory(CoreState& core)
{
    constexpr size_t kHugePage = size_t(2) << 20;
    void* memory = aligned_alloc(kHugePage, CorePools::kBytes);
    if (memory == nullptr) {
        abort();
    }
    (void)madvise(memory, CorePools::kBytes, MADV_HUGEPAGE);  // advice only: small pages are correct as well
    (void)pthread_setspecific(core_memory_key(), memory);
    core.memory = static_cast<char*>(memory);
    return core.memory;
}

/// Address of a byte offset in the calling thread's pool of a location.
PTO_INLINE char* pool_address(TileType loc, size_t offset)
{
    CoreState& core = core_state();
    char* memory = core.memory;
    if (__builtin_expect(memory == nullptr, 0)) {
        memory = allocate_core_memory(core);
    }
    return memory + CorePools::at(loc) + offset * CorePools::spread(loc);
}

}  // namespace pto::cpu
