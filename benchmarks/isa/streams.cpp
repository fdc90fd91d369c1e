// Load, work, store through 64 MB arrays that no cache holds.
#include "cases.hpp"

using namespace pto;

namespace {

constexpr int64_t kBytes = int64_t(64) << 20;  // of the widest array
constexpr int kTileBytes = 16384;

char* arrays(int which)
{
    static char* const memory = [] {
        constexpr size_t kHuge = size_t(2) << 20;
        char* made = static_cast<char*>(aligned_alloc(kHuge, 3 * kBytes));
        (void)madvise(made, 3 * kBytes, MADV_HUGEPAGE);
        bench::fill(reinterpret_cast<bfloat16_t*>(made), 3 * kBytes / 2);  // pairs of these are harmless as fp32, too
        return made;
    }();
    return memory + which * kBytes;
}

template <typename T, int Count>
using VecTile = Tile<TileType::Vec, T, 4, Count / 4>;
template <typename T, int Count>
using Global = GlobalTensor<T, Shape<1, 1, 1, 4, Count / 4>, pto::Stride<1, 1, 1, Count / 4, 1>>;

/// For every tile of D and S: loads `Inputs` tiles, runs work(dst, src0, src1), stores dst.
template <typename D, typename S, int Inputs, typename Work>
double stream(int64_t repeats, Work work)
{
    constexpr int kWidest = sizeof(D) > sizeof(S) ? sizeof(D) : sizeof(S);
    constexpr int kCount = kTileBytes / kWidest;
    VecTile<D, kCount> dst;
    VecTile<S, kCount> src0, src1;
    TASSIGN(src0, 0);
    TASSIGN(src1, Inputs > 1 ? kTileBytes : 0);
    TASSIGN(dst, 2 * kTileBytes);
    D* to = reinterpret_cast<D*>(arrays(2));
    S* from0 = reinterpret_cast<S*>(arrays(0));
    S* from1 = reinterpret_cast<S*>(arrays(1));
    return bench::timed(repeats, [&] {
        for (int64_t at = 0; at < kBytes / kWidest; at += kCount) {
            Global<S, kCount> global0(from0 + at), global1(from1 + at);
            TLOAD(src0, global0);
            if constexpr (Inputs > 1) {
                TLOAD(src1, global1);
            }
            work(dst, src0, src1);
            Global<D, kCount> result(to + at);
            TSTORE(result, dst);
        }
    });
}

/// For every tile: loads it and reduces its rows.
template <typename T, typename Work>
double reduce(int64_t repeats, Work work)
{
    constexpr int kCount = kTileBytes / sizeof(T);
    VecTile<T, kCount> src;
    Tile<TileType::Vec, T, 32, 1, BLayout::ColMajor, 4, 1> sums;
    TASSIGN(src, 0);
    TASSIGN(sums, kTileBytes);
    T* from = reinterpret_cast<T*>(arrays(0));
    return bench::timed(repeats, [&] {
        for (int64_t at = 0; at < kBytes / static_cast<int64_t>(sizeof(T)); at += kCount) {
            Global<T, kCount> global(from + at);
            TLOAD(src, global);
            work(sums, src);
        }
    });
}

#define STREAM_1(NAME, T)                                                                                       \
    {"stream " #NAME " " #T, "memory 1:1 streaming", double(kBytes) / sizeof(T), kBytes, kBytes, 0,            \
     [](int64_t repeats) { return stream<T, T, 1>(repeats, [](auto& d, auto& a, auto&) { NAME(d, a); }); }}
#define STREAM_2(NAME, T)                                                                                       \
    {"stream " #NAME " " #T, "memory 2:1 streaming", double(kBytes) / sizeof(T), 2.0 * kBytes, kBytes, 0,      \
     [](int64_t repeats) { return stream<T, T, 2>(repeats, [](auto& d, auto& a, auto& b) { NAME(d, a, b); }); }}
#define STREAM_CAST(D, S, LIMIT)                                                                                \
    {"stream TCVT " #S " to " #D, LIMIT, double(kBytes) / (sizeof(D) > sizeof(S) ? sizeof(D) : sizeof(S)),      \
     double(kBytes) * (sizeof(D) > sizeof(S) ? double(sizeof(S)) / sizeof(D) : 1.0),                            \
     double(kBytes) * (sizeof(D) < sizeof(S) ? double(sizeof(D)) / sizeof(S) : 1.0), 0, [](int64_t repeats) {   \
         return stream<D, S, 1>(repeats, [](auto& d, auto& a, auto&) { TCVT(d, a, RoundMode::CAST_RINT); });    \
     }}
#define STREAM_REDUCE(NAME, T)                                                                                  \
    {"stream " #NAME " " #T, "memory read", double(kBytes) / sizeof(T), kBytes, 0, 0, [](int64_t repeats) {    \
         return reduce<T>(repeats, [](auto& d, auto& a) { NAME(d, a, a); });                                    \
     }}

const bench::Case cases[] = {
    STREAM_2(TADD, float), STREAM_2(TADD, half), STREAM_2(TADD, bfloat16_t), STREAM_2(TADD, int8_t),
    STREAM_1(TABS, float), STREAM_1(TEXP, float), STREAM_1(TEXP, bfloat16_t), STREAM_1(TRELU, int8_t),
    STREAM_CAST(bfloat16_t, float, "memory 2:1 streaming"), STREAM_CAST(float, bfloat16_t, "memory 1:2 streaming"),
    STREAM_CAST(int8_t, float, "memory 2:1 streaming"), STREAM_REDUCE(TROWSUM, float), STREAM_REDUCE(TROWMAX, float),
    STREAM_REDUCE(TROWSUM, bfloat16_t),
};

}  // namespace

extern "C" int streams_count() { return sizeof(cases) / sizeof(cases[0]); }
extern "C" const bench::Case* streams_cases() { return cases; }
