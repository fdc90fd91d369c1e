// Two tiles on the same bytes: one is written, the other is read.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kSide = 64;

template <TileType Loc, typename T, BLayout B, SLayout S>
using Square = Tile<Loc, T, kSide, kSide, B, kSide, kSide, S>;
template <typename T>
using Memory = GlobalTensor<T, Shape<1, 1, 1, kSide, kSide>, pto::Stride<1, 1, 1, kSide, 1>>;

template <typename Tile, typename T>
void write(Tile& tile, T* from, bool as_a_whole)
{
    if (as_a_whole) {
        Memory<T> memory(from);
        TLOAD(tile, memory);
        return;
    }
    for (int r = 0; r < kSide; ++r) {
        for (int c = 0; c < kSide; ++c) {
            tile.SetElement(r, c, from[r * kSide + c]);
        }
    }
}

template <typename Tile, typename T>
void read(T* to, Tile& tile, bool as_a_whole)
{
    if (as_a_whole) {
        Memory<T> memory(to);
        TSTORE(memory, tile);
        return;
    }
    for (int r = 0; r < kSide; ++r) {
        for (int c = 0; c < kSide; ++c) {
            to[r * kSide + c] = tile.GetElement(r, c);
        }
    }
}

/// Calls f with an empty tile in one of the six layouts.
template <TileType Loc, typename T, typename F>
void in_layout(int layout, F f)
{
    Square<Loc, T, BLayout::RowMajor, SLayout::NoneBox> rows;
    Square<Loc, T, BLayout::ColMajor, SLayout::NoneBox> columns;
    Square<Loc, T, BLayout::ColMajor, SLayout::RowMajor> nz;
    Square<Loc, T, BLayout::RowMajor, SLayout::ColMajor> zn;
    Square<Loc, T, BLayout::RowMajor, SLayout::RowMajor> zz;
    Square<Loc, T, BLayout::ColMajor, SLayout::ColMajor> nn;
    switch (layout) {
        case 0: return f(rows);
        case 1: return f(columns);
        case 2: return f(nz);
        case 3: return f(zn);
        case 4: return f(zz);
        default: return f(nn);
    }
}

template <TileType Loc, typename T>
void alias(T* out, T* in, int written, int seen, bool load, bool store, bool reshape)
{
    in_layout<Loc, T>(written, [&](auto& first) {
        TASSIGN(first, 0);
        write(first, in, load);
        in_layout<Loc, T>(seen, [&](auto& second) {
            TASSIGN(second, 0);
            using First = std::remove_reference_t<decltype(first)>;
            using Second = std::remove_reference_t<decltype(second)>;
            if constexpr (First::isBoxedLayout == Second::isBoxedLayout) {
                if (reshape) {
                    TASSIGN(second, 0x10000);
                    TRESHAPE(second, first);
                }
            }
            read(out, second, store);
        });
    });
}

enum Access { kLoad, kStore, kSet, kGet };

template <typename Tile, typename T>
void reach(Tile& tile, int access, T* data, int row, int col)
{
    GlobalTensor<T, Shape<1, 1, 1, Tile::Rows, Tile::Cols>, pto::Stride<1, 1, 1, Tile::Cols, 1>> memory(data);
    switch (access) {
        case kLoad: TLOAD(tile, memory); break;
        case kStore: TSTORE(memory, tile); break;
        case kSet: tile.SetElement(row, col, *data); break;
        default: *data = tile.GetElement(row, col);
    }
}

/// A tile at an address, or another shape of the one there, or a part of that from line `part` on.
template <typename T, BLayout B, SLayout S>
void through_view(int address, int reshape, int part, int access, T* data, int row, int col)
{
    constexpr bool kRows = B == BLayout::RowMajor;
    constexpr int kHalf = kSide / 2, kRowsOfPart = kRows ? kHalf : kSide, kColsOfPart = kRows ? kSide : kHalf;
    Square<TileType::Vec, T, B, S> whole;
    Tile<TileType::Vec, T, kHalf, 2 * kSide, B, kHalf, 2 * kSide, S> wide;
    if (reshape != 0) {
        TASSIGN(wide, address);
        TRESHAPE(whole, wide);
    } else {
        TASSIGN(whole, address);
    }
    if (part < 0) {
        reach(whole, access, data, row, col);
        return;
    }
    Tile<TileType::Vec, T, kRowsOfPart, kColsOfPart, B, kRowsOfPart, kColsOfPart, S> view;
    TSUBVIEW(view, whole, kRows ? part : 0, kRows ? 0 : part);
    reach(view, access, data, row, col);
}

}  // namespace

extern "C" void view(int layout, int address, int reshape, int part, int access, half* data, int row, int col)
{
    constexpr auto kRows = BLayout::RowMajor, kCols = BLayout::ColMajor;
    const auto at = [&](auto function) { function(address, reshape, part, access, data, row, col); };
    switch (layout) {
        case 0: return at(through_view<half, kRows, SLayout::NoneBox>);
        case 1: return at(through_view<half, kCols, SLayout::NoneBox>);
        case 2: return at(through_view<half, kCols, SLayout::RowMajor>);
        case 3: return at(through_view<half, kRows, SLayout::ColMajor>);
        case 4: return at(through_view<half, kRows, SLayout::RowMajor>);
        default: return at(through_view<half, kCols, SLayout::ColMajor>);
    }
}

#define ALIAS(NAME, LOC, T)                                                                                        \
    extern "C" void NAME(T* out, T* in, int written, int seen, int load, int store, int reshape)                  \
    {                                                                                                              \
        alias<LOC, T>(out, in, written, seen, load != 0, store != 0, reshape != 0);                                \
    }
ALIAS(alias_mat_2, TileType::Mat, half)
ALIAS(alias_vec_4, TileType::Vec, float)
ALIAS(alias_mat_1, TileType::Mat, int8_t)
