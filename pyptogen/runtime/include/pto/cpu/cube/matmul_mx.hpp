// TMATMUL_MX, TGEMV_MX and TGET_SCALE_ADDR: products of fp8 or fp4 operands with one e8m0 scale for 32 elements of K.
//
// Elements times scale are exact in bf16, so both operands are widened to bf16 fragments, a block of K at a time, and
// multiplied as those are: fp32 sums along K in ascending order. A scaled element of 2^128 or more is infinite; on the
// matrix unit, and by dot products, one below 2^-126 counts as zero. A NaN scale makes its group NaN.
#pragma once

#include <pto/common/small_floats.hpp>
#include <pto/cpu/cube/matmul_forms.hpp>
#include <pto/cpu/isa/operands.hpp>
#include <pto/cpu/isa/products.hpp>
#include <pto/cpu/lanes/decode_lanes.hpp>
#include <pto/cpu/moves/move_region.hpp>

namespace pto {

namespace cpu {

constexpr int kMxGroup = 32;                 // elements of K under one scale: one step of bf16
constexpr int kMxSteps = 4;                  // groups at a time
constexpr int kMxRows = 128;                 // rows for which a widened panel of B is used
constexpr int64_t kMxPanel = kMxSteps * kPanelStep;

/// 2^(code - 127) of the scale of a row (or column) and group.
template <typename Scale>
PTO_INLINE float scale_at(Scale& scales, int64_t row, int64_t col)
{
    return static_cast<float>(static_cast<double>(
        ScaleFloat::FromRaw(reinterpret_cast<const uint8_t*>(scales.data())[element_offset<Scale>(row, col)])));
}

/// Code i of an operand, counted in elements.
template <typename T>
PTO_INLINE uint8_t code_at(const char* base, int64_t i)
{
    return load_element(reinterpret_cast<const T*>(base), i).RawData();
}

/// Rows [row, row + rows) and `steps` groups from `group` on of a Left tile, times their scales, as bf16 fragments. What is
/// beyond `k` elements becomes zero.
template <typename Left, typename Scale>
inline void widen_mx_left(char* to, Left& a, Scale& scales, int row, int rows, int group, int steps, int k)
{
    using T = typename Left::DType;
    const char* base = reinterpret_cast<const char*>(a.data());
    for (int r = 0; r < rows; ++r) {
        for (int step = 0; step < steps; ++step) {
            const int first = (group + step) * kMxGroup;
            uint8_t codes[kMxGroup] = {};
            const int count = k - first < kMxGroup ? k - first : kMxGroup;
            const int64_t at = element_offset<Left>(row + r, first);
            if constexpr (is_packed4_v<T>) {
                for (int i = 0; i < count; ++i) {
                    codes[i] = code_at<T>(base, at + i);
                }
            } else {
                __builtin_memcpy(codes, base + at, static_cast<size_t>(count));
            }
            const f32v scale = splat(scale_at(scales, row + r, group + step));
            bfloat16_t* line = reinterpret_cast<bfloat16_t*>(to + left_row_offset(r, kMxPanel) + step * kPanelStep);
            PTO_CPU_UNROLL
            for (int i = 0; i < kMxGroup; i += kF32Lanes) {
                store(line + i, decode_lanes<T>((u32v)load_int(codes + i, Full{})) * scale, Full{});
            }
        }
    }
}

/// Columns [32 panel, 32 panel + 32) and `steps` groups from `group` on of a Right tile of n valid columns, times their
/// scales, as bf16 fragments. What is beyond `k` elements becomes zero.
template <typename Right, typename Scale>
inline void widen_mx_right(char* to, Right& b, Scale& scales, int panel, int n, int group, int steps, int k)
{
    using T = typename Right::DType;
    (void)b.data();
    for (int step = 0; step < steps; ++step) {
        float scale[32] = {};
        for (int column = 0; column < 32 && panel * 32 + column < n; ++column) {
            scale[column] = scale_at(scales, group + step, panel * 32 + column);
        }
        for (int pair = 0; pair < kMxGroup; pair += 2) {
            const int at = (group + step) * kMxGroup + pair;
            uint8_t codes[2][32] = {};
            for (int i = 0; i < 2 && at + i < k; ++i) {
                for (int column = 0; column < 32; ++column) {
                    codes[i][column] =
                        code_at<T>(b.operand, right_offset<T>(at + i, panel * 32 + column, b.operandPanelBytes));
                }
            }
            char* row = to + step * kPanelStep + pair / 2 * 64;
            PTO_CPU_UNROLL
            for (int column = 0; column < 32; column += kF32Lanes) {
                const f32v factor = load_bits<f32v>(scale + column);
                const u32v low = (u32v)(decode_lanes<T>((u32v)load_int(codes[0] + column, Full{})) * factor);
                const u32v high = (u32v)(decode_lanes<T>((u32v)load_int(codes[1] + column, Full{})) * factor);
                store_bits(row + column / 16 * kFragment + column % 16 * 4, (low >> 16) | (high & 0xffff0000U));
            }
        }
    }
}

/// C = A B or C += A B of operands that were widened to T.
template <typename T>
PTO_INLINE void multiply_wide_factors(const TilePlan& p)
{
    if constexpr (kHasMatrixUnit) {
        if (amx_permitted()) {
            multiply_tiles<T, false>(p);
            return;
        }
    }
    if constexpr (!kHasMatrixUnit && HasDots<T>) {
        multiply_dots<T>(p);
    } else {
        multiply_widened_small<T, float>(
            p.c, p.c_panel, p.a, p.a_panel, p.b, p.b_panel, p.m, p.n_panels, p.k_steps, p.accumulate);
    }
}

/// C += A B of one block of bf16 fragments.
#if defined(PTO_CPU_BODIES_APART)
PTO_CPU_SHARED void multiply_mx_block(
    char* c, int64_t c_panel, const char* a, const char* b, int rows, int steps, bool accumulate);
#else
PTO_CPU_SHARED void multiply_mx_block(
    char* c, int64_t c_panel, const char* a, const char* b, int rows, int steps, bool accumulate)
{
    multiply_wide_factors<bfloat16_t>({c, c_panel, a, kMxPanel, b, kMxPanel, rows, 1, steps, accumulate});
}
#endif

template <typename Acc, typename Left, typename LeftScale, typename Right, typename RightScale>
constexpr bool are_mx_factors()
{
    using A = typename Left::DType;
    using B = typename Right::DType;
    static_assert(
        Acc::Loc == TileType::Acc && Left::Loc == TileType::Left && Right::Loc == TileType::Right &&
            LeftScale::Loc == TileType::ScaleLeft && RightScale::Loc == TileType::ScaleRight,
        "TMATMUL_MX takes an Acc, a Left, a ScaleLeft, a Right and a ScaleRight tile");
    constexpr bool kTaken = isa::multiplies_scaled<A, B>;
    static_assert(kTaken, "TMATMUL_MX multiplies fp8 (e4m3, e5m2) or fp4 (e2m1, e1m2)");
    static_assert(is_same<typename Acc::DType, float>, "TMATMUL_MX accumulates in fp32");
    static_assert(Left::Cols % 64 == 0, "TMATMUL_MX needs a K (columns of the left tile) that is a multiple of 64");
    static_assert(
        sizeof(typename LeftScale::DType) == 1 && sizeof(typename RightScale::DType) == 1,
        "TMATMUL_MX: the scales must be e8m0 bytes");
    return kTaken && is_same<typename Acc::DType, float>;
}

template <typename Acc, typename Left, typename LeftScale, typename Right, typename RightScale>
inline void multiply_mx_factors(Acc& c, Left& a, LeftScale& a_scale, Right& b, RightScale& b_scale, bool accumulate)
{
    const int m = static_cast<int>(a.GetValidRow());
    const int k = static_cast<int>(a.GetValidCol()), n = static_cast<int>(b.GetValidCol());
    const int groups = (k + kMxGroup - 1) / kMxGroup;
    alignas(64) char wide_a[kMxRows / 32 * kMxPanel];
    alignas(64) char wide_b[kMxPanel];
    for (int row = 0; row < m; row += kMxRows) {
        const int rows = m - row < kMxRows ? m - row : kMxRows;
        for (int group = 0; group < groups; group += kMxSteps) {
            const int steps = groups - group < kMxSteps ? groups - group : kMxSteps;
            widen_mx_left(wide_a, a, a_scale, row, rows, group, steps, k);
            for (int panel = 0; panel * 32 < n; ++panel) {
                widen_mx_right(wide_b, b, b_scale, panel, n, group, steps, k);
                char* to = reinterpret_cast<char*>(c.data()) + (row >> 5) * acc_panel_bytes<Acc> + panel * kAccBlock;
                multiply_mx_block(to, acc_panel_bytes<Acc>, wide_a, wide_b, rows, steps, accumulate || group > 0);
            }
        }
    }
}

/// c = a b, or c += a b, scaled.
template <typename Acc, typename Left, typename LeftScale, typename Right, typename RightScale>
PTO_INLINE void multiply_mx(Acc& c, Left& a, LeftScale& a_scale, Right& b, RightScale& b_scale, bool accumulate)
{
    if constexpr (are_mx_factors<Acc, Left, LeftScale, Right, RightScale>()) {
        multiply_mx_factors(c, a, a_scale, b, b_scale, accumulate);
    }
}

template <typename Tile, TileType Loc>
constexpr bool lies_in()
{
    if constexpr (is_tile_data_v<Tile>) {
        return Tile::Loc == Loc;
    } else {
        return false;
    }
}

}  // namespace cpu

// The three forms of TMATMUL_MX and TGEMV_MX, of which the second adds to an accumulator and the third a bias row.
#define PTO_CPU_MX_FORMS(NAME) \
    template < \
        typename TileRes, typename TileLeft, typename TileLeftScale, typename TileRight, typename TileRightScale, \
        typename... Events> \
        requires(cpu::lies_in<TileLeft, TileType::Left>() && cpu::are_waits<Events...>) \
    PTO_INST RecordEvent NAME( \
        TileRes& cMatrix, TileLeft& aMatrix, TileLeftScale& aScaleMatrix, TileRight& bMatrix, \
        TileRightScale& bScaleMatrix, const Events&... events) \
    { \
        TSYNC(events...); \
        cpu::multiply_mx(cMatrix, aMatrix, aScaleMatrix, bMatrix, bScaleMatrix, false); \
        return {}; \
    } \
    template < \
        typename TileRes, typename TileLeft, typename TileLeftScale, typename TileRight, typename TileRightScale, \
        typename TileIn, typename... Events> \
        requires(cpu::lies_in<TileIn, TileType::Acc>() && cpu::are_waits<Events...>) \
    PTO_INST RecordEvent NAME( \
        TileRes& cOutMatrix, TileIn& cInMatrix, TileLeft& aMatrix, TileLeftScale& aScaleMatrix, TileRight& bMatrix, \
        TileRightScale& bScaleMatrix, const Events&... events) \
    { \
        TSYNC(events...); \
        cpu::copy_accumulator(cOutMatrix, cInMatrix, aMatrix.GetValidRow()); \
        cpu::multiply_mx(cOutMatrix, aMatrix, aScaleMatrix, bMatrix, bScaleMatrix, true); \
        return {}; \
    } \
    template < \
        typename TileRes, typename TileLeft, typename TileLeftScale, typename TileRight, typename TileRightScale, \
        typename TileBias, typename... Events> \
        requires(cpu::lies_in<TileBias, TileType::Bias>() && cpu::are_waits<Events...>) \
    PTO_INST RecordEvent NAME( \
        TileRes& cMatrix, TileLeft& aMatrix, TileLeftScale& aScaleMatrix, TileRight& bMatrix, \
        TileRightScale& bScaleMatrix, TileBias& biasData, const Events&... events) \
    { \
        TSYNC(events...); \
        cpu::fill_with_bias(cMatrix, biasData, aMatrix.GetValidRow(), bMatrix.GetValidCol()); \
        cpu::multiply_mx(cMatrix, aMatrix, aScaleMatrix, bMatrix, bScaleMatrix, true); \
        return {}; \
    } \
    template <AccPhase Phase, typename... Given, typename... Operands> \
    PTO_INST RecordEvent NAME(Operands&... operands) \
    { \
        return NAME(operands...); \
    }

PTO_CPU_MX_FORMS(TMATMUL_MX)
PTO_CPU_MX_FORMS(TGEMV_MX)
#undef PTO_CPU_MX_FORMS

/// Where the scales of an operand lie, as an offset for TASSIGN of a scale tile: a sixteenth of the operand's own.
template <typename T>
inline uint64_t GetScaleAddr(T* operand)
{
    constexpr int kShift = 4;
    const auto offset = [&](TileType loc) {
        const char* pool = cpu::pool_address(loc, 0);
        return static_cast<uint64_t>(reinterpret_cast<const char*>(operand) - pool) / cpu::CorePools::spread(loc);
    };
    const uint64_t right = offset(TileType::Right);
    return (right < cpu::kCpu.right ? right : offset(TileType::Left)) >> kShift;
}

/// Puts a scale tile where the scales of an operand are; between other tiles dst becomes a view of src.
template <typename TileOut, typename TileIn, typename... Events>
PTO_INST RecordEvent TGET_SCALE_ADDR(TileOut& dst, TileIn& src, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TGET_SCALE_ADDR, dst, src);
    if constexpr (TileOut::Loc == TileType::ScaleLeft || TileOut::Loc == TileType::ScaleRight) {
        TASSIGN(dst, GetScaleAddr(src.data()));
    } else {
        dst.data() = reinterpret_cast<typename TileOut::DType*>(src.data());
    }
    return {};
}

}  // namespace pto
