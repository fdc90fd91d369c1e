// Walking over the valid region of vector tiles.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/cpu/isa/operands.hpp>

namespace pto::cpu {

/// The valid region of a Vec tile as lines of contiguous elements: rows of a row-major tile, columns of a column-major.
template <typename T>
struct Lines {
    T* start;
    int64_t pitch;   // elements from one line to the next
};

template <typename Tile>
PTO_INLINE Lines<typename Tile::DType> lines_of(const Tile& tile)
{
    return {tile.data(), Tile::isRowMajor ? Tile::RowStride : Tile::ColStride};
}
template <typename Tile>
PTO_INLINE int64_t line_count(const Tile& tile)
{
    return Tile::isRowMajor ? tile.GetValidRow() : tile.GetValidCol();
}
template <typename Tile>
PTO_INLINE int64_t line_length(const Tile& tile)
{
    return Tile::isRowMajor ? tile.GetValidCol() : tile.GetValidRow();
}

/// dst = f(src...) for a line of half or bf16, two vectors of fp32 at a time.
template <typename F, typename T, typename... S>
PTO_INLINE void map_narrow_line(int64_t n, F f, T* dst, const S*... src)
{
    constexpr int kPair = 2 * kF32Lanes;
    const auto one_pair = [&](int64_t i) __attribute__((always_inline)) {
        store_pair(dst + i, f(load_first<S>(src + i)...), f(load_second<S>(src + i)...));
    };
    int64_t i = 0;
    for (; i + 2 * kPair <= n; i += 2 * kPair) {
        one_pair(i);
        one_pair(i + kPair);
    }
    for (; i + kPair <= n; i += kPair) {
        one_pair(i);
    }
    sweep<kF32Lanes, 1>(n - i, [&](int64_t k, auto extent) __attribute__((always_inline)) {
        store(dst + i + k, f(load(src + i + k, extent)...), extent);
    });
}

/// dst = f(src...) on m lines of n elements. Lines that access each other are walked as one.
template <int Unroll, typename F, typename D, typename... S>
PTO_INLINE void map_lines(int64_t m, int64_t n, F f, Lines<D> dst, Lines<S>... src)
{
    if (dst.pitch == n && ((src.pitch == n) && ...)) {
        n *= m;
        m = m > 0 ? 1 : 0;
    }
    for (; m > 0; --m) {
        if constexpr (kHasVectorUnit && is_half_width_float<D> && (is_same<D, S> && ...)) {
            map_narrow_line(n, f, dst.start, src.start...);
        } else {
            sweep<kLanes<D>, Unroll>(n, [&](int64_t i, auto extent) __attribute__((always_inline)) {
                store(dst.start + i, f(load(src.start + i, extent)...), extent);
            });
        }
        dst.start += dst.pitch;
        ((src.start += src.pitch), ...);
    }
}

/// dst = f(src...) over the valid region of dst.
template <int Unroll, typename F, typename Dst, typename... Src>
PTO_INLINE void map_tiles(F f, Dst& dst, Src&... src)
{
    map_lines<Unroll>(line_count(dst), line_length(dst), f, lines_of(dst), lines_of(src)...);
}

}  // namespace pto::cpu
