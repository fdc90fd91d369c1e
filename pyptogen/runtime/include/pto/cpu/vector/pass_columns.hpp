// Column reductions of a TPASS: one running row for all rows of the walk, which stays in L1 while rows stream past.
//
//     TPASS(rows, cols, [&](auto at, auto &total_sum) {
//         total_sum.take(at, at.load(x_in));
//     }, ColSum(total));
//
// Rows are joined from the first to the last, as TCOLSUM, TCOLMAX and TCOLMIN do.
#pragma once

#include <pto/cpu/vector/vector_pass.hpp>

namespace pto {

namespace cpu {

/// Op over what a pass takes in each column, into a tile of one row. No rows leave the tile as it is.
template <typename Op, typename Tile>
struct ColumnResult {
    static_assert(
        is_plain_vec_tile<Tile>() && is_row_major<Tile>() && holds_floats<Tile>(),
        "TPASS: the result of columns must be a row-major Vec tile of fp32, half or bfloat16_t elements");
    Tile& tile;
    bool first_row;

    explicit ColumnResult(Tile& result) : tile(result), first_row(true) {}

    PTO_INLINE void begin(int64_t row) { first_row = row == 0; }
    template <typename At>
    PTO_INLINE void take(const At& at, f32v v)
    {
        int64_t count = kF32Lanes;
        if constexpr (!At::kFull) {
            count = at.extent.n;
        }
        if (checked::pass_accesses("a column result", tile, 0, at.columns.first(), count, true)) {
            float* place = lanes_address(tile, 0, at.columns);
            at.put(place, first_row ? v : Op::template apply<float>(cpu::load(place, at.extent), v));
        }
    }
    PTO_INLINE void end(int64_t) {}
};

}  // namespace cpu

/// The sum of what a pass takes in each column, into a row.
template <typename Tile>
struct ColSum : cpu::ColumnResult<cpu::Add, Tile> {
    explicit ColSum(Tile& result) : cpu::ColumnResult<cpu::Add, Tile>(result) {}
};
template <typename Tile>
struct ColMax : cpu::ColumnResult<cpu::Max, Tile> {
    explicit ColMax(Tile& result) : cpu::ColumnResult<cpu::Max, Tile>(result) {}
};
template <typename Tile>
struct ColMin : cpu::ColumnResult<cpu::Min, Tile> {
    explicit ColMin(Tile& result) : cpu::ColumnResult<cpu::Min, Tile>(result) {}
};

}  // namespace pto
