// Every instruction again under its own name, checked. Explicit template arguments are types and then values, or one value,
// types and then values, or, of some instructions, values and then types.
#pragma once

#include <pto/cpu/checked/instruction.hpp>

#define PTO_CHECKED_BODY(NAME, ATOMIC, ...) \
    { \
        return cpu::checked::run( \
            NAME##_rule, ATOMIC, \
            [&]() -> decltype(auto) { return NAME##_unchecked __VA_ARGS__(static_cast<A&&>(a)...); }, a...); \
    }

#define PTO_CHECKED_INSTRUCTION(NAME, EFFECTS, PIPE, TYPED, A2A3, A5, EXTENTS) \
    inline constexpr cpu::checked::Rule NAME##_rule{ \
        #NAME, \
        EFFECTS, \
        PIPE, \
        cpu::checked::TYPED, \
        cpu::checked::on_platform(cpu::checked::A2A3, cpu::checked::A5), \
        cpu::checked::EXTENTS}; \
    template <typename... A> \
    inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY(NAME, false) template <auto V0, auto... V, typename... A> \
    inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
        NAME, (cpu::checked::is_atomic<V0, V...>()), <V0, V...>) template <typename T1, auto... V, typename... A> \
    inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
        NAME, (cpu::checked::is_atomic<V...>()), \
        <T1, V...>) template <typename T1, typename T2, auto... V, typename... A> \
    inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
        NAME, (cpu::checked::is_atomic<V...>()), \
        <T1, T2, V...>) template <typename T1, typename T2, typename T3, auto... V, typename... A> \
    inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
        NAME, (cpu::checked::is_atomic<V...>()), \
        <T1, T2, T3, V...>) template <typename T1, typename T2, typename T3, typename T4, auto... V, typename... A> \
    inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
        NAME, (cpu::checked::is_atomic<V...>()), \
        <T1, T2, T3, T4, \
         V...>) template <typename T1, typename T2, typename T3, typename T4, typename T5, auto... V, typename... A> \
    inline decltype(auto) NAME(A&&... a) \
        PTO_CHECKED_BODY(NAME, (cpu::checked::is_atomic<V...>()), <T1, T2, T3, T4, T5, V...>) template < \
            typename T1, typename T2, typename T3, typename T4, typename T5, typename T6, auto... V, typename... A> \
        inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
            NAME, (cpu::checked::is_atomic<V...>()), \
            <T1, T2, T3, T4, T5, T6, V...>) template <auto V0, typename T1, typename... T, typename... A> \
        inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
            NAME, (cpu::checked::is_atomic<V0>()), \
            <V0, T1, T...>) template <auto V0, typename T1, typename T2, auto V1, auto... V, typename... A> \
        inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
            NAME, (cpu::checked::is_atomic<V0, V1, V...>()), \
            <V0, T1, T2, V1, \
             V...>) template <auto V0, typename T1, typename T2, typename T3, auto V1, auto... V, typename... A> \
        inline decltype(auto) NAME(A&&... a) \
            PTO_CHECKED_BODY(NAME, (cpu::checked::is_atomic<V0, V1, V...>()), <V0, T1, T2, T3, V1, V...>) template < \
                auto V0, typename T1, typename T2, typename T3, typename T4, typename T5, auto V1, auto... V, \
                typename... A> \
            inline decltype(auto) NAME(A&&... a) \
                PTO_CHECKED_BODY(NAME, (cpu::checked::is_atomic<V0, V1, V...>()), <V0, T1, T2, T3, T4, T5, V1, V...>)

// Several values and then types.
#define PTO_CHECKED_VALUES(NAME) \
    template <auto V0, auto V1, typename T1, typename... T, typename... A> \
    inline decltype(auto) NAME(A&&... a) PTO_CHECKED_BODY( \
        NAME, (cpu::checked::is_atomic<V0, V1>()), \
        <V0, V1, T1, T...>) template <auto V0, auto V1, auto V2, typename T1, typename... T, typename... A> \
    inline decltype(auto) NAME(A&&... a) \
        PTO_CHECKED_BODY(NAME, (cpu::checked::is_atomic<V0, V1, V2>()), <V0, V1, V2, T1, T...>) template < \
            auto V0, auto V1, auto V2, auto V3, typename T1, typename... T, typename... A> \
        inline decltype(auto) NAME(A&&... a) \
            PTO_CHECKED_BODY(NAME, (cpu::checked::is_atomic<V0, V1, V2, V3>()), <V0, V1, V2, V3, T1, T...>)

namespace pto {

PTO_CHECKED_INSTRUCTIONS(PTO_CHECKED_INSTRUCTION)

PTO_CHECKED_VALUES(MGATHER)
PTO_CHECKED_VALUES(MSCATTER)
PTO_CHECKED_VALUES(TQUANT)
PTO_CHECKED_VALUES(TSCATTER)

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
        static_assert(cpu::PlaceOfTile<Address, kBytes, cpu::checked::capacity(Object::Loc)>::kGood);
    }
    return TASSIGN(object, Address);
}

}  // namespace pto

#undef PTO_CHECKED_INSTRUCTION
#undef PTO_CHECKED_VALUES
#undef PTO_CHECKED_BODY
