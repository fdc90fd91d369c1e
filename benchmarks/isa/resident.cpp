// Vector instructions on tiles of 8 KB that stay in L1.
#include "cases.hpp"

using namespace pto;

namespace {

constexpr int kBytes = 8192;
constexpr int kRows = 8;

/// Tiles of `Count` elements in kRows rows, one after the other in the core's vector memory.
template <typename T, int Count>
using VecTile = Tile<TileType::Vec, T, kRows, Count / kRows>;
template <typename T>
using Column = Tile<TileType::Vec, T, 32, 1, BLayout::ColMajor, kRows, 1>;
template <typename T, int Count>
using Row = Tile<TileType::Vec, T, 1, Count / kRows>;

template <typename Tile>
void place(Tile& tile, int slot, bool filled = true)
{
    TASSIGN(tile, slot * kBytes);
    if (filled) {
        bench::fill(tile.data(), Tile::GetSizeInBytes() / static_cast<int64_t>(sizeof(typename Tile::DType)), slot + 1);
    }
}

/// run(dst, src0, src1) on tiles of D and S of `kBytes` for the wider of the two.
template <typename D, typename S, typename Run>
double on_tiles(int64_t repeats, Run run)
{
    constexpr int kCount = kBytes / (sizeof(D) > sizeof(S) ? sizeof(D) : sizeof(S));
    VecTile<D, kCount> dst;
    VecTile<S, kCount> src0, src1;
    place(src0, 0);
    place(src1, 1);
    place(dst, 2);
    return bench::timed(repeats, [&] { run(dst, src0, src1); });
}

template <typename T, typename Run>
double with_column(int64_t repeats, Run run)
{
    VecTile<T, kBytes / sizeof(T)> dst, src;
    Column<T> column;
    place(src, 0);
    place(dst, 1);
    place(column, 2);
    return bench::timed(repeats, [&] { run(dst, src, column); });
}

template <typename T, typename Run>
double with_row(int64_t repeats, Run run)
{
    VecTile<T, kBytes / sizeof(T)> dst, src;
    Row<T, kBytes / sizeof(T)> row;
    place(src, 0);
    place(dst, 1);
    place(row, 2);
    return bench::timed(repeats, [&] { run(dst, src, row); });
}

template <typename T, typename Run>
double with_mask(int64_t repeats, Run run)
{
    VecTile<T, kBytes / sizeof(T)> dst, src0, src1;
    Tile<TileType::Vec, uint8_t, kRows, 256> mask;
    place(src0, 0);
    place(src1, 1);
    place(dst, 2);
    place(mask, 3);
    return bench::timed(repeats, [&] { run(dst, mask, src0, src1); });
}

#define BINARY(NAME, T)                                                                                  \
    {#NAME " " #T, "L1 2:1", double(kBytes) / sizeof(T), 2.0 * kBytes, kBytes, 0, [](int64_t repeats) {  \
         return on_tiles<T, T>(repeats, [](auto& d, auto& a, auto& b) { NAME(d, a, b); });               \
     }}
#define SCALAR(NAME, T, VALUE)                                                                           \
    {#NAME " " #T, "L1 1:1", double(kBytes) / sizeof(T), kBytes, kBytes, 0, [](int64_t repeats) {        \
         return on_tiles<T, T>(repeats, [](auto& d, auto& a, auto&) { NAME(d, a, static_cast<T>(VALUE)); }); \
     }}
#define UNARY(NAME, T)                                                                                   \
    {#NAME " " #T, "L1 1:1", double(kBytes) / sizeof(T), kBytes, kBytes, 0, [](int64_t repeats) {        \
         return on_tiles<T, T>(repeats, [](auto& d, auto& a, auto&) { NAME(d, a); });                    \
     }}
