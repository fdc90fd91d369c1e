// How far apart the fractals of the matrix unit's operands lie on the device, by who puts them there and who takes
// them.
//
// Here Left, Right and Acc tiles lie in panels of this implementation's own, which know no such distance. A device's
// matrix unit goes by valid extents in whole fractals, what moves to L0A and L0B and out of L0C by the tile's type: its
// capacity, or its valid extent where it is compact. The same rules as Python's stand in
// pyptogen/lower/isa/fractals.py.
#pragma once

#include <pto/cpu/checked/calls.hpp>
#include <pto/cpu/checked/platform.hpp>
#include <pto/cpu/checked/report.hpp>

namespace pto::cpu::checked {

#if defined(PTO_CHECKED_A5)
constexpr bool kLeftByRows = true;  // columns of fractals of L0A are m apart
#else
constexpr bool kLeftByRows = false;  // rows of fractals of L0A are k apart
#endif
constexpr int64_t kFractal = 16;

template <typename Operand>
constexpr bool in_level0()
{
    if constexpr (is_tile_data_v<Operand>) {
        return Operand::Loc == TileType::Left || Operand::Loc == TileType::Right || Operand::Loc == TileType::Acc;
    } else {
        return false;
    }
}

constexpr int64_t in_fractals(int64_t extent, int64_t unit) { return (extent + unit - 1) / unit * unit; }

/// A tile of one call.
struct CubeTile {
    TileType loc = TileType::Vec;
    uintptr_t at = 0;
    int64_t rows = 0, cols = 0, valid_rows = 0, valid_cols = 0;
    int64_t bytes = 1;  // of an element
    bool compact = false, row_major = false, k_aligned = false, short_by_type = false;

    int64_t deep() const { return 32 / bytes; }
    int64_t rows_apart(bool packed) const { return packed ? in_fractals(valid_rows, kFractal) : rows; }
    int64_t cols_apart(bool packed, int64_t unit) const { return packed ? in_fractals(valid_cols, unit) : cols; }
};

/// The tiles of one call, in order.
struct CubeTiles {
    static constexpr int kMost = 6;
    CubeTile tiles[kMost];
    int count = 0;

    template <typename Operand>
    void take(const Operand& operand)
    {
        if constexpr (is_tile_data_v<Operand>) {
            if (count < kMost) {
                const int64_t rows = operand.GetValidRow(), cols = operand.GetValidCol();
                tiles[count++] = {
                    Operand::Loc,
                    reinterpret_cast<uintptr_t>(operand.data()),
                    Operand::Rows,
                    Operand::Cols,
                    rows,
                    cols,
                    static_cast<int64_t>(sizeof(typename Operand::DType)),
                    Operand::Compact == CompactMode::Normal,
                    Operand::isRowMajor,
                    operand.GetKAligned(),
                    Operand::ValidRow > 0 && Operand::ValidRow < Operand::Rows};
            }
        }
    }

    const CubeTile* find(TileType loc, int nth = 0) const
    {
        for (int i = 0; i < count; ++i) {
            if (tiles[i].loc == loc && nth-- == 0) {
                return &tiles[i];
            }
        }
        return nullptr;
    }
};

/// Distances of one core's operands in L0, by the address at which an operand begins.
class Fractals {
public:
    void left(const CubeTile& tile, int64_t apart, const char* name, const Place& place)
    {
        Lying* lying = find(tile);
        if (lying == nullptr && count_ < kMost) {
            lying = &lying_[count_++];
        }
        if (lying != nullptr) {
            *lying = {tile.loc, tile.at, apart, name, place};
        }
    }

    void taken(const CubeTile& tile, int64_t apart, const char* name, const Place& place)
    {
        const Lying* lying = find(tile);
        if (lying == nullptr || lying->apart == apart) {
            return;
        }
        report(
            place,
            "%s takes the fractals of this %s tile of %lld x %lld to be %lld elements apart; %s (%s:%d) left them %lld"
            " apart: a tile of which less is valid has to be compact (Tile%sCompact)",
            name, memory_name(tile.loc), static_cast<long long>(tile.rows), static_cast<long long>(tile.cols),
            static_cast<long long>(apart), lying->name, lying->place.file, lying->place.line,
            static_cast<long long>(lying->apart),
            tile.loc == TileType::Left    ? "Left"
            : tile.loc == TileType::Right ? "Right"
                                          : "Acc");
    }

