// Every instruction that the checker sees.
//
// Written from the instruction table (pyptogen/lower/isa) by `python -m pyptogen.lower.isa.write_headers`; a test proves
// that it is up to date.
//
// X(name, effects, typed operand, element types on A2/A3, element types on A5, equal extents). Effects, one letter for
// each tile and GlobalTensor: w: written, r: read, u: read and written, t: scratch (may be overwritten), -: untouched.
// The word with as many letters as a call has operands holds, else the first one, cut or with its last letter repeated.
// Equal extents: what the valid regions of operands have in common with that of the result; see extents.hpp.
#pragma once

#include <pto/cpu/isa/element_types.hpp>

namespace pto::cpu::checked {

using namespace isa;
// clang-format off

/// Instructions of A2/A3 that write their result before they have read all operands.
constexpr const char* kFilledFirst[] = {"TANDS", "TORS", "TXOR", "TXORS"};
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
    X(MGATHER, "wr", kFirst, kUpTo4Bytes, kEveryButInt64Uint64E8m0E2m1E1m2Int4, kAny) \
    X(MSCATTER, "wr", kRead, kUpTo4Bytes, kEveryButInt64Uint64E8m0E2m1E1m2Int4, kAny) \
    X(TABS, "wr", kFirst, kFloats, kFp32Fp16Int8Int16Int32, kSame) \
    X(TADD, "wr", kFirst, kArithmetic, kPlain, kSame) \
    X(TADDC, "wr", kFirst, kNowhere, kNowhere, kAny) \
    X(TADDDEQRELU, "wrrt", kFirst, kFp16, kFp16, kAny) \
    X(TADDRELUCONV, "wr", kFirst, kFp16Int8, kFp16Int8, kAny) \
    X(TADDS, "wr", kFirst, kArithmetic, kPlain, kSame) \
    X(TADDSC, "wr", kFirst, kNowhere, kNowhere, kAny) \
    X(TAND, "wr", kFirst, kPlainButFp32Int64Uint64, kUpTo4Bytes, kSame) \
    X(TANDS, "wr", kFirst, kInt16To32, kUpTo4Bytes, kSame) \
    X(TAXPY, "ur", kFirst, kFloats, kFloats, kSame) \
    X(TBOTTOMK, "wrt", kRead, kNowhere, kNowhere, kAny) \
    X(TCI, "wt", kFirst, kInt16To32, kInt16To32, kAny) \
    X(TCMP, "wr", kRead, kFp32Fp16Int32, kPlain, kSameRows) \
    X(TCMPS, "wr", kRead, kFp32Fp16Int16Uint16Int32, kPlain, kSameRows) \
    X(TCOLARGMAX, "wrt|wwrt", kRead, kFp32Fp16Uint16Uint32, kUpTo4Bytes, kAny) \
    X(TCOLARGMIN, "wrt|wwrt", kRead, kFp32Fp16Uint16Uint32, kUpTo4Bytes, kAny) \
    X(TCOLEXPAND, "wr", kFirst, kUpTo4Bytes, kPlain, kSameCols) \
    X(TCOLEXPANDADD, "wr", kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDDIV, "wr", kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDEXPDIF, "wr", kFirst, kFloats, kFloats, kAny) \
    X(TCOLEXPANDMAX, "wr", kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDMIN, "wr", kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDMUL, "wr", kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLEXPANDSUB, "wr", kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TCOLMAX, "wr", kFirst, kArithmetic, kPlain, kSameCols) \
    X(TCOLMIN, "wr", kFirst, kArithmetic, kPlain, kSameCols) \
    X(TCOLPROD, "wr", kFirst, kArithmetic, kTwoOr4Bytes, kSameCols) \
    X(TCOLSUM, "wrt", kFirst, kArithmetic, kPlain, kSameCols) \
    X(TCONCAT, "wrr|wrrwrr", kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TCVT, "wrt", kFirst, kEveryButUint16Uint32Uint64E4m3E5m2Hif8E8m0E2m1E1m2, kEveryButUint64E8m0Int4, kAny) \
    X(TDEINTERLEAVE, "wwrr|wwr", kFirst, kNowhere, kUpTo4Bytes, kAny) \
    X(TDEQUANT, "wr", kFirst, kFp32, kFp32, kAny) \
    X(TDIV, "wr", kFirst, kArithmetic, kPlainButBf16Int8Uint8, kSame) \
    X(TDIVS, "wr", kFirst, kArithmetic, kPlainButBf16Int8Uint8, kSame) \
    X(TEXP, "wr", kFirst, kFloats, kFloats, kSame) \
    X(TEXPANDS, "w", kFirst, kUpTo4Bytes, kPlain, kAny) \
    X(TEXTRACT, "wr", kFirst, kPlain, kEveryButInt4, kAny) \
    X(TEXTRACT_FP, "wr", kFirst, kFp16Int8Uint8Int16, kFp32Fp16Bf16Int8Uint8E4m3Hif8, kAny) \
    X(TFILLPAD, "wr", kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TFILLPAD_EXPAND, "wr", kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TFILLPAD_INPLACE, "wr", kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TFMOD, "wr", kFirst, kFp32, kFp32Fp16Int16Uint16Int32Uint32, kSame) \
    X(TFMODS, "wr", kFirst, kFp32, kTwoOr4Bytes, kSame) \
    X(TFUSEDMULADD, "urr", kFirst, kFloats, kFloats, kSame) \
    X(TFUSEDMULADDRELU, "urr", kFirst, kFloats, kFloats, kSame) \
    X(TGATHER, "wrrt|wrrwt", kFirst, kTwoOr4Bytes, kEveryButInt4, kAny) \
    X(TGATHERB, "wr", kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TGEMV, "wr", kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TGEMV_ACC, "wrrr", kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TGEMV_BIAS, "wr", kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TGEMV_MX, "wr", kFirst, kNowhere, kFp32, kDepth) \
    X(THISTOGRAM, "wr", kRead, kNowhere, kUint16Uint32, kAny) \
    X(TIMG2COL, "wr", kFirst, kFp32Fp16Bf16Int8, kUpTo4Bytes, kAny) \
    X(TINSERT, "ur", kFirst, kUpTo4Bytes, kEveryButInt64Uint64Int4, kAny) \
    X(TINSERT_FP, "urr", kFirst, kFp16Int8Uint8Int16, kFp32Fp16Bf16Int8Uint8E4m3Hif8, kAny) \
    X(TINTERLEAVE, "wwrr", kFirst, kNowhere, kUpTo4Bytes, kAny) \
    X(TLOAD, "wr", kFirst, kPlain, kEveryButInt4, kAny) \
    X(TLOG, "wr", kFirst, kFloats, kFloats, kSame) \
    X(TLRELU, "wr", kFirst, kFloats, kFloats, kSame) \
    X(TMATMUL, "wr", kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TMATMUL_ACC, "urr|wrrr", kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TMATMUL_BIAS, "wr", kFirst, kFp32Int32, kFp32Int32, kDepth) \
    X(TMATMUL_MX, "wr", kFirst, kNowhere, kFp32, kDepth) \
    X(TMAX, "wr", kFirst, kArithmetic, kPlain, kSame) \
    X(TMAXS, "wr", kFirst, kArithmetic, kPlain, kSame) \
    X(TMIN, "wr", kFirst, kArithmetic, kPlain, kSame) \
    X(TMINS, "wr", kFirst, kArithmetic, kPlain, kSame) \
    X(TMOV, "wr", kFirst, kPlain, kEveryButInt4, kAny) \
    X(TMOV_FP, "wr", kFirst, kFp16Int8Uint8Int16, kFp32Fp16Bf16Int8Uint8E4m3Hif8, kAny) \
    X(TMRGSORT, "wtrrrr|wr", kFirst, kFloats, kFloats, kAny) \
    X(TMUL, "wr", kFirst, kArithmetic, kPlainButInt8Uint8, kSame) \
    X(TMULADDDST, "urr", kFirst, kFloats, kFloats, kSame) \
    X(TMULS, "wr", kFirst, kArithmetic, kPlainButInt8Uint8, kSame) \
    X(TNEG, "wr", kFirst, kArithmetic, kFp32Fp16Bf16Int8Int16Int32, kSame) \
    X(TNOT, "wr", kFirst, kInt8To32, kInt8To32, kSame) \
    X(TOR, "wr", kFirst, kInt8To32, kUpTo4Bytes, kSame) \
    X(TORS, "wr", kFirst, kInt16To32, kUpTo4Bytes, kSame) \
    X(TPAIRREDUCESUM, "wr", kFirst, kFloats, kFloats, kAny) \
    X(TPARTADD, "wr", kFirst, kArithmetic, kPlain, kAny) \
    X(TPARTARGMAX, "wrrwrr", kFirst, kFloats, kFloats, kAny) \
    X(TPARTARGMIN, "wrrwrr", kFirst, kFloats, kFloats, kAny) \
    X(TPARTMAX, "wr", kFirst, kArithmetic, kPlain, kAny) \
    X(TPARTMIN, "wr", kFirst, kArithmetic, kPlain, kAny) \
    X(TPARTMUL, "wr", kFirst, kArithmetic, kUpTo4Bytes, kAny) \
    X(TPOP, "w", kFirst, kPlain, kPlain, kAny) \
    X(TPOW, "wrrt", kFirst, kFp32Int8Uint8Int16Uint16Int32Uint32, kUpTo4Bytes, kAny) \
    X(TPOWS, "wrt", kFirst, kFp32Int8Uint8Int16Uint16Int32Uint32, kUpTo4Bytes, kAny) \
    X(TPREFETCH, "-r", kFirst, kPlain, kEveryButInt4, kAny) \
    X(TPREFETCH_ASYNC, "r", kFirst, kPlain, kEveryButInt4, kAny) \
    X(TPRELU, "wrrt", kFirst, kFloats, kFloats, kSame) \
    X(TPUSH, "r", kFirst, kPlain, kPlain, kAny) \
    X(TQUANT, "wr", kFirst, kInt8Uint8, kInt8Uint8E4m3E2m1, kAny) \
    X(TRANDOM, "w", kFirst, kNowhere, kInt32Uint32, kAny) \
    X(TRECIP, "wr", kFirst, kArithmetic, kPlainButBf16Int8Uint8, kSame) \
    X(TRELU, "wr", kFirst, kFp32Fp16Int32, kFp32Fp16Int32, kSame) \
    X(TREM, "wrrt", kFirst, kFp32Int32, kPlainButBf16Int8Uint8, kSame) \
    X(TREMS, "wrt", kFirst, kFp32Int32, kPlainButInt8Uint8, kSame) \
    X(TROWARGMAX, "wrt|wwrt", kRead, kArithmetic, kFloats, kAny) \
    X(TROWARGMIN, "wrt|wwrt", kRead, kArithmetic, kFloats, kAny) \
    X(TROWCUMPROD, "wrr", kFirst, kNowhere, kNowhere, kAny) \
    X(TROWCUMSUM, "wrr", kFirst, kNowhere, kNowhere, kAny) \
    X(TROWEXPAND, "wr", kFirst, kUpTo4Bytes, kPlain, kAny) \
    X(TROWEXPANDADD, "wrrt", kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDDIV, "wrrt", kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDEXPDIF, "wrrt", kFirst, kFloats, kFloats, kOneSame) \
    X(TROWEXPANDMAX, "wrrt", kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDMIN, "wrrt", kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDMUL, "wrrt", kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWEXPANDSUB, "wrrt", kFirst, kArithmetic, kUpTo4Bytes, kOneSame) \
    X(TROWMAX, "wrt", kFirst, kArithmetic, kPlainButBf16Uint16Uint32, kSameRows) \
    X(TROWMIN, "wrt", kFirst, kArithmetic, kPlainButBf16Uint16Uint32, kSameRows) \
    X(TROWPROD, "wrt", kFirst, kArithmetic, kArithmetic, kSameRows) \
    X(TROWSUM, "wrt", kFirst, kArithmetic, kFp32Fp16Int16Int32Int64Uint64, kSameRows) \
    X(TRSQRT, "wrt", kFirst, kFloats, kFloats, kSame) \
    X(TSCATTER, "wr", kFirst, kUpTo4Bytes, kPlain, kAny) \
    X(TSEL, "wrrrt", kFirst, kTwoOr4Bytes, kPlain, kAny) \
    X(TSELS, "wrrt", kFirst, kTwoOr4Bytes, kPlainButBf16, kAny) \
    X(TSHL, "wr", kFirst, kInt8To32, kIntegers, kSame) \
    X(TSHLS, "wr", kFirst, kInt16To32, kIntegers, kSame) \
    X(TSHR, "wr", kFirst, kInt8To32, kIntegers, kSame) \
    X(TSHRS, "wr", kFirst, kInt16To32, kIntegers, kSame) \
    X(TSORT32, "wrrt", kFirst, kFloats, kFloats, kAny) \
    X(TSQRT, "wr", kFirst, kFloats, kFloats, kSame) \
    X(TSTORE, "wr", kRead, kPlain, kEveryButInt4, kAny) \
    X(TSTORE_FP, "wr", kFirst, kFp16Bf16Int8Uint8Int16, kFp32Fp16Bf16Int8Uint8E4m3Hif8, kAny) \
    X(TSUB, "wr", kFirst, kArithmetic, kPlain, kSame) \
    X(TSUBC, "wr", kFirst, kNowhere, kNowhere, kAny) \
    X(TSUBRELU, "wr", kFirst, kFloats, kFloats, kSame) \
    X(TSUBRELUCONV, "wr", kFirst, kFp16Int8, kFp16Int8, kAny) \
    X(TSUBS, "wr", kFirst, kArithmetic, kPlain, kSame) \
    X(TSUBSC, "wr", kFirst, kNowhere, kNowhere, kAny) \
    X(TTOPK, "wrt", kRead, kNowhere, kNowhere, kAny) \
    X(TTRANS, "wrt", kFirst, kUpTo4Bytes, kUpTo4Bytes, kAny) \
    X(TTRI, "w", kFirst, kFp32Fp16Int16Uint16Int32Uint32, kPlain, kAny) \
    X(TXOR, "wrrt", kFirst, kInt8To32, kInt8To32, kSame) \
    X(TXORS, "wrt", kFirst, kInt8To32, kUpTo4Bytes, kSame)
