#include "common.hpp"

using namespace pto;

namespace {

constexpr int kRows = 8;
constexpr int kCols = 160;

using Block = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, -1, -1>;
using Column = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor, -1, 1>;
using Row = Tile<TileType::Vec, float, 1, kCols, BLayout::RowMajor, 1, -1>;
template <typename T>
using Gm = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, kCols, 1>>;

struct Results {
    float* quotient;
    bfloat16_t* narrow;
    int8_t* integers;
    float* sums;
    float* largest;
    float* least;
};

/// quotient = whole / column, narrow = bf16(whole * row), integers = int8(whole), and statistics of whole.
template <int Together>
void walk(float* whole, const float* column, const float* row, Results* to, int rows, int cols, int64_t far_bytes)
{
    Column c(rows), sums(rows), largest(rows), least(rows);
    Row r(cols);
    TASSIGN(c, 0);
    TASSIGN(sums, 0x100);
    TASSIGN(largest, 0x200);
    TASSIGN(least, 0x300);
    TASSIGN(r, 0x400);
    fill_tile(c, column);
    fill_tile(r, row);
    Gm<float> from(whole, {rows, cols}), quotient(to->quotient, {rows, cols});
    Gm<bfloat16_t> narrow(to->narrow, {rows, cols});
    Gm<int8_t> integers(to->integers, {rows, cols});
    const FarStores far(far_bytes);
    TPASS<Together>(rows, cols, [&](auto at, auto &sum, auto &max, auto &min, auto &divisor) {
        const auto x = at.load(from);
        at.store(quotient, x / divisor, far);
        at.store(narrow, x * at.row(r), far);
        at.store(integers, x, far);
        sum.take(at, x);
        max.take(at, x);
        min.take(at, x);
    }, RowSum(sums), RowMax(largest), RowMin(least), Divisor(c));
    read_tile(to->sums, sums);
    read_tile(to->largest, largest);
    read_tile(to->least, least);
}

/// All that a body may ask for, one value of another.
template <int Together>
void chain(float* whole, int* integers, float* to, int rows, int cols)
{
    Gm<float> from(whole, {rows, cols}), out(to, {rows, cols});
    Gm<int> numbers(integers, {rows, cols});
    TPASS<Together>(rows, cols, [&](auto at) {
        at.ask_for(from, 0);
        at.ask_between(from, 0);
        const auto x = at.load(from);
        const auto size = at.max(at.relu(x), at.abs(x) * 0.5f);
        const auto power = at.exp(at.min(size, 3.0f)) / at.log(at.sqrt(size) + at.all(2.0f));
        const auto narrow = at.template rounded<bfloat16_t>(at.min(power, x) - x);
        at.store(out, -narrow + at.to_float(at.template wrapped<int8_t>(at.load(numbers))));
    });
}

}  // namespace

extern "C" void chained(float* whole, int* integers, float* to, int rows, int cols)
{
    chain<1>(whole, integers, to, rows, cols);
}
extern "C" void chained_beside(float* whole, int* integers, float* to, int rows, int cols)
{
    chain<4>(whole, integers, to, rows, cols);
}

extern "C" void walked(
    float* whole, const float* column, const float* row, Results* to, int rows, int cols, int64_t far_bytes)
{
    walk<1>(whole, column, row, to, rows, cols, far_bytes);
}

/// Four vectors beside each other.
extern "C" void walked_beside(
    float* whole, const float* column, const float* row, Results* to, int rows, int cols, int64_t far_bytes)
{
    walk<4>(whole, column, row, to, rows, cols, far_bytes);
}

/// The same, one instruction after the other.
extern "C" void one_by_one(float* whole, const float* column, const float* row, Results* to, int rows, int cols)
{
    Block x(rows, cols), y(rows, cols), tmp(rows, cols);
    Tile<TileType::Vec, bfloat16_t, kRows, kCols, BLayout::RowMajor, -1, -1> n(rows, cols);
    Tile<TileType::Vec, int8_t, kRows, kCols, BLayout::RowMajor, -1, -1> i(rows, cols);
    Column c(rows), statistic(rows);
    Row r(cols);
    TASSIGN(x, 0);
    TASSIGN(y, 0x2000);
    TASSIGN(tmp, 0x4000);
    TASSIGN(n, 0x6000);
    TASSIGN(i, 0x8000);
    TASSIGN(c, 0xa000);
    TASSIGN(statistic, 0xa100);
    TASSIGN(r, 0xa400);
    fill_tile(c, column);
    fill_tile(r, row);
    Gm<float> from(whole, {rows, cols}), quotient(to->quotient, {rows, cols});
    Gm<bfloat16_t> narrow(to->narrow, {rows, cols});
    Gm<int8_t> integers(to->integers, {rows, cols});
    TLOAD(x, from);
    TROWEXPANDDIV(y, x, c);
    TSTORE(quotient, y);
    TCOLEXPANDMUL(y, x, r);
    TCVT(n, y, RoundMode::CAST_RINT);
    TSTORE(narrow, n);
    TCVT(i, x, RoundMode::CAST_RINT);
    TSTORE(integers, i);
    TROWSUM(statistic, x, tmp);
    read_tile(to->sums, statistic);
    TROWMAX(statistic, x, tmp);
    read_tile(to->largest, statistic);
    TROWMIN(statistic, x, tmp);
    read_tile(to->least, statistic);
}

/// Sum, largest and least of each column of `whole`, by a pass; then by instructions.
extern "C" void columns(float* whole, float* const* to, int rows, int cols)
{
    Block x(rows, cols);
    Row sum(cols), largest(cols), least(cols);
    TASSIGN(x, 0);
    TASSIGN(sum, 0x2000);
    TASSIGN(largest, 0x3000);
    TASSIGN(least, 0x4000);
    fill_tile(sum, to[0]);
    fill_tile(largest, to[1]);
    fill_tile(least, to[2]);
    Gm<float> from(whole, {rows, cols});
    TPASS(rows, cols, [&](auto at, auto &sum_of, auto &max_of, auto &min_of) {
        const auto v = at.load(from);
        sum_of.take(at, v);
        max_of.take(at, v);
        min_of.take(at, v);
    }, ColSum(sum), ColMax(largest), ColMin(least));
    read_tile(to[0], sum);
    read_tile(to[1], largest);
    read_tile(to[2], least);
    TLOAD(x, from);
    TCOLSUM(sum, x);
    TCOLMAX(largest, x);
    TCOLMIN(least, x);
    read_tile(to[3], sum);
    read_tile(to[4], largest);
    read_tile(to[5], least);
}

/// The larger and the smaller of values and one number: by a pass, then by instructions.
extern "C" void bounded(float* whole, float bound, float* const* to)
{
    Block x(kRows, kCols), y(kRows, kCols);
    TASSIGN(x, 0);
    TASSIGN(y, 0x2000);
    Gm<float> from(whole, {kRows, kCols}), larger(to[0], {kRows, kCols}), smaller(to[1], {kRows, kCols});
    TPASS(kRows, kCols, [&](auto at) {
        at.store(larger, at.max(at.load(from), bound));
        at.store(smaller, at.min(at.load(from), bound));
    });
    fill_tile(x, whole);
    TMAXS(y, x, bound);
    read_tile(to[2], y);
    TMINS(y, x, bound);
    read_tile(to[3], y);
}
