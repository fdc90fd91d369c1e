// Every instruction that the checker sees.
//
// Written from the instruction table (pyptogen/lower/isa) by `python -m pyptogen.lower.isa.write_headers`; a test proves
// that it is up to date.
//
// X(name, effects, pipe, typed operand, element types on A2/A3, element types on A5, equal extents). Effects, one
// letter for each tile and GlobalTensor: w: written, r: read, u: read and written, t: scratch, -: untouched.
// The word with as many letters as a call has operands holds, else the first one, cut or with its last letter repeated.
// Pipe: that of the instruction, or where it depends on the memories of its operands; see calls.hpp.
// Equal extents: what the valid regions of operands have in common with that of the result; see extents.hpp.
#pragma once

#include <pto/cpu/isa/element_types.hpp>

namespace pto::cpu::checked {

using namespace isa;
// clang-format off

/// Instructions of A2/A3 that write their result before they have read all operands.
constexpr const char* kFilledFirst[] = {"TANDS", "TORS", "TXOR", "TXORS", "TRECIP"};
/// The same, where the first operand is a number.
constexpr const char* kFilledByNumbers[] = {"TDIVS"};
/// Instructions of A2/A3 that work in their second operand: nothing is left of it.
constexpr const char* kUsedUp[] = {"TQUANT"};

/// Element types that a TCVT may write, by the type that it reads: A2/A3.
template <Types Source>
inline constexpr Types casts_a2a3 = kNowhere;
template <>
inline constexpr Types casts_a2a3<kFp32> = kFp32 | kFp16 | kBf16 | kInt16 | kInt32 | kInt64;
template <>
inline constexpr Types casts_a2a3<kFp16> = kFp32 | kInt8 | kUint8 | kInt16 | kInt32 | kInt4;
template <>
inline constexpr Types casts_a2a3<kBf16> = kFp32 | kInt32;
template <>
inline constexpr Types casts_a2a3<kInt8> = kFp16;
template <>
inline constexpr Types casts_a2a3<kUint8> = kFp16;
template <>
inline constexpr Types casts_a2a3<kInt16> = kFp32 | kFp16;
template <>
inline constexpr Types casts_a2a3<kInt32> = kFp32 | kFp16 | kInt16 | kInt64;
template <>
inline constexpr Types casts_a2a3<kInt64> = kFp32 | kInt32;
template <>
inline constexpr Types casts_a2a3<kInt4> = kFp16;

/// Element types that a TCVT may write, by the type that it reads: A5.
template <Types Source>
inline constexpr Types casts_a5 = kNowhere;
template <>
inline constexpr Types casts_a5<kFp32> = kFp32 | kFp16 | kBf16 | kInt16 | kInt32 | kInt64 | kE4m3 | kE5m2 | kHif8;
template <>
inline constexpr Types casts_a5<kFp16> = kFp32 | kInt8 | kUint8 | kInt16 | kInt32 | kHif8;
template <>
inline constexpr Types casts_a5<kBf16> = kFp32 | kFp16 | kInt32 | kE2m1 | kE1m2;
template <>
inline constexpr Types casts_a5<kInt8> = kFp16 | kInt16 | kInt32;
template <>
inline constexpr Types casts_a5<kUint8> = kFp16 | kUint16;
template <>
inline constexpr Types casts_a5<kInt16> = kFp32 | kFp16 | kUint8 | kInt32 | kUint32;
template <>
inline constexpr Types casts_a5<kInt32> = kFp32 | kUint8 | kInt16 | kUint16 | kInt64;
template <>
inline constexpr Types casts_a5<kUint32> = kUint8 | kInt16 | kUint16;
template <>
inline constexpr Types casts_a5<kInt64> = kFp32 | kInt32;
template <>
inline constexpr Types casts_a5<kE4m3> = kFp32;
template <>
inline constexpr Types casts_a5<kE5m2> = kFp32;
template <>
inline constexpr Types casts_a5<kHif8> = kFp32;
template <>
inline constexpr Types casts_a5<kE2m1> = kBf16;
template <>
inline constexpr Types casts_a5<kE1m2> = kBf16;

}  // namespace pto::cpu::checked

