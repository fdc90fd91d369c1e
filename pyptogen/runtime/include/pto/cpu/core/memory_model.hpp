// The on-chip memories of the calling thread, as hosts of the public CPU simulator look at them.
#pragma once

#include <pto/cpu/core/core.hpp>

namespace pto {

enum class NPUArch { A2A3, A5 };

/// Capacities are those of this implementation, whatever the architecture: PTO_CHECKED is what enforces a device's.
class NPUMemoryModel {
public:
    PTO_CPU_OWN static NPUMemoryModel& Instance()
    {
        static NPUMemoryModel model;
        return model;
    }
    static void SetDefaultArch(NPUArch) {}
    void Initialize(NPUArch) { Clear(); }
    void EnsureInitialized() {}

    /// Fills the calling thread's memories with zeros.
    void Clear() { __builtin_memset(cpu::pool_address(TileType::Vec, 0), 0, cpu::CorePools::kBytes); }

    char* GetUBBase() { return cpu::pool_address(TileType::Vec, 0); }
    char* GetL1Base() { return cpu::pool_address(TileType::Mat, 0); }
    char* GetL0ABase() { return cpu::pool_address(TileType::Left, 0); }
    char* GetL0BBase() { return cpu::pool_address(TileType::Right, 0); }
    char* GetL0CBase() { return cpu::pool_address(TileType::Acc, 0); }
};

inline void NPU_MEMORY_INIT(NPUArch arch) { NPUMemoryModel::Instance().Initialize(arch); }
inline void NPU_MEMORY_CLEAR() { NPUMemoryModel::Instance().Clear(); }

}  // namespace pto