    void forget() { count_ = 0; }

private:
    static constexpr int kMost = 64;
    struct Lying {
        TileType loc;
        uintptr_t at;
        int64_t apart;
        const char* name;
        Place place;
    };
    Lying lying_[kMost];
    int count_ = 0;

    Lying* find(const CubeTile& tile)
    {
        for (int i = 0; i < count_; ++i) {
            if (lying_[i].loc == tile.loc && lying_[i].at == tile.at) {
                return &lying_[i];
            }
        }
        return nullptr;
    }
};

PTO_CPU_OWN inline Fractals& fractals()
{
    static thread_local Fractals mine;
    return mine;
}

/// TMATMUL: takes both operands, and the sum that it adds to, and leaves a sum.
inline void check_product(const Place& place, const char* name, const CubeTiles& all)
{
    const CubeTile *left = all.find(TileType::Left), *right = all.find(TileType::Right), *sum = all.find(TileType::Acc);
    if (left == nullptr || right == nullptr || sum == nullptr) {
        return;
    }
    const bool aligned = left->bytes == 4 && (left->k_aligned || right->k_aligned);
    if (kLeftByRows ? left->valid_cols > left->deep() : left->valid_rows > kFractal) {
        const int64_t k = left->cols_apart(true, aligned ? kFractal : left->deep());
        fractals().taken(*left, kLeftByRows ? left->rows_apart(true) : k, name, place);
    }
    if (right->valid_rows > right->deep()) {
        fractals().taken(*right, right->cols_apart(true, kFractal), name, place);
    }
    const int64_t rows = left->rows_apart(true);
    const CubeTile* before = all.find(TileType::Acc, 1);
    before = before == nullptr && starts_with(name, "TMATMUL_ACC") ? sum : before;
    if (before != nullptr && right->valid_cols > kFractal) {
        fractals().taken(*before, rows, name, place);
    }
    fractals().left(*sum, rows, name, place);
}

/// TEXTRACT and TMOV to L0A and L0B. What is transposed on the way goes by fractals of 16 elements, bytes as if
/// compact.
inline void note_operand(const Place& place, const char* name, const CubeTile& tile, const CubeTile& from)
{
    const bool right = tile.loc == TileType::Right, transposed = from.row_major != right;
    const bool pairs = transposed && tile.bytes == 1 && (right || kLeftByRows || starts_with(name, "TMOV"));
    const bool packed = tile.compact || pairs, wide = transposed || (tile.k_aligned && tile.bytes == 4);
    const int64_t unit = right || (wide && tile.deep() < kFractal) ? kFractal : tile.deep();
    const bool by_rows = !right && kLeftByRows;
    fractals().left(tile, by_rows ? tile.rows_apart(packed) : tile.cols_apart(packed, unit), name, place);
}

/// What comes out of L0C. Moves of A2/A3 know no compact tiles; TMOV of A5 goes by what is valid, unless the type
/// itself says that less is.
inline void check_sum(const Place& place, const char* name, const CubeTile& tile)
{
    bool packed = tile.compact;
    if (!starts_with(name, "TSTORE") && !starts_with(name, "TPUSH")) {
        packed = kLeftByRows && (starts_with(name, "TMOV") ? !tile.short_by_type : tile.compact);
    }
    if (tile.valid_cols > kFractal) {
        fractals().taken(tile, tile.rows_apart(packed), name, place);
    }
}

/// Whether fractals lie where an instruction takes them to be.
template <typename... A>
inline void check_fractals(const Place& place, const char* name, const A&... operands)
{
    if constexpr (kDevice && (false || ... || in_level0<bare_t<A>>())) {
        CubeTiles all;
        (all.take(operands), ...);
        const CubeTile& first = all.tiles[0];
        const CubeTile& source = all.count > 1 && !starts_with(name, "TSTORE") ? all.tiles[1] : first;
        if (starts_with(name, "TMATMUL")) {
            check_product(place, name, all);
        } else if (starts_with(name, "TGEMV")) {
            fractals().forget();
        } else if (source.loc == TileType::Acc) {
            check_sum(place, name, source);
        } else if (
            (first.loc == TileType::Left || first.loc == TileType::Right) && source.loc == TileType::Mat &&
            source.rows > 1) {
            note_operand(place, name, first, source);
        }
    }
}

}  // namespace pto::cpu::checked
