// Reading accumulator rows.
#pragma once

#include <pto/cpu/isa/products.hpp>
#include <pto/cpu/layout/fragments.hpp>

namespace pto::cpu {

/// to[0 .. n) = row r of an accumulator from column c on, cast as casts_sum says.
/// Nothing that concerns the accumulator may be put off any more: the caller has asked for its data().
template <typename Tile, typename To>
PTO_INLINE void copy_acc_row(To* to, Tile& acc, int64_t r, int64_t c, int64_t n)
{
    using From = typename Tile::DType;
    static_assert(Tile::Loc == TileType::Acc && isa::casts_sum<From, To>, "see casts_sum");
    const char* base = reinterpret_cast<const char*>(acc.address());
    if (__builtin_expect(c % 16 != 0, 0)) {  // a column offset inside a fragment: element by element
        for (int64_t i = 0; i < n; ++i) {
            to[i] = static_cast<To>(*element_address(acc, r, c + i));
        }
        return;
    }
    static_assert(16 % kF32Lanes == 0, "a vector must not cross fragments");
    int64_t done = 0;
    if constexpr (kF32Lanes == 16 && is_float<To>) {
        const char* at = base + acc_offset<Tile>(r, c / 16);
        for (; c % 32 == 0 && done + 32 <= n; done += 32, at += kAccBlock) {
            store_two(to + done, load_bits<f32v>(at), load_bits<f32v>(at + kFragment));
        }
    }
    const int64_t group = c / 16;
    sweep<kF32Lanes, 1>(n - done, [=](int64_t i, auto extent) __attribute__((always_inline)) {
        i += done;
        const char* at = base + acc_offset<Tile>(r, group + i / 16) + i % 16 * 4;
        store(to + i, load(reinterpret_cast<const From*>(at), extent), extent);
    });
}

}  // namespace pto::cpu
