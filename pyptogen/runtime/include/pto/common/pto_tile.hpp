// Tile: a two-dimensional block in one of a core's memories.
#pragma once

#include <pto/common/constants.hpp>
#include <pto/common/small_floats.hpp>
#include <pto/common/tile_memory.hpp>
#include <pto/cpu/checked/hooks.hpp>
#include <pto/cpu/core/core.hpp>
#include <pto/cpu/cube/held.hpp>

namespace pto {

/// A tile of Rows x Cols elements of which the upper left ValidRows x ValidCols are meaningful.
///
/// Vec tiles without fractals are plain memory (row-major with pitch Cols, or column-major with pitch Rows). The bytes
/// of Mat, Left, Right and Acc tiles are in this implementation's own order; use GetElement and SetElement there.
/// A valid extent of DYNAMIC is given to the constructor.
template <
    TileType Loc_, typename Element_, const int Rows_, const int Cols_, const BLayout BFractal_ = BLayout::RowMajor,
    const int RowValid_ = Rows_, const int ColValid_ = Cols_, const SLayout SFractal_ = SLayout::NoneBox,
    const int SFractalSize_ = TileConfig::fractalABSize, auto PadVal_ = PadValue::Null,
    const CompactMode Compact_ = CompactMode::Null>
struct Tile {
    using DType = Element_;
    using TileDType = DType*;

    static constexpr TileType Loc = Loc_;
    static constexpr int Rows = Rows_;
    static constexpr int Cols = Cols_;
    static constexpr int ValidRow = RowValid_;
    static constexpr int ValidCol = ColValid_;
    static constexpr int Numel = Rows * Cols;
    static constexpr BLayout BFractal = BFractal_;
    static constexpr SLayout SFractal = SFractal_;
    static constexpr int SFractalSize = SFractalSize_;
    static constexpr auto PadVal = PadVal_;
    static constexpr CompactMode Compact = Compact_;
    static constexpr bool isRowMajor = BFractal_ == BLayout::RowMajor;
    static constexpr bool isBoxedLayout = SFractal_ != SLayout::NoneBox;
    static constexpr bool isInnerRowMajor = SFractal_ == SLayout::RowMajor;
    static constexpr bool isInnerColMajor = SFractal_ == SLayout::ColMajor;
    static constexpr int RowStride = isRowMajor ? Cols : 1;
    static constexpr int ColStride = isRowMajor ? 1 : Rows;

    static constexpr int kFractalLine = TileConfig::alignedSize / static_cast<int>(sizeof(DType));
    static constexpr bool isAccBox = SFractalSize_ == TileConfig::fractalCSize;
    static constexpr int kFractalDepth =
        SFractalSize_ == TileConfig::fractalMxSize ? TileConfig::fixedMxColSize : kFractalLine;
    static constexpr int InnerRows = !isBoxedLayout ? 1 : (isAccBox || isInnerRowMajor) ? 16 : kFractalDepth;
    static constexpr int InnerCols = !isBoxedLayout ? 1 : (isAccBox || isInnerColMajor) ? 16 : kFractalDepth;
    static constexpr int InnerNumel = InnerRows * InnerCols;

    static_assert(Rows > 0 && Cols > 0 && ValidRow <= Rows && ValidCol <= Cols, "the valid extents must fit the tile");
    static_assert(
        isBoxedLayout || (isRowMajor ? Cols : Rows) * sizeof(DType) % TileConfig::alignedSize == 0,
        "the contiguous extent of a tile (Cols if row-major, Rows if column-major) must be a multiple of 32 bytes");
    static_assert(
        Loc == TileType::Vec || Rows == 1 || Rows % InnerRows == 0, "Rows must be a multiple of the fractal's rows");
    static_assert(Cols % InnerCols == 0, "Cols must be a multiple of the fractal's columns");

    PTO_INLINE Tile() = default;
    PTO_INLINE Tile(unsigned rows, unsigned cols)
        requires(ValidRow == DYNAMIC && ValidCol == DYNAMIC)
        : RowMaskInternal(rows), ColMaskInternal(cols)
    {
    }
    PTO_INLINE Tile(unsigned rows)
        requires(ValidRow == DYNAMIC && ValidCol != DYNAMIC)
        : RowMaskInternal(rows)
    {
    }
    PTO_INLINE Tile(unsigned cols)
        requires(ValidRow != DYNAMIC && ValidCol == DYNAMIC)
        : ColMaskInternal(cols)
    {
    }

