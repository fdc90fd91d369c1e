// TSORT32 and TMRGSORT: lists of (value, index) pairs in descending order of value.
//
// A pair has 8 bytes: the value in the low ones (half: two bytes, then two of zero), the index in the upper four.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/isa/operands.hpp>
#include <pto/cpu/lanes/raw.hpp>
#include <pto/cpu/moves/move_region.hpp>

namespace pto {

/// How many pairs TMRGSORT took from each of its lists.
struct MrgSortExecutedNumList {
    uint16_t mrgSortList0;
    uint16_t mrgSortList1;
    uint16_t mrgSortList2;
    uint16_t mrgSortList3;
};

namespace cpu {

/// A value as an unsigned key of the same order: -0 equals 0, NaN is above infinity.
template <typename T>
PTO_INLINE uint32_t sort_key(T value)
{
    if constexpr (is_float<T>) {
        const uint32_t bits = __builtin_bit_cast(uint32_t, static_cast<float>(value) + 0.0f);
        if ((bits & 0x7fffffffU) > 0x7f800000U) {
            return 0xffffffffU;
        }
        return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
    } else {
        return static_cast<uint32_t>(static_cast<int32_t>(value)) ^ 0x80000000U;
    }
}

/// Sorts n <= 32 keys in descending order, keeping the order of equal ones; order[i] is where the i-th came from.
inline void sort_block(const uint32_t* keys, int n, uint8_t* order)
{
    // A key and its place in one number: positions are reversed, so that the earlier of two equal keys is the larger.
    uint64_t items[32];
    for (int i = 0; i < n; ++i) {
        items[i] = (static_cast<uint64_t>(keys[i]) << 8) | static_cast<uint64_t>(255 - i);
    }
    // Each item goes where as many as are larger come before it: comparisons without branches.
    for (int i = 0; i < n; ++i) {
        int before = 0;
        for (int j = 0; j < n; ++j) {
            before += items[j] > items[i] ? 1 : 0;
        }
        order[before] = static_cast<uint8_t>(i);
    }
}

template <typename T>
PTO_INLINE void put_pair(T* to, T value, uint32_t index)
{
    char* bytes = reinterpret_cast<char*>(to);
    __builtin_memset(bytes, 0, 4);
    __builtin_memcpy(bytes, &value, sizeof(T));
    __builtin_memcpy(bytes + 4, &index, 4);
}

template <typename Dst, typename Src, typename Index>
inline void sort_rows(Dst& dst, Src& src, Index& idx)
{
    using T = typename Src::DType;
    PTO_OPERANDS(TSORT32, dst, src, idx);
    constexpr int64_t kPair = 8 / static_cast<int64_t>(sizeof(T));
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    const int64_t index_pitch = idx.GetValidRow() == 1 ? 0 : int64_t(Index::RowStride);
    for (int64_t r = 0; r < rows; ++r) {
        const T* values = src.data() + r * Src::RowStride;
        const uint32_t* indices = idx.data() + r * index_pitch;
        T* to = dst.data() + r * Dst::RowStride;
        for (int64_t c = 0; c < cols; c += 32) {
            const int n = static_cast<int>(least(32, cols - c));
            uint32_t keys[32];
            uint8_t order[32];
            for (int i = 0; i < n; ++i) {
                keys[i] = sort_key(values[c + i]);
            }
            sort_block(keys, n, order);
            for (int i = 0; i < n; ++i) {
                put_pair(to + (c + i) * kPair, values[c + order[i]], indices[c + order[i]]);
            }
        }
    }
}

template <typename T>
PTO_INLINE uint32_t pair_key(uint64_t pair)
{
    using Bits = raw_t<T>;
    return sort_key(__builtin_bit_cast(T, static_cast<Bits>(pair)));
}

/// A sorted list of pairs.
struct PairList {
    const uint64_t* pairs;
    int64_t count;
    int64_t taken = 0;
};

/// Merges lists into `to`, at most `limit` pairs; of equal values the one of the earlier list comes first. With
/// Suspend the merge stops when one of the lists is used up.
template <typename T, bool Suspend, int Lists>
inline void merge_pairs(uint64_t* to, int64_t limit, PairList (&lists)[Lists])
{
    int64_t keys[Lists];
    for (int i = 0; i < Lists; ++i) {
        keys[i] = lists[i].count > 0 ? static_cast<int64_t>(pair_key<T>(load_bits<uint64_t>(lists[i].pairs))) : -1;
    }
    for (int64_t out = 0; out < limit; ++out) {
        int best = 0;
        for (int i = 1; i < Lists; ++i) {
            best = keys[i] > keys[best] ? i : best;
        }
        if (keys[best] < 0) {
            return;
        }
        PairList& list = lists[best];
        store_bits(to + out, load_bits<uint64_t>(list.pairs + list.taken));
        ++list.taken;
        const bool more = list.taken < list.count;
        if (Suspend && !more) {
            return;
        }
        keys[best] = more ? static_cast<int64_t>(pair_key<T>(load_bits<uint64_t>(list.pairs + list.taken))) : -1;
    }
}

template <typename Tile>
PTO_INLINE PairList pairs_of(Tile& tile)
{
    return {
        reinterpret_cast<const uint64_t*>(tile.data()),
        static_cast<int64_t>(tile.GetValidCol() * sizeof(typename Tile::DType) / 8)};
}

/// Merges tiles by way of tmp, because dst may share memory with a source.
template <bool Suspend, typename Dst, typename Tmp, typename... Src>
inline void merge_tiles(Dst& dst, MrgSortExecutedNumList& executed, Tmp& tmp, Src&... src)
{
    using T = typename Dst::DType;
    constexpr int kLists = sizeof...(Src);
    PairList lists[kLists] = {pairs_of(src)...};
    const int64_t room = static_cast<int64_t>(dst.GetValidCol() * sizeof(T) / 8);
    const int64_t space = least(room, static_cast<int64_t>(Tmp::GetSizeInBytes() / 8));
    merge_pairs<T, Suspend>(reinterpret_cast<uint64_t*>(tmp.data()), space, lists);
    int64_t total = 0;
    uint16_t taken[4] = {};
    for (int i = 0; i < kLists; ++i) {
        taken[i] = static_cast<uint16_t>(lists[i].taken);
        total += lists[i].taken;
    }
    copy_bytes(dst.data(), tmp.data(), total * 8);
    executed = {taken[0], taken[1], taken[2], taken[3]};
}

}  // namespace cpu

/// Sorts every 32 values of a row in descending order; dst gets (value, idx) pairs. Equal values keep their order.
template <typename Dst, typename Src, typename Index>
PTO_INST RecordEvent TSORT32(Dst& dst, Src& src, Index& idx)
{
    cpu::sort_rows(dst, src, idx);
    return {};
}
template <typename Dst, typename Src, typename Index, typename Tmp>
PTO_INST RecordEvent TSORT32(Dst& dst, Src& src, Index& idx, Tmp&)
{
    cpu::sort_rows(dst, src, idx);
    return {};
}

/// Merges two, three or four sorted lists of pairs. `exhausted`: stops when one list is used up.
template <
    typename Dst, typename Tmp, typename Src0, typename Src1, typename Src2, typename Src3, bool exhausted,
    typename... Events>
PTO_INST RecordEvent TMRGSORT(
    Dst& dst, MrgSortExecutedNumList& executedNumList, Tmp& tmp, Src0& src0, Src1& src1, Src2& src2, Src3& src3,
    const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMRGSORT, dst, tmp, src0, src1, src2, src3);
    cpu::merge_tiles<exhausted>(dst, executedNumList, tmp, src0, src1, src2, src3);
    return {};
}
template <typename Dst, typename Tmp, typename Src0, typename Src1, typename Src2, bool exhausted, typename... Events>
PTO_INST RecordEvent TMRGSORT(
    Dst& dst, MrgSortExecutedNumList& executedNumList, Tmp& tmp, Src0& src0, Src1& src1, Src2& src2,
    const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMRGSORT, dst, tmp, src0, src1, src2);
    cpu::merge_tiles<exhausted>(dst, executedNumList, tmp, src0, src1, src2);
    return {};
}
template <typename Dst, typename Tmp, typename Src0, typename Src1, bool exhausted, typename... Events>
PTO_INST RecordEvent
TMRGSORT(Dst& dst, MrgSortExecutedNumList& executedNumList, Tmp& tmp, Src0& src0, Src1& src1, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMRGSORT, dst, tmp, src0, src1);
    cpu::merge_tiles<exhausted>(dst, executedNumList, tmp, src0, src1);
    return {};
}

