// TRESHAPE and TSUBVIEW: other views of a tile's bytes.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/moves/move_region.hpp>

namespace pto {

namespace cpu {

/// Vec, Mat and the small memories hold their bytes in the API's own order; the matrix unit's operands do not.
template <typename Tile>
inline constexpr bool has_public_bytes =
    Tile::Loc != TileType::Left && Tile::Loc != TileType::Right && Tile::Loc != TileType::Acc;

/// Views the elements of a Left, Right or Acc tile in another shape: the elements move to where the new shape has them.
/// The old tile keeps its place but no longer has its values.
template <typename Dst, typename Src>
inline void relayout(Dst& dst, Src& src)
{
    using T = typename Src::DType;
    static_assert(is_same<T, typename Dst::DType>, "TRESHAPE of a Left, Right or Acc tile keeps the element type");
    dst.data() = reinterpret_cast<typename Dst::DType*>(src.data());
    bind_operand(dst);
    if constexpr (Dst::Rows != Src::Rows || Dst::Cols != Src::Cols) {
        T* copy = static_cast<T*>(aligned_alloc(64, round_up(Src::Numel * sizeof(T), 64)));
        if (copy == nullptr) {
            abort();
        }
        for (int64_t r = 0; r < Src::Rows; ++r) {
            for (int64_t c = 0; c < Src::Cols; ++c) {
                copy[public_offset<Src>(r, c)] = *element_address(src, r, c);
            }
        }
        for (int64_t r = 0; r < Dst::Rows; ++r) {
            for (int64_t c = 0; c < Dst::Cols; ++c) {
                *element_address(dst, r, c) = copy[public_offset<Dst>(r, c)];
            }
        }
        free(copy);
        pad_operand(dst, Dst::Rows, Dst::Cols);
    }
}

}  // namespace cpu

/// Gives the bytes of src another shape or element type of the same size. No data moves in Vec and Mat memory.
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TRESHAPE(Dst& dst, Src& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TRESHAPE, dst, src);
    static_assert(
        sizeof(typename Dst::DType) * Dst::Numel == sizeof(typename Src::DType) * Src::Numel,
        "TRESHAPE needs tiles of the same number of bytes");
    if constexpr (cpu::has_public_bytes<Src>) {
        dst.data() = reinterpret_cast<typename Dst::DType*>(src.data());
    } else {
        cpu::relayout(dst, src);
    }
    return {};
}

/// Makes dst a view into src that starts at (rowIdx, colIdx) of src; no data moves. A tile of fractals starts at one,
/// one of four-bit elements at a whole byte. Elements of another type of the same size are those bytes.
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TSUBVIEW(Dst& dst, Src& src, uint16_t rowIdx, uint16_t colIdx, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TSUBVIEW, dst, src);
    static_assert(
        (Dst::isRowMajor ? Dst::Cols == Src::Cols : Dst::Rows == Src::Rows) ||
            (Dst::isRowMajor && Dst::ValidRow == 1) || (!Dst::isRowMajor && Dst::ValidCol == 1),
        "TSUBVIEW needs tiles of the same pitch");
    constexpr int64_t kPerUnit = is_packed4_v<typename Src::DType> ? 2 : 1;
    dst.data() =
        reinterpret_cast<typename Dst::DType*>(src.data() + cpu::public_offset<Src>(rowIdx, colIdx) / kPerUnit);
    return {};
}

}  // namespace pto
