// Memory that a tile owns: kernels compiled with __PTO_AUTO__ name no addresses, and each tile gets memory at its first use.
#pragma once

#include <pto/common/type.hpp>

namespace pto::cpu {

#if defined(__PTO_AUTO__)

inline constexpr bool kTilesOwnMemory = true;

/// Zeroed memory, 64-byte aligned, that is freed with its owner; a copy of the owner starts without any.
class OwnMemory {
public:
    OwnMemory() = default;
    OwnMemory(const OwnMemory&) {}
    OwnMemory& operator=(const OwnMemory&) { return *this; }
    ~OwnMemory() { __builtin_free(memory_); }

    void* take(size_t bytes)
    {
        memory_ = __builtin_calloc(bytes + 64, 1);
        if (memory_ == nullptr) {
            __builtin_abort();
        }
        return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory_) + 63) / 64 * 64);
    }

private:
    void* memory_ = nullptr;
};

#else

inline constexpr bool kTilesOwnMemory = false;

struct OwnMemory {
    void* take(size_t bytes);  // not called
};

#endif

/// Bytes for Rows x Cols elements of T in any order of this implementation.
template <int Rows, int Cols, typename T>
constexpr size_t own_bytes()
{
    const auto whole = [](size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; };
    return whole(whole(Rows, 32) * sizeof(T), 64) * whole(whole(Cols, 32) * sizeof(T), 64) / sizeof(T);
}

}  // namespace pto::cpu
