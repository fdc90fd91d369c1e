// Programs of loads, moves, products and other accesses to the same memories, one step after the other.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kSide = 64, kDepth = 128, kWide = 512;

/// One step: what it does, and numbers that mean something to it.
struct Step {
    int32_t what;
    int32_t place, from, accumulate, row, col;
};

template <typename T, int Rows, int Cols, int ValidRows = Rows, int ValidCols = Cols>
using Mat = Tile<TileType::Mat, T, Rows, Cols, BLayout::ColMajor, ValidRows, ValidCols, SLayout::RowMajor, 512>;

template <typename T>
struct Program {
    using C = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, float>;
    template <int Rows, int Cols>
    using Memory = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, pto::Stride<1, 1, 1, kWide, 1>>;
    using MatA = Mat<T, kSide, kDepth>;
    using MatB = Mat<T, kDepth, kSide>;

    static constexpr int kMatStep = kSide * kDepth * sizeof(T) / 2;  // tiles at neighbouring places overlap by half
    static constexpr int kOperandBytes = kSide * kSide * sizeof(T);

    template <typename Some>
    static Some at(int offset)
    {
        Some tile;
        TASSIGN(tile, offset);
        return tile;
    }

    /// Loads a whole tile, or its upper left 48 rows.
    template <typename Some>
    static void load(T* memory, const Step& s, int rows)
    {
        if (rows == Some::Rows) {
            Some tile = at<Some>(s.place * kMatStep);
            Memory<Some::Rows, Some::Cols> from(memory);
            TLOAD(tile, from);
        } else {
            Mat<T, Some::Rows, Some::Cols, 48, Some::Cols> tile;
            TASSIGN(tile, s.place * kMatStep);
            Memory<48, Some::Cols> from(memory);
            TLOAD(tile, from);
        }
    }

    static void move_left(const Step& s)
    {
        MatA mat = at<MatA>(s.from * kMatStep);
        if (s.accumulate != 0) {  // half as many rows
            auto half = at<TileLeft<T, kSide / 2, kSide>>(s.place * kOperandBytes);
            TEXTRACT(half, mat, s.row, s.col);
        } else {
            auto left = at<TileLeft<T, kSide, kSide>>(s.place * kOperandBytes);
            TEXTRACT(left, mat, s.row, s.col);
        }
    }

    static void multiply(const Step& s)
    {
        auto left = at<TileLeft<T, kSide, kSide>>(s.from % 2 * kOperandBytes);
        auto right = at<TileRight<T, kSide, kSide>>(s.from / 2 * kOperandBytes);
        auto sum = at<TileAcc<C, kSide, kSide>>(s.place * kSide * kSide * 4);
        if (s.accumulate == 2) {
            TMATMUL_ACC(sum, left, right);
        } else if (s.accumulate == 1) {
            TMATMUL_ACC(sum, sum, left, right);
        } else {
            TMATMUL(sum, left, right);
        }
    }

    template <typename Tile>
    static void read(T* out, Tile tile)
    {
        for (int r = 0; r < Tile::Rows; ++r) {
            for (int c = 0; c < Tile::Cols; ++c) {
                out[r * Tile::Cols + c] = tile.GetElement(r, c);
            }
        }
    }

    static int held()
    {
#if defined(PTO_CPU_HOLDS)
        return cpu::thread_held.mat + cpu::thread_held.operands + cpu::thread_held.product;
#else
        return 0;
#endif
    }

