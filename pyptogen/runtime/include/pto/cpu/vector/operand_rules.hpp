// What instructions ask of their operands: static_asserts that say the instruction, the operand and the rule. They stand
// first in an instruction, so that nothing else is said before them.
#pragma once

#include <pto/common/pto_tile.hpp>
#include <pto/cpu/isa/element_types.hpp>
#include <pto/cpu/lanes/operators.hpp>

namespace pto::cpu {

/// The type of an operand, given as decltype of a parameter.
template <typename T>
struct OperandOf;
template <typename T>
struct OperandOf<T&> {
    using type = T;
};
template <typename Reference>
using operand_t = typename OperandOf<Reference>::type;

/// A tile of vector memory, stored line by line.
template <typename T>
constexpr bool is_plain_vec_tile()
{
    if constexpr (is_tile_data_v<T>) {
        return T::Loc == TileType::Vec && !T::isBoxedLayout;
    } else {
        return false;
    }
}

// Rules about tiles hold for what is none: that has been said by then.
template <typename A, typename B>
constexpr bool has_element_type_of()
{
    if constexpr (is_tile_data_v<A> && is_tile_data_v<B>) {
        return is_same<typename A::DType, typename B::DType>;
    } else {
        return true;
    }
}
template <typename A, typename B>
constexpr bool has_layout_of()
{
    if constexpr (is_plain_vec_tile<A>() && is_plain_vec_tile<B>()) {
        return A::isRowMajor == B::isRowMajor;
    } else {
        return true;
    }
}
template <typename T>
constexpr bool is_row_major()
{
    if constexpr (is_plain_vec_tile<T>()) {
        return T::isRowMajor;
    } else {
        return true;
    }
}
template <typename T>
constexpr bool holds_floats()
{
    if constexpr (is_tile_data_v<T>) {
        return is_float<typename T::DType>;
    } else {
        return true;
    }
}
template <typename T, isa::Types Set>
constexpr bool has_elements_of()
{
    if constexpr (is_tile_data_v<T>) {
        return (isa::type_bit<typename T::DType> & Set) != 0;
    } else {
        return true;
    }
}

}  // namespace pto::cpu

// RULE(NAME, FIRST, operand) for each of up to six operands.
#define PTO_EACH_OPERAND_1(RULE, NAME, FIRST, X, ...) \
    RULE(NAME, FIRST, X) __VA_OPT__(PTO_EACH_OPERAND_2(RULE, NAME, FIRST, __VA_ARGS__))
#define PTO_EACH_OPERAND_2(RULE, NAME, FIRST, X, ...) \
    RULE(NAME, FIRST, X) __VA_OPT__(PTO_EACH_OPERAND_3(RULE, NAME, FIRST, __VA_ARGS__))
#define PTO_EACH_OPERAND_3(RULE, NAME, FIRST, X, ...) \
    RULE(NAME, FIRST, X) __VA_OPT__(PTO_EACH_OPERAND_4(RULE, NAME, FIRST, __VA_ARGS__))
#define PTO_EACH_OPERAND_4(RULE, NAME, FIRST, X, ...) \
    RULE(NAME, FIRST, X) __VA_OPT__(PTO_EACH_OPERAND_5(RULE, NAME, FIRST, __VA_ARGS__))
#define PTO_EACH_OPERAND_5(RULE, NAME, FIRST, X, ...) \
    RULE(NAME, FIRST, X) __VA_OPT__(PTO_EACH_OPERAND_6(RULE, NAME, FIRST, __VA_ARGS__))
#define PTO_EACH_OPERAND_6(RULE, NAME, FIRST, X) RULE(NAME, FIRST, X)

#define PTO_OPERAND(X) ::pto::cpu::operand_t<decltype((X))>
#define PTO_RULE_VEC(NAME, FIRST, X) \
    static_assert(::pto::cpu::is_plain_vec_tile<PTO_OPERAND(X)>(), NAME ": " #X " must be a plain Vec tile");
#define PTO_RULE_ELEMENT_TYPE(NAME, FIRST, X) \
    static_assert( \
        ::pto::cpu::has_element_type_of<PTO_OPERAND(X), PTO_OPERAND(FIRST)>(), \
        NAME ": " #X " needs the element type of " #FIRST);
#define PTO_RULE_LAYOUT(NAME, FIRST, X) \
    static_assert( \
        ::pto::cpu::has_layout_of<PTO_OPERAND(X), PTO_OPERAND(FIRST)>(), \
        NAME ": " #X " needs the layout of " #FIRST ", row-major or column-major");
#define PTO_RULE_ROW_MAJOR(NAME, FIRST, X) \
    static_assert(::pto::cpu::is_row_major<PTO_OPERAND(X)>(), NAME ": " #X " must be row-major");

/// All operands are plain Vec tiles.
#define PTO_EXPECT_VEC(NAME, ...) PTO_EACH_OPERAND_1(PTO_RULE_VEC, NAME, , __VA_ARGS__)
/// The others have the first one's element type.
#define PTO_EXPECT_ELEMENT_TYPE(NAME, FIRST, ...) PTO_EACH_OPERAND_1(PTO_RULE_ELEMENT_TYPE, NAME, FIRST, __VA_ARGS__)
/// The others have the first one's layout.
#define PTO_EXPECT_LAYOUT(NAME, FIRST, ...) PTO_EACH_OPERAND_1(PTO_RULE_LAYOUT, NAME, FIRST, __VA_ARGS__)
#define PTO_EXPECT_ROW_MAJOR(NAME, ...) PTO_EACH_OPERAND_1(PTO_RULE_ROW_MAJOR, NAME, , __VA_ARGS__)
/// X has elements of the types of a set, which WORDS lists.
#define PTO_EXPECT_ELEMENTS(NAME, SET, WORDS, X) \
    static_assert( \
        ::pto::cpu::has_elements_of<PTO_OPERAND(X), ::pto::cpu::isa::SET>(), \
        NAME ": " #X " must have " WORDS " elements");
