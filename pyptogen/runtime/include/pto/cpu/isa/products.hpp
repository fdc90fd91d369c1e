// Which element types the matrix unit multiplies, and what it adds the products up in.
//
// Written from the instruction table (pyptogen/lower/isa) by `python -m pyptogen.lower.isa.write_headers`; a test proves
// that it is up to date.
#pragma once

#include <pto/cpu/isa/element_types.hpp>

namespace pto::cpu::isa {

// clang-format off
/// Right operands of a left one.
template <Types Left> inline constexpr Types rights_of = kNowhere;
template <> inline constexpr Types rights_of<kFp32> = kFp32;
template <> inline constexpr Types rights_of<kFp16> = kFp16;
template <> inline constexpr Types rights_of<kBf16> = kBf16;
template <> inline constexpr Types rights_of<kInt8> = kInt8;
template <> inline constexpr Types rights_of<kE4m3> = kE4m3 | kE5m2;
template <> inline constexpr Types rights_of<kE5m2> = kE4m3 | kE5m2;
template <> inline constexpr Types rights_of<kHif8> = kHif8;
/// Accumulators of a left operand.
template <Types Left> inline constexpr Types sums_of = kNowhere;
template <> inline constexpr Types sums_of<kFp32> = kFp32;
template <> inline constexpr Types sums_of<kFp16> = kFp32;
template <> inline constexpr Types sums_of<kBf16> = kFp32;
template <> inline constexpr Types sums_of<kInt8> = kInt32;
template <> inline constexpr Types sums_of<kE4m3> = kFp32;
template <> inline constexpr Types sums_of<kE5m2> = kFp32;
template <> inline constexpr Types sums_of<kHif8> = kFp32;
/// Right operands of a left one with scales.
template <Types Left> inline constexpr Types mx_rights_of = kNowhere;
template <> inline constexpr Types mx_rights_of<kE4m3> = kE4m3 | kE5m2;
template <> inline constexpr Types mx_rights_of<kE5m2> = kE4m3 | kE5m2;
template <> inline constexpr Types mx_rights_of<kE2m1> = kE2m1 | kE1m2;
template <> inline constexpr Types mx_rights_of<kE1m2> = kE2m1 | kE1m2;
// clang-format on

/// Whether TMATMUL and TGEMV multiply A by B, and whether they add products of A up in C.
template <typename A, typename B>
inline constexpr bool multiplies = (rights_of<type_bit<A>> & type_bit<B>) != 0;
template <typename A, typename C>
inline constexpr bool sums_in = (sums_of<type_bit<A>> & type_bit<C>) != 0;
/// Whether TMATMUL_MX and TGEMV_MX multiply A by B.
template <typename A, typename B>
inline constexpr bool multiplies_scaled = (mx_rights_of<type_bit<A>> & type_bit<B>) != 0;

}  // namespace pto::cpu::isa
