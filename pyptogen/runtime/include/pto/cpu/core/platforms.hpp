// Memories and rules of the platforms: those of the CPU are this implementation's own, the others are what the checked
// mode checks for.
//
// Written from the platforms (pyptogen/lower/platforms) by `python -m pyptogen.lower.isa.write_headers`; a test proves
// that it is up to date.
#pragma once

#include <pto/common/type.hpp>

namespace pto::cpu {

struct Platform {
    const char* name;
    // Bytes of the memory of each location of tiles; 0 where there is none.
    size_t vec;
    size_t mat;
    size_t left;
    size_t right;
    size_t acc;
    size_t bias;
    size_t scaling;
    size_t scale_left;
    size_t scale_right;
    /// A vector instruction may start before the one ahead of it has written.
    bool vector_barriers;
    /// TLOAD makes rows in L1 of what lies column after column in global memory; else columns stay columns.
    bool transposes_on_load;

    constexpr size_t memory(TileType loc) const
    {
        switch (loc) {
            case TileType::Vec: return vec;
            case TileType::Mat: return mat;
            case TileType::Left: return left;
            case TileType::Right: return right;
            case TileType::Acc: return acc;
            case TileType::Bias: return bias;
            case TileType::Scaling: return scaling;
            case TileType::ScaleLeft: return scale_left;
            case TileType::ScaleRight: return scale_right;
            default: return 0;
        }
    }
};

constexpr Platform kCpu{
    .name = "CPU",
    .vec = 1024 * 1024,
    .mat = 2048 * 1024,
    .left = 4096 * 1024,
    .right = 2048 * 1024,
    .acc = 2048 * 1024,
    .bias = 64 * 1024,
    .scaling = 64 * 1024,
    .scale_left = 256 * 1024,
    .scale_right = 128 * 1024,
    .vector_barriers = false,
    .transposes_on_load = true,
};
constexpr Platform kA2a3{
    .name = "A2/A3",
    .vec = 192 * 1024,
    .mat = 512 * 1024,
    .left = 64 * 1024,
    .right = 64 * 1024,
    .acc = 128 * 1024,
    .bias = 1 * 1024,
    .scaling = 2 * 1024,
    .scale_left = 0 * 1024,
    .scale_right = 0 * 1024,
    .vector_barriers = true,
    .transposes_on_load = false,
};
constexpr Platform kA5{
    .name = "A5",
    .vec = 256 * 1024,
    .mat = 512 * 1024,
    .left = 64 * 1024,
    .right = 64 * 1024,
    .acc = 256 * 1024,
    .bias = 4 * 1024,
    .scaling = 4 * 1024,
    .scale_left = 4 * 1024,
    .scale_right = 4 * 1024,
    .vector_barriers = false,
    .transposes_on_load = true,
};

}  // namespace pto::cpu
