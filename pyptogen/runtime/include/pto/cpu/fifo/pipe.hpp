// TPipe: fifos of tiles between the cube core of a block and its vector cores.
//
// The cores are threads. A slot holds the whole tile row by row, as it lies in the fifo in global memory on a device;
// with no such fifo (null) the slots are the pipe's own memory. A popped tile stays in its slot until TFREE. TPOP of a
// further tile frees the oldest where the fifo would otherwise be full for good, because a device whose consumer copies
// the tile frees it then.
#pragma once

#include <pto/common/cpu_stub.hpp>
#include <pto/common/fifo.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/cpu/fifo/pipe_state.hpp>

#include <unistd.h>

namespace pto {

namespace cpu {

enum PipeFifoIndex : int { kFifoC2V = 0, kFifoV2C = 1 };

/// Progress of one end of a TPipe, and switches that let a kernel do the waiting and the signalling itself.
struct PipeEnd {
    int tileIndex = 0;
    int subTileIndex = 0;
    int entryOffset = 0;

    PTO_INLINE void setTileId(int tile, int sub)
    {
        tileIndex = tile;
        subTileIndex = sub;
    }
    PTO_INLINE int getTileId() const { return tileIndex; }
    PTO_INLINE int getSubTileId() const { return subTileIndex; }
    PTO_INLINE void setEntryOffset(int bytes) { entryOffset = bytes; }
    PTO_INLINE void setentryOffset(int bytes) { entryOffset = bytes; }
};

}  // namespace cpu

/// FlagID tells the pipes of a kernel apart. DirType is a Direction. A slot has SlotSize bytes of one vector core's
/// part; there are SlotNum of them. IsNoSplit: both vector cores pop every unsplit tile (the second gets zeros).
template <
    uint8_t FlagID, uint8_t DirType, uint32_t SlotSize, uint32_t SlotNum, uint32_t LocalSlotNum = 2,
    bool IsNoSplit = false, bool EN_UNIT_FLAG = false>
struct TPipe {
    static constexpr uint8_t DIR_TYPE = DirType & 7;
    static constexpr bool is_c2v = (DIR_TYPE & DIR_C2V) != 0;
    static constexpr bool is_v2c = (DIR_TYPE & DIR_V2C) != 0;
    static constexpr bool is_both = is_c2v && is_v2c;
    static constexpr bool is_v2c_ctrl = DIR_TYPE == DIR_V2C_CTRL;
    static constexpr bool is_no_split = IsNoSplit;
    static constexpr bool has_unit_flags = EN_UNIT_FLAG;
    static_assert(is_c2v || is_v2c || is_v2c_ctrl, "TPipe needs the direction C2V, V2C, both, or V2C_CTRL");
    static_assert(SlotNum >= 1 && SlotSize >= 1, "TPipe needs a slot");

    /// On A2/A3 a consumer says that slots are free once for so many tiles.
    static constexpr uint32_t SyncPeriod = SlotNum <= 2 ? SlotNum : SlotNum / 2;

    /// Of a fifo that so many tiles went through: how often it was said there without anybody waiting for it.
    static constexpr uint32_t countPendingFreeCredits(uint32_t tileCount)
    {
        const uint32_t said = tileCount / SyncPeriod;
        if (tileCount <= SlotNum) {
            return said;
        }
        const uint32_t first = (SlotNum + SyncPeriod - 1) / SyncPeriod, last = (tileCount - 1) / SyncPeriod;
        const uint32_t waited = last >= first ? last - first + 1 : 0;
        return said > waited ? said - waited : 0;
    }

    using RingFiFo = RingFIFO<SlotSize, SlotNum, LocalSlotNum>;
    using SharedState = cpu::PipeState<SlotNum, size_t(SlotSize) * 2>;  // two vector cores' parts
    using SharedStateStorage = SharedState;

    struct Producer : cpu::PipeEnd {
        bool isAllocate = true;
        bool isRecord = true;
        PTO_INLINE void setAllocateStatus(bool allocate) { isAllocate = allocate; }
        PTO_INLINE bool getAllocateStatus() const { return isAllocate; }
        PTO_INLINE void setRecordStatus(bool record) { isRecord = record; }
        PTO_INLINE bool getRecordStatus() const { return isRecord; }
    };
    struct Consumer : cpu::PipeEnd {
        int fifo = is_c2v ? cpu::kFifoC2V : cpu::kFifoV2C;  // the one popped from last
        bool isWait = true;
        bool isFree = true;
        PTO_INLINE void setWaitStatus(bool wait) { isWait = wait; }
        PTO_INLINE bool getWaitStatus() const { return isWait; }
        PTO_INLINE void setFreeStatus(bool free) { isFree = free; }
        PTO_INLINE bool getFreeStatus() const { return isFree; }
    };

