// The chips that calls of a process share, by their numbers of cores: calls that are made in native code find theirs here.
#pragma once

#include <array>
#include <atomic>

namespace pto_rt::native {

class Chip;

constexpr int kMostCores = 256;

// The place of the chip with this many cores, 1 to 256; null where there is none yet.
inline std::atomic<Chip*>& shared_chip(int cores)
{
    static std::array<std::atomic<Chip*>, kMostCores + 1> chips{};
    return chips[static_cast<size_t>(cores)];
}

}  // namespace pto_rt::native