// Of positive operands, in place of b.
#define POSITIVE(NAME, T)                                                                                \
    {#NAME " " #T, "L1 1:1", double(kBytes) / sizeof(T), kBytes, kBytes, 0, [](int64_t repeats) {        \
         return on_tiles<T, T>(repeats, [first = true](auto& d, auto& a, auto& b) mutable {              \
             if (first) {                                                                                \
                 TABS(b, a);                                                                             \
                 first = false;                                                                          \
             }                                                                                           \
             NAME(d, b);                                                                                 \
         });                                                                                             \
     }}
#define POWER(NAME, T, EXPONENT)                                                                         \
    {#NAME " " #T, "L1 1:1", double(kBytes) / sizeof(T), kBytes, kBytes, 0, [](int64_t repeats) {        \
         return on_tiles<T, T>(repeats, [first = true](auto& d, auto& a, auto& b) mutable {              \
             if (first) {                                                                                \
                 TABS(b, a);                                                                             \
                 first = false;                                                                          \
             }                                                                                           \
             NAME(d, b, EXPONENT);                                                                       \
         });                                                                                             \
     }}
#define CONVERT(D, S, LIMIT)                                                                                       \
    {"TCVT " #S " to " #D, LIMIT, double(kBytes) / (sizeof(D) > sizeof(S) ? sizeof(D) : sizeof(S)),                \
     double(kBytes) * (sizeof(D) > sizeof(S) ? double(sizeof(S)) / sizeof(D) : 1.0),                               \
     double(kBytes) * (sizeof(D) < sizeof(S) ? double(sizeof(D)) / sizeof(S) : 1.0), 0, [](int64_t repeats) {      \
         return on_tiles<D, S>(repeats, [](auto& d, auto& a, auto&) {                                              \
             TCVT(d, a, RoundMode::CAST_RINT, SaturationMode::ON);                                                 \
         });                                                                                                       \
     }}
#define ROW_REDUCTION(NAME, T)                                                                            \
    {#NAME " " #T, "L1 read", double(kBytes) / sizeof(T), kBytes, 0, 0, [](int64_t repeats) {             \
         return with_column<T>(repeats, [](auto& d, auto& a, auto& column) { NAME(column, a, d); });      \
     }}
#define COLUMN_REDUCTION(NAME, T)                                                                         \
    {#NAME " " #T, "L1 read", double(kBytes) / sizeof(T), kBytes, kBytes / kRows, 0, [](int64_t repeats) { \
         return with_row<T>(repeats, [](auto&, auto& a, auto& row) { NAME(row, a); });                    \
     }}
#define OF_COLUMN(NAME, T)                                                                                \
    {#NAME " " #T, "L1 1:1", double(kBytes) / sizeof(T), kBytes, kBytes, 0, [](int64_t repeats) {         \
         return with_column<T>(repeats, [](auto& d, auto& a, auto& column) { NAME(d, a, column); });      \
     }}
#define OF_ROW(NAME, T)                                                                                   \
    {#NAME " " #T, "L1 1:1", double(kBytes) / sizeof(T), kBytes, kBytes, 0, [](int64_t repeats) {         \
         return with_row<T>(repeats, [](auto& d, auto& a, auto& row) { NAME(d, a, row); });               \
     }}
#define COMPARE(T)                                                                                        \
    {"TCMP " #T, "L1 read", double(kBytes) / sizeof(T), 2.0 * kBytes, kBytes / (8.0 * sizeof(T)), 0,      \
     [](int64_t repeats) {                                                                                \
         return with_mask<T>(                                                                             \
             repeats, [](auto&, auto& mask, auto& a, auto& b) { TCMP(mask, a, b, CmpMode::GT); });        \
     }}
#define SELECT(T)                                                                                         \
    {"TSEL " #T, "L1 2:1", double(kBytes) / sizeof(T), 2.0 * kBytes, kBytes, 0, [](int64_t repeats) {     \
         return with_mask<T>(                                                                             \
             repeats, [](auto& d, auto& mask, auto& a, auto& b) { TSEL(d, mask, a, b, d); });             \
     }}

