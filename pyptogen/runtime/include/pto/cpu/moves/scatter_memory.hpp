// MSCATTER: rows or elements to global memory by index.
#pragma once

#include <pto/cpu/core/atomics.hpp>
#include <pto/cpu/moves/gather_memory.hpp>

namespace pto {

namespace cpu {

constexpr Outside outside(ScatterOOB mode)
{
    return mode == ScatterOOB::Clamp  ? Outside::Clamp
           : mode == ScatterOOB::Wrap ? Outside::Wrap
           : mode == ScatterOOB::Skip ? Outside::Drop
                                      : Outside::Ignore;
}

/// A NaN on either side is the result of Max and Min, as in TMAX.
template <ScatterAtomicOp Op, typename T>
PTO_INLINE void scatter_value(T* to, T value)
{
    if constexpr (Op == ScatterAtomicOp::None) {
        *to = value;
    } else if constexpr (Op == ScatterAtomicOp::Add) {
        atomic_add(to, value);
    } else if constexpr (Op == ScatterAtomicOp::Max) {
        atomic_update(to, [value](T old) { return old == old && !(value <= old) ? value : old; });
    } else {
        atomic_update(to, [value](T old) { return old == old && !(value >= old) ? value : old; });
    }
}

template <Coalesce Mode, ScatterAtomicOp Op, ScatterOOB Oob, typename Global, typename Src, typename Indexes>
inline void scatter_memory(Global& dst, Src& src, Indexes& indexes)
{
    using T = typename Global::RawDType;
    constexpr Outside kRule = outside(Oob);
    using Index = typename Indexes::DType;
    const Table<Global> table{dst};
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    const int64_t capacity = Mode == Coalesce::Row ? table.rows() : table.rows() * table.columns();
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t row = Mode == Coalesce::Row ? table_index<kRule>(row_index(indexes, r), capacity) : 0;
        if (row < 0 && drops<kRule>) {
            continue;
        }
        for (int64_t c = 0; c < cols; ++c) {
            const T value = __builtin_bit_cast(T, *element_address(src, r, c));
            if constexpr (Mode == Coalesce::Row) {
                scatter_value<Op>(table.element(row, c), value);
            } else {
                const auto raw = static_cast<Index>(index_at(indexes, r, c, r * cols + c));
                const int64_t at = table_index<kRule>(raw, capacity);
                if (at >= 0 || !drops<kRule>) {
                    scatter_value<Op>(table.flat(at), value);
                }
            }
        }
    }
}

}  // namespace cpu

/// Row indexes(r) of dst = src(r, :), or element indexes(r, c) = src(r, c); with an atomic operation, combined with
/// what is there. In row-major order: the last of several writes wins, under every ScatterConflict.
template <
    Coalesce Mode, ScatterAtomicOp Atomic, ScatterOOB Oob, ScatterConflict Conflict, typename Global, typename Src,
    typename Indexes, typename... Events>
PTO_INST RecordEvent MSCATTER(Global& dst, Src& src, Indexes& indexes, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(MSCATTER, dst, src, indexes);
    static_assert(
        Atomic == ScatterAtomicOp::None || Conflict != ScatterConflict::Last,
        "MSCATTER: ScatterConflict::Last has no meaning with an atomic operation");
    cpu::scatter_memory<Mode, Atomic, Oob>(dst, src, indexes);
    return {};
}
template <
    Coalesce Mode, ScatterAtomicOp Atomic, ScatterOOB Oob, typename Global, typename Src, typename Indexes,
    typename... Events>
PTO_INST RecordEvent MSCATTER(Global& dst, Src& src, Indexes& indexes, const Events&... events)
{
    return MSCATTER<Mode, Atomic, Oob, ScatterConflict::Default>(dst, src, indexes, events...);
}
template <Coalesce Mode, ScatterAtomicOp Atomic, typename Global, typename Src, typename Indexes, typename... Events>
PTO_INST RecordEvent MSCATTER(Global& dst, Src& src, Indexes& indexes, const Events&... events)
{
    return MSCATTER<Mode, Atomic, ScatterOOB::Undefined>(dst, src, indexes, events...);
}
template <Coalesce Mode, typename Global, typename Src, typename Indexes, typename... Events>
PTO_INST RecordEvent MSCATTER(Global& dst, Src& src, Indexes& indexes, const Events&... events)
{
    return MSCATTER<Mode, ScatterAtomicOp::None>(dst, src, indexes, events...);
}
template <typename Global, typename Src, typename Indexes, typename... Events>
PTO_INST RecordEvent MSCATTER(Global& dst, Src& src, Indexes& indexes, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(MSCATTER, dst, src, indexes);
    if (cpu::has_index_per_element(src, indexes)) {
        cpu::scatter_memory<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Undefined>(dst, src, indexes);
    } else {
        cpu::scatter_memory<Coalesce::Row, ScatterAtomicOp::None, ScatterOOB::Undefined>(dst, src, indexes);
    }
    return {};
}

}  // namespace pto
