// TPRINT: a tile or a GlobalTensor as text on standard output.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/cpu/layout/fragments.hpp>

#include <stdio.h>

#if defined(__CPU_SIM)
#include <iostream>

namespace pto::cpu {
/// Where hosts of the public CPU simulator look for it.
inline void print_text(const char* text, int length) { std::cout.write(text, length); }
}  // namespace pto::cpu
#else
namespace pto::cpu {
inline void print_text(const char* text, int length) { fwrite(text, 1, static_cast<size_t>(length), stdout); }
}  // namespace pto::cpu
#endif

namespace pto {

namespace cpu {

template <PrintFormat Format, typename T>
inline void print_value(T value)
{
    constexpr int kWidth = Format == PrintFormat::Width10_Precision6 ? 10 : 8;
    constexpr int kPrecision = Format == PrintFormat::Width8_Precision4   ? 4
                               : Format == PrintFormat::Width8_Precision2 ? 2
                                                                          : 6;
    char text[400];  // the largest double in %f has 309 digits before the point
    int length;
    if constexpr (requires { value % value; }) {  // a whole number
        length = snprintf(text, sizeof(text), "%*lld", kWidth, static_cast<long long>(value));
    } else {
        length =
            snprintf(text, sizeof(text), "%*.*f", kWidth, kPrecision, static_cast<double>(static_cast<float>(value)));
    }
    print_text(text, length);
}

template <PrintFormat Format, typename At>
inline void print_rows(int64_t rows, int64_t cols, At at)
{
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
            if (c != 0) {
                print_text(" ", 1);
            }
            print_value<Format>(at(r, c));
        }
        print_text("\n", 1);
    }
}

template <PrintFormat Format, typename Tile>
inline void print_tile(Tile& tile)
{
    const int64_t rows = tile.GetValidRow(), cols = tile.GetValidCol();
    char text[64];
    print_text(
        text,
        snprintf(text, sizeof(text), "TPRINT %lldx%lld\n", static_cast<long long>(rows), static_cast<long long>(cols)));
    print_rows<Format>(rows, cols, [&](int64_t r, int64_t c) { return *element_address(tile, r, c); });
}

template <PrintFormat Format, typename Global>
inline void print_global(Global& tensor)
{
    const auto extent = [&](int dim) { return static_cast<long long>(tensor.GetShape(dim)); };
    char text[160];
    print_text(
        text, snprintf(
                  text, sizeof(text), "TPRINT %lldx%lldx%lldx%lldx%lld\n", extent(0), extent(1), extent(2), extent(3),
                  extent(4)));
    for (int64_t i = 0; i < extent(0); ++i) {
        for (int64_t j = 0; j < extent(1); ++j) {
            for (int64_t k = 0; k < extent(2); ++k) {
                const auto* part =
                    tensor.data() + i * tensor.GetStride(0) + j * tensor.GetStride(1) + k * tensor.GetStride(2);
                print_rows<Format>(extent(3), extent(4), [&](int64_t r, int64_t c) {
                    return part[r * tensor.GetStride(3) + c * tensor.GetStride(4)];
                });
            }
        }
    }
}

}  // namespace cpu

/// Prints the valid region of a tile, or all of a GlobalTensor, one row per line.
template <PrintFormat Format = PrintFormat::Width8_Precision4, typename Object>
inline RecordEvent TPRINT(Object& src)
{
    pipe_barrier(PIPE_ALL);
    if constexpr (is_global_data_v<Object>) {
        cpu::print_global<Format>(src);
    } else {
        static_assert(is_tile_data_v<Object>, "TPRINT takes a tile or a GlobalTensor");
        cpu::print_tile<Format>(src);
    }
    return {};
}

/// The same; a device needs the scratch memory to print Acc and Mat tiles.
template <PrintFormat Format = PrintFormat::Width8_Precision4, typename Tile, typename Global>
inline RecordEvent TPRINT(Tile& src, Global&)
{
    return TPRINT<Format>(src);
}

}  // namespace pto
