// Every instruction again under its own name, checked.
//
// C++ has no parameter that is a type or a value: each order of explicit template arguments is an overload. They are
// types and then values, or one value, types and then values, or, of some instructions, values and then types.
#pragma once

#include <pto/cpu/checked/instruction.hpp>

// clang-format off
// X(NAME, template parameters, arguments for the instruction, the values among them) for each of these orders.
#define PTO_CHECKED_ORDERS(X, NAME) \
    X(NAME, (auto V0, auto... V), (V0, V...), (V0, V...)) \
    X(NAME, (typename T1, auto... V), (T1, V...), (V...)) \
    X(NAME, (typename T1, typename T2, auto... V), (T1, T2, V...), (V...)) \
    X(NAME, (typename T1, typename T2, typename T3, auto... V), (T1, T2, T3, V...), (V...)) \
    X(NAME, (typename T1, typename T2, typename T3, typename T4, auto... V), (T1, T2, T3, T4, V...), (V...)) \
    X(NAME, (typename T1, typename T2, typename T3, typename T4, typename T5, auto... V), \
      (T1, T2, T3, T4, T5, V...), (V...)) \
    X(NAME, (typename T1, typename T2, typename T3, typename T4, typename T5, typename T6, auto... V), \
      (T1, T2, T3, T4, T5, T6, V...), (V...)) \
    X(NAME, (auto V0, typename T1, typename... T), (V0, T1, T...), (V0)) \
    X(NAME, (auto V0, typename T1, typename T2, auto V1, auto... V), (V0, T1, T2, V1, V...), (V0, V1, V...)) \
    X(NAME, (auto V0, typename T1, typename T2, typename T3, auto V1, auto... V), \
      (V0, T1, T2, T3, V1, V...), (V0, V1, V...)) \
    X(NAME, (auto V0, typename T1, typename T2, typename T3, typename T4, typename T5, auto V1, auto... V), \
      (V0, T1, T2, T3, T4, T5, V1, V...), (V0, V1, V...))
#define PTO_CHECKED_VALUES_FIRST(X, NAME) \
    X(NAME, (auto V0, auto V1, typename T1, typename... T), (V0, V1, T1, T...), (V0, V1)) \
    X(NAME, (auto V0, auto V1, auto V2, typename T1, typename... T), (V0, V1, V2, T1, T...), (V0, V1, V2)) \
    X(NAME, (auto V0, auto V1, auto V2, auto V3, typename T1, typename... T), \
      (V0, V1, V2, V3, T1, T...), (V0, V1, V2, V3))
// clang-format on
#define PTO_CHECKED_LIST(...) __VA_ARGS__

/// One of these overloads.
#define PTO_CHECKED_CALL(NAME, PARAMETERS, ARGUMENTS, VALUES) \
    template <PTO_CHECKED_LIST PARAMETERS, typename... A> \
    inline decltype(auto) NAME(A&&... a) \
    { \
        return cpu::checked::run( \
            NAME##_rule, cpu::checked::is_atomic<PTO_CHECKED_LIST VALUES>(), \
            cpu::checked::action_of<PTO_CHECKED_LIST VALUES>(), \
            [&]() -> decltype(auto) { return NAME##_unchecked<PTO_CHECKED_LIST ARGUMENTS>(static_cast<A&&>(a)...); }, \
            a...); \
    }

/// An instruction: what the table says of it, a call without template arguments, and those with them.
#define PTO_CHECKED_INSTRUCTION(NAME, EFFECTS, PIPE, TYPED, A2A3, A5, EXTENTS) \
    inline constexpr cpu::checked::Rule NAME##_rule{ \
        #NAME, \
        EFFECTS, \
        PIPE, \
        cpu::checked::TYPED, \
        cpu::checked::on_platform(cpu::checked::A2A3, cpu::checked::A5), \
        cpu::checked::EXTENTS}; \
    template <typename... A> \
    inline decltype(auto) NAME(A&&... a) \
    { \
        return cpu::checked::run( \
            NAME##_rule, false, cpu::checked::FlagAction::kNone, \
            [&]() -> decltype(auto) { return NAME##_unchecked(static_cast<A&&>(a)...); }, a...); \
    } \
    PTO_CHECKED_ORDERS(PTO_CHECKED_CALL, NAME)

namespace pto {

PTO_CHECKED_INSTRUCTIONS(PTO_CHECKED_INSTRUCTION)

PTO_CHECKED_VALUES_FIRST(PTO_CHECKED_CALL, MGATHER)
PTO_CHECKED_VALUES_FIRST(PTO_CHECKED_CALL, MSCATTER)
PTO_CHECKED_VALUES_FIRST(PTO_CHECKED_CALL, TQUANT)
PTO_CHECKED_VALUES_FIRST(PTO_CHECKED_CALL, TSCATTER)

template <typename Object, typename Address>
inline RecordEvent TASSIGN(Object& object, Address address)
{
    if constexpr (is_tile_data_v<Object>) {
        cpu::checked::check_assignment(object, static_cast<size_t>(address));
    }
    return TASSIGN_unchecked(object, address);
}
template <size_t Address, typename Object>
inline RecordEvent TASSIGN(Object& object)
{
    if constexpr (is_tile_data_v<Object> && cpu::checked::kDevice) {
        constexpr size_t kBytes = size_t(Object::Numel) * sizeof(typename Object::DType);
        static_assert(cpu::PlaceOfTile<Address, kBytes, cpu::checked::kPlatform.memory(Object::Loc)>::kGood);
    }
    return TASSIGN(object, Address);
}

}  // namespace pto

#undef PTO_CHECKED_INSTRUCTION
#undef PTO_CHECKED_CALL
#undef PTO_CHECKED_LIST
#undef PTO_CHECKED_VALUES_FIRST
#undef PTO_CHECKED_ORDERS