#define PTO_CHECKED_INSTRUCTIONS(X) \
    X(MGATHER, "wr", PIPE_V, kFirst, kUpTo4Bytes, kEveryButInt64Uint64E8m0E2m1E1m2Int4, kAny) \
    X(MSCATTER, "wr", PIPE_V, kRead, kUpTo4Bytes, kEveryButInt64Uint64E8m0E2m1E1m2Int4, kAny) \
    X(TABS, "wr", PIPE_V, kFirst, kFloats, kFp32Fp16Int8Int16Int32, kSame) \
    X(TADD, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame) \
    X(TADDC, "wr", PIPE_V, kFirst, kNowhere, kNowhere, kAny) \
    X(TADDDEQRELU, "wrrt", PIPE_V, kFirst, kFp16, kFp16, kAny) \
    X(TADDRELUCONV, "wr", PIPE_V, kFirst, kFp16Int8, kFp16Int8, kAny) \
    X(TADDS, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame) \
    X(TADDSC, "wr", PIPE_V, kFirst, kNowhere, kNowhere, kAny) \
    X(TAND, "wr", PIPE_V, kFirst, kPlainButFp32Int64Uint64, kUpTo4Bytes, kSame) \
    X(TANDS, "wr", PIPE_V, kFirst, kInt16To32, kUpTo4Bytes, kSame) \
    X(TAXPY, "ur", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TBOTTOMK, "wrt", PIPE_V, kRead, kNowhere, kNowhere, kAny) \
    X(TCI, "wt", PIPE_S, kFirst, kInt16To32, kInt16To32, kAny) \
    X(TCMP, "wr", PIPE_V, kRead, kFp32Fp16Int32, kPlain, kSameRows) \
    X(TCMPS, "wr", PIPE_V, kRead, kFp32Fp16Int16Uint16Int32, kPlain, kSameRows) \
    X(TCOLARGMAX, "wrt|wwrt", PIPE_V, kRead, kFp32Fp16Uint16Uint32, kUpTo4Bytes, kAny) \
    X(TCOLARGMIN, "wrt|wwrt", PIPE_V, kRead, kFp32Fp16Uint16Uint32, kUpTo4Bytes, kAny) \
    X(TCOLEXPAND, "wr", PIPE_V, kFirst, kUpTo4Bytes, kPlain, kSameCols) \
    X(TCOLEXPANDADD, "wr", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDDIV, "wr", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDEXPDIF, "wr", PIPE_V, kFirst, kFloats, kFloats, kAny) \
    X(TCOLEXPANDMAX, "wr", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDMIN, "wr", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDMUL, "wr", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDSUB, "wr", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLMAX, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSameCols) \
    X(TCOLMIN, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSameCols) \
    X(TCOLPROD, "wr", PIPE_V, kFirst, kArithmetic, kTwoOr4Bytes, kSameCols) \
    X(TCOLSUM, "wrt", PIPE_V, kFirst, kArithmetic, kPlain, kSameCols) \
    X(TCONCAT, "wrr|wrrwrr", PIPE_V, kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TCVT, "wrt", PIPE_V, kFirst, kEveryButUint16Uint32Uint64E4m3E5m2Hif8E8m0E2m1E1m2, kEveryButUint64E8m0Int4, kAny) \
    X(TDEINTERLEAVE, "wwrr|wwr", PIPE_V, kFirst, kNowhere, kUpTo4Bytes, kAny) \
    X(TDEQUANT, "wr", PIPE_V, kFirst, kFp32, kFp32, kAny) \
    X(TDIV, "wr", PIPE_V, kFirst, kArithmetic, kPlainButBf16Int8Uint8, kSame) \
    X(TDIVS, "wr", PIPE_V, kFirst, kArithmetic, kPlainButBf16Int8Uint8, kSame) \
    X(TEXP, "wr", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TEXPANDS, "w", PIPE_V, kFirst, kUpTo4Bytes, kPlain, kAny) \
    X(TEXTRACT, "wr", cpu::checked::kByPlace, kFirst, kPlain, kEveryButInt4, kAny) \
    X(TEXTRACT_FP, "wr", cpu::checked::kByPlace, kFirst, kFp16Int8Uint8Int16, kFp32Fp16Bf16Int8Uint8E4m3Hif8, kAny) \
    X(TFILLPAD, "wr", PIPE_V, kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TFILLPAD_EXPAND, "wr", PIPE_V, kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TFILLPAD_INPLACE, "wr", PIPE_V, kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TFMOD, "wr", PIPE_V, kFirst, kFp32, kFp32Fp16Int16Uint16Int32Uint32, kSame) \
    X(TFMODS, "wr", PIPE_V, kFirst, kFp32, kTwoOr4Bytes, kSame) \
    X(TFUSEDMULADD, "urr", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TFUSEDMULADDRELU, "urr", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TGATHER, "wrrt|wrrwt", PIPE_V, kFirst, kTwoOr4Bytes, kEveryButInt4, kAny) \
    X(TGATHERB, "wr", PIPE_V, kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TGEMV, "wr", PIPE_M, kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TGEMV_ACC, "wrrr", PIPE_M, kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TGEMV_BIAS, "wr", PIPE_M, kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TGEMV_MX, "wr", PIPE_M, kFirst, kNowhere, kFp32, kDepth) \
    X(THISTOGRAM, "wr", PIPE_V, kRead, kNowhere, kUint16Uint32, kAny) \
    X(TIMG2COL, "wr", PIPE_MTE1, kFirst, kFp32Fp16Bf16Int8, kUpTo4Bytes, kAny) \
    X(TINSERT, "ur", cpu::checked::kByPlace, kFirst, kUpTo4Bytes, kEveryButInt64Uint64Int4, kAny) \
    X(TINSERT_FP, "urr", cpu::checked::kByPlace, kFirst, kFp16Int8Uint8Int16, kFp32Fp16Bf16Int8Uint8E4m3Hif8, kAny) \
    X(TINTERLEAVE, "wwrr", PIPE_V, kFirst, kNowhere, kUpTo4Bytes, kAny) \
    X(TLOAD, "wr", PIPE_MTE2, kFirst, kPlain, kEveryButInt4, kAny) \
    X(TLOG, "wr", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TLRELU, "wr", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TMATMUL, "wr", PIPE_M, kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TMATMUL_ACC, "urr|wrrr", PIPE_M, kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TMATMUL_BIAS, "wr", PIPE_M, kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TMATMUL_MX, "wr", PIPE_M, kFirst, kNowhere, kFp32, kDepth) \
    X(TMAX, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame) \
    X(TMAXS, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame) \
    X(TMIN, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame) \
    X(TMINS, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame) \
    X(TMOV, "wr", cpu::checked::kByPlace, kFirst, kPlain, kEveryButInt4, kAny) \
    X(TMOV_FP, "wr", cpu::checked::kByPlace, kFirst, kFp16Int8Uint8Int16, kFp32Fp16Bf16Int8Uint8E4m3Hif8, kAny) \
    X(TMRGSORT, "wtrrrr|wr", PIPE_V, kFirst, kFloats, kFloats, kAny) \
    X(TMUL, "wr", PIPE_V, kFirst, kArithmetic, kPlainButInt8Uint8, kSame) \
    X(TMULADDDST, "urr", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TMULS, "wr", PIPE_V, kFirst, kArithmetic, kPlainButInt8Uint8, kSame) \
    X(TNEG, "wr", PIPE_V, kFirst, kArithmetic, kFp32Fp16Bf16Int8Int16Int32, kSame) \
    X(TNOT, "wr", PIPE_V, kFirst, kInt8To32, kInt8To32, kSame) \
    X(TOR, "wr", PIPE_V, kFirst, kInt8To32, kUpTo4Bytes, kSame) \
    X(TORS, "wr", PIPE_V, kFirst, kInt16To32, kUpTo4Bytes, kSame) \
    X(TPAIRREDUCESUM, "wr", PIPE_V, kFirst, kFloats, kFloats, kAny) \
    X(TPARTADD, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kAny) \
    X(TPARTARGMAX, "wrrwrr", PIPE_V, kFirst, kFloats, kFloats, kAny) \
    X(TPARTARGMIN, "wrrwrr", PIPE_V, kFirst, kFloats, kFloats, kAny) \
    X(TPARTMAX, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kAny) \
    X(TPARTMIN, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kAny) \
    X(TPARTMUL, "wr", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TPOP, "w", PIPE_MTE2, kFirst, kPlain, kPlain, kAny) \
    X(TPOW, "wrrt", PIPE_V, kFirst, kFp32Int8Uint8Int16Uint16Int32Uint32, kUpTo4Bytes, kAny) \
    X(TPOWS, "wrt", PIPE_V, kFirst, kFp32Int8Uint8Int16Uint16Int32Uint32, kUpTo4Bytes, kAny) \
    X(TPREFETCH, "-r", PIPE_MTE2, kFirst, kPlain, kEveryButInt4, kAny) \
    X(TPREFETCH_ASYNC, "r", PIPE_MTE2, kFirst, kPlain, kEveryButInt4, kAny) \
    X(TPRELU, "wrrt", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TPUSH, "r", cpu::checked::kBySource, kFirst, kPlain, kPlain, kAny) \
    X(TQUANT, "wr", PIPE_V, kFirst, kInt8Uint8, kInt8Uint8E4m3E2m1, kAny) \
    X(TRANDOM, "w", PIPE_V, kFirst, kNowhere, kInt32Uint32, kAny) \
    X(TRECIP, "wr", PIPE_V, kFirst, kArithmetic, kPlainButBf16Int8Uint8, kSame) \
    X(TRELU, "wr", PIPE_V, kFirst, kFp32Fp16Int32, kFp32Fp16Int32, kSame) \
    X(TREM, "wrrt", PIPE_V, kFirst, kFp32Int32, kPlainButBf16Int8Uint8, kSame) \
    X(TREMS, "wrt", PIPE_V, kFirst, kFp32Int32, kPlainButInt8Uint8, kSame) \
    X(TROWARGMAX, "wrt|wwrt", PIPE_V, kRead, kArithmetic, kFloats, kAny) \
    X(TROWARGMIN, "wrt|wwrt", PIPE_V, kRead, kArithmetic, kFloats, kAny) \
    X(TROWCUMPROD, "wrr", PIPE_V, kFirst, kNowhere, kNowhere, kAny) \
    X(TROWCUMSUM, "wrr", PIPE_V, kFirst, kNowhere, kNowhere, kAny) \
    X(TROWEXPAND, "wr", PIPE_V, kFirst, kUpTo4Bytes, kPlain, kAny) \
    X(TROWEXPANDADD, "wrrt", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDDIV, "wrrt", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDEXPDIF, "wrrt", PIPE_V, kFirst, kFloats, kFloats, kOneSame) \
    X(TROWEXPANDMAX, "wrrt", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDMIN, "wrrt", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDMUL, "wrrt", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDSUB, "wrrt", PIPE_V, kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWMAX, "wrt", PIPE_V, kFirst, kArithmetic, kPlainButBf16Uint16Uint32, kSameRows) \
    X(TROWMIN, "wrt", PIPE_V, kFirst, kArithmetic, kPlainButBf16Uint16Uint32, kSameRows) \
    X(TROWPROD, "wrt", PIPE_V, kFirst, kArithmetic, kArithmetic, kSameRows) \
    X(TROWSUM, "wrt", PIPE_V, kFirst, kArithmetic, kFp32Fp16Int16Int32Int64Uint64, kSameRows) \
    X(TRSQRT, "wrt", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TSCATTER, "wr", PIPE_V, kFirst, kUpTo4Bytes, kPlain, kAny) \
    X(TSEL, "wrrrt", PIPE_V, kFirst, kTwoOr4Bytes, kPlain, kAny) \
    X(TSELS, "wrrt", PIPE_V, kFirst, kTwoOr4Bytes, kPlainButBf16, kAny) \
    X(TSHL, "wr", PIPE_V, kFirst, kInt8To32, kIntegers, kSame) \
    X(TSHLS, "wr", PIPE_V, kFirst, kInt16To32, kIntegers, kSame) \
    X(TSHR, "wr", PIPE_V, kFirst, kInt8To32, kIntegers, kSame) \
    X(TSHRS, "wr", PIPE_V, kFirst, kInt16To32, kIntegers, kSame) \
    X(TSORT32, "wrrt", PIPE_V, kFirst, kFloats, kFloats, kAny) \
    X(TSQRT, "wr", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TSTORE, "wr", cpu::checked::kBySource, kRead, kPlain, kEveryButInt4, kAny) \
    X(TSTORE_FP, "wr", PIPE_FIX, kFirst, kFp16Bf16Int8Uint8Int16, kFp32Fp16Bf16Int8Uint8E4m3Hif8, kAny) \
    X(TSUB, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame) \
    X(TSUBC, "wr", PIPE_V, kFirst, kNowhere, kNowhere, kAny) \
    X(TSUBRELU, "wr", PIPE_V, kFirst, kFloats, kFloats, kSame) \
    X(TSUBRELUCONV, "wr", PIPE_V, kFirst, kFp16Int8, kFp16Int8, kAny) \
    X(TSUBS, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame) \
    X(TSUBSC, "wr", PIPE_V, kFirst, kNowhere, kNowhere, kAny) \
    X(TTOPK, "wrt", PIPE_V, kRead, kNowhere, kNowhere, kAny) \
    X(TTRANS, "wrt", PIPE_V, kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TTRI, "w", PIPE_V, kFirst, kFp32Fp16Int16Uint16Int32Uint32, kPlain, kAny) \
    X(TXOR, "wrrt", PIPE_V, kFirst, kInt8To32, kInt8To32, kSame) \
    X(TXORS, "wrt", PIPE_V, kFirst, kInt8To32, kUpTo4Bytes, kSame)
