// Whether what an instruction moves lies inside of what it is moved from and to, and whether its operands agree.
#pragma once

#include <pto/cpu/checked/calls.hpp>
#include <pto/cpu/checked/names.hpp>
#include <pto/cpu/checked/platform.hpp>
#include <pto/cpu/checked/region.hpp>
#include <pto/cpu/checked/report.hpp>
#include <pto/cpu/lanes/operators.hpp>

namespace pto::cpu::checked {

struct Extent {
    int64_t rows = 0, cols = 0;
};

/// What a call's tiles cover and can hold, the first and the second of them, and its last two whole numbers.
struct MovedParts {
    int tiles = 0;
    Extent valid[2] = {}, capacity[2] = {};
    int numbers = 0;
    int64_t row = 0, col = 0;

    template <typename Operand>
    void take(const Operand& operand)
    {
        if constexpr (is_tile_data_v<Operand>) {
            if (tiles < 2) {
                valid[tiles] = {
                    static_cast<int64_t>(operand.GetValidRow()), static_cast<int64_t>(operand.GetValidCol())};
                capacity[tiles] = {Operand::Rows, Operand::Cols};
            }
            ++tiles;
        } else if constexpr (is_integer<Operand>) {
            row = col;
            col = static_cast<int64_t>(operand);
            ++numbers;
        }
    }
};

/// TEXTRACT takes its window from the second tile, TINSERT puts one into the first. False when it does not fit there.
template <typename... A>
inline bool window_fits(const Place& place, const char* name, bool extracts, const A&... operands)
{
    MovedParts parts;
    (parts.take(operands), ...);
    if (parts.tiles < 2 || parts.numbers < 2) {
        return true;
    }
    const Extent window = parts.valid[extracts ? 0 : 1], whole = parts.capacity[extracts ? 1 : 0];
    if (parts.row >= 0 && parts.col >= 0 && parts.row + window.rows <= whole.rows &&
        parts.col + window.cols <= whole.cols) {
        return true;
    }
    report(
        place, "%s: %lld x %lld elements from (%lld, %lld) on leave the tile of %lld x %lld", name,
        static_cast<long long>(window.rows), static_cast<long long>(window.cols), static_cast<long long>(parts.row),
        static_cast<long long>(parts.col), static_cast<long long>(whole.rows), static_cast<long long>(whole.cols));
    return false;
}

/// TTRANS puts the valid region of the second tile, transposed, into the first one. False when it does not fit there.
template <typename... A>
inline bool transposed_fits(const Place& place, const char* name, const A&... operands)
{
    MovedParts parts;
    (parts.take(operands), ...);
    const Extent transposed{parts.valid[1].cols, parts.valid[1].rows}, whole = parts.capacity[0];
    if (parts.tiles < 2 || (transposed.rows <= whole.rows && transposed.cols <= whole.cols)) {
        return true;
    }
    report(
        place, "%s: the valid region transposed, %lld x %lld, leaves the tile of %lld x %lld", name,
        static_cast<long long>(transposed.rows), static_cast<long long>(transposed.cols),
        static_cast<long long>(whole.rows), static_cast<long long>(whole.cols));
    return false;
}

/// What devices want of the valid regions of the operands that an instruction reads: kSame: each has that of the
/// result; kOneSame: one of them has; kSameRows, kSameCols: the first one has its rows, or its columns; kDepth: the
/// columns of the Left tile are as many as the rows of the Right tile.
enum EqualExtents { kAny, kSame, kOneSame, kSameRows, kSameCols, kDepth };

/// The valid regions of a call's tiles.
struct ReadExtents {
    static constexpr int kMost = 4;
    const char* effects;
    int operands;
    int index = 0, reads = 0;
    Extent result = {}, read[kMost] = {};
    Extent left = {}, right = {};

    template <typename Operand>
    void take(const Operand& operand)
    {
        if constexpr (is_tile_data_v<Operand>) {
            const auto rows = static_cast<int64_t>(operand.GetValidRow());
            const Extent valid{rows, static_cast<int64_t>(operand.GetValidCol())};
            const char effect = effect_of(effects, operands, index);
            left = Operand::Loc == TileType::Left ? valid : left;
            right = Operand::Loc == TileType::Right ? valid : right;
            if (index == 0) {
                result = valid;
            } else if (reads < kMost && effect == 'r') {
                read[reads++] = valid;
            }
            ++index;
        }
    }
};

template <typename... A>
inline void check_equal_extents(
    const Place& place, const char* name, EqualExtents wanted, const char* effects, int operands, const A&... all)
{
    ReadExtents found{effects, operands};
    (found.take(all), ...);
    if (wanted == kDepth && found.left.cols != found.right.rows) {
        report(
            place, "%s: the left operand is %lld x %lld and the right one %lld x %lld: their depths differ", name,
            static_cast<long long>(found.left.rows), static_cast<long long>(found.left.cols),
            static_cast<long long>(found.right.rows), static_cast<long long>(found.right.cols));
    }
    if (wanted == kAny || wanted == kDepth || found.reads == 0) {
        return;
    }
    const auto agrees = [&](const Extent& read) {
        const bool rows = wanted == kSameCols || read.rows == found.result.rows;
        return rows && (wanted == kSameRows || read.cols == found.result.cols);
    };
    const int asked = wanted == kSame || wanted == kOneSame ? found.reads : 1;
    int agreeing = 0, other = 0;
    for (int i = 0; i < asked; ++i) {
        agreeing += agrees(found.read[i]);
        other = agrees(found.read[i]) ? other : i;
    }
    if (agreeing < (wanted == kOneSame ? 1 : asked)) {
        constexpr const char* kWords[] = {"", "all the same", "one the same", "the same rows", "the same columns"};
        report(
            place, "%s: the valid region of an operand is %lld x %lld, that of the result %lld x %lld; %s wants %s",
            name, static_cast<long long>(found.read[other].rows), static_cast<long long>(found.read[other].cols),
            static_cast<long long>(found.result.rows), static_cast<long long>(found.result.cols), kPlatform.name,
            kWords[wanted]);
    }
}

/// Whether a GlobalTensor in rows has what a tile of rows x cols covers. Other layouts are not looked at.
template <typename Global>
inline bool tensor_holds(const Place& place, const char* name, const Global& tensor, int64_t rows, int64_t cols)
{
    if constexpr (Global::layout == Layout::ND) {
        const int64_t has_rows = tensor.GetShape(0) * tensor.GetShape(1) * tensor.GetShape(2) * tensor.GetShape(3);
        const int64_t has_cols = tensor.GetShape(4);
        if (rows > has_rows || (rows > 0 && cols > has_cols)) {
            report(
                place, "%s: the tile covers %lld x %lld elements of a GlobalTensor of %lld x %lld", name,
                static_cast<long long>(rows), static_cast<long long>(cols), static_cast<long long>(has_rows),
                static_cast<long long>(has_cols));
            return false;
        }
    }
    return true;
}

}  // namespace pto::cpu::checked
