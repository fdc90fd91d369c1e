// TBROADCAST, TGATHER, TSCATTER and TREDUCE: the root of a group moves the data of all ranks.
//
// Only the root calls them; the others make sure that their tensors are ready. All ranks' tensors have one shape. Staging
// tiles may be one or two, are not needed here, and keep their contents, as a trailing CcuTriggerContext is.
#pragma once

#include <pto/comm/transfer.hpp>
#include <pto/cpu/lanes/operators.hpp>

namespace pto::comm {

namespace detail {

/// Elements of a line that TREDUCE handles at a time.
constexpr int64_t kReduceChunk = 512;

template <typename Op, typename T>
PTO_INLINE void combine(T* sum, const T* add, int64_t step, int64_t n)
{
    using C = cpu::compute_t<T>;
    if (step != 1) {
        for (int64_t i = 0; i < n; ++i) {
            const cpu::vec<C> a = cpu::splat<C>(static_cast<C>(sum[i]));
            sum[i] = static_cast<T>(Op::template apply<C>(a, cpu::splat<C>(static_cast<C>(add[i * step])))[0]);
        }
        return;
    }
    cpu::sweep<cpu::kLanes<T>, 1>(n, [&](int64_t i, auto extent) __attribute__((always_inline)) {
        cpu::store(sum + i, Op::template apply<C>(cpu::load(sum + i, extent), cpu::load(add + i, extent)), extent);
    });
}

/// dst = op over the ranks: the root's values first, then the others in order, rounded after each step.
template <typename Op, typename Group, typename Dst>
inline void reduce_ranks(Group& group, Dst& dst)
{
    using T = typename Dst::RawDType;
    auto& root = group[group.GetRootIdx()];
    int64_t shape[5];
    shape_of(root, shape);
    const int64_t from_step = root.GetStride(4), to_step = dst.GetStride(4);
    for_each_line(dst, root, shape, [&](int64_t to, int64_t from) {
        for (int64_t first = 0; first < shape[4]; first += kReduceChunk) {
            alignas(64) T sum[kReduceChunk];
            const int64_t n = shape[4] - first < kReduceChunk ? shape[4] - first : kReduceChunk;
            const int64_t at = from + first * from_step;
            for (int64_t i = 0; i < n; ++i) {
                sum[i] = root.data()[at + i * from_step];
            }
            for (int rank = 0; rank < group.GetSize(); ++rank) {
                if (rank != group.GetRootIdx()) {
                    combine<Op, T>(sum, group[rank].data() + at, from_step, n);
                }
            }
            for (int64_t i = 0; i < n; ++i) {
                dst.data()[to + (first + i) * to_step] = sum[i];
            }
        }
    });
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

}  // namespace detail

/// Every rank's tensor = srcGlobalData.
template <CollEngine engine = CollEngine::AIV, typename Group, typename GlobalSrc, typename Staging, typename... Rest>
PTO_INST RecordEvent TBROADCAST(Group& parallelGroup, GlobalSrc& srcGlobalData, Staging&, const Rest&... rest)
{
    TSYNC(rest...);
    int64_t shape[5];
    detail::shape_of(srcGlobalData, shape);
    for (int rank = 0; rank < parallelGroup.GetSize(); ++rank) {
        if (parallelGroup[rank].data() != srcGlobalData.data()) {
            detail::copy_or_add(parallelGroup[rank], srcGlobalData, shape, AtomicType::AtomicNone);
        }
    }
    return {};
}

/// dstGlobalData = the ranks' tensors one below the other (along dimension 3).
template <CollEngine engine = CollEngine::AIV, typename Group, typename GlobalDst, typename Staging, typename... Rest>
PTO_INST RecordEvent TGATHER(Group& parallelGroup, GlobalDst& dstGlobalData, Staging&, const Rest&... rest)
{
    TSYNC(rest...);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    int64_t shape[5];
    detail::shape_of(parallelGroup[0], shape);
    for (int rank = 0; rank < parallelGroup.GetSize(); ++rank) {
        detail::copy_or_add(
            dstGlobalData, parallelGroup[rank], shape, AtomicType::AtomicNone,
            rank * shape[3] * dstGlobalData.GetStride(3));
    }
    return {};
}

/// The ranks' tensors = equal parts of srcGlobalData (along dimension 3); the inverse of TGATHER.
template <CollEngine engine = CollEngine::AIV, typename Group, typename GlobalSrc, typename Staging, typename... Rest>
PTO_INST RecordEvent TSCATTER(Group& parallelGroup, GlobalSrc& srcGlobalData, Staging&, const Rest&... rest)
{
    TSYNC(rest...);
    int64_t shape[5];
    detail::shape_of(parallelGroup[0], shape);
    for (int rank = 0; rank < parallelGroup.GetSize(); ++rank) {
        detail::copy_or_add(
            parallelGroup[rank], srcGlobalData, shape, AtomicType::AtomicNone, 0,
            rank * shape[3] * srcGlobalData.GetStride(3));
    }
    return {};
}

namespace detail {

template <typename Group, typename Dst>
PTO_INLINE void reduce_by(ReduceOp op, Group& group, Dst& dst)
{
    static_assert(
        cpu::is_same<typename Dst::RawDType, typename ParallelGroupTraits<Group>::GlobalDataType::RawDType>,
        "TREDUCE needs the same element type on all sides");
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    switch (op) {
        case ReduceOp::Sum: reduce_ranks<cpu::Add>(group, dst); break;
        case ReduceOp::Max: reduce_ranks<cpu::Max>(group, dst); break;
        default: reduce_ranks<cpu::Min>(group, dst); break;
    }
}

}  // namespace detail

/// dstGlobalData = sum, maximum or minimum over the ranks' tensors.
template <
    CollEngine engine = CollEngine::AIV, typename Group, typename GlobalDst, typename Acc, typename Recv,
    typename... Rest>
PTO_INST RecordEvent
TREDUCE(Group& parallelGroup, GlobalDst& dstGlobalData, Acc&, Recv&, ReduceOp op, const Rest&... rest)
{
    TSYNC(rest...);
    detail::reduce_by(op, parallelGroup, dstGlobalData);
    return {};
}
template <
    CollEngine engine = CollEngine::AIV, typename Group, typename GlobalDst, typename Acc, typename Ping, typename Pong,
    typename... Rest>
    requires(is_tile_data_v<Pong>)
PTO_INST RecordEvent
TREDUCE(Group& parallelGroup, GlobalDst& dstGlobalData, Acc&, Ping&, Pong&, ReduceOp op, const Rest&... rest)
{
    TSYNC(rest...);
    detail::reduce_by(op, parallelGroup, dstGlobalData);
    return {};
}

}  // namespace pto::comm
