// Matrix multiplication on AMX tiles: int8 to int32 and bf16 to fp32.
#pragma once

#include <pto/cpu/amx.hpp>
#include <pto/cpu/fragments.hpp>

#if defined(PTO_CPU_AMX)

namespace pto::cpu {

/// What a multiplication works on, in bytes and in steps of 64 bytes of K.
struct TilePlan {
    char* c;
    int64_t c_panel;   // from one 32-row panel of C to the next
    const char* a;
    int64_t a_panel;   // from one 32-row panel of A to the next
    const char* b;
    int64_t b_panel;   // from one 32-column panel of B to the next
    int m;             // rows
    int n_panels;      // 32-column panels
    int k_steps;
    bool accumulate;
};

// A macro, because gcc's tile intrinsics paste the tile numbers into the assembler text.
#define PTO_CPU_TILE_MULTIPLY(T, C, A, B) \
    if constexpr (sizeof(T) == 1) {       \
        _tile_dpbssd(C, A, B);            \
    } else {                              \
        _tile_dpbf16ps(C, A, B);          \
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

/// Which operand is used again soon: it is loaded to stay in L1, the other one streams past it (measured: 1.5 against 2.2
/// TFLOP/s where B passes by 32 rows of A once).
enum class Stays { kA, kB };

/// C[32, 32] += A[32, K] B[K, 32], two by two tiles. Meanwhile the block at `next_c` is made writable, and `Ahead` lines a
/// step from `ahead` on are prefetched.
template <typename T, int Ahead, Stays Kept = Stays::kB>
PTO_INLINE void multiply_2x2(
    char* c, const char* a, const char* b, int steps, bool accumulate, const char* next_c, const char* ahead)
{
    if (accumulate) {
        _tile_loadd(0, c, 64);
        _tile_loadd(1, c + kFragment, 64);
        _tile_loadd(2, c + 2 * kFragment, 64);
        _tile_loadd(3, c + 3 * kFragment, 64);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    for (int k = 0; k < steps; ++k) {
        if constexpr (Kept == Stays::kB) {
            _tile_stream_loadd(4, a, 64);
            _tile_loadd(6, b, 64);
            PTO_CPU_TILE_MULTIPLY(T, 0, 4, 6)
            _tile_loadd(7, b + kFragment, 64);
            PTO_CPU_TILE_MULTIPLY(T, 1, 4, 7)
            _tile_stream_loadd(5, a + kFragment, 64);
        } else {
            _tile_loadd(4, a, 64);
            _tile_stream_loadd(6, b, 64);
            PTO_CPU_TILE_MULTIPLY(T, 0, 4, 6)
            _tile_stream_loadd(7, b + kFragment, 64);
            PTO_CPU_TILE_MULTIPLY(T, 1, 4, 7)
            _tile_loadd(5, a + kFragment, 64);
        }
        __builtin_prefetch(next_c, 1, kIntoL1);
        __builtin_prefetch(next_c + 64, 1, kIntoL1);
        __builtin_prefetch(next_c + 128, 1, kIntoL1);
        __builtin_prefetch(next_c + 192, 1, kIntoL1);
        next_c += 256;
        prefetch_lines<Ahead, kIntoL2>(ahead);
        ahead += Ahead * 64;
        PTO_CPU_TILE_MULTIPLY(T, 2, 5, 6)
        PTO_CPU_TILE_MULTIPLY(T, 3, 5, 7)
        a += kPanelStep;
        b += kPanelStep;
    }
    _tile_stored(0, c, 64);
    _tile_stored(1, c + kFragment, 64);
    _tile_stored(2, c + 2 * kFragment, 64);
    _tile_stored(3, c + 3 * kFragment, 64);
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
/// same part of the next panel of B is prefetched, `Ahead` lines a step.
template <typename T, int Ahead, Stays Kept>
PTO_INLINE void multiply_wide(const TilePlan& p, int m_panels)
{
    constexpr int kMaxSteps = 16;
    const int blocks = m_panels == 1 ? 1 : (p.k_steps + kMaxSteps - 1) / kMaxSteps;
    const int per_block = (p.k_steps + blocks - 1) / blocks;
    for (int k = 0; k < p.k_steps; k += per_block) {
        const int steps = p.k_steps - k < per_block ? p.k_steps - k : per_block;
        for (int n = 0; n < p.n_panels; ++n) {
            const char* b = p.b + n * p.b_panel + static_cast<int64_t>(k) * kPanelStep;
            for (int m = 0; m < m_panels; ++m) {
                char* c = p.c + m * p.c_panel + n * kAccBlock;
                const char* a = p.a + m * p.a_panel + static_cast<int64_t>(k) * kPanelStep;
                const char* next_c = m + 1 < m_panels ? c + p.c_panel : p.c + (n + 1) * kAccBlock;
                const char* ahead = b + p.b_panel + static_cast<int64_t>(m) * steps * Ahead * 64;
                multiply_2x2<T, Ahead, Kept>(c, a, b, steps, p.accumulate || k > 0, next_c, ahead);
            }
        }
    }
}

/// At most 16 rows: the tiles are configured for just these. Otherwise full panels two by two, and a last panel of at
/// most 16 rows as one row of tiles (its surplus rows hold nothing that is read).
template <typename T, bool Streams>
PTO_CPU_OUT_OF_LINE void multiply_tiles(const TilePlan& p)
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
    if (!Streams && m_panels <= 2) {
        multiply_wide<T, 0, Stays::kA>(p, m_panels);
    } else if (!Streams || m_panels == 1) {  // one pass over B: the hardware prefetcher does better
        multiply_wide<T, 0, Stays::kB>(p, m_panels);
    } else if (m_panels < 4) {
        multiply_wide<T, kLines / 2, Stays::kB>(p, m_panels);
    } else {
        multiply_wide<T, kLines / 4, Stays::kB>(p, m_panels);
    }
    if (rest > 0 && rest <= 16) {
        multiply_narrow<T, Streams>(p, p.c + m_panels * p.c_panel, p.a + m_panels * p.a_panel);
    }
}

#undef PTO_CPU_TILE_MULTIPLY

}  // namespace pto::cpu

#endif
