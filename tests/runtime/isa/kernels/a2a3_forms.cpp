#include "common.hpp"

using namespace pto;

namespace {

/// Every operand is one block of 32 bytes wide, dst too.
template <typename T>
void block_beside_block(int op, T* to, T* first, T* second, int rows)
{
    constexpr int kBlock = 32 / sizeof(T);
    Tile<TileType::Vec, T, 16, kBlock, BLayout::RowMajor, -1, kBlock> d(rows), a(rows), b(rows);
    TASSIGN(d, 0);
    TASSIGN(a, 0x1000);
    TASSIGN(b, 0x2000);
    fill_tile(d, to);
    fill_tile(a, first);
    fill_tile(b, second);
    switch (op) {
        case 0: TROWEXPANDADD(d, a, b); break;
        case 1: TROWEXPANDSUB(d, a, b); break;
        case 2: TROWEXPANDMUL(d, a, b); break;
        case 3: TROWEXPANDDIV(d, a, b); break;
        case 4: TROWEXPANDMAX(d, a, b); break;
        case 5: TROWEXPANDMIN(d, a, b); break;
        default: break;
    }
    read_tile(to, d);
}

/// dst is one block wide; the operand whose rows lie further apart is not the block, though it is valid for a block only.
void subtract_beside_wider_rows(int swapped, float* to, float* wide, float* narrow)
{
    Tile<TileType::Vec, float, 16, 8> d, block;
    Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 8> whole;
    TASSIGN(d, 0);
    TASSIGN(whole, 0x1000);
    TASSIGN(block, 0x2000);
    fill_tile(d, to);
    fill_tile(whole, wide);
    fill_tile(block, narrow);
    swapped != 0 ? TROWEXPANDSUB(d, block, whole) : TROWEXPANDSUB(d, whole, block);
    read_tile(to, d);
}

using Anywhere = Shape<1, 1, 1, -1, -1>;
using Pitch = Stride<1, 1, 1, -1, 1>;

template <typename T>
GlobalTensor<T, Anywhere, Pitch> matrix(T* p, int rows, int cols)
{
    return {p, Anywhere(rows, cols), Pitch(cols)};
}

/// Valid parts that fit together in tiles whose capacities do not.
template <typename T, typename C>
void multiply_valid_parts(int form, C* c, T* a, T* b)
{
    constexpr int kM = 9, kK = 40, kN = 17;
    TileLeft<T, 64, 96, kM, kK> left;
    TileRight<T, 64, 96, kK, kN> right;
    TileAcc<C, 16, 32, kM, kN> acc;
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    auto from = matrix(a, kM, kK);
    auto by = matrix(b, kK, kN);
    auto to = matrix(c, kM, kN);
    TLOAD(left, from);
    TLOAD(right, by);
    TMATMUL(acc, left, right);
    if (form != 0) {
        TMATMUL_ACC(acc, left, right);
    }
    TSTORE(to, acc);
}

/// A vector of one row beside an accumulator of a whole fractal.
template <typename T, typename C>
void multiply_vector(int form, C* c, T* a, T* b)
{
    constexpr int kK = 40, kN = 17;
    TileLeft<T, 1, 96, 1, kK> left;
    TileRight<T, 64, 32, kK, kN> right;
    TileAcc<C, 16, 32, 1, kN> acc;
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    auto from = matrix(a, 1, kK);
    auto by = matrix(b, kK, kN);
    auto to = matrix(c, 1, kN);
    TLOAD(left, from);
    TLOAD(right, by);
    TGEMV(acc, left, right);
    if (form != 0) {
        TGEMV_ACC(acc, acc, left, right);
    }
    TSTORE(to, acc);
}

}  // namespace

#define BLOCKS(NAME, T)                                                        \
    extern "C" void blocks_##NAME(int op, T* to, T* a, T* b, int rows)         \
    {                                                                          \
        block_beside_block<T>(op, to, a, b, rows);                             \
    }
BLOCKS(fp32, float)
BLOCKS(fp16, half)
BLOCKS(int16, int16_t)
BLOCKS(int32, int32_t)

extern "C" void subtract(int swapped, float* to, float* wide, float* narrow)
{
    subtract_beside_wider_rows(swapped, to, wide, narrow);
}

#define PRODUCTS(NAME, T, C)                                                          \
    extern "C" void product_##NAME(int form, C* c, T* a, T* b)                        \
    {                                                                                 \
        multiply_valid_parts<T, C>(form, c, a, b);                                    \
    }                                                                                 \
    extern "C" void vector_##NAME(int form, C* c, T* a, T* b)                         \
    {                                                                                 \
        multiply_vector<T, C>(form, c, a, b);                                         \
    }
PRODUCTS(fp32, float, float)
PRODUCTS(fp16, half, float)
PRODUCTS(bf16, bfloat16_t, float)
PRODUCTS(int8, int8_t, int32_t)

/// The names that a device's compiler has built in, and a flag set and waited for at once.
extern "C" void where_am_i(uint32_t block, uint32_t blocks, uint32_t* said)
{
    cpu_sim::ScopedExecutionContext here(block, 0);
    cpu_sim::set_block_num(blocks);
    const int offset = 0x400 * block_idx + block_idx / 4 * 16 + block_idx % 4;
    const uint64_t before = get_sys_cnt();
    PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>(EVENT_ID1, EVENT_ID1);
    said[0] = static_cast<uint32_t>(offset);
    said[1] = block_num;
    said[2] = get_sys_cnt() >= before;
    using Deep = TPipe<0, Direction::DIR_C2V, 2048, 8>;
    static_assert(PTO_CEIL(33, BLOCK_SIZE) == 64 && GetTimesByMask<MaskPattern::P0010>() == 4);
    static_assert(Deep::countPendingFreeCredits(40) == 2 && Deep::countPendingFreeCredits(3) == 0);
}
