// TPREFETCH and TPREFETCH_ASYNC: bringing global memory closer before it is loaded.
#pragma once

#include <pto/comm/comm_types.hpp>
#include <pto/common/event.hpp>
#include <pto/cpu/moves/move_region.hpp>

namespace pto {

/// What TPREFETCH_ASYNC is given on a device: a workspace, the session of the transfer (its own, or one that others use,
/// too) and 256 bytes of UB in which a device describes the transfer.
struct PrefetchAsyncContext {
    __gm__ uint8_t* workspace = nullptr;
    comm::AsyncSession session{};
    comm::AsyncSession* shared = nullptr;
    Tile<TileType::Vec, uint8_t, 1, comm::sdma::UB_ALIGN_SIZE> scratchTile{};

    PrefetchAsyncContext() = default;
    explicit PrefetchAsyncContext(__gm__ uint8_t* space, comm::AsyncSession* others = nullptr)
        : workspace(space), shared(others)
    {
    }
    comm::AsyncSession& GetSession() { return shared != nullptr ? *shared : session; }
};

namespace cpu {

/// Asks for the cache lines of a tensor's lines of contiguous elements.
template <typename Global>
inline void prefetch_tensor(Global& global)
{
    using T = typename Global::RawDType;
    const int64_t bytes = global.GetShape(4) * static_cast<int64_t>(sizeof(T));
    for (int64_t i0 = 0; i0 < global.GetShape(0); ++i0) {
        for (int64_t i1 = 0; i1 < global.GetShape(1); ++i1) {
            for (int64_t i2 = 0; i2 < global.GetShape(2); ++i2) {
                for (int64_t i3 = 0; i3 < global.GetShape(3); ++i3) {
                    const char* line = reinterpret_cast<const char*>(
                        global.data() + i0 * global.GetStride(0) + i1 * global.GetStride(1) + i2 * global.GetStride(2) +
                        i3 * global.GetStride(3));
                    for (int64_t at = 0; at < bytes; at += 64) {
                        __builtin_prefetch(line + at, 0, 2);
                    }
                }
            }
        }
    }
}

}  // namespace cpu

/// Brings a tensor into the cache; what is in dst afterwards is not specified (here: what was there). From a tile it
/// copies.
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TPREFETCH(Dst& dst, Src& src, const Events&...)
{
    if constexpr (is_global_data_v<Src>) {
        (void)dst;
        cpu::prefetch_tensor(src);
    } else {
        cpu::extract_part(dst, src, 0, 0, dst.GetValidRow(), dst.GetValidCol());
    }
    return {};
}

/// Brings a tensor into the cache; the transfer counts as done.
template <typename Global, typename... Events>
PTO_INST comm::AsyncEvent TPREFETCH_ASYNC(Global& src, PrefetchAsyncContext&, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TPREFETCH_ASYNC, src);
    cpu::prefetch_tensor(src);
    return comm::AsyncEvent(0, comm::DmaEngine::SDMA);
}

}  // namespace pto