    /// The tile's memory, with all that was put off done first.
    PTO_INLINE TileDType& data()
    {
        if constexpr (cpu::kTilesOwnMemory) {
            if (data_ == nullptr) {
                data_ = static_cast<TileDType>(own_.take(cpu::own_bytes<Rows, Cols, DType>()));
            }
        } else {
            cpu::settle<Loc>(data_, GetSizeInBytes());
        }
        return data_;
    }
    PTO_INLINE const TileDType& data() const
    {
        if constexpr (cpu::kTilesOwnMemory) {
            return const_cast<Tile*>(this)->data();
        } else {
            cpu::settle<Loc>(data_, GetSizeInBytes());
            return data_;
        }
    }
    /// Where that memory is, for those who do not look at it.
    PTO_INLINE TileDType& address()
    {
        if constexpr (cpu::kTilesOwnMemory) {
            return data();
        } else {
            return data_;
        }
    }

    PTO_INLINE static constexpr unsigned GetValidRow()
        requires(ValidRow != DYNAMIC)
    {
        return ValidRow;
    }
    PTO_INLINE unsigned GetValidRow() const
        requires(ValidRow == DYNAMIC)
    {
        return RowMaskInternal;
    }
    PTO_INLINE static constexpr unsigned GetValidCol()
        requires(ValidCol != DYNAMIC)
    {
        return ValidCol;
    }
    PTO_INLINE unsigned GetValidCol() const
        requires(ValidCol == DYNAMIC)
    {
        return ColMaskInternal;
    }

    PTO_INLINE void SetValidRow(unsigned rows)
    {
        static_assert(ValidRow == DYNAMIC, "only a DYNAMIC valid extent can be set");
        RowMaskInternal = rows;
    }
    PTO_INLINE void SetValidCol(unsigned cols)
    {
        static_assert(ValidCol == DYNAMIC, "only a DYNAMIC valid extent can be set");
        ColMaskInternal = cols;
    }
    PTO_INLINE void SetValidShape(unsigned rows, unsigned cols)
    {
        SetValidRow(rows);
        SetValidCol(cols);
    }

    /// Scalar access to a vector tile by element offset from its start.
    PTO_INLINE void SetValue(
        const uint32_t offset, const DType value, cpu::checked::Site site = {__builtin_FILE(), __builtin_LINE()})
    {
        static_assert(Loc == TileType::Vec, "GetValue and SetValue need a Vec tile");
        if (cpu::hooks::on_element(data_, offset, Numel, sizeof(DType), true, site)) {
            data_[offset] = value;
        }
    }
    PTO_INLINE DType
    GetValue(const uint32_t offset, cpu::checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        static_assert(Loc == TileType::Vec, "GetValue and SetValue need a Vec tile");
        const bool inside = cpu::hooks::on_element(data_, offset, Numel, sizeof(DType), false, site);
        return inside ? data_[offset] : DType{};
    }

    /// Scalar access by row and column, in any location (defined in cpu/layout/fragments.hpp).
    DType GetElement(int64_t row, int64_t col);
    void SetElement(int64_t row, int64_t col, const DType& value);

    /// Elements of DType that the tile's bytes are: of the four-bit types two elements share one.
    static constexpr size_t GetSizeInUnits() { return size_t(Numel) / (is_packed4_v<DType> ? 2 : 1); }
    static constexpr size_t GetSizeInBytes() { return GetSizeInUnits() * sizeof(DType); }

    unsigned RowMaskInternal = 0;
    unsigned ColMaskInternal = 0;

    /// A flag that kernels set where K is aligned for the device's matrix unit; nothing depends on it here.
    PTO_INLINE bool GetKAligned() const { return isKAligned_; }
    PTO_INLINE void SetKAligned(bool isKAligned) { isKAligned_ = isKAligned; }

    /// From here on the core's products of fp32 round their operands: CAST_ROUND to nearest with ties away from zero,
    /// CAST_RINT with ties to even; every other mode ends the process. A property of the core and its kernel, not of
    /// this tile; see cpu/cube/matmul_rounded.hpp.
    PTO_INLINE void SetMadTF32Mode(RoundMode tf32TransMode = RoundMode::CAST_ROUND)
    {
        constexpr uint64_t kMode = uint64_t(1) << MAD_MODE_BIT, kAway = uint64_t(1) << MAD_ROUND_MODE_BIT;
        uint64_t& ctrl = cpu::core_state().ctrl;
        if (tf32TransMode == RoundMode::CAST_ROUND) {
            ctrl |= kMode | kAway;
        } else if (tf32TransMode == RoundMode::CAST_RINT) {
            ctrl = (ctrl | kMode) & ~kAway;
        } else {
            __builtin_abort();
        }
    }
    /// Products of fp32 take their operands as they are again.
    PTO_INLINE void ResetMadMode() { cpu::core_state().ctrl &= ~(uint64_t(1) << MAD_MODE_BIT); }