    RingFiFo fifo;
    Producer prod;
    Consumer cons;

    PTO_INLINE explicit TPipe(__gm__ void* gmSlotBuffer, uint32_t c2vConsumerBuf, uint32_t v2cConsumerBuf)
        : fifo(gmSlotBuffer, c2vConsumerBuf, v2cConsumerBuf)
    {
    }

    /// The state that the calling core shares with the other cores of its block.
    static SharedState& GetSharedState()
    {
        constexpr uint64_t kKey = uint64_t(FlagID) << 56 | uint64_t(DirType) << 48 | uint64_t(SlotNum & 0xff) << 40 |
                                  uint64_t(LocalSlotNum & 0x7f) << 33 | uint64_t(IsNoSplit) << 32 | SlotSize;
        if (cpu_sim::injected_pipe_shared_state_hook != nullptr) {
            void* given = cpu_sim::injected_pipe_shared_state_hook(kKey, sizeof(SharedStateStorage));
            if (given != nullptr) {
                return *static_cast<SharedState*>(given);
            }
        }
        const cpu::CoreState& core = cpu::core_state();
        cpu::StateList& states = core.launch != nullptr ? core.launch->states : cpu::process_states;
        return *static_cast<SharedState*>(states.find(kKey, core.task_cookie, core.block_idx, sizeof(SharedState)));
    }

    /// Forgets everything that is in the pipe.
    static void reset_for_cpu_sim() { __builtin_memset(static_cast<void*>(&GetSharedState()), 0, sizeof(SharedState)); }

    /// Bytes of slot `index` of a fifo. In both directions at once the V2C fifo follows the C2V fifo in global memory
    /// on a device whose buffer has room for both; here it has memory of its own.
    PTO_INLINE unsigned char* slot(SharedState& state, int which, uint32_t index)
    {
        if (fifo.GM_SLOT_BUFFER != nullptr && !(is_both && which == cpu::kFifoV2C)) {
            return static_cast<unsigned char*>(fifo.GM_SLOT_BUFFER) + size_t(index % SlotNum) * SlotSize;
        }
        return state.slots[which][index % SlotNum];
    }
};

template <typename T>
inline constexpr bool is_pipe_v = false;
template <uint8_t A, uint8_t B, uint32_t C, uint32_t D, uint32_t E, bool F, bool G>
inline constexpr bool is_pipe_v<TPipe<A, B, C, D, E, F, G>> = true;

namespace cpu {

/// Ends the process: a pipe was used in a way that would read or write outside of its memory, or wait forever.
[[noreturn]] inline void pipe_fault(const char* what)
{
    constexpr char kPrefix[] = "pto: TPipe: ";
    (void)!write(2, kPrefix, sizeof(kPrefix) - 1);
    (void)!write(2, what, __builtin_strlen(what));
    (void)!write(2, "\n", 1);
    abort();
}

PTO_INLINE uint32_t vector_subblock(TileSplitAxis split, int32_t sub_block)
{
    return split == TILE_NO_SPLIT || sub_block <= 0 ? 0 : 1;
}

/// Waits until subblock `subblock` may fill the next slot of a fifo, and returns the slot's number.
template <typename State>
inline uint32_t claim_slot(State& state, PipeFifo& fifo, uint32_t subblock, uint32_t subblocks, uint32_t slot_num)
{
    const uint32_t mine = fifo.pushed[subblock];
    wait_until([&] { return static_cast<int32_t>(mine - fifo.free_count()) < static_cast<int32_t>(slot_num); });
    __atomic_fetch_or(&fifo.producers, subblocks, __ATOMIC_ACQ_REL);
    state.note_allocated(mine % slot_num, subblock);
    return mine;
}

template <typename State>
inline void release_slot(State& state, PipeFifo& fifo, uint32_t subblock)
{
    if (fifo.freed[subblock] != fifo.popped[subblock]) {
        fifo.advance(fifo.freed, subblock);
        state.note_occupation();
    }
}

/// Waits for the next filled slot that subblock `subblock` has not popped yet, and returns its number.
template <typename State>
inline uint32_t await_slot(State& state, PipeFifo& fifo, uint32_t subblock, uint32_t subblocks, uint32_t slot_num)
{
    __atomic_fetch_or(&fifo.consumers, subblocks, __ATOMIC_ACQ_REL);
    const uint32_t mine = fifo.popped[subblock];
    if (mine - fifo.freed[subblock] == slot_num) {
        release_slot(state, fifo, subblock);  // every slot is popped: the producer waits for this consumer
    }
    wait_until([&] { return static_cast<int32_t>(fifo.pushed_count() - mine) > 0; });
    fifo.advance(fifo.popped, subblock);
    return mine;
}

}  // namespace cpu

}  // namespace pto
