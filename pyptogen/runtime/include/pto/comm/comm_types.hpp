// Groups, signals, sessions and the enumerations of the communication instructions.
//
// The chips of a group are simulated: their memories are parts of one address space, by threads of one process or by
// memory that processes share. So a rank's tensor is a GlobalTensor whose pointer leads there.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/global_tensor.hpp>

namespace pto::comm {

/// The tensors of all ranks, in the order of the ranks; `rootIdx` is the rank that a collective starts from or ends at.
template <typename GlobalData>
struct ParallelGroup {
    using value_type = GlobalData;

    GlobalData* tensors = nullptr;
    int nranks = 0;
    int rootIdx = -1;

    constexpr ParallelGroup() = default;
    constexpr ParallelGroup(GlobalData* tensorArray, int size, int root)
        : tensors(tensorArray), nranks(size), rootIdx(root)
    {
    }
    static constexpr ParallelGroup Create(GlobalData* tensorArray, int size, int rootIdx)
    {
        return ParallelGroup(tensorArray, size, rootIdx);
    }

    constexpr int GetRootIdx() const { return rootIdx; }
    constexpr int GetSize() const { return nranks; }
    constexpr bool empty() const { return nranks == 0; }
    constexpr GlobalData& operator[](int rank) { return tensors[rank]; }
    constexpr const GlobalData& operator[](int rank) const { return tensors[rank]; }
};

template <typename T>
struct ParallelGroupTraits;
template <typename GlobalData>
struct ParallelGroupTraits<ParallelGroup<GlobalData>> {
    using GlobalDataType = GlobalData;
};

enum class NotifyOp : uint8_t { AtomicAdd = 0, Set = 1 };
enum class WaitCmp : uint8_t { EQ = 0, NE = 1, GT = 2, GE = 3, LT = 4, LE = 5 };
enum class ReduceOp : uint8_t { Sum = 0, Max = 1, Min = 2 };

// Which unit of a device moves the data. Here it is always the calling thread.
enum class DmaEngine : uint8_t { SDMA = 0, URMA = 1, RDMA = 2 };
enum class CollEngine : uint8_t { AIV = 0, CCU = 1 };
enum class CcuInputSource : uint8_t { HostManaged = 0, AivStored = 1 };

struct CcuTriggerContext {
    uint64_t ckeSlotVA = 0;
    uint32_t mask = 0;
    uint32_t selfIdx = 0;
    CcuInputSource inputSource = CcuInputSource::HostManaged;
};

namespace sdma {

inline constexpr uint32_t UB_ALIGN_SIZE = 256;

/// How a device cuts transfers up; nothing here asks for it.
struct SdmaBaseConfig {
    uint64_t block_bytes = 0;
    uint64_t comm_block_offset = 0;
    uint32_t queue_num = 0;
};

}  // namespace sdma

/// The connection that asynchronous transfers go through.
struct AsyncSession {
    DmaEngine engine = DmaEngine::SDMA;
    uint32_t destRankId = 0;
    __gm__ uint8_t* contextGm = nullptr;
    bool valid = false;
};

/// An asynchronous transfer. It has been done when TPUT_ASYNC or TGET_ASYNC returns.
struct AsyncEvent {
    uint64_t handle = 0;
    DmaEngine engine = DmaEngine::SDMA;

    constexpr AsyncEvent() = default;
    constexpr AsyncEvent(uint64_t h, DmaEngine e) : handle(h), engine(e) {}
    constexpr bool valid() const { return handle != 0; }
    bool Wait(const AsyncSession&) const { return true; }
    bool Test(const AsyncSession&) const { return true; }
};

/// Prepares a session; the scratch tile, the workspace and the options are for devices.
template <DmaEngine engine = DmaEngine::SDMA, typename ScratchTile, typename... Options>
inline bool BuildAsyncSession(
    ScratchTile&, __gm__ uint8_t* workspace, AsyncSession& session, uint32_t = 0, const Options&...)
{
    session = {engine, 0, workspace, true};
    return true;
}
#if !defined(__CPU_SIM)  // sources for the public CPU simulator bring these two themselves
template <DmaEngine engine>
inline bool BuildAsyncSession(__gm__ uint8_t* workspace, AsyncSession& session)
{
    session = {engine, 0, workspace, workspace != nullptr};
    return session.valid;
}
template <DmaEngine engine>
inline bool BuildAsyncSession(__gm__ uint8_t* workspace, uint32_t destRankId, AsyncSession& session)
{
    session = {engine, destRankId, workspace, workspace != nullptr};
    return session.valid;
}
#endif

/// One int32 that ranks set and wait for.
using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND>;

template <typename Element, typename Shape, typename Stride, Layout layout = Layout::ND>
using GlobalSignal = GlobalTensor<Element, Shape, Stride, layout>;

/// Rows x Cols signals, rows `stride` elements apart (dense without it).
template <int Rows, int Cols>
struct Signal2D : GlobalTensor<int32_t, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, DYNAMIC, 1>, Layout::ND> {
    using Base = GlobalTensor<int32_t, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, DYNAMIC, 1>, Layout::ND>;
    PTO_INLINE Signal2D(int32_t* signals, int stride = Cols)
        : Base(signals, typename Base::Shape{}, typename Base::Stride{stride})
    {
    }
};

}  // namespace pto::comm

namespace pto {

template <int Rows, int Cols>
inline constexpr bool is_global_data_v<comm::Signal2D<Rows, Cols>> = true;

}  // namespace pto
