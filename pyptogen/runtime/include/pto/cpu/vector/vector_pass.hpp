// TPASS: several vector instructions in one walk over the columns of a tile. An extension of the API for CPUs.
//
//     TPASS(rows, cols, [&](auto at, auto &m_max) {
//         const auto x = at.load(x_in);
//         at.store(x_tile, x);
//         m_max.take(at, x);
//     }, RowMax(m));
//
// What takes values of many steps is in pass_rows.hpp and pass_columns.hpp.
//
// The body is called for one vector of columns of one row after the other. Values are vectors of fp32, or of int32
// where they come from integers; narrow floats are widened by a load and rounded to nearest even by a store, and
// integers saturate, as TCVT does with CAST_RINT. Every value is the one that the instructions in the body would have
// left in a tile: sums are taken in the order of TROWSUM, and a quotient by a Divisor is the correctly rounded one.
#pragma once

#include <pto/cpu/lanes/invariant_divisor.hpp>
#include <pto/cpu/vector/pass_group.hpp>
#include <pto/cpu/vector/pass_lanes.hpp>
#include <pto/cpu/vector/pass_tiles.hpp>

namespace pto {

/// A left operand of the matrix unit that a pass fills. What is missing of a row's last step of K becomes zero.
template <typename Tile>
struct LeftRows {
    using T = typename Tile::DType;
    static constexpr int64_t kStep = cpu::kStepK<T>;
    char* row_at;
    int64_t cols;
    Tile& tile;
    cpu::f32v even;

    static_assert(Tile::Loc == TileType::Left, "TPASS: LeftRows needs a Left tile");
    explicit LeftRows(Tile& result) : row_at(nullptr), cols(result.GetValidCol()), tile(result), even{}
    {
        (void)tile.data();  // once: address() from here on
    }

    PTO_INLINE void begin(int64_t row)
    {
        cpu::checked::pass_accesses("LeftRows", tile, row, 0, cols, true);
        row_at = reinterpret_cast<char*>(tile.address()) + cpu::left_row_offset(row, cpu::left_panel_bytes<Tile>);
        if (cols % kStep != 0) {
            __builtin_memset(row_at + cols / kStep * cpu::kPanelStep, 0, 64);
        }
    }
    template <typename At, typename V>
    PTO_INLINE void take(const At& at, V v)
    {
        char* place = row_at + at.columns.template in_groups<kStep>(cpu::kPanelStep, sizeof(T));
        if constexpr (cpu::kHasMatrixUnit && cpu::is_same<T, bfloat16_t> && At::kGrouped) {
            if constexpr (At::kSlot % 2 == 0) {
                even = v;
            } else {  // one conversion for two vectors; denormals become the zeros that the unit takes them for
                cpu::store_two_flushed(reinterpret_cast<T*>(place - 32), even, v);
            }
        } else {
            at.put(reinterpret_cast<T*>(place), v);
        }
    }
    PTO_INLINE void end(int64_t) {}
};

/// A column of statistics by whose values a pass divides.
template <typename Tile>
struct Divisor {
    const Tile& tile;
    cpu::InvariantDivisor by;

    static_assert(cpu::is_plain_vec_tile<Tile>(), "TPASS: Divisor needs a plain Vec tile");
    explicit Divisor(const Tile& values) : tile(values), by(1.0f) {}
    PTO_INLINE void begin(int64_t row)
    {
        if (cpu::checked::pass_accesses("a divisor", tile, row, 0, 1, false)) {
            by = cpu::InvariantDivisor(static_cast<float>(tile.data()[row * Tile::RowStride]));
        }
    }
    PTO_INLINE void end(int64_t) {}
};
template <typename Tile>
PTO_INLINE cpu::f32v operator/(cpu::f32v v, const Divisor<Tile>& divisor)
{
    return divisor.by.quotient(v);
}

/// Calls body(at, operands...) for every vector of `cols` columns in `rows` rows, or for `Together` of them at a time,
/// 1 or 4 (as 1 on a machine with 16 registers).
template <int Together = 1, typename Body, typename... Operands>
__attribute__((flatten)) PTO_INLINE void TPASS(int64_t rows, int64_t cols, Body body, Operands... operands)
{
    using cpu::Full;
    using cpu::Part;
    constexpr int64_t kStep = cpu::kF32Lanes;
    if constexpr (cpu::kHolds) {
        cpu::settle_tiles_of(body, cpu::NotYet<Operands>{}...);
    }
    for (int64_t r = 0; r < rows; ++r) {
        (operands.begin(r), ...);
        int64_t i = 0;
        for (; i + 4 * kStep <= cols; i += 4 * kStep) {
            const cpu::PassGroup group{r, i};
            if constexpr (Together == 4 && cpu::kVectorBytes == 64) {
                cpu::call_with_group(body, group, cpu::OfGroup<Operands>{operands}...);
            } else {
                cpu::do_each_of([&](const auto& at) { body(at, operands...); }, group);
            }
        }
        for (; i + kStep <= cols; i += kStep) {
            body(cpu::PassLanes<0, Full>{r, {i}, {}}, operands...);
        }
        if (i < cols) {
            body(cpu::PassLanes<1, Part>{r, {i}, {static_cast<int>(cols - i)}}, operands...);
        }
        (operands.end(r), ...);
    }
}

}  // namespace pto
