// What a core of a device does to another core directly, and this implementation does not have: every name says so at
// compile time. Between a cube and a vector core there is TPipe (TPUSH, TPOP, TFREE), between all cores SYNCALL.
#pragma once

#include <pto/common/event.hpp>

namespace pto {

/// A neighbour in a grid of cores, and a whole row or column of them (A2/A3).
enum class GridDirection : uint8_t { SOURCE = 0, NORTH = 1, EAST = 2, WEST = 3, SOUTH = 4 };
enum class GridSpan : uint8_t { ROW = 0, COL = 1 };

namespace cpu {

/// False, but only once a template is used.
template <typename...>
inline constexpr bool not_here = false;

}  // namespace cpu

/// Pushing to, and popping from, a neighbour in a grid of cores
template <GridDirection Direction, int Dist = 1, typename Pipe, typename Tile, typename... Events>
PTO_INST RecordEvent TPUSH(Pipe&, Tile&, const Events&...)
{
    static_assert(
        cpu::not_here<Pipe>,
        "TPUSH<GridDirection>: grids of cores are not simulated; use a TPipe between a cube and a vector core");
    return {};
}
template <GridSpan Span, typename Pipe, typename Tile, typename... Events>
PTO_INST RecordEvent TPUSH(Pipe&, Tile&, const Events&...)
{
    static_assert(
        cpu::not_here<Pipe>,
        "TPUSH<GridSpan>: grids of cores are not simulated; use a TPipe between a cube and a vector core");
    return {};
}
template <GridDirection Direction, int Dist = 1, typename Pipe, typename Tile, typename... Events>
PTO_INST RecordEvent TPOP(Pipe&, Tile&, const Events&...)
{
    static_assert(
        cpu::not_here<Pipe>,
        "TPOP<GridDirection>: grids of cores are not simulated; use a TPipe between a cube and a vector core");
    return {};
}

}  // namespace pto

// Flags between cores: the intrinsics of A2/A3 (ffts) and of A5 and A6 (within a block).
#define PTO_NO_CROSS_CORE(NAME) \
    template <typename... A> \
    inline void NAME(A...) \
    { \
        static_assert( \
            pto::cpu::not_here<A...>, #NAME \
            ": flags between cores are not simulated; use a TPipe between cube and vector cores, " \
            "or SYNCALL between all cores"); \
    }
PTO_NO_CROSS_CORE(ffts_cross_core_sync)
PTO_NO_CROSS_CORE(wait_flag_dev)
PTO_NO_CROSS_CORE(set_intra_block)
PTO_NO_CROSS_CORE(wait_intra_block)
#undef PTO_NO_CROSS_CORE

/// Where the flags of a device are: nothing to know here.
inline void set_ffts_base_addr(uint64_t) {}
