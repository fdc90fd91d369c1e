// Element types of tiles and sets of them, one bit for each type.
//
// Written from the instruction table (pyptogen/lower/isa) by `python -m pyptogen.lower.isa.write_headers`; a test proves
// that it is up to date.
#pragma once

#include <cstdint>

#include <pto/common/small_floats.hpp>
#include <pto/common/type.hpp>

namespace pto::cpu::isa {

/// A set of element types.
using Types = uint32_t;
// clang-format off

constexpr Types kFp32 = 1U << 0;
constexpr Types kFp16 = 1U << 1;
constexpr Types kBf16 = 1U << 2;
constexpr Types kInt8 = 1U << 3;
constexpr Types kUint8 = 1U << 4;
constexpr Types kInt16 = 1U << 5;
constexpr Types kUint16 = 1U << 6;
constexpr Types kInt32 = 1U << 7;
constexpr Types kUint32 = 1U << 8;
constexpr Types kInt64 = 1U << 9;
constexpr Types kUint64 = 1U << 10;
constexpr Types kE4m3 = 1U << 11;
constexpr Types kE5m2 = 1U << 12;
constexpr Types kHif8 = 1U << 13;
constexpr Types kE8m0 = 1U << 14;
constexpr Types kE2m1 = 1U << 15;
constexpr Types kE1m2 = 1U << 16;
constexpr Types kInt4 = 1U << 17;
constexpr Types kNowhere = 0;
constexpr Types kInt64Uint64 = kInt64 | kUint64;
constexpr Types kInt32Uint32 = kInt32 | kUint32;
constexpr Types kUint16Uint32 = kUint16 | kUint32;
constexpr Types kUint8E8m0 = kUint8 | kE8m0;
constexpr Types kInt8Int16 = kInt8 | kInt16;
constexpr Types kInt8Uint8 = kInt8 | kUint8;
constexpr Types kFp16Int8 = kFp16 | kInt8;
constexpr Types kFp32Int32 = kFp32 | kInt32;
constexpr Types kFloats = kFp32 | kFp16;
constexpr Types kFp32Fp16Int32 = kFp32 | kFp16 | kInt32;
constexpr Types kFp32Fp16Int16 = kFp32 | kFp16 | kInt16;
constexpr Types kFloats3 = kFp32 | kFp16 | kBf16;
constexpr Types kInt16To32 = kInt16 | kUint16 | kInt32 | kUint32;
constexpr Types kInt8Uint8E4m3E2m1 = kInt8 | kUint8 | kE4m3 | kE2m1;
constexpr Types kFp16Int8Uint8Int16 = kFp16 | kInt8 | kUint8 | kInt16;
constexpr Types kFp32Fp16Uint16Uint32 = kFp32 | kFp16 | kUint16 | kUint32;
constexpr Types kArithmetic = kFp32 | kFp16 | kInt16 | kInt32;
constexpr Types kFp32Fp16Bf16Int8 = kFp32 | kFp16 | kBf16 | kInt8;
constexpr Types kFp16Bf16Int8Uint8Int16 = kFp16 | kBf16 | kInt8 | kUint8 | kInt16;
constexpr Types kFp32Int32Uint32Int64Uint64 = kFp32 | kInt32 | kUint32 | kInt64 | kUint64;
constexpr Types kFp32Fp16Int16Uint16Int32 = kFp32 | kFp16 | kInt16 | kUint16 | kInt32;
constexpr Types kFp32Fp16Int8Int16Int32 = kFp32 | kFp16 | kInt8 | kInt16 | kInt32;
constexpr Types kFp32Fp16Bf16Int16Int32 = kFp32 | kFp16 | kBf16 | kInt16 | kInt32;
constexpr Types kInt8To32 = kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32;
constexpr Types kFp32Fp16Int16Int32Int64Uint64 = kFp32 | kFp16 | kInt16 | kInt32 | kInt64 | kUint64;
constexpr Types kFp32Fp16Int16Uint16Int32Uint32 = kFp32 | kFp16 | kInt16 | kUint16 | kInt32 | kUint32;
constexpr Types kFp32Fp16Bf16Int8Int16Int32 = kFp32 | kFp16 | kBf16 | kInt8 | kInt16 | kInt32;
constexpr Types kFp32Int8Uint8Int16Uint16Int32Uint32 = kFp32 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32;
constexpr Types kTwoOr4Bytes = kFp32 | kFp16 | kBf16 | kInt16 | kUint16 | kInt32 | kUint32;
constexpr Types kFp32Fp16Bf16Int8Uint8E4m3Hif8 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kE4m3 | kHif8;
constexpr Types kIntegers = kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32 | kInt64 | kUint64;
constexpr Types kPlainButFp32Int64Uint64 = kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32;
constexpr Types kPlainButBf16Int8Uint8 = kFp32 | kFp16 | kInt16 | kUint16 | kInt32 | kUint32 | kInt64 | kUint64;
constexpr Types kPlainButBf16Uint16Uint32 = kFp32 | kFp16 | kInt8 | kUint8 | kInt16 | kInt32 | kInt64 | kUint64;
constexpr Types kFp32Fp16Bf16Int8Uint8Int16E4m3Hif8 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kE4m3 | kHif8;
constexpr Types kPlainButUint32Int64Uint64 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32;
constexpr Types kPlainButInt8Uint8 = kFp32 | kFp16 | kBf16 | kInt16 | kUint16 | kInt32 | kUint32 | kInt64 | kUint64;
constexpr Types kEveryButUint16Uint32Uint64E4m3E5m2Hif8E8m0E2m1E1m2 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 |
    kInt32 | kInt64 | kInt4;
constexpr Types kUpTo4Bytes = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32;
constexpr Types kPlainButBf16 = kFp32 | kFp16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32 | kInt64 | kUint64;
constexpr Types kPlain = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32 | kInt64 |
    kUint64;
constexpr Types kEveryButInt64Uint64E8m0E2m1E1m2Int4 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 |
    kInt32 | kUint32 | kE4m3 | kE5m2 | kHif8;
constexpr Types kEveryButInt64Uint64Int4 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 |
    kUint32 | kE4m3 | kE5m2 | kHif8 | kE8m0 | kE2m1 | kE1m2;
constexpr Types kEveryButUint64E8m0Int4 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32 |
    kInt64 | kE4m3 | kE5m2 | kHif8 | kE2m1 | kE1m2;
constexpr Types kEveryButE2m1E1m2Int4 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32 |
    kInt64 | kUint64 | kE4m3 | kE5m2 | kHif8 | kE8m0;
constexpr Types kEveryButInt4 = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32 | kInt64 |
    kUint64 | kE4m3 | kE5m2 | kHif8 | kE8m0 | kE2m1 | kE1m2;
constexpr Types kEvery = kFp32 | kFp16 | kBf16 | kInt8 | kUint8 | kInt16 | kUint16 | kInt32 | kUint32 | kInt64 |
    kUint64 | kE4m3 | kE5m2 | kHif8 | kE8m0 | kE2m1 | kE1m2 | kInt4;

/// The bit of an element type; none for a type that no device has.
template <typename T>
inline constexpr Types type_bit = 0;
template <> inline constexpr Types type_bit<float> = kFp32;
template <> inline constexpr Types type_bit<half> = kFp16;
template <> inline constexpr Types type_bit<bfloat16_t> = kBf16;
template <> inline constexpr Types type_bit<int8_t> = kInt8;
template <> inline constexpr Types type_bit<uint8_t> = kUint8;
template <> inline constexpr Types type_bit<int16_t> = kInt16;
template <> inline constexpr Types type_bit<uint16_t> = kUint16;
template <> inline constexpr Types type_bit<int32_t> = kInt32;
template <> inline constexpr Types type_bit<uint32_t> = kUint32;
template <> inline constexpr Types type_bit<int64_t> = kInt64;
template <> inline constexpr Types type_bit<uint64_t> = kUint64;
template <> inline constexpr Types type_bit<float8_e4m3_t> = kE4m3;
template <> inline constexpr Types type_bit<float8_e5m2_t> = kE5m2;
template <> inline constexpr Types type_bit<hifloat8_t> = kHif8;
template <> inline constexpr Types type_bit<float8_e8m0_t> = kE8m0;
template <> inline constexpr Types type_bit<float4_e2m1x2_t> = kE2m1;
template <> inline constexpr Types type_bit<float4_e1m2x2_t> = kE1m2;
template <> inline constexpr Types type_bit<int4b_t> = kInt4;

/// The name of an element type in messages.
template <typename T>
inline constexpr const char* type_name = "this type";
template <> inline constexpr const char* type_name<float> = "fp32";
template <> inline constexpr const char* type_name<half> = "fp16";
template <> inline constexpr const char* type_name<bfloat16_t> = "bf16";
template <> inline constexpr const char* type_name<int8_t> = "int8";
template <> inline constexpr const char* type_name<uint8_t> = "uint8";
template <> inline constexpr const char* type_name<int16_t> = "int16";
template <> inline constexpr const char* type_name<uint16_t> = "uint16";
template <> inline constexpr const char* type_name<int32_t> = "int32";
template <> inline constexpr const char* type_name<uint32_t> = "uint32";
template <> inline constexpr const char* type_name<int64_t> = "int64";
template <> inline constexpr const char* type_name<uint64_t> = "uint64";
template <> inline constexpr const char* type_name<float8_e4m3_t> = "e4m3";
template <> inline constexpr const char* type_name<float8_e5m2_t> = "e5m2";
template <> inline constexpr const char* type_name<hifloat8_t> = "hif8";
template <> inline constexpr const char* type_name<float8_e8m0_t> = "e8m0";
template <> inline constexpr const char* type_name<float4_e2m1x2_t> = "e2m1";
template <> inline constexpr const char* type_name<float4_e1m2x2_t> = "e1m2";
template <> inline constexpr const char* type_name<int4b_t> = "int4";

// clang-format on
}  // namespace pto::cpu::isa
