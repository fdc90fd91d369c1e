// Row reductions of a TPASS: what it takes in a row becomes one value of a column of statistics.
#pragma once

#include <pto/cpu/vector/vector_pass.hpp>

namespace pto {

namespace cpu {

/// What every operand of a pass has: begin and end of a row.
template <typename Tile>
struct RowResult {
    static_assert(
        is_plain_vec_tile<Tile>() && holds_floats<Tile>(),
        "TPASS: the result of rows must be a plain Vec tile of fp32, half or bfloat16_t elements");
    Tile& tile;
    f32v partial[4];

    PTO_INLINE void end(int64_t row, float value)
    {
        if (checked::pass_accesses("a result", tile, row, 0, 1, true)) {
            tile.data()[row * Tile::RowStride] = value;
        }
    }
};

}  // namespace cpu

/// The sum of what a pass takes in a row, into a column of statistics.
template <typename Tile>
struct RowSum : cpu::RowResult<Tile> {
    explicit RowSum(Tile& result) : cpu::RowResult<Tile>{result, {}} {}

    PTO_INLINE void begin(int64_t)
    {
        PTO_CPU_UNROLL
        for (int i = 0; i < 4; ++i) {
            this->partial[i] = cpu::f32v{};
        }
    }
    template <typename At>
    PTO_INLINE void take(const At& at, cpu::f32v v)
    {
        this->partial[At::kSlot] = this->partial[At::kSlot] + cpu::only(at.extent, v, 0.0f);
    }
    PTO_INLINE void end(int64_t row)
    {
        auto& p = this->partial;
        cpu::RowResult<Tile>::end(row, cpu::reduce_lanes<cpu::Add, float>((p[0] + p[1]) + (p[2] + p[3])));
    }
};

namespace cpu {

/// The largest or smallest value that a pass takes in a row. NaN is looked for beside the comparison, in two vectors of
/// a group at a time.
template <typename Op, typename Tile>
struct RowExtreme : RowResult<Tile> {
    decltype(unordered_lanes(f32v{})) nan;
    f32v even;

    explicit RowExtreme(Tile& result) : RowResult<Tile>{result, {}}, nan{}, even{} {}

    PTO_INLINE void begin(int64_t)
    {
        PTO_CPU_UNROLL
        for (int i = 0; i < 4; ++i) {
            this->partial[i] = splat(Op::template neutral<float>());
        }
        nan = decltype(unordered_lanes(f32v{})){};
    }
    template <typename At>
    PTO_INLINE void take(const At& at, f32v v)
    {
        v = only(at.extent, v, Op::template neutral<float>());
        if constexpr (!At::kGrouped) {
            nan |= unordered_lanes(v);
        } else if constexpr (At::kSlot % 2 == 0) {
            even = v;
        } else {
            nan |= unordered_lanes(even, v);
        }
        this->partial[At::kSlot] = Op::ignoring_nan(this->partial[At::kSlot], v);
    }
    PTO_INLINE void end(int64_t row)
    {
        auto& p = this->partial;
        const f32v all = Op::ignoring_nan(Op::ignoring_nan(p[0], p[1]), Op::ignoring_nan(p[2], p[3]));
        const float extreme = reduce_lanes<Op, float>(all);
        RowResult<Tile>::end(row, any_lane(nan) ? __builtin_nanf("") : extreme);
    }
};

}  // namespace cpu

template <typename Tile>
struct RowMax : cpu::RowExtreme<cpu::Max, Tile> {
    explicit RowMax(Tile& result) : cpu::RowExtreme<cpu::Max, Tile>(result) {}
};
template <typename Tile>
struct RowMin : cpu::RowExtreme<cpu::Min, Tile> {
    explicit RowMin(Tile& result) : cpu::RowExtreme<cpu::Min, Tile>(result) {}
};

}  // namespace pto
