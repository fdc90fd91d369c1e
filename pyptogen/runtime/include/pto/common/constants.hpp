// Sizes of the PTO-ISA machine model, and pad values.
#pragma once

#include <pto/common/type.hpp>

namespace pto {

constexpr int DYNAMIC = -1;

constexpr int BLOCK_BYTE_SIZE = 32;
constexpr uint32_t BLOCK_SIZE = 32;
#define PTO_CEIL(x, y) ((((x) + (y) - 1) / (y)) * (y))
constexpr int C0_SIZE_BYTE = 32;
constexpr int FRACTAL_NZ_ROW = 16;
constexpr int CUBE_BLOCK_SIZE = 512;

// What one repeat of a vector instruction covers on the device.
constexpr int REPEAT_BYTE = 256;
constexpr int REPEAT_MAX = 255;

// Bits of the CTRL register: whether the matrix unit rounds fp32 operands, and ties away from zero or to even.
constexpr int MAD_MODE_BIT = 46;
constexpr int MAD_ROUND_MODE_BIT = 47;

// Numbers by name, as kernels of the public library spell their extents.
constexpr int NUM_1 = 1;
constexpr int NUM_4 = 4;
constexpr int NUM_8 = 8;
constexpr int NUM_12 = 12;
constexpr int NUM_16 = 16;
constexpr int NUM_32 = 32;
constexpr int NUM_64 = 64;
constexpr int NUM_77 = 77;
constexpr int NUM_96 = 96;
constexpr int NUM_128 = 128;
constexpr int NUM_256 = 256;
constexpr int NUM_512 = 512;

namespace TileConfig {
constexpr int alignedSize = 32;
constexpr int fixedRowSize = 16;
constexpr int fixedColSize = 16;
constexpr int fixedMxRowSize = 16;
constexpr int fixedMxColSize = 2;
constexpr int fractalABSize = 512;
constexpr int fractalCSize = 1024;
constexpr int fractalMxSize = 32;
}  // namespace TileConfig

namespace GlobalTensorDim {
constexpr int DIM_0 = 0;
constexpr int DIM_1 = 1;
constexpr int DIM_2 = 2;
constexpr int DIM_3 = 3;
constexpr int DIM_4 = 4;
constexpr int TOTAL_DIM = 5;
}  // namespace GlobalTensorDim

}  // namespace pto
