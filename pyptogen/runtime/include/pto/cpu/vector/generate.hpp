// Instructions that make values from nothing: sequences, triangles and random bits.
#pragma once

#include <pto/cpu/vector/elementwise.hpp>

namespace pto {

namespace cpu {

/// to[k] = start + k (or start - k); narrow floats are rounded once.
template <bool Descending, typename T>
PTO_INLINE void write_sequence(T* to, T start, int64_t n)
{
    using C = compute_t<T>;
    constexpr int kStep = kLanes<T>;
    const vec<C> first = splat<C>(static_cast<C>(start));
    const vec<C> lanes = lane_numbers<C>();
    sweep<kStep, 1>(n, [&](int64_t i, auto extent) __attribute__((always_inline)) {
        const vec<C> k = Add::apply<C>(splat<C>(static_cast<C>(i)), lanes);
        store(to + i, Descending ? Sub::apply<C>(first, k) : Add::apply<C>(first, k), extent);
    });
}

template <typename T>
PTO_INLINE void fill_line(T* to, int64_t n, T value)
{
    using C = compute_t<T>;
    const vec<C> v = splat<C>(static_cast<C>(value));
    sweep<kLanes<T>, 2>(n, [&](int64_t i, auto extent) __attribute__((always_inline)) { store(to + i, v, extent); });
}

/// A 128-bit counter plus a small number.
inline void advance_counter(uint32_t (&counter)[4], uint32_t by)
{
    uint64_t carry = by;
    for (uint32_t& word : counter) {
        carry += word;
        word = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
}

/// Philox 4x32: `Rounds` rounds on the counters base, base + 1, ... one per 64-bit lane; word w of lane i goes to
/// out[w * stride + i].
template <int Rounds>
PTO_INLINE void philox_lanes(const uint32_t (&base)[4], const uint32_t* key, uint32_t* out, int64_t stride)
{
    using u64v = vec<uint64_t>;
    constexpr int kCount = kVectorBytes / 8;
    constexpr uint64_t kLow = 0xffffffffU;
    u64v words[4] = {};
    for (int i = 0; i < kCount; ++i) {
        uint32_t counter[4] = {base[0], base[1], base[2], base[3]};
        advance_counter(counter, static_cast<uint32_t>(i));
        for (int w = 0; w < 4; ++w) {
            words[w][i] = counter[w];
        }
    }
    uint32_t key0 = key[0], key1 = key[1];
    for (int round = 0; round < Rounds; ++round) {
        const u64v even = words[0] * uint64_t(0xD2511F53U), odd = words[2] * uint64_t(0xCD9E8D57U);
        words[0] = (odd >> 32) ^ words[1] ^ uint64_t(key0);
        words[1] = odd & kLow;
        words[2] = (even >> 32) ^ words[3] ^ uint64_t(key1);
        words[3] = even & kLow;
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    for (int w = 0; w < 4; ++w) {
        for (int i = 0; i < kCount; ++i) {
            out[w * stride + i] = static_cast<uint32_t>(words[w][i]);
        }
    }
}

}  // namespace cpu

/// dst[0, k] = start + k, or start - k if descending is 1
template <typename TileData, typename T, int descending, typename... Events>
PTO_INST RecordEvent TCI(TileData& dst, T start, const Events&...)
{
    PTO_OPERANDS(TCI, dst);
    static_assert(cpu::is_same<typename TileData::DType, T>, "TCI: start needs the element type of dst");
    static_assert(TileData::Rows == 1, "TCI: dst must have one row");
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {  // else one error is enough
        cpu::write_sequence<descending == 1>(dst.data(), start, dst.GetValidCol());
    }
    return {};
}

/// The same with a scratch tile, which is not needed here.
template <typename TileData, typename TileDataTmp, typename T, int descending, typename... Events>
PTO_INST RecordEvent TCI(TileData& dst, T start, TileDataTmp&, const Events&...)
{
    return TCI<TileData, T, descending>(dst, start);
}

/// The type of dst is given, so that one of another type would be no match.
template <typename TileData, typename T, int descending, typename Dst, typename... Rest>
    requires(!cpu::is_same<TileData, Dst>)
PTO_INST RecordEvent TCI(Dst&, T, const Rest&...)
{
    static_assert(cpu::is_same<TileData, Dst>, "TCI: dst needs the type that the call gives first");
    return {};
}
template <typename TileData, typename TileDataTmp, typename T, int descending, typename Dst, typename... Rest>
    requires(!cpu::is_same<TileData, Dst>)
PTO_INST RecordEvent TCI(Dst&, T, const Rest&...)
{
    static_assert(cpu::is_same<TileData, Dst>, "TCI: dst needs the type that the call gives first");
    return {};
}

/// dst[r, c] = 1 where c <= r + diagonal (isUpperOrLower 0), or where c >= r + diagonal (1); 0 elsewhere
template <typename TileData, int isUpperOrLower, typename... Events>
PTO_INST RecordEvent TTRI(TileData& dst, int diagonal, const Events&...)
{
    PTO_OPERANDS(TTRI, dst);
    static_assert(isUpperOrLower == 0 || isUpperOrLower == 1, "TTRI: isUpperOrLower must be 0 (lower) or 1 (upper)");
    using T = typename TileData::DType;
    const int64_t cols = dst.GetValidCol();
    for (int64_t r = 0; r < static_cast<int64_t>(dst.GetValidRow()); ++r) {
        const int64_t edge = r + diagonal + (isUpperOrLower == 0 ? 1 : 0);
        const int64_t left = edge < 0 ? 0 : edge > cols ? cols : edge;
        T* row = dst.data() + r * TileData::RowStride;
        cpu::fill_line(row, left, static_cast<T>(isUpperOrLower == 0 ? 1.0f : 0.0f));
        cpu::fill_line(row + left, cols - left, static_cast<T>(isUpperOrLower == 0 ? 0.0f : 1.0f));
    }
    return {};
}
template <typename TileData, int isUpperOrLower, typename Dst, typename... Rest>
    requires(!cpu::is_same<TileData, Dst>)
PTO_INST RecordEvent TTRI(Dst&, int, const Rest&...)
{
    static_assert(cpu::is_same<TileData, Dst>, "TTRI: dst needs the type that the call gives first");
    return {};
}

/// dst = random bits: Philox 4x32 with a 64-bit key, in chunks of 256 elements. Element 64 w + i of a chunk is word w
/// of the counter plus i; from one chunk to the next the counter grows by a quarter of dst's columns.
template <uint16_t Rounds = 10, typename DstTile, typename... Events>
PTO_INST RecordEvent TRANDOM(DstTile& dst, TRandomKey& key, TRandomCounter& counter, const Events&...)
{
    PTO_OPERANDS(TRANDOM, dst);
    static_assert(Rounds == 7 || Rounds == 10, "TRANDOM: 7 or 10 rounds");
    constexpr int kWords = cpu::kVectorBytes / 8;
    const int64_t cols = dst.GetValidCol();
    uint32_t at[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (int64_t r = 0; r < static_cast<int64_t>(dst.GetValidRow()); ++r) {
        for (int64_t start = 0; start < cols; start += 256) {
            uint32_t chunk[256];
            uint32_t first[4] = {at[0], at[1], at[2], at[3]};
            for (int i = 0; i < 64; i += kWords) {
                cpu::philox_lanes<Rounds>(first, key, chunk + i, 64);
                cpu::advance_counter(first, kWords);
            }
            const int64_t count = cols - start < 256 ? cols - start : 256;
            __builtin_memcpy(dst.data() + r * DstTile::RowStride + start, chunk, static_cast<size_t>(count) * 4);
            cpu::advance_counter(at, DstTile::RowStride / 4);
        }
    }
    return {};
}

}  // namespace pto
