// A matrix product in the common subset of the public simulator and these headers; both compile this very text.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kSize = 512;   // of the square matrices
constexpr int kBlock = 128;  // of the accumulator

/// C = A B for square row-major matrices, by way of boxed Mat tiles; K goes to the matrix unit in steps of 256 bytes.
template <typename T, typename C>
AICORE inline void product(__gm__ C* c, __gm__ T* a, __gm__ T* b)
{
    constexpr int kInner = 512 / sizeof(T);
    constexpr int kStep = 256 / sizeof(T);
    using Operand = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, pto::Stride<1, 1, 1, kSize, 1>>;
    using Result = GlobalTensor<C, Shape<1, 1, 1, kBlock, kBlock>, pto::Stride<1, 1, 1, kSize, 1>>;
    Tile<TileType::Mat, T, kBlock, kInner, BLayout::ColMajor, kBlock, kInner, SLayout::RowMajor, 512> mat_a;
    Tile<TileType::Mat, T, kInner, kBlock, BLayout::ColMajor, kInner, kBlock, SLayout::RowMajor, 512> mat_b;
    TileLeft<T, kBlock, kStep, kBlock, kStep> left;
    TileRight<T, kStep, kBlock, kStep, kBlock> right;
    TileAcc<C, kBlock, kBlock, kBlock, kBlock> sum;
    TASSIGN(mat_a, 0x00000);
    TASSIGN(mat_b, 0x20000);
    TASSIGN(left, 0x0);
    TASSIGN(right, 0x0);
    TASSIGN(sum, 0x0);
    for (int i = 0; i < kSize; i += kBlock) {
        for (int j = 0; j < kSize; j += kBlock) {
            for (int k = 0; k < kSize; k += kInner) {
                Operand from_a(a + i * kSize + k, {kBlock, kInner});
                Operand from_b(b + k * kSize + j, {kInner, kBlock});
                TLOAD(mat_a, from_a);
                TLOAD(mat_b, from_b);
                for (int at = 0; at < kInner; at += kStep) {
                    TEXTRACT(left, mat_a, 0, at);
                    TEXTRACT(right, mat_b, at, 0);
                    if (k + at == 0) {
                        TMATMUL(sum, left, right);
                    } else {
                        TMATMUL_ACC(sum, sum, left, right);
                    }
                }
            }
            Result to(c + i * kSize + j);
            TSTORE(to, sum);
        }
    }
}

}  // namespace
