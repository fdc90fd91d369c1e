// What instructions ask of their operands: static_asserts that say the instruction, the operand and the rule. They
// stand first in an instruction, so that nothing else is said before them.
#pragma once

#include <pto/common/conv_tile.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/cpu/isa/element_types.hpp>
#include <pto/cpu/lanes/operators.hpp>

namespace pto::cpu {

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
template <typename A, typename B>
constexpr bool has_memory_of()
{
    if constexpr (is_tile_data_v<A> && is_tile_data_v<B>) {
        return A::Loc == B::Loc;
    } else {
        return true;
    }
}
template <typename A, typename B>
constexpr bool has_fractals_as()
{
    if constexpr (is_tile_data_v<A> && is_tile_data_v<B>) {
        return A::isBoxedLayout == B::isBoxedLayout;
    } else {
        return true;
    }
}
template <typename A, typename B>
constexpr bool has_order_of()
{
    if constexpr (is_tile_data_v<A> && is_tile_data_v<B>) {
        return A::BFractal == B::BFractal && A::SFractal == B::SFractal;
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

// The rules of operands, given as decltype((operand)). Variables, because the headers state hundreds of them and a
// compiler reads a call of a function three times as slowly.
template <typename X>
inline constexpr bool rule_vec = is_plain_vec_tile<bare_t<X>>();
template <typename X, Places Set>
inline constexpr bool rule_place = (place_of<bare_t<X>>() & Set) != 0;
template <typename X>
inline constexpr bool rule_global = is_global_data_v<bare_t<X>>;
template <typename X, typename Other>
inline constexpr bool rule_element_type = has_element_type_of<bare_t<X>, bare_t<Other>>();
template <typename X, typename Other>
inline constexpr bool rule_element_size = has_element_size_of<bare_t<X>, bare_t<Other>>();
template <typename X, typename Other>
inline constexpr bool rule_layout = has_layout_of<bare_t<X>, bare_t<Other>>();
template <typename X, typename Other>
inline constexpr bool rule_memory = has_memory_of<bare_t<X>, bare_t<Other>>();
template <typename X, typename Other>
inline constexpr bool rule_fractals = has_fractals_as<bare_t<X>, bare_t<Other>>();
template <typename X, typename Other>
inline constexpr bool rule_order = has_order_of<bare_t<X>, bare_t<Other>>();
template <typename X>
inline constexpr bool rule_row_major = is_row_major<bare_t<X>>();
template <typename X>
inline constexpr bool rule_one_row = has_one_row<bare_t<X>>();
template <typename X, isa::Types Set>
inline constexpr bool rule_elements = has_elements_of<bare_t<X>, Set>();

}  // namespace pto::cpu

/// X is a plain Vec tile.
#define PTO_EXPECT_VEC(NAME, X) \
    static_assert(::pto::cpu::rule_vec<decltype((X))>, NAME ": " #X " must be a plain Vec tile");
/// X is at one of a set of places, which WORDS say.
#define PTO_EXPECT_PLACE(NAME, SET, WORDS, X) \
    static_assert(::pto::cpu::rule_place<decltype((X)), ::pto::cpu::SET>, NAME ": " #X " must be " WORDS);
#define PTO_EXPECT_GLOBAL(NAME, X) \
    static_assert(::pto::cpu::rule_global<decltype((X))>, NAME ": " #X " must be a GlobalTensor");
/// X has the element type of another operand, elements of the size of those of another, or another's layout.
#define PTO_EXPECT_ELEMENT_TYPE(NAME, OTHER, X) \
    static_assert( \
        ::pto::cpu::rule_element_type<decltype((X)), decltype((OTHER))>, \
        NAME ": " #X " needs the element type of " #OTHER);
#define PTO_EXPECT_ELEMENT_SIZE(NAME, OTHER, X) \
    static_assert( \
        ::pto::cpu::rule_element_size<decltype((X)), decltype((OTHER))>, \
        NAME ": " #X " needs elements of the size of those of " #OTHER);
#define PTO_EXPECT_LAYOUT(NAME, OTHER, X) \
    static_assert( \
        ::pto::cpu::rule_layout<decltype((X)), decltype((OTHER))>, \
        NAME ": " #X " needs the layout of " #OTHER ", row-major or column-major");
/// X is in the memory of another operand, with fractals as that, or in the order of that.
#define PTO_EXPECT_MEMORY(NAME, OTHER, X) \
    static_assert( \
        ::pto::cpu::rule_memory<decltype((X)), decltype((OTHER))>, NAME ": " #X " needs the memory of " #OTHER);
#define PTO_EXPECT_FRACTALS(NAME, OTHER, X) \
    static_assert( \
        ::pto::cpu::rule_fractals<decltype((X)), decltype((OTHER))>, \
        NAME ": " #X " needs fractals as " #OTHER " has, or none as it");
#define PTO_EXPECT_ORDER(NAME, OTHER, X) \
    static_assert( \
        ::pto::cpu::rule_order<decltype((X)), decltype((OTHER))>, NAME ": " #X " needs the layout of " #OTHER);
#define PTO_EXPECT_ROW_MAJOR(NAME, X) \
    static_assert(::pto::cpu::rule_row_major<decltype((X))>, NAME ": " #X " must be row-major");
#define PTO_EXPECT_ONE_ROW(NAME, X) \
    static_assert(::pto::cpu::rule_one_row<decltype((X))>, NAME ": " #X " must have one row");
/// X has elements of the types of a set, which WORDS list.
#define PTO_EXPECT_ELEMENTS(NAME, SET, WORDS, X) \
    static_assert( \
        ::pto::cpu::rule_elements<decltype((X)), ::pto::cpu::isa::SET>, NAME ": " #X " must have " WORDS " elements");
