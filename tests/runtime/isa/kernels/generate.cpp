#include "common.hpp"

using namespace pto;

namespace {

template <typename T>
void sequence(int form, T* to, T start, int cols)
{
    using Line = Tile<TileType::Vec, T, 1, 320, BLayout::RowMajor, 1, -1>;
    using Scratch = Tile<TileType::Vec, float, 1, 512>;
    Line d(cols);
    Scratch tmp;
    TASSIGN(d, 0);
    TASSIGN(tmp, 0x8000);
    fill_tile(d, to);
    switch (form) {
        case 0: TCI<Line, T, 0>(d, start); break;
        case 1: TCI<Line, T, 1>(d, start, RecordEvent()); break;
        case 2: TCI<Line, Scratch, T, 0>(d, start, tmp); break;
        default: TCI<Line, Scratch, T, 1>(d, start, tmp); break;
    }
    read_tile(to, d);
}

template <typename T>
using Block = Tile<TileType::Vec, T, 12, 96, BLayout::RowMajor, -1, -1>;

template <typename T>
void triangle(int upper, T* to, int diagonal, int rows, int cols)
{
    Block<T> d(rows, cols);
    TASSIGN(d, 0);
    fill_tile(d, to);
    if (upper) {
        TTRI<Block<T>, 1>(d, diagonal);
    } else {
        TTRI<Block<T>, 0>(d, diagonal);
    }
    read_tile(to, d);
}

}  // namespace

extern "C" void random_bits(int rounds, uint32_t* to, const uint32_t* key, const uint32_t* counter, int rows, int cols)
{
    Tile<TileType::Vec, uint32_t, 4, 640, BLayout::RowMajor, -1, -1> d(rows, cols);
    TRandomKey k = {key[0], key[1]};
    TRandomCounter c = {counter[0], counter[1], counter[2], counter[3]};
    TASSIGN(d, 0);
    fill_tile(d, to);
    if (rounds == 7) {
        TRANDOM<7>(d, k, c);
    } else {
        TRANDOM(d, k, c);
    }
    read_tile(to, d);
}

#define GENERATE(NAME, T)                                                                            \
    extern "C" void sequence_##NAME(int form, T* to, const T* start, int cols)                       \
    {                                                                                                \
        sequence<T>(form, to, *start, cols);                                                         \
    }                                                                                                \
    extern "C" void triangle_##NAME(int upper, T* to, int diagonal, int rows, int cols)              \
    {                                                                                                \
        triangle<T>(upper, to, diagonal, rows, cols);                                                \
    }
GENERATE(fp32, float)
GENERATE(fp16, half)
GENERATE(bf16, bfloat16_t)
GENERATE(int16, int16_t)
GENERATE(uint16, uint16_t)
GENERATE(int32, int32_t)
GENERATE(uint32, uint32_t)
