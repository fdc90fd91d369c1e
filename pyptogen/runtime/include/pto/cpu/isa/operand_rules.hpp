// What instructions ask of their operands: static_asserts that say the instruction, the operand and the rule. They stand
// first in an instruction, so that nothing else is said before them.
#pragma once

#include <pto/common/conv_tile.hpp>
#include <pto/common/global_tensor.hpp>
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

/// Where an operand may be, one bit for each location of tiles.
using Places = uint32_t;
constexpr Places place_bit(TileType loc) { return Places(1) << static_cast<int>(loc); }
constexpr Places kAnywhere = (Places(1) << 30) - 1;
/// A ConvTile, wherever it is.
constexpr Places kConvTile = Places(1) << 30;

/// The place of an operand; none for what is no tile.
template <typename T>
constexpr Places place_of()
{
    if constexpr (is_tile_data_v<T>) {
        return place_bit(T::Loc);
    } else {
        return is_conv_tile_v<T> ? kConvTile : 0;
    }
}

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

/// The element type of a tile, a ConvTile or a GlobalTensor; void of anything else.
template <typename T>
struct ElementOf {
    using type = void;
};
template <typename T>
    requires(is_tile_data_v<T> || is_conv_tile_v<T>)
struct ElementOf<T> {
    using type = typename T::DType;
};
template <typename T>
    requires is_global_data_v<T>
struct ElementOf<T> {
    using type = typename T::RawDType;
};
template <typename T>
using element_t = typename ElementOf<T>::type;
template <typename T>
inline constexpr bool has_elements = !is_same<element_t<T>, void>;

// Rules about elements and layouts hold for what has none: that it is no tile has been said by then.
template <typename A, typename B>
constexpr bool has_element_type_of()
{
    return !has_elements<A> || !has_elements<B> || is_same<element_t<A>, element_t<B>>;
}
template <typename A, typename B>
constexpr bool has_element_size_of()
{
    if constexpr (has_elements<A> && has_elements<B>) {
        return sizeof(element_t<A>) == sizeof(element_t<B>);
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
constexpr bool has_one_row()
{
    if constexpr (is_plain_vec_tile<T>()) {
        return T::Rows == 1;
    } else {
        return true;
    }
}
template <typename T>
constexpr bool holds_floats()
{
    return !has_elements<T> || is_float<element_t<T>>;
}
template <typename T, isa::Types Set>
constexpr bool has_elements_of()
{
    if constexpr (has_elements<T>) {
        return (isa::type_bit<element_t<T>> & Set) != 0;
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
#define PTO_RULE_ELEMENT_SIZE(NAME, FIRST, X) \
    static_assert( \
        ::pto::cpu::has_element_size_of<PTO_OPERAND(X), PTO_OPERAND(FIRST)>(), \
        NAME ": " #X " needs elements of the size of those of " #FIRST);
#define PTO_RULE_LAYOUT(NAME, FIRST, X) \
    static_assert( \
        ::pto::cpu::has_layout_of<PTO_OPERAND(X), PTO_OPERAND(FIRST)>(), \
        NAME ": " #X " needs the layout of " #FIRST ", row-major or column-major");
#define PTO_RULE_ROW_MAJOR(NAME, FIRST, X) \
    static_assert(::pto::cpu::is_row_major<PTO_OPERAND(X)>(), NAME ": " #X " must be row-major");
#define PTO_RULE_ONE_ROW(NAME, FIRST, X) \
    static_assert(::pto::cpu::has_one_row<PTO_OPERAND(X)>(), NAME ": " #X " must have one row");
#define PTO_RULE_GLOBAL(NAME, FIRST, X) \
    static_assert(::pto::is_global_data_v<PTO_OPERAND(X)>, NAME ": " #X " must be a GlobalTensor");

/// All operands are plain Vec tiles.
#define PTO_EXPECT_VEC(NAME, ...) PTO_EACH_OPERAND_1(PTO_RULE_VEC, NAME, , __VA_ARGS__)
/// All operands are GlobalTensors.
#define PTO_EXPECT_GLOBAL(NAME, ...) PTO_EACH_OPERAND_1(PTO_RULE_GLOBAL, NAME, , __VA_ARGS__)
/// X is at one of a set of places, which WORDS say.
#define PTO_EXPECT_PLACE(NAME, SET, WORDS, X) \
    static_assert((::pto::cpu::place_of<PTO_OPERAND(X)>() & ::pto::cpu::SET) != 0, NAME ": " #X " must be " WORDS);
/// The others have the first one's element type.
#define PTO_EXPECT_ELEMENT_TYPE(NAME, FIRST, ...) PTO_EACH_OPERAND_1(PTO_RULE_ELEMENT_TYPE, NAME, FIRST, __VA_ARGS__)
/// The others have elements of the first one's size.
#define PTO_EXPECT_ELEMENT_SIZE(NAME, FIRST, ...) PTO_EACH_OPERAND_1(PTO_RULE_ELEMENT_SIZE, NAME, FIRST, __VA_ARGS__)
/// The others have the first one's layout.
#define PTO_EXPECT_LAYOUT(NAME, FIRST, ...) PTO_EACH_OPERAND_1(PTO_RULE_LAYOUT, NAME, FIRST, __VA_ARGS__)
#define PTO_EXPECT_ROW_MAJOR(NAME, ...) PTO_EACH_OPERAND_1(PTO_RULE_ROW_MAJOR, NAME, , __VA_ARGS__)
#define PTO_EXPECT_ONE_ROW(NAME, ...) PTO_EACH_OPERAND_1(PTO_RULE_ONE_ROW, NAME, , __VA_ARGS__)
/// X has elements of the types of a set, which WORDS lists.
#define PTO_EXPECT_ELEMENTS(NAME, SET, WORDS, X) \
    static_assert( \
        ::pto::cpu::has_elements_of<PTO_OPERAND(X), ::pto::cpu::isa::SET>(), \
        NAME ": " #X " must have " WORDS " elements");
