// Transposition of plain rows; squares of eight rows of eight four-byte elements are transposed in registers.
#pragma once

#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

inline constexpr int kSquare = 8;

/// Eight rows of eight four-byte elements, transposed in registers.
template <typename V>
PTO_INLINE void transpose_square(V (&v)[kSquare])
{
    V pairs[8], fours[8];
    PTO_CPU_UNROLL
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    PTO_CPU_UNROLL
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; ++k) {
            fours[i + 2 * k] = __builtin_shufflevector(pairs[i + k], pairs[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            fours[i + 2 * k + 1] = __builtin_shufflevector(pairs[i + k], pairs[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    PTO_CPU_UNROLL
    for (int i = 0; i < 4; ++i) {
        v[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/// to(c, r) = from(r, c) of one square; lines are so many elements apart.
template <typename U>
PTO_INLINE void transpose_square(U* to, int64_t to_line, const U* from, int64_t from_line)
{
    using V = typename VectorOf<U, 4 * kSquare>::type;
    V v[kSquare];
    PTO_CPU_UNROLL
    for (int i = 0; i < kSquare; ++i) {
        __builtin_memcpy(&v[i], from + i * from_line, sizeof(V));
    }
    transpose_square(v);
    PTO_CPU_UNROLL
    for (int i = 0; i < kSquare; ++i) {
        __builtin_memcpy(to + i * to_line, &v[i], sizeof(V));
    }
}

/// to(c, r) = from(r, c) for plain rows, in square blocks that stay in a few cache lines.
template <typename T>
inline void transpose_lines(T* to, int64_t to_line, const T* from, int64_t from_line, int64_t rows, int64_t cols)
{
    constexpr int64_t kBlock = 64 / static_cast<int64_t>(sizeof(T)) < 16 ? 16 : 64 / static_cast<int64_t>(sizeof(T));
    for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
        const int64_t height = least(kBlock, rows - r0);
        for (int64_t c0 = 0; c0 < cols; c0 += kBlock) {
            const int64_t width = least(kBlock, cols - c0);
            int64_t squares = 0;  // columns of the block whose first `whole` rows are done
            const int64_t whole = sizeof(T) == 4 ? height / kSquare * kSquare : 0;
            if constexpr (sizeof(T) == 4) {
                for (; squares + kSquare <= width; squares += kSquare) {
                    for (int64_t r = 0; r < whole; r += kSquare) {
                        transpose_square(
                            reinterpret_cast<uint32_t*>(to + (c0 + squares) * to_line + r0 + r), to_line,
                            reinterpret_cast<const uint32_t*>(from + (r0 + r) * from_line + c0 + squares), from_line);
                    }
                }
            }
            for (int64_t c = c0; c < c0 + width; ++c) {
                T* line = to + c * to_line + r0;
                const T* column = from + r0 * from_line + c;
                for (int64_t r = c < c0 + squares ? whole : 0; r < height; ++r) {
                    line[r] = column[r * from_line];
                }
            }
        }
    }
}

}  // namespace pto::cpu
