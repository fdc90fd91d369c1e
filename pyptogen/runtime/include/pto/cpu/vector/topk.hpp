// TTOPK and TBOTTOMK: where the greatest (least) elements of a row of global memory are. An extension of the API for
// CPUs.
//
//     TTOPK(indices, x_in, tmp);
//
// indices is [1, k], x_in is [1, n] with n >= k, tmp is int32 with four rooms of at least k + kTopkSlack.
// The row is read once: what is greater than the k-th greatest so far is appended to a room of candidates, and whenever
// the room is full all but the k greatest are dropped. Candidates stay in the order of their positions, so that of
// equal elements the first ones are kept and come first. NaN is the greatest of all, -0 equals 0.
#pragma once

#include <pto/common/event.hpp>
#include <pto/cpu/lanes/simd.hpp>
#include <pto/cpu/vector/sort.hpp>
#include <pto/cpu/vector/topk_lanes.hpp>

namespace pto {

namespace cpu {

/// Room behind the last candidate: one block of elements that is appended, and one vector that is stored whole.
inline constexpr int64_t kTopkSlack = 80;
inline constexpr int64_t kTopkBlock = 64;
/// Up to so many candidates are put in order by counting, for each one, those before it.
inline constexpr int64_t kTopkCounted = 128;

/// Values as numbers of the wanted order: sort_key without branches, upside down for the least ones. In loops of their
/// own, each of which is vector code.
template <bool Greatest, typename T>
PTO_INLINE void topk_keys(const T* values, int64_t n, int64_t stride, uint32_t (&keys)[kTopkBlock])
{
    constexpr uint32_t kFlipped = Greatest ? 0 : 0xffffffffU;
    if constexpr (is_float<T>) {
        float wide[kTopkBlock];
        int32_t bits[kTopkBlock];
        if (stride == 1 && n == kTopkBlock) {
            for (int i = 0; i < kTopkBlock; ++i) {
                wide[i] = static_cast<float>(values[i]) + 0.0f;
            }
        } else {
            for (int64_t i = 0; i < kTopkBlock; ++i) {
                wide[i] = i < n ? static_cast<float>(values[i * stride]) + 0.0f : 0.0f;
            }
        }
        __builtin_memcpy(bits, wide, sizeof(bits));
        for (int i = 0; i < kTopkBlock; ++i) {
            const int32_t x = bits[i];
            const auto ordered = static_cast<uint32_t>(x ^ ((x >> 31) | static_cast<int32_t>(0x80000000U)));
            keys[i] = ((x & 0x7fffffff) > 0x7f800000 ? 0xffffffffU : ordered) ^ kFlipped;
        }
    } else {
        for (int64_t i = 0; i < n; ++i) {
            keys[i] = (static_cast<uint32_t>(static_cast<int32_t>(values[i * stride])) ^ 0x80000000U) ^ kFlipped;
        }
    }
}

/// Splits keys into those above and those below a pivot; `above` or `below` may be `keys` itself. Gives their numbers.
PTO_INLINE void split_keys(
    const uint32_t* keys, int64_t n, uint32_t pivot, uint32_t* above, int64_t& more, uint32_t* below, int64_t& less)
{
    more = less = 0;
    for (int64_t i = split_vectors(keys, n, pivot, above, more, below, less); i < n; ++i) {
        const uint32_t x = keys[i];
        if (x > pivot) {
            above[more++] = x;
        } else if (x < pivot) {
            below[less++] = x;
        }
    }
}

/// The k-th greatest of n keys (1: the greatest); `one` and `other` have room for them and a vector.
inline uint32_t kth_greatest(const uint32_t* keys, int64_t n, int64_t k, uint32_t* one, uint32_t* other)
{
    while (true) {
        const uint32_t a = keys[n / 4], b = keys[n / 2], c = keys[n * 3 / 4];
        const uint32_t low = a < b ? a : b, high = a < b ? b : a;
        const uint32_t pivot = c < low ? low : c > high ? high : c;
        int64_t more, less;
        split_keys(keys, n, pivot, one, more, other, less);
        if (k <= more) {
            keys = one;
            n = more;
        } else if (k <= n - less) {
            return pivot;
        } else {
            keys = other;
            k -= n - less;
            n = less;
        }
    }
}

/// Candidates by key and place, in the order of their positions, and two rooms of scratch.
struct Candidates {
    uint32_t *keys, *positions, *one, *other;
    int64_t room;
    int64_t count = 0;
    uint32_t floor = 0;
    bool open = true;  ///< nothing was dropped yet: every key is a candidate

    /// Appends those of `n` <= kTopkBlock keys that are above the floor; `first` is the place of the first one.
    PTO_INLINE void append(const uint32_t* block, int64_t n, uint32_t first)
    {
        int64_t i = append_vectors(keys, positions, count, block, n, first, floor, open);
        for (; i < n; ++i) {
            keys[count] = block[i];
            positions[count] = first + static_cast<uint32_t>(i);
            count += (open || block[i] > floor) ? 1 : 0;
        }
    }

