// Sizes and events that kernels of a folder share.
#ifndef SHARED_SIZES_HPP
#define SHARED_SIZES_HPP

#include <cstdint>

namespace sizes {
constexpr uint32_t kRows = 32;
constexpr uint32_t kCols = 64;
constexpr uint32_t kBytes = kRows * kCols * 2;
} // namespace sizes

enum Events { LOADED = 1, USED = LOADED + 2, STORED };

#define BUFFERS 2

#endif
