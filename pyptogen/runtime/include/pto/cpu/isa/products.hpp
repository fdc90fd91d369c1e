// Which element types the matrix unit multiplies, what it adds the products up in, and what becomes of the sums.
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
/// Element types that an accumulator is cast to.
template <Types Left> inline constexpr Types casts_of = kNowhere;
template <> inline constexpr Types casts_of<kFp32> = kFp32 | kFp16 | kBf16;
template <> inline constexpr Types casts_of<kInt32> = kInt32;
/// What an accumulator becomes under quantisation words.
template <Types Left> inline constexpr Types quantised_of = kNowhere;
template <> inline constexpr Types quantised_of<kFp32> = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kE4m3 | kHif8;
template <> inline constexpr Types quantised_of<kInt32> = kFp16 | kBf16 | kInt8 | kUint8 | kInt16;
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
/// Whether TSTORE and TMOV cast sums of C to T, and whether they make T of C under a quantisation word.
template <typename C, typename T>
inline constexpr bool casts_sum = (casts_of<type_bit<C>> & type_bit<T>) != 0;
template <typename C, typename T>
inline constexpr bool requantises = (quantised_of<type_bit<C>> & type_bit<T>) != 0;

}  // namespace pto::cpu::isa

// The pairs of casts_sum and of requantises in messages.
#define PTO_CASTS_OF_SUMS \
    "fp32 to fp32, half or bfloat16_t, and " \
    "int32 to int32"
#define PTO_REQUANTISED \
    "fp32 to fp32, half, bfloat16_t, int8, uint8, float8_e4m3_t or hifloat8_t, and " \
    "int32 to half, bfloat16_t, int8, uint8 or int16"
