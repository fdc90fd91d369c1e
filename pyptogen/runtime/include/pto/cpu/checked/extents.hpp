// Whether what an instruction moves lies inside of what it is moved from and to.
#pragma once

#include <pto/cpu/checked/names.hpp>
#include <pto/cpu/checked/region.hpp>
#include <pto/cpu/checked/report.hpp>
#include <pto/cpu/operators.hpp>

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
                valid[tiles] = {static_cast<int64_t>(operand.GetValidRow()), static_cast<int64_t>(operand.GetValidCol())};
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
    if (parts.row >= 0 && parts.col >= 0 && parts.row + window.rows <= whole.rows && parts.col + window.cols <= whole.cols) {
        return true;
    }
    report(place, "%s: %lld x %lld elements from (%lld, %lld) on leave the tile of %lld x %lld", name,
           static_cast<long long>(window.rows), static_cast<long long>(window.cols), static_cast<long long>(parts.row),
           static_cast<long long>(parts.col), static_cast<long long>(whole.rows), static_cast<long long>(whole.cols));
    return false;
}

/// Whether a GlobalTensor in rows has what a tile of rows x cols covers. Other layouts are not looked at.
template <typename Global>
inline bool tensor_holds(const Place& place, const char* name, const Global& tensor, int64_t rows, int64_t cols)
{
    if constexpr (Global::layout == Layout::ND) {
        const int64_t has_rows = tensor.GetShape(0) * tensor.GetShape(1) * tensor.GetShape(2) * tensor.GetShape(3);
        const int64_t has_cols = tensor.GetShape(4);
        if (rows > has_rows || (rows > 0 && cols > has_cols)) {
            report(place, "%s: the tile covers %lld x %lld elements of a GlobalTensor of %lld x %lld", name,
                   static_cast<long long>(rows), static_cast<long long>(cols), static_cast<long long>(has_rows),
                   static_cast<long long>(has_cols));
            return false;
        }
    }
    return true;
}

}  // namespace pto::cpu::checked
