// The matrix unit (AMX): permission, configuration, release.
#pragma once

#include <pto/cpu/checked/hooks.hpp>
#include <pto/cpu/core/core.hpp>
#include <pto/cpu/lanes/simd.hpp>

#if defined(PTO_CPU_AMX)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace pto::cpu {

#if defined(PTO_CPU_AMX)

/// Asks the kernel for the use of AMX, once per library. False: refused, or no such unit.
PTO_CPU_OWN inline bool amx_permitted()
{
    static const bool permitted = [] {
        constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
        constexpr long kTileData = 18;               // XFEATURE_XTILE_DATA
        return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
    }();
    return permitted;
}

/// The operand of ldtilecfg. Tiles 0 to 3 accumulate and 4, 5 hold A: `rows` rows. Tiles 6, 7 hold B: 16 rows.
struct alignas(64) TileConfiguration {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t column_bytes[16] = {};
    uint8_t rows[16] = {};

    explicit TileConfiguration(int rows_of_a)
    {
        for (int tile = 0; tile < 8; ++tile) {
            column_bytes[tile] = 64;
            rows[tile] = static_cast<uint8_t>(tile < 6 ? rows_of_a : 16);
        }
    }
};

/// Between stores to `place` and tile instructions that read it. The intrinsics of g++ before 14 do not say what they read,
/// so that the compiler might move such stores behind them, or leave them out.
PTO_INLINE void finish_stores(const void* place) { __asm__ volatile("" : : "r"(place) : "memory"); }

/// Configures the calling thread's matrix unit for as long as the object lives, or, between enter_core() and
/// leave_core(), until another configuration is needed. Outside of those, other code of the thread may use the unit
/// between two instructions, so nothing is remembered and the unit is released at once.
class TileScope {
public:
    explicit TileScope(int rows) : core_(core_state())
    {
        if (!core_.inside_core || core_.tile_rows != rows) {
            const TileConfiguration configuration(rows);
            finish_stores(&configuration);
            _tile_loadconfig(&configuration);
            core_.tile_rows = rows;
        }
    }
    ~TileScope()
    {
        if (!core_.inside_core) {
            _tile_release();
            core_.tile_rows = 0;
        }
    }
    /// Alternates from one call to the next.
    bool turn() const { return core_.backwards = !core_.backwards; }

    TileScope(const TileScope&) = delete;
    TileScope& operator=(const TileScope&) = delete;

private:
    CoreState& core_;
};

/// Of a core that may have configured its unit.
PTO_INLINE void release_unit(const CoreState& core)
{
    if (core.tile_rows != 0) {
        _tile_release();
    }
}

#else

constexpr bool amx_permitted() { return false; }
PTO_INLINE void release_unit(const CoreState&) {}

#endif

}  // namespace pto::cpu

namespace pto::cpu_sim {

/// Call on a thread before it runs kernels; lets the matrix unit stay configured from one kernel to the next.
inline void enter_core()
{
    cpu::CoreState& core = cpu::core_state();
    core.inside_core = true;
    core.tile_rows = 0;
}

/// Call on the same thread when it stops running kernels, before any other code may use the matrix unit.
inline void leave_core()
{
    cpu::hooks::finish_kernel();
    cpu::CoreState& core = cpu::core_state();
    cpu::release_unit(core);
    core.tile_rows = 0;
    core.inside_core = false;
}

}  // namespace pto::cpu_sim
