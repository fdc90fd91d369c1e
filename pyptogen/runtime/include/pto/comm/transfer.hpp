// TPUT and TGET: copies between the memories of chips.
#pragma once

#include <pto/comm/comm_types.hpp>
#include <pto/cpu/layout/fragments.hpp>

namespace pto::comm {

namespace detail {

/// Calls f(offsets of the two lines) for every line (dimension 4) of a five-dimensional shape.
template <typename Dst, typename Src, typename F>
PTO_INLINE void for_each_line(Dst& dst, Src& src, const int64_t (&shape)[5], F f)
{
    for (int64_t i = 0; i < shape[0]; ++i) {
        for (int64_t j = 0; j < shape[1]; ++j) {
            for (int64_t k = 0; k < shape[2]; ++k) {
                for (int64_t l = 0; l < shape[3]; ++l) {
                    f(i * dst.GetStride(0) + j * dst.GetStride(1) + k * dst.GetStride(2) + l * dst.GetStride(3),
                      i * src.GetStride(0) + j * src.GetStride(1) + k * src.GetStride(2) + l * src.GetStride(3));
                }
            }
        }
    }
}

/// Adds to memory that other threads or processes may add to at the same time.
template <typename T>
inline void add_atomically(T* to, T value)
{
    if constexpr (static_cast<T>(0.5f) == static_cast<T>(0)) {
        __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
    } else {
        T before = *to, after;
        do {
            after = static_cast<T>(static_cast<float>(before) + static_cast<float>(value));
        } while (!__atomic_compare_exchange(to, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    }
}

/// Copies `shape` elements from src to dst, or adds them.
template <typename Dst, typename Src>
inline void copy_or_add(
    Dst& dst, Src& src, const int64_t (&shape)[5], AtomicType atomic, int64_t to_offset = 0, int64_t from_offset = 0)
{
    using T = typename Dst::RawDType;
    static_assert(
        cpu::is_same<T, typename Src::RawDType>, "TPUT, TGET and the collectives: src needs the element type of dst");
    const int64_t n = shape[4], to_step = dst.GetStride(4), from_step = src.GetStride(4);
    T* const to = dst.data() + to_offset;
    const T* const from = src.data() + from_offset;
    for_each_line(dst, src, shape, [&](int64_t d, int64_t s) {
        if (atomic == AtomicType::AtomicNone && to_step == 1 && from_step == 1) {
            cpu::copy_bytes(to + d, from + s, n * static_cast<int64_t>(sizeof(T)));
            return;
        }
        for (int64_t m = 0; m < n; ++m) {
            if (atomic == AtomicType::AtomicNone) {
                to[d + m * to_step] = from[s + m * from_step];
            } else {
                add_atomically(to + d + m * to_step, from[s + m * from_step]);
            }
        }
    });
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

template <typename Global>
PTO_INLINE void shape_of(const Global& tensor, int64_t (&shape)[5])
{
    for (int dim = 0; dim < 5; ++dim) {
        shape[dim] = tensor.GetShape(dim);
    }
}

template <typename Dst, typename Src>
PTO_INLINE void transfer(Dst& dst, Src& src, AtomicType atomic)
{
    int64_t shape[5];
    shape_of(dst, shape);
    copy_or_add(dst, src, shape, atomic);
}

template <typename T>
inline constexpr bool is_staging_v = is_tile_data_v<T>;

}  // namespace detail

/// Writes srcGlobalData to another chip's dstGlobalData, or adds it there. dst's shape counts. The staging tiles are not
/// needed here and keep their contents.
template <
    AtomicType atomicType = AtomicType::AtomicNone, typename GlobalDst, typename GlobalSrc, typename Staging,
    typename... Events>
    requires(detail::is_staging_v<Staging>)
PTO_INST RecordEvent TPUT(GlobalDst& dstGlobalData, GlobalSrc& srcGlobalData, Staging&, const Events&... events)
{
    TSYNC(events...);
    detail::transfer(dstGlobalData, srcGlobalData, atomicType);
    return {};
}
template <typename GlobalDst, typename GlobalSrc, typename Staging, typename... Events>
    requires(detail::is_staging_v<Staging>)
PTO_INST RecordEvent
TPUT(GlobalDst& dstGlobalData, GlobalSrc& srcGlobalData, Staging&, AtomicType atomicType, const Events&... events)
{
    TSYNC(events...);
    detail::transfer(dstGlobalData, srcGlobalData, atomicType);
    return {};
}

/// Reads another chip's srcGlobalData to dstGlobalData; otherwise as TPUT.
template <typename GlobalDst, typename GlobalSrc, typename Staging, typename... Events>
    requires(detail::is_staging_v<Staging>)
PTO_INST RecordEvent TGET(GlobalDst& dstGlobalData, GlobalSrc& srcGlobalData, Staging&, const Events&... events)
{
    TSYNC(events...);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    detail::transfer(dstGlobalData, srcGlobalData, AtomicType::AtomicNone);
    return {};
}

/// TPUT without waiting, through a session; complete when it returns, as nothing else moves data here. A peer may follow
/// the session.
template <DmaEngine engine = DmaEngine::SDMA, typename GlobalDst, typename GlobalSrc, typename... Rest>
PTO_INST AsyncEvent
TPUT_ASYNC(GlobalDst& dstGlobalData, GlobalSrc& srcGlobalData, const AsyncSession&, const Rest&... peer_and_events)
{
    TSYNC(peer_and_events...);
    detail::transfer(dstGlobalData, srcGlobalData, AtomicType::AtomicNone);
    return {1, engine};
}

/// TGET without waiting; see TPUT_ASYNC.
template <DmaEngine engine = DmaEngine::SDMA, typename GlobalDst, typename GlobalSrc, typename... Rest>
PTO_INST AsyncEvent
TGET_ASYNC(GlobalDst& dstGlobalData, GlobalSrc& srcGlobalData, const AsyncSession&, const Rest&... peer_and_events)
{
    TSYNC(peer_and_events...);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    detail::transfer(dstGlobalData, srcGlobalData, AtomicType::AtomicNone);
    return {1, engine};
}

}  // namespace pto::comm