    /// Keeps the k greatest.
    inline void prune(int64_t k)
    {
        if (count <= k) {
            return;
        }
        floor = kth_greatest(keys, count, k, one, other);
        open = false;
        int64_t equal = k;  // so many of those that equal the floor stay: the first ones
        for (int64_t i = 0; i < count; ++i) {
            equal -= keys[i] > floor ? 1 : 0;
        }
        int64_t kept = 0;
        for (int64_t i = keep_vectors(keys, positions, count, floor, kept, equal); i < count; ++i) {
            const bool same = keys[i] == floor && equal > 0;
            const bool in = keys[i] > floor || same;
            equal -= same ? 1 : 0;
            keys[kept] = keys[i];
            positions[kept] = positions[i];
            kept += in ? 1 : 0;
        }
        count = kept;
    }

    /// Puts the candidates in falling order of keys; of equal ones the first stays first.
    inline void order()
    {
        if (count <= kTopkCounted) {
            by_counting();
        } else {
            by_digits();
        }
    }

private:
    inline void by_counting()
    {
        for (int64_t i = 0; i < count; ++i) {
            const uint32_t key = keys[i];
            uint32_t before = 0;
            for (int64_t j = 0; j < i; ++j) {
                before += keys[j] >= key ? 1 : 0;
            }
            for (int64_t j = i + 1; j < count; ++j) {
                before += keys[j] > key ? 1 : 0;
            }
            one[before] = key;
            other[before] = positions[i];
        }
        swap_rooms();
    }

    /// A radix sort, byte by byte from the lowest.
    inline void by_digits()
    {
        uint32_t starts[4][256] = {};
        for (int64_t i = 0; i < count; ++i) {
            const uint32_t falling = ~keys[i];
            ++starts[0][falling & 255];
            ++starts[1][falling >> 8 & 255];
            ++starts[2][falling >> 16 & 255];
            ++starts[3][falling >> 24];
        }
        for (int digit = 0; digit < 4; ++digit) {
            uint32_t* start = starts[digit];
            if (start[~keys[0] >> (8 * digit) & 255] == static_cast<uint32_t>(count)) {
                continue;  // all have the same
            }
            uint32_t total = 0;
            for (int value = 0; value < 256; ++value) {
                const uint32_t here = start[value];
                start[value] = total;
                total += here;
            }
            for (int64_t i = 0; i < count; ++i) {
                const uint32_t at = start[~keys[i] >> (8 * digit) & 255]++;
                one[at] = keys[i];
                other[at] = positions[i];
            }
            swap_rooms();
        }
    }

    PTO_INLINE void swap_rooms()
    {
        uint32_t *was_keys = keys, *was_positions = positions;
        keys = one;
        positions = other;
        one = was_keys;
        other = was_positions;
    }
};

template <bool Greatest, typename Indices, typename Global, typename Tmp>
inline void extreme_elements(Indices& indices, Global& src, Tmp& tmp)
{
    using T = typename Global::RawDType;
    const T* row = reinterpret_cast<const T*>(src.data());
    const int64_t n = src.GetShape(4), stride = src.GetStride(4), k = indices.GetValidCol();
    const int64_t room = int64_t(Tmp::Cols) / 4;
    auto* rooms = reinterpret_cast<uint32_t*>(tmp.data());
    Candidates found{rooms, rooms + room, rooms + 2 * room, rooms + 3 * room, room - kTopkSlack};
    uint32_t block[kTopkBlock];
    for (int64_t at = 0; at < n; at += kTopkBlock) {
        const int64_t size = least(kTopkBlock, n - at);
        topk_keys<Greatest>(row + at * stride, size, stride, block);
        found.append(block, size, static_cast<uint32_t>(at));
        if (found.count > found.room) {
            found.prune(k);
        }
    }
    found.prune(k);
    found.order();
    copy_bytes(indices.data(), found.positions, found.count * 4);
}

}  // namespace cpu

/// Where the k greatest elements of a row are, in falling order.
template <typename Indices, typename Global, typename Tmp>
PTO_INST RecordEvent TTOPK(Indices& indices, Global& src, Tmp& tmp)
{
    PTO_OPERANDS(TTOPK, indices, src, tmp);
    cpu::extreme_elements<true>(indices, src, tmp);
    return {};
}

/// Where the k least elements of a row are, in rising order.
template <typename Indices, typename Global, typename Tmp>
PTO_INST RecordEvent TBOTTOMK(Indices& indices, Global& src, Tmp& tmp)
{
    PTO_OPERANDS(TBOTTOMK, indices, src, tmp);
    cpu::extreme_elements<false>(indices, src, tmp);
    return {};
}

}  // namespace pto
