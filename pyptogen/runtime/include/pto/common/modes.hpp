// Enumerations of the PTO-ISA API that choose a variant of one instruction or family.
#pragma once

#include <cstdint>

namespace pto {


// Which elements of a group take part; the rightmost digit is the first element.
enum class MaskPattern : uint8_t { P0101 = 1, P1010 = 2, P0001 = 3, P0010 = 4, P0100 = 5, P1000 = 6, P1111 = 7 };

/// Of how many elements a pattern takes one.
template <MaskPattern Pattern>
constexpr int GetTimesByMask()
{
    constexpr bool kEverySecond = Pattern == MaskPattern::P0101 || Pattern == MaskPattern::P1010;
    return Pattern == MaskPattern::P1111 ? 1 : kEverySecond ? 2 : 4;
}

enum class PrintFormat : uint8_t { Width8_Precision4 = 0, Width8_Precision2 = 1, Width10_Precision6 = 2 };

enum class QuantType { MXFP8 = 0, MXFP4_E2M1 = 1, INT8_SYM = 2, INT8_ASYM = 3 };
enum class QuantScaleAlg { OCP = 0, NV = 1 };
enum class MxQuantAlg { OcpMxFp8E4M3 = 0, NvMxFp8E4M3 = 1, OcpMxFp4E2M1 = 2, NvMxFp4E2M1 = 3, Hif4 = 4 };
enum class VecStoreMode { ND = 0, NZ = 1 };

enum class SyncAllMode : uint8_t { Hard = 0, Soft = 1 };
enum class SyncCoreType : uint8_t { AIVOnly = 0, AICOnly = 1, Mix = 2 };

// int32 elements of the global workspace that a soft SYNCALL takes: one cache line.
constexpr int32_t SYNCALL_SOFT_WORKSPACE_INT32 = 16;

enum class TFillPadMode : uint8_t { Normal = 0, InPlace = 1, Expand = 2 };
enum class TInsertMode : uint8_t { SPLIT2 = 2, SPLIT4 = 3 };
enum class TCopyMode : uint8_t { SHALLOW_COPY = 0, DEEP_COPY = 1 };
enum class TileLayoutCustom : uint8_t { ND, DN, NZ, ZN, ZZ, NONE };
enum class SetFmatrixMode { FMATRIX_A_AUTO, FMATRIX_B_AUTO, FMATRIX_A_MANUAL, FMATRIX_B_MANUAL };

// The byte of an element that THISTOGRAM counts; 0 is the least significant.
enum class HistByte : uint8_t { BYTE_0 = 0, BYTE_1 = 1, BYTE_2 = 2, BYTE_3 = 3 };

enum class ScatterAxis : uint8_t { SCATTER_ROW = 0, SCATTER_COL = 1 };
enum class ScatterAtomicOp : uint8_t { None = 0, Add = 1, Max = 2, Min = 3 };
enum class ScatterOOB : uint8_t { Undefined = 0, Skip = 1, Clamp = 2, Wrap = 3 };
enum class ScatterConflict : uint8_t { Last = 0, Default = 1 };
enum class GatherAxis : uint8_t { GATHER_ROW = 0, GATHER_COL = 1 };
enum class GatherOOB : uint8_t { Undefined = 0, Clamp = 1, Wrap = 2, Zero = 3 };
enum class Coalesce : uint8_t { Row = 0, Elem = 1 };

constexpr int PTO_RANDOM_KEY_SIZE = 2;
constexpr int PTO_RANDOM_COUNTER_SIZE = 4;
using TRandomKey = uint32_t[PTO_RANDOM_KEY_SIZE];
using TRandomCounter = uint32_t[PTO_RANDOM_COUNTER_SIZE];

}  // namespace pto
