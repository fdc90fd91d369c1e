// Enumerations, element types and qualifier macros of the PTO-ISA API.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pto/common/modes.hpp>

#define __global__
#define AICORE
#define __aicore__
#define __gm__
#define __out__
#define __in__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __tf__

// One CPU core plays both parts of a device core.
#ifndef __DAV_VEC__
#define __DAV_VEC__ 1
#endif
#ifndef __DAV_CUBE__
#define __DAV_CUBE__ 1
#endif

#define PTO_INLINE inline __attribute__((always_inline))
#define PTO_INST PTO_INLINE
#define PTO_INTERNAL PTO_INLINE

// A function with a body of its own in every kernel library: hidden, so that libraries built for different CPUs never
// share it.
#define PTO_CPU_OUT_OF_LINE __attribute__((noinline, visibility("hidden")))

// The same, and gcc makes no second body of it for arguments that are constant somewhere.
#if defined(__clang__)
#define PTO_CPU_ONE_BODY PTO_CPU_OUT_OF_LINE
#else
#define PTO_CPU_ONE_BODY __attribute__((noinline, noclone, visibility("hidden")))
#endif

// The same for what is no template. The body is compiled in every library, or, where the runtime compiles kernels, once
// for all of them (PTO_CPU_BODIES) and then only declared (PTO_CPU_BODIES_APART). Templates: see cpu/cube/bodies.hpp.
#if defined(PTO_CPU_BODIES_APART)
#define PTO_CPU_SHARED PTO_CPU_OUT_OF_LINE
#elif defined(PTO_CPU_BODIES)
#define PTO_CPU_SHARED inline __attribute__((used)) PTO_CPU_ONE_BODY
#else
#define PTO_CPU_SHARED inline PTO_CPU_ONE_BODY
#endif

namespace pto {

enum class TileType { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl };

enum class BLayout { RowMajor = 0, ColMajor = 1 };

enum class SLayout { NoneBox = 0, RowMajor = 1, ColMajor = 2 };

enum class Layout {
    ND,
    DN,
    NZ,
    SCALE,
    MX_A_ND,
    MX_A_DN,
    MX_A_ZZ,
    MX_B_ND,
    MX_B_DN,
    MX_B_NN,
    HIF4_A_ZZ,
    HIF4_B_NN,
    NC1HWC0,
    GNC1HWC0,
    NCHW,
    GNCHW,
    NHWC,
    NDC1HWC0,
    NCDHW,
    FRACTAL_Z,
    FRACTAL_Z_S16S8,
    FRACTAL_Z_3D,
    MAX,
    // This implementation's own form of a B operand, already in the order in which the matrix unit reads it: for a
    // [K, N] matrix of es-byte elements, 1 KB fragments in the order [N/32][K/(64/es)][2][16 rows][64 bytes]. Element
    // (k, n) is in fragment (n / 32, k / (64/es), n % 32 / 16), at row k % (64/es) / (4/es) and byte
    // (n % 16 * (4/es) + k % (4/es)) * es. K is padded with zeros to 64/es, N to 32.
    CPU_PACKED,
};

enum class RoundMode : uint8_t {
    CAST_NONE = 0,
    CAST_RINT = 1,   // to nearest, ties to even
    CAST_ROUND = 2,  // to nearest, ties away from zero
    CAST_FLOOR = 3,
    CAST_CEIL = 4,
    CAST_TRUNC = 5,
    CAST_ODD = 6,    // inexact results get an odd last bit
};

enum class SaturationMode : uint8_t { ON = 0, OFF = 1 };

enum class CmpMode : uint8_t { EQ = 0, NE = 1, LT = 2, LE = 3, GT = 4, GE = 5 };

enum class AccPhase : uint8_t { Unspecified = 0x0, Unknown = Unspecified, Partial = 0x2, Final = 0x3 };

enum class STPhase : uint8_t { Unspecified = 0x0, Partial = 0x2, Final = 0x3 };

enum class AccToVecMode : uint8_t { SingleModeVec0 = 0, SingleModeVec1 = 1, DualModeSplitM = 2, DualModeSplitN = 3 };

enum class ReluPreMode : uint8_t { NoRelu = 0, NormalRelu = 1 };

enum class AtomicType : uint8_t { AtomicNone = 0, AtomicAdd = 1 };

enum class CompactMode { Null, Normal, RowPlusOne, RowAlignedPadding };

// Values from CustomBase on carry the bit pattern of a custom pad element in their low 32 bits.
enum class PadValue : uint64_t { Null = 0, Zero = 1, Max = 2, Min = 3, CustomBase = 0x100000000ULL };

enum class DivAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class SqrtAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class RsqrtAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class RecipAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class ExpAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class LogAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class PowAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class FmodAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class FmodSAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class RemAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };
enum class RemSAlgorithm : uint8_t { DEFAULT, HIGH_PRECISION };

/// Key and 128-bit counter of TRANDOM, least significant word first.
using TRandomKey = uint32_t[2];
using TRandomCounter = uint32_t[4];

/// A brain float: the upper half of an IEEE single. Conversion from float rounds to nearest even and keeps NaN.
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    constexpr bfloat16_t(float value) : bits(round_bits(__builtin_bit_cast(uint32_t, value))) {}
    constexpr operator float() const { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }

private:
    static constexpr uint16_t round_bits(uint32_t u)
    {
        if ((u & 0x7fffffffU) > 0x7f800000U) {
            return static_cast<uint16_t>((u >> 16) | 0x40U);
        }
        return static_cast<uint16_t>((u + 0x7fffU + ((u >> 16) & 1U)) >> 16);
    }
};

namespace cpu {

template <typename T>
struct Bare {
    using type = T;
};
template <typename T>
struct Bare<const T> : Bare<T> {};
template <typename T>
struct Bare<T&> : Bare<T> {};
/// A type without const and reference.
template <typename T>
using bare_t = typename Bare<T>::type;

/// A type by a condition.
template <bool First, typename A, typename B>
struct Chosen {
    using type = A;
};
template <typename A, typename B>
struct Chosen<false, A, B> {
    using type = B;
};

}  // namespace cpu

}  // namespace pto

#if defined(__aarch64__) && !defined(__clang__) && __GNUC__ < 13
typedef __fp16 half;  // this g++ has no _Float16 for AArch64; __fp16 holds the same values and computes in float
#else
typedef _Float16 half;
#if defined(__x86_64__)
#define __fp16 half  // the device's compiler has both names; compilers for x86-64 have this one for storage, or not
#endif
#endif
typedef half float16_t;
typedef half aclFloat16;
typedef float float32_t;
using pto::bfloat16_t;