    /// Right tiles: where the operand's fragments are and how far apart its 32-column panels are, in bytes. TASSIGN
    /// points this at the tile's own memory; TLOAD of a CPU_PACKED operand at global memory, without a copy.
    const char* operand = nullptr;
    int64_t operandPanelBytes = 0;

private:
    [[no_unique_address]] cpu::OwnMemory own_;
    TileDType data_ = nullptr;
    bool isKAligned_ = false;
};

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileLeft = Tile<
    TileType::Left, Element_, Rows_, Cols_, BLayout::ColMajor, RowValid_, ColValid_, SLayout::RowMajor,
    TileConfig::fractalABSize>;

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileRight = Tile<
    TileType::Right, Element_, Rows_, Cols_, BLayout::RowMajor, RowValid_, ColValid_, SLayout::ColMajor,
    TileConfig::fractalABSize>;

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileAcc = Tile<
    TileType::Acc, Element_, Rows_, Cols_, BLayout::ColMajor, RowValid_, ColValid_, SLayout::RowMajor,
    TileConfig::fractalCSize>;

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileLeftCompact = Tile<
    TileType::Left, Element_, Rows_, Cols_, BLayout::ColMajor, RowValid_, ColValid_, SLayout::RowMajor,
    TileConfig::fractalABSize, PadValue::Null, CompactMode::Normal>;

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileRightCompact = Tile<
    TileType::Right, Element_, Rows_, Cols_, BLayout::RowMajor, RowValid_, ColValid_, SLayout::ColMajor,
    TileConfig::fractalABSize, PadValue::Null, CompactMode::Normal>;

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileAccCompact = Tile<
    TileType::Acc, Element_, Rows_, Cols_, BLayout::ColMajor, RowValid_, ColValid_, SLayout::RowMajor,
    TileConfig::fractalCSize, PadValue::Null, CompactMode::Normal>;

/// Scales of the operands of TMATMUL_MX: one e8m0 value for 32 elements of K, in fractals of 16 x 2 (left) and 2 x 16
/// (right).
template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileLeftScale = Tile<
    TileType::ScaleLeft, Element_, Rows_, Cols_, BLayout::RowMajor, RowValid_, ColValid_, SLayout::RowMajor,
    TileConfig::fractalMxSize>;

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileRightScale = Tile<
    TileType::ScaleRight, Element_, Rows_, Cols_, BLayout::ColMajor, RowValid_, ColValid_, SLayout::ColMajor,
    TileConfig::fractalMxSize>;

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileLeftScaleCompact = Tile<
    TileType::ScaleLeft, Element_, Rows_, Cols_, BLayout::RowMajor, RowValid_, ColValid_, SLayout::RowMajor,
    TileConfig::fractalMxSize, PadValue::Null, CompactMode::Normal>;

template <typename Element_, const int Rows_, const int Cols_, const int RowValid_ = Rows_, const int ColValid_ = Cols_>
using TileRightScaleCompact = Tile<
    TileType::ScaleRight, Element_, Rows_, Cols_, BLayout::ColMajor, RowValid_, ColValid_, SLayout::ColMajor,
    TileConfig::fractalMxSize, PadValue::Null, CompactMode::Normal>;

template <typename T>
inline constexpr bool is_tile_data_v = false;
template <typename T>
inline constexpr bool is_tile_data_v<const T> = is_tile_data_v<T>;
template <
    TileType Loc_, typename Element_, const int Rows_, const int Cols_, const BLayout BFractal_, const int RowValid_,
    const int ColValid_, const SLayout SFractal_, const int SFractalSize_, auto PadVal_, const CompactMode Compact_>
inline constexpr bool is_tile_data_v<
    Tile<Loc_, Element_, Rows_, Cols_, BFractal_, RowValid_, ColValid_, SFractal_, SFractalSize_, PadVal_, Compact_>> =
    true;

}  // namespace pto
