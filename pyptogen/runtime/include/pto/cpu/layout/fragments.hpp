// The order of bytes inside Mat, Left, Right and Acc tiles.
//
// Left:  32-row panels of 1 KB fragments, [M/32][K/KS][2][16 rows][64 bytes], KS = 64 bytes of elements.
// Right: 32-column panels, [N/32][K/KS][2][16 rows][64 bytes]; a row holds 4 bytes (4/es elements) of K of 16 columns.
//        This is Layout::CPU_PACKED, so such an operand in global memory is used where it lies.
// Acc:   32 x 32 blocks of 4-byte elements, [M/32][N/32][2 row halves][2 column halves][16 rows][64 bytes].
// Mat, Vec and the small memories are as the API says: plain, or fractals of 32-byte lines (Nz, Zn, Zz, Nn), so that
// tiles of several shapes may lie on the same bytes.
// A K that is no multiple of KS is padded with zeros in Left and Right.
#pragma once

#include <pto/common/pto_tile.hpp>
#include <pto/common/small_floats.hpp>
#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

constexpr int kFragment = 1024;
constexpr int kPanelStep = 2 * kFragment;  // two fragments: one KS step of a 32-row or 32-column panel

template <typename T>
inline constexpr int kStepK = 64 / static_cast<int>(sizeof(T));
template <typename T>
inline constexpr int kGroupK = sizeof(T) >= 4 ? 1 : 4 / static_cast<int>(sizeof(T));

constexpr int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

template <typename T>
constexpr int64_t panel_bytes(int64_t k)
{
    return round_up(k, kStepK<T>) / kStepK<T> * kPanelStep;
}

/// Byte offset of row r of a Left tile whose panels are `panel` bytes apart; the next KS elements are kPanelStep on.
PTO_INLINE int64_t left_row_offset(int64_t r, int64_t panel)
{
    return (r >> 5) * panel + ((r >> 4) & 1) * kFragment + (r & 15) * 64;
}

template <typename Tile>
inline constexpr int64_t left_panel_bytes = panel_bytes<typename Tile::DType>(Tile::Cols);
template <typename Tile>
inline constexpr int64_t right_panel_bytes = panel_bytes<typename Tile::DType>(Tile::Rows);

/// Byte offset of element (k, n) of a Right operand whose panels are `panel` bytes apart.
template <typename T>
PTO_INLINE int64_t right_offset(int64_t k, int64_t n, int64_t panel)
{
    return (n >> 5) * panel + k / kStepK<T> * kPanelStep + ((n >> 4) & 1) * kFragment +
           k % kStepK<T> / kGroupK<T> * 64 + ((n & 15) * kGroupK<T> + k % kGroupK<T>)*static_cast<int64_t>(sizeof(T));
}

constexpr int kAccBlock = 4 * kFragment;
template <typename Tile>
inline constexpr int64_t acc_panel_bytes = round_up(Tile::Cols, 32) / 32 * kAccBlock;

/// Byte offset of the 16 elements (r, 16 * group ...) of an Acc tile.
template <typename Tile>
PTO_INLINE int64_t acc_offset(int64_t r, int64_t group)
{
    return (r >> 5) * acc_panel_bytes<Tile> + (group >> 1) * kAccBlock + ((r >> 4) & 1) * 2 * kFragment +
           (group & 1) * kFragment + (r & 15) * 64;
}

/// Offset in elements of (r, c) in a tile whose bytes are as the API says: plain, or fractals in one of the four ways.
template <typename Tile>
PTO_INLINE constexpr int64_t public_offset(int64_t r, int64_t c)
{
    if constexpr (!Tile::isBoxedLayout) {
        return r * Tile::RowStride + c * Tile::ColStride;
    } else {
        constexpr int64_t kRows = Tile::InnerRows, kCols = Tile::InnerCols;
        const int64_t inner = Tile::isInnerRowMajor ? r % kRows * kCols + c % kCols : c % kCols * kRows + r % kRows;
        const int64_t outer = Tile::isRowMajor ? r / kRows * (Tile::Cols * kRows) + c / kCols * Tile::InnerNumel
                                               : c / kCols * (Tile::Rows * kCols) + r / kRows * Tile::InnerNumel;
        return outer + inner;
    }
}

/// Offset in elements of (r, c) from a tile's data(); a Right tile's panels are `panel` bytes apart.
template <typename Tile>
PTO_INLINE int64_t element_offset(int64_t r, int64_t c, int64_t panel = 0)
{
    using T = typename Tile::DType;
    constexpr int64_t kSize = sizeof(T);
    if constexpr (Tile::Loc == TileType::Left) {
        return (left_row_offset(r, left_panel_bytes<Tile>) + c / kStepK<T> * kPanelStep) / kSize + c % kStepK<T>;
    } else if constexpr (Tile::Loc == TileType::Right) {
        return right_offset<T>(r, c, panel == 0 ? right_panel_bytes<Tile> : panel) / kSize;
    } else if constexpr (Tile::Loc == TileType::Acc) {
        return acc_offset<Tile>(r, c / 16) / kSize + c % 16;
    } else {
        return public_offset<Tile>(r, c);
    }
}

