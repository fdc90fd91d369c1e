// The tiles that a pass names, settled before it walks.
//
// What is put off for the matrix unit (cpu/cube/held.hpp) is looked up in a variable of the thread, by a call that leaves
// no vector register as it was. Asked for every vector, as data() would, it costs a pass over an accumulator a third of its
// time and more. Nothing is put off while a pass walks, so one look before it is enough.
#pragma once

#include <pto/cpu/vector/pass_lanes.hpp>

namespace pto::cpu {

/// Stands for the place of a pass whose body is called for the tiles that it names, and for nothing else: values are zeros
/// of the right types, which nobody looks at.
struct PassTiles : PassLanes<0, Full> {
    using Lanes = PassLanes<0, Full>;
    PassTiles() : Lanes{0, {0}, {}} {}

    template <typename Object>
    PTO_INLINE auto load(const Object& object) const
    {
        return settled<decltype(Lanes::load(object))>(object);
    }
    template <typename Global>
    PTO_INLINE void ask_for(const Global&, int64_t) const
    {
    }
    template <typename Global>
    PTO_INLINE void ask_between(const Global&, int64_t) const
    {
    }
    template <typename Object>
    PTO_INLINE auto extract(const Object& acc, int64_t) const
    {
        return settled<decltype(Lanes::extract(acc, 0))>(acc);
    }
    template <typename Tile>
    PTO_INLINE auto row(const Tile& tile) const
    {
        return settled<decltype(Lanes::row(tile))>(tile);
    }
    template <typename Tile>
    PTO_INLINE f32v column(const Tile& tile) const
    {
        return settled<f32v>(tile);
    }
    template <typename Object, typename V, typename... Far>
    PTO_INLINE void store(Object& object, V, const Far&...) const
    {
        settled<V>(object);
    }

private:
    template <typename V, typename Object>
    PTO_INLINE static V settled([[maybe_unused]] const Object& object)
    {
        if constexpr (!is_global_data_v<Object>) {
            (void)object.data();
        }
        return V{};
    }
};

/// Stands for an operand that takes nothing yet.
template <typename Operand>
struct NotYet {
    template <typename V>
    PTO_INLINE void take(const PassTiles&, const V&)
    {
    }
};
template <typename Operand>
PTO_INLINE f32v operator/(f32v v, const NotYet<Operand>&)
{
    return v;
}

template <typename Body, typename... Operands>
PTO_INLINE void settle_tiles_of(Body& body, NotYet<Operands>... operands)
{
    body(PassTiles{}, operands...);
}

}  // namespace pto::cpu
