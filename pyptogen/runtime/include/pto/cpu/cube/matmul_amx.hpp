// Matrix multiplication on AMX tiles: int8 to int32 and bf16 to fp32.
#pragma once

#include <pto/cpu/core/amx.hpp>
#include <pto/cpu/cube/held.hpp>
#include <pto/cpu/layout/fragments.hpp>
#include <pto/cpu/layout/slabs.hpp>

#if defined(PTO_CPU_AMX)

namespace pto::cpu {

// A macro, because gcc's tile intrinsics paste the tile numbers into the assembler text.
#define PTO_CPU_TILE_MULTIPLY(T, C, A, B) \
    if constexpr (sizeof(T) == 1) { \
        _tile_dpbssd(C, A, B); \
    } else { \
        _tile_dpbf16ps(C, A, B); \
    }

constexpr int kIntoL1 = 3;  // locality of __builtin_prefetch

/// Prefetches `Lines` cache lines from `from` on. The count is fixed: a loop here costs the tiles 10 %.
template <int Lines, int Where>
PTO_INLINE void prefetch_lines(const char* from)
{
    PTO_CPU_UNROLL
    for (int i = 0; i < Lines; ++i) {
        __builtin_prefetch(from + i * 64, 0, Where);
    }
}

// One accumulator between two blocks: the sums that are ready go to memory, those of the next block begin.
#define PTO_CPU_TILE_TURN(I) \
    if (ready != nullptr) { \
        _tile_stored(I, ready + (I) * kFragment, 64); \
    } \
    if (accumulate) { \
        _tile_loadd(I, c + (I) * kFragment, 64); \
    } else { \
        _tile_zero(I); \
    }

/// The first step of a block C[32, 32] = A[32, K] B[K, 32] or C += A B, two by two tiles. The block before, at `ready`
/// unless there is none, is stored tile by tile on the way: its last products are hardly done, and the first ones of
/// this block need not wait for all its tiles.
template <typename T>
PTO_INLINE void begin_block(char* ready, const char* c, const char* a, const char* b, bool accumulate)
{
    _tile_stream_loadd(4, a, 64);
    _tile_loadd(6, b, 64);
    _tile_loadd(7, b + kFragment, 64);
    PTO_CPU_TILE_TURN(0)
    PTO_CPU_TILE_MULTIPLY(T, 0, 4, 6)
    PTO_CPU_TILE_TURN(1)
    PTO_CPU_TILE_MULTIPLY(T, 1, 4, 7)
    _tile_stream_loadd(5, a + kFragment, 64);
    PTO_CPU_TILE_TURN(2)
    PTO_CPU_TILE_MULTIPLY(T, 2, 5, 6)
    PTO_CPU_TILE_TURN(3)
    PTO_CPU_TILE_MULTIPLY(T, 3, 5, 7)
}

#undef PTO_CPU_TILE_TURN

/// A further step of a block.
template <typename T>
PTO_INLINE void continue_block(const char* a, const char* b)
{
    _tile_stream_loadd(4, a, 64);
    _tile_loadd(6, b, 64);
    PTO_CPU_TILE_MULTIPLY(T, 0, 4, 6)
    _tile_loadd(7, b + kFragment, 64);
    PTO_CPU_TILE_MULTIPLY(T, 1, 4, 7)
    _tile_stream_loadd(5, a + kFragment, 64);
    PTO_CPU_TILE_MULTIPLY(T, 2, 5, 6)
    PTO_CPU_TILE_MULTIPLY(T, 3, 5, 7)
}

/// Makes the next 256 bytes of a block of C writable that will be stored soon, and prefetches `Ahead` lines of B.
template <int Ahead>
PTO_INLINE void look_ahead(const char*& next_c, const char*& ahead)
{
    __builtin_prefetch(next_c, 1, kIntoL1);
    __builtin_prefetch(next_c + 64, 1, kIntoL1);
    __builtin_prefetch(next_c + 128, 1, kIntoL1);
    __builtin_prefetch(next_c + 192, 1, kIntoL1);
    next_c += 256;
    prefetch_lines<Ahead, kIntoL2>(ahead);
    ahead += Ahead * 64;
}

/// C[<=16, 64] += A[<=16, K] B[K, 64]: one row of tiles over two panels of B, of which the second may be missing.
template <typename T, bool Two, bool Streams>
PTO_INLINE void multiply_1x4(char* c, const char* a, const char* b0, const char* b1, int steps, bool accumulate)
{
    char* c1 = c + kAccBlock;
    if (accumulate) {
        _tile_loadd(0, c, 64);
        _tile_loadd(1, c + kFragment, 64);
        if constexpr (Two) {
            _tile_loadd(2, c1, 64);
            _tile_loadd(3, c1 + kFragment, 64);
        }
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    for (int k = 0; k < steps; ++k) {
        _tile_loadd(4, a, 64);
        if constexpr (Streams) {
            constexpr int64_t kAhead = 4 * kPanelStep;
            prefetch_lines<kPanelStep / 64, kIntoL1>(b0 + kAhead);
            if constexpr (Two) {
                prefetch_lines<kPanelStep / 64, kIntoL1>(b1 + kAhead);
            }
        }
        _tile_loadd(6, b0, 64);
        PTO_CPU_TILE_MULTIPLY(T, 0, 4, 6)
        _tile_loadd(7, b0 + kFragment, 64);
        PTO_CPU_TILE_MULTIPLY(T, 1, 4, 7)
        if constexpr (Two) {
            _tile_loadd(6, b1, 64);
            PTO_CPU_TILE_MULTIPLY(T, 2, 4, 6)
            _tile_loadd(7, b1 + kFragment, 64);
            PTO_CPU_TILE_MULTIPLY(T, 3, 4, 7)
        }
        a += kPanelStep;
        b0 += kPanelStep;
        b1 += kPanelStep;
    }
    _tile_stored(0, c, 64);
    _tile_stored(1, c + kFragment, 64);
    if constexpr (Two) {
        _tile_stored(2, c1, 64);
        _tile_stored(3, c1 + kFragment, 64);
    }
}

/// All columns for one row of tiles (at most 16 rows of A).
template <typename T, bool Streams>
PTO_INLINE void multiply_narrow(const TilePlan& p, char* c, const char* a)
{
    int n = 0;
    for (; n + 2 <= p.n_panels; n += 2) {
        const char* b = p.b + n * p.b_panel;
        multiply_1x4<T, true, Streams>(c + n * kAccBlock, a, b, b + p.b_panel, p.k_steps, p.accumulate);
    }
    if (n < p.n_panels) {
        const char* b = p.b + n * p.b_panel;
        multiply_1x4<T, false, Streams>(c + n * kAccBlock, a, b, b, p.k_steps, p.accumulate);
    }
}

/// Panels of 32 rows; K in blocks such that a panel of B stays in L1 while the panels of A pass by. While they do, the
/// same part of the next panel of B is prefetched, `Ahead` lines a step. Every other panel of B meets the panels of A in
/// the opposite order, and every other multiplication of operands in L0 takes the panels of B from the last to the
/// first: what was used last is used first. Crossed: afterwards the halves of A's steps are exchanged, and multiplied with
/// the same B.
template <typename T, int Ahead, bool Crossed = false>
PTO_INLINE void multiply_wide(const TilePlan& p, int m_panels, bool backwards)
{
    constexpr int kMaxSteps = 16;
    const int blocks = m_panels == 1 ? 1 : (p.k_steps + kMaxSteps - 1) / kMaxSteps;
    const int per_block = (p.k_steps + blocks - 1) / blocks;
    const int64_t next_n = backwards ? -1 : 1;
    char* ready = nullptr;
    bool up = backwards;
    for (int k = 0; k < p.k_steps; k += per_block) {
        const int steps = p.k_steps - k < per_block ? p.k_steps - k : per_block;
        for (int n = 0; n < p.n_panels; ++n, up = !up) {
            const int64_t column = backwards ? p.n_panels - 1 - n : n;
            const char* panel = p.b + column * p.b_panel + static_cast<int64_t>(k) * kPanelStep;
            for (int m = 0; m < m_panels; ++m) {
                const int64_t row = up ? m_panels - 1 - m : m;
                char* c = p.c + row * p.c_panel + column * kAccBlock;
                const char* a = p.a + row * p.a_panel + static_cast<int64_t>(k) * kPanelStep;
                const char* b = panel;
                const char* next_c = m + 1 == m_panels ? c + next_n * kAccBlock : up ? c - p.c_panel : c + p.c_panel;
                const char* ahead = panel + next_n * p.b_panel + static_cast<int64_t>(m) * steps * Ahead * 64;
                begin_block<T>(ready, c, a, b, p.accumulate || k > 0);
                look_ahead<Ahead>(next_c, ahead);
                for (int i = 1; i < (Crossed ? 2 : 1) * steps; ++i) {
                    a += kPanelStep;
                    b += kPanelStep;
                    if (Crossed && i == steps) {
                        a -= steps / 2 * kPanelStep;
                        b -= steps * kPanelStep;
                    } else if (Crossed && i == steps + steps / 2) {
                        a -= steps * kPanelStep;
                    }
                    continue_block<T>(a, b);
                    look_ahead<Ahead>(next_c, ahead);
                }
                ready = c;
            }
        }
    }
    if (ready != nullptr) {
        _tile_stored(0, ready, 64);
        _tile_stored(1, ready + kFragment, 64);
        _tile_stored(2, ready + 2 * kFragment, 64);
        _tile_stored(3, ready + 3 * kFragment, 64);
    }
}

/// At most 16 rows: the tiles are configured for just these. Otherwise full panels two by two, and a last panel of at
/// most 16 rows as one row of tiles (its surplus rows hold nothing that is read).
template <typename T, bool Streams>
PTO_CPU_ONE_BODY void multiply_tiles(const TilePlan& p)
{
    if (p.m <= 16) {
        const TileScope scope(p.m);
        multiply_narrow<T, Streams>(p, p.c, p.a);
        return;
    }
    const TileScope scope(16);
    const int rest = p.m % 32;
    const int m_panels = p.m / 32 + (rest > 16 ? 1 : 0);
    constexpr int kLines = kPanelStep / 64;
    if (!Streams) {
        multiply_wide<T, 0>(p, m_panels, scope.turn());
    } else if (m_panels == 1) {  // one pass over B: the hardware prefetcher does better
        multiply_wide<T, 0>(p, m_panels, false);
    } else if (m_panels < 4) {
        multiply_wide<T, kLines / 2>(p, m_panels, false);
    } else {
        multiply_wide<T, kLines / 4>(p, m_panels, false);
    }
    if (rest > 0 && rest <= 16) {
        multiply_narrow<T, Streams>(p, p.c + m_panels * p.c_panel, p.a + m_panels * p.a_panel);
    }
}

#undef PTO_CPU_TILE_MULTIPLY

}  // namespace pto::cpu

#else

namespace pto::cpu {

template <typename T, bool Streams>
void multiply_tiles(const TilePlan& p);  // not called

}  // namespace pto::cpu

#endif