/// What element_offset counts from; for four-bit types it counts nibbles.
template <typename Tile>
PTO_INLINE typename Tile::DType* element_base(Tile& tile)
{
    if constexpr (Tile::Loc == TileType::Right) {
        (void)tile.data();
        return reinterpret_cast<typename Tile::DType*>(const_cast<char*>(tile.operand));
    } else {
        return tile.data();
    }
}
template <typename Tile>
PTO_INLINE int64_t element_place(Tile& tile, int64_t r, int64_t c)
{
    if constexpr (Tile::Loc == TileType::Right) {
        return element_offset<Tile>(r, c, tile.operandPanelBytes);
    } else {
        return element_offset<Tile>(r, c);
    }
}

/// Element address in any tile; slow, for scalar access and tests. Four-bit types have none: see element_place.
template <typename Tile>
inline typename Tile::DType* element_address(Tile& tile, int64_t r, int64_t c)
{
    using T = typename Tile::DType;
    if constexpr (Tile::Loc == TileType::Right) {
        (void)tile.data();
        char* base = const_cast<char*>(tile.operand);
        return reinterpret_cast<T*>(base) + element_offset<Tile>(r, c, tile.operandPanelBytes);
    } else {
        return tile.data() + element_offset<Tile>(r, c);
    }
}

/// Copies bytes; inline, because tile lines are short.
PTO_INLINE void copy_bytes(void* to, const void* from, int64_t bytes)
{
    uint8_t* d = static_cast<uint8_t*>(to);
    const uint8_t* s = static_cast<const uint8_t*>(from);
    sweep<kVectorBytes, 4>(bytes, [d, s](int64_t i, auto extent) __attribute__((always_inline)) {
        store(d + i, load(s + i, extent), extent);
    });
}

/// Rows of a Left tile from lines of `bytes` bytes, `stride` bytes apart: `Rows` of them, which lie in one fragment.
template <int Rows>
PTO_INLINE void fill_left_rows(char* to, const char* from, int64_t stride, int64_t bytes)
{
    int64_t at = 0;
    for (; at + 64 <= bytes; at += 64, to += kPanelStep) {
        PTO_CPU_UNROLL
        for (int r = 0; r < Rows; ++r) {
            __builtin_memcpy(to + r * 64, from + r * stride + at, 64);
        }
    }
    for (int r = 0; at < bytes && r < Rows; ++r) {
        char step[64] = {};
        __builtin_memcpy(step, from + r * stride + at, bytes - at);
        __builtin_memcpy(to + r * 64, step, 64);
    }
}

/// Puts `rows` rows of `cols` elements, `stride` elements apart, into a Left tile, each padded with zeros to whole
/// steps. Sixteen rows go together, so that whole fragments are written.
template <typename Tile, typename T>
PTO_INLINE void fill_left(Tile& dst, const T* from, int64_t stride, int64_t rows, int64_t cols)
{
    static_assert(is_same<typename Tile::DType, T>, "the Left tile needs the element type of its source");
    constexpr int64_t kSize = sizeof(T), kPanel = left_panel_bytes<Tile>;
    char* base = reinterpret_cast<char*>(dst.data());
    const char* lines = reinterpret_cast<const char*>(from);
    int64_t r = 0;
    for (; r + 16 <= rows; r += 16) {
        fill_left_rows<16>(base + left_row_offset(r, kPanel), lines + r * stride * kSize, stride * kSize, cols * kSize);
    }
    for (; r < rows; ++r) {
        fill_left_rows<1>(base + left_row_offset(r, kPanel), lines + r * stride * kSize, stride * kSize, cols * kSize);
    }
}

}  // namespace pto::cpu

namespace pto {

template <
    TileType Loc_, typename Element_, const int Rows_, const int Cols_, const BLayout BFractal_, const int RowValid_,
    const int ColValid_, const SLayout SFractal_, const int SFractalSize_, auto PadVal_, const CompactMode Compact_>
inline Element_ Tile<
    Loc_, Element_, Rows_, Cols_, BFractal_, RowValid_, ColValid_, SFractal_, SFractalSize_, PadVal_,
    Compact_>::GetElement(int64_t row, int64_t col)
{
    return load_element(cpu::element_base(*this), cpu::element_place(*this, row, col));
}

template <
    TileType Loc_, typename Element_, const int Rows_, const int Cols_, const BLayout BFractal_, const int RowValid_,
    const int ColValid_, const SLayout SFractal_, const int SFractalSize_, auto PadVal_, const CompactMode Compact_>
inline void Tile<
    Loc_, Element_, Rows_, Cols_, BFractal_, RowValid_, ColValid_, SFractal_, SFractalSize_, PadVal_,
    Compact_>::SetElement(int64_t row, int64_t col, const Element_& value)
{
    store_element(cpu::element_base(*this), cpu::element_place(*this, row, col), value);
}

}  // namespace pto
