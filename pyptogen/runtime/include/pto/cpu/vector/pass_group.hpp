// Where a TPASS<4> stands, and its operands: what PassLanes has, for four vectors beside each other.
#pragma once

#include <pto/cpu/vector/beside.hpp>
#include <pto/cpu/vector/pass_lanes.hpp>

namespace pto::cpu {

struct PassGroup;
/// The place of one of the four vectors.
template <int I>
PTO_INLINE PassLanes<I, Full, true> one_of(const PassGroup& group);

/// Four vectors of columns of one row, from `origin` on.
struct PassGroup {
    int64_t row_index, origin;

    template <typename Object>
    PTO_INLINE auto load(const Object& object, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        return each_of([&](const auto& at) { return at.load(object, site); }, *this);
    }
    template <typename Global>
    PTO_INLINE void ask_for(const Global& global, int64_t down) const
    {
        do_each_of([&](const auto& at) { at.ask_for(global, down); }, *this);
    }
    template <typename Global>
    PTO_INLINE void ask_between(const Global& global, int64_t down) const
    {
        do_each_of([&](const auto& at) { at.ask_between(global, down); }, *this);
    }
    template <typename Object>
    PTO_INLINE auto extract(
        const Object& acc, int64_t down, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        return each_of([&](const auto& at) { return at.extract(acc, down, site); }, *this);
    }
    template <typename Tile>
    PTO_INLINE auto row(const Tile& tile, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        return each_of([&](const auto& at) { return at.row(tile, site); }, *this);
    }
    template <typename Tile>
    PTO_INLINE f32v column(const Tile& tile, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        return one_of<0>(*this).column(tile, site);
    }
    template <typename Object, typename V>
    PTO_INLINE void store(Object& object, const V& v, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        do_each_of([&](const auto& at, const auto& one) { at.store(object, one, site); }, *this, v);
    }
    template <typename Object, typename V>
    PTO_INLINE void store(
        Object& object, const V& v, const FarStores& far,
        checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        do_each_of([&](const auto& at, const auto& one) { at.store(object, one, far, site); }, *this, v);
    }

    template <typename V>
    PTO_INLINE auto exp(const V& v) const
    {
        return each_of([](const auto& at, const auto& one) { return at.exp(one); }, *this, v);
    }
    template <typename V>
    PTO_INLINE auto log(const V& v) const
    {
        return each_of([](const auto& at, const auto& one) { return at.log(one); }, *this, v);
    }
    template <typename V>
    PTO_INLINE auto sqrt(const V& v) const
    {
        return each_of([](const auto& at, const auto& one) { return at.sqrt(one); }, *this, v);
    }
    template <typename V>
    PTO_INLINE auto abs(const V& v) const
    {
        return each_of([](const auto& at, const auto& one) { return at.abs(one); }, *this, v);
    }
    template <typename V>
    PTO_INLINE auto relu(const V& v) const
    {
        return each_of([](const auto& at, const auto& one) { return at.relu(one); }, *this, v);
    }
    template <typename A, typename B>
    PTO_INLINE auto max(const A& a, const B& b) const
    {
        return each_of([](const auto& at, const auto& x, const auto& y) { return at.max(x, y); }, *this, a, b);
    }
    template <typename A, typename B>
    PTO_INLINE auto min(const A& a, const B& b) const
    {
        return each_of([](const auto& at, const auto& x, const auto& y) { return at.min(x, y); }, *this, a, b);
    }
    PTO_INLINE static f32v all(float value) { return splat(value); }
    template <typename V>
    PTO_INLINE auto to_float(const V& v) const
    {
        return each_of([](const auto& at, const auto& one) { return at.to_float(one); }, *this, v);
    }
    template <typename T, typename V>
    PTO_INLINE auto rounded(const V& v) const
    {
        return each_of([](const auto& at, const auto& one) { return at.template rounded<T>(one); }, *this, v);
    }
    template <typename T, typename V>
    PTO_INLINE auto wrapped(const V& v) const
    {
        return each_of([](const auto& at, const auto& one) { return at.template wrapped<T>(one); }, *this, v);
    }
};

template <int I>
PTO_INLINE PassLanes<I, Full, true> one_of(const PassGroup& group)
{
    return {group.row_index, {group.origin}, {}};
}

/// An operand of a pass that gets four vectors at a time, one after the other.
template <typename Operand>
struct OfGroup {
    Operand& one;

    template <typename V>
    PTO_INLINE void take(const PassGroup& at, const V& v)
    {
        do_each_of([&](const auto& lanes, const auto& values) { one.take(lanes, values); }, at, v);
    }
};
template <typename Operand>
PTO_INLINE f32v operator/(f32v v, const OfGroup<Operand>& divisor)
{
    return v / divisor.one;
}

/// Calls body(group, operands...) with operands that it may change.
template <typename Body, typename... Operands>
PTO_INLINE void call_with_group(Body& body, const PassGroup& group, Operands... operands)
{
    body(group, operands...);
}

}  // namespace pto::cpu