const bench::Case cases[] = {
    BINARY(TADD, float), BINARY(TADD, half), BINARY(TADD, bfloat16_t), BINARY(TADD, int8_t), BINARY(TADD, int16_t),
    BINARY(TADD, int32_t), BINARY(TMUL, float), BINARY(TMUL, half), BINARY(TMUL, bfloat16_t), BINARY(TMUL, int8_t),
    BINARY(TMUL, int16_t), BINARY(TMUL, int32_t), BINARY(TMAX, float), BINARY(TMAX, half), BINARY(TMAX, bfloat16_t),
    BINARY(TMAX, int8_t), BINARY(TMAX, int32_t), SCALAR(TADDS, float, 1), SCALAR(TADDS, half, 1),
    SCALAR(TADDS, bfloat16_t, 1), SCALAR(TADDS, int8_t, 1), SCALAR(TMULS, float, 3), SCALAR(TMULS, bfloat16_t, 3),
    SCALAR(TMAXS, bfloat16_t, 0), UNARY(TABS, float), UNARY(TABS, half), UNARY(TABS, bfloat16_t), UNARY(TABS, int8_t),
    UNARY(TNEG, bfloat16_t), UNARY(TRELU, float), UNARY(TRELU, half), UNARY(TRELU, bfloat16_t), UNARY(TRELU, int8_t),
    BINARY(TAND, int16_t), BINARY(TDIV, float), BINARY(TDIV, half), BINARY(TDIV, bfloat16_t), COMPARE(float),
    COMPARE(half), COMPARE(int8_t), SELECT(float), SELECT(half), SELECT(int8_t), ROW_REDUCTION(TROWSUM, float),
    ROW_REDUCTION(TROWSUM, half), ROW_REDUCTION(TROWSUM, bfloat16_t), ROW_REDUCTION(TROWSUM, int32_t),
    ROW_REDUCTION(TROWMAX, float), ROW_REDUCTION(TROWMAX, half), ROW_REDUCTION(TROWMAX, bfloat16_t),
    ROW_REDUCTION(TROWMAX, int32_t), COLUMN_REDUCTION(TCOLSUM, float), COLUMN_REDUCTION(TCOLSUM, half),
    COLUMN_REDUCTION(TCOLSUM, bfloat16_t), COLUMN_REDUCTION(TCOLMAX, float), COLUMN_REDUCTION(TCOLMAX, bfloat16_t),
    OF_COLUMN(TROWEXPANDMUL, float), OF_COLUMN(TROWEXPANDMUL, half), OF_COLUMN(TROWEXPANDMUL, bfloat16_t),
    OF_COLUMN(TROWEXPANDSUB, float), OF_ROW(TCOLEXPANDMUL, float), OF_ROW(TCOLEXPANDMUL, half),
    OF_ROW(TCOLEXPANDMUL, bfloat16_t), OF_COLUMN(TROWEXPANDDIV, float),
    CONVERT(bfloat16_t, float, "L1 2:1"), CONVERT(half, float, "L1 2:1"), CONVERT(float, bfloat16_t, "L1 1:2"),
    CONVERT(float, half, "L1 1:2"), CONVERT(int8_t, float, "L1 4:1"), CONVERT(float, int8_t, "L1 1:2"),
    CONVERT(int32_t, float, "L1 1:1"), CONVERT(float, int32_t, "L1 1:1"), CONVERT(int8_t, half, "L1 2:1"),
    CONVERT(half, int8_t, "L1 1:2"), CONVERT(half, int32_t, "L1 2:1"), CONVERT(int16_t, float, "L1 2:1"),
    CONVERT(bfloat16_t, half, "L1 1:1"), UNARY(TEXP, float), UNARY(TEXP, half), UNARY(TEXP, bfloat16_t),
    POSITIVE(TLOG, float), POSITIVE(TSQRT, float), POSITIVE(TRSQRT, float), UNARY(TRECIP, float),
    POWER(TPOW, float, a), POWER(TPOWS, float, 2.5f), BINARY(TFMOD, float), BINARY(TREM, float),
};

}  // namespace

extern "C" int resident_count() { return sizeof(cases) / sizeof(cases[0]); }
extern "C" const bench::Case* resident_cases() { return cases; }