/// Merges every four neighbouring sorted blocks of `blockLen` elements (values and indices) into one.
template <typename Dst, typename Src, typename... Events>
PTO_INST RecordEvent TMRGSORT(Dst& dst, Src& src, uint32_t blockLen, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(TMRGSORT, dst, src);
    using T = typename Dst::DType;
    const int64_t block = static_cast<int64_t>(blockLen * sizeof(T) / 8);
    const int64_t total = static_cast<int64_t>(dst.GetValidCol() * sizeof(T) / 8);
    const auto* from = reinterpret_cast<const uint64_t*>(src.data());
    auto* to = reinterpret_cast<uint64_t*>(dst.data());
    for (int64_t first = 0; block > 0 && first + 4 * block <= total; first += 4 * block, from += 4 * block) {
        cpu::PairList lists[4] = {
            {from, block}, {from + block, block}, {from + 2 * block, block}, {from + 3 * block, block}};
        cpu::merge_pairs<T, false>(to + first, 4 * block, lists);
    }
    return {};
}

/// Columns that the scratch tile of a merge needs.
template <typename... Src>
PTO_INTERNAL constexpr uint32_t GETMRGSORTTMPSIZE()
{
    return (static_cast<uint32_t>(Src::Cols) + ...);
}

}  // namespace pto
