#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 6;
constexpr int kCols = 160;

template <typename T>
using Block = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>;

// `extents`: valid rows and columns of dst, src0 and src1.
template <typename T, typename I>
void run(int op, T* to, I* to_index, const T* const* from, const I* const* from_index, const int* extents)
{
    Block<T> d(extents[0], extents[1]), a(extents[2], extents[3]), b(extents[4], extents[5]);
    Block<I> di(extents[0], extents[1]), ai(extents[2], extents[3]), bi(extents[4], extents[5]);
    TASSIGN(d, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(b, 0x10000);
    TASSIGN(di, 0x18000);
    TASSIGN(ai, 0x20000);
    TASSIGN(bi, 0x28000);
    fill_tile(d, to);
    fill_tile(a, from[0]);
    fill_tile(b, from[1]);
    fill_tile(di, to_index);
    fill_tile(ai, from_index[0]);
    fill_tile(bi, from_index[1]);
    switch (op) {
        case 0: TPARTADD(d, a, b); break;
        case 1: TPARTMUL(d, a, b); break;
        case 2: TPARTMAX(d, a, b); break;
        case 3: TPARTMIN(d, a, b, RecordEvent()); break;
        case 4: TPARTARGMAX(d, a, b, di, ai, bi); break;
        case 5: TPARTARGMIN(d, a, b, di, ai, bi, RecordEvent()); break;
        default: break;
    }
    read_tile(to, d);
    read_tile(to_index, di);
}

}  // namespace

#define PARTIAL(NAME, T, I)                                                                                     \
    extern "C" void partial_##NAME(                                                                             \
        int op, T* to, I* to_index, const T* a, const T* b, const I* ai, const I* bi, const int* extents)       \
    {                                                                                                           \
        const T* from[] = {a, b};                                                                               \
        const I* from_index[] = {ai, bi};                                                                       \
        run<T, I>(op, to, to_index, from, from_index, extents);                                                 \
    }
PARTIAL(fp32, float, uint32_t)
PARTIAL(fp16, half, int16_t)
PARTIAL(bf16, bfloat16_t, int32_t)
PARTIAL(uint8, uint8_t, int32_t)
PARTIAL(int16, int16_t, uint16_t)
PARTIAL(int32, int32_t, int32_t)