    /// Runs the steps; results are written one behind the other to `sums` and `elements`. How much was put off.
    static int run(C* sums, T* elements, T* memory, const Step* steps, int count)
    {
        int seen = 0;
        for (int i = 0; i < count; ++i) {
            const Step& s = steps[i];
            T* from = memory + s.row * kWide + s.col;
            switch (s.what) {
                case 0: load<MatA>(from, s, kSide); break;
                case 1: load<MatB>(from, s, kDepth); break;
                case 2: move_left(s); break;
                case 3: {
                    MatB mat = at<MatB>(s.from * kMatStep);
                    auto right = at<TileRight<T, kSide, kSide>>(s.place * kOperandBytes);
                    TEXTRACT(right, mat, s.row, s.col);
                    break;
                }
                case 4: multiply(s); break;
                case 5: {
                    auto sum = at<TileAcc<C, kSide, kSide>>(s.place * kSide * kSide * 4);
                    GlobalTensor<C, Shape<1, 1, 1, kSide, kSide>, pto::Stride<1, 1, 1, kSide, 1>> to(sums);
                    TSTORE(to, sum);
                    sums += kSide * kSide;
                    break;
                }
                case 6: {
                    MatA mat = at<MatA>(s.place * kMatStep);
                    mat.SetElement(s.row, s.col, T(s.from));
                    break;
                }
                case 7: {
                    MatB mat = at<MatB>(s.place * kMatStep);
                    GlobalTensor<T, Shape<1, 1, 1, kDepth, kSide>, pto::Stride<1, 1, 1, kSide, 1>> to(elements);
                    TSTORE(to, mat);
                    elements += kDepth * kSide;
                    break;
                }
                case 8:  // memory changes behind what was loaded
                    for (int r = 0; r < kDepth; ++r) {
                        for (int c = 0; c < kDepth; ++c) {
                            from[r * kWide + c] = T((s.from + r * 5 + c * 3) % 7 - 3);
                        }
                    }
                    break;
                case 9:
                    read(elements, at<TileLeft<T, kSide, kSide>>(s.place * kOperandBytes));
                    elements += kSide * kSide;
                    break;
                case 10:
                    read(elements, at<TileRight<T, kSide, kSide>>(s.place * kOperandBytes));
                    elements += kSide * kSide;
                    break;
                case 11: load<MatA>(from, s, 48); break;
                case 12: {
                    MatA mat = at<MatA>(s.from * kMatStep);
                    auto to = at<MatA>(s.place * kMatStep);
                    TMOV(to, mat);
                    break;
                }
                case 14: {  // an accumulator in a walk
                    auto sum = at<TileAcc<C, kSide, kSide>>(s.place * kSide * kSide * 4);
                    GlobalTensor<C, Shape<1, 1, 1, kSide, kSide>, pto::Stride<1, 1, 1, kSide, 1>> to(sums);
                    TPASS(kSide, kSide, [&](auto at) { at.store(to, at.extract(sum, 0)); });
                    sums += kSide * kSide;
                    break;
                }
                case 15:  // a walk over an accumulator that fills an operand; of floats
                    if constexpr (std::is_same_v<C, float>) {
                        auto sum = at<TileAcc<C, kSide, kSide>>(s.from * kSide * kSide * 4);
                        auto left = at<TileLeft<T, kSide, kSide>>(s.place * kOperandBytes);
                        TPASS<4>(kSide, kSide, [&](auto at, auto &rows) {
                            rows.take(at, at.min(at.max(at.extract(sum, 0), at.all(-3.0f)), at.all(3.0f)));
                        }, LeftRows(left));
                    }
                    break;
                default: {  // 13
                    auto left = at<TileLeft<T, kSide, kSide>>(s.place * kOperandBytes);
                    left.SetElement(s.row, s.col, T(s.from));
                    break;
                }
            }
            seen += held();
        }
        return seen;
    }
};

}  // namespace

extern "C" int held_bf16(float* sums, bfloat16_t* elements, bfloat16_t* memory, const Step* steps, int count)
{
    return Program<bfloat16_t>::run(sums, elements, memory, steps, count);
}
extern "C" int held_int8(int32_t* sums, int8_t* elements, int8_t* memory, const Step* steps, int count)
{
    return Program<int8_t>::run(sums, elements, memory, steps, count);
}

/// Which of the ways the headers were compiled for.
extern "C" int holds()
{
#if defined(PTO_CPU_HOLDS)
    return 1;
#else
    return 0;
#endif
}
