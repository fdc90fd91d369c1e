// TCARRY: rows of global memory to other rows, bit for bit. An extension of the API for CPUs: a TLOAD and a TSTORE of all
// that was loaded, without a tile.
#pragma once

#include <pto/common/global_tensor.hpp>
#include <pto/cpu/checked/pass.hpp>
#include <pto/cpu/vector/far_stores.hpp>

namespace pto {

namespace cpu {

/// `bytes` from one row to another; stores go around the cache where `far` says so.
#if defined(PTO_CPU_AVX512)
PTO_INLINE void carry_row(char* to, const char* from, int64_t bytes, bool far)
{
    int64_t at = 0;
    if (far && reinterpret_cast<uintptr_t>(to) % 64 == 0) {
        for (; at + 64 <= bytes; at += 64) {
            _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_loadu_si512(from + at));
        }
    } else {
        for (; at + 64 <= bytes; at += 64) {
            _mm512_storeu_si512(to + at, _mm512_loadu_si512(from + at));
        }
    }
    if (at < bytes) {
        const __mmask64 left = ~uint64_t(0) >> (64 - (bytes - at));
        _mm512_mask_storeu_epi8(to + at, left, _mm512_maskz_loadu_epi8(left, from + at));
    }
}
#elif defined(PTO_CPU_AVX2)
PTO_INLINE void carry_row(char* to, const char* from, int64_t bytes, bool far)
{
    int64_t at = 0;
    if (far && reinterpret_cast<uintptr_t>(to) % 32 == 0) {
        for (; at + 32 <= bytes; at += 32) {
            _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at), load_bits<__m256i>(from + at));
        }
    }
    __builtin_memcpy(to + at, from + at, bytes - at);
}
#else
PTO_INLINE void carry_row(char* to, const char* from, int64_t bytes, bool) { __builtin_memcpy(to, from, bytes); }
#endif

/// True of two extents that may be equal; negative ones are given at run time.
constexpr bool may_equal(int64_t a, int64_t b) { return a == b || a < 0 || b < 0; }

template <typename Dst, typename Src>
PTO_INLINE void carry(Dst& dst, Src& src, bool far, checked::Site site)
{
    static_assert(is_global_data_v<Dst> && is_global_data_v<Src>, "TCARRY takes two GlobalTensors");
    static_assert(
        is_same<typename Dst::RawDType, typename Src::RawDType>, "TCARRY needs the same element type on both sides");
    static_assert(Dst::layout == Layout::ND && Src::layout == Layout::ND, "TCARRY needs rows in ND order");
    using To = typename Dst::Shape;
    using From = typename Src::Shape;
    static_assert(
        may_equal(To::staticShape[3], From::staticShape[3]) && may_equal(To::staticShape[4], From::staticShape[4]),
        "TCARRY needs as many rows and columns on both sides");
    checked::note_site(site);
    if (!checked::carries(dst, src)) {
        return;
    }
    using T = typename Dst::RawDType;
    auto* to = reinterpret_cast<T*>(dst.data());
    const auto* from = reinterpret_cast<const T*>(src.data());
    const int64_t rows = dst.GetShape(3), cols = dst.GetShape(4);
    for (int64_t row = 0; row < rows; ++row, to += dst.GetStride(3), from += src.GetStride(3)) {
        if constexpr (Dst::Shape::staticShape[4] == 1) {
            *to = *from;
        } else {
            carry_row(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), cols * int64_t(sizeof(T)), far);
        }
    }
}

}  // namespace cpu

/// The elements of `src` to `dst`, which has as many rows and columns of the same type.
template <typename Dst, typename Src>
PTO_INLINE void TCARRY(Dst& dst, Src& src, cpu::checked::Site site = {__builtin_FILE(), __builtin_LINE()})
{
    cpu::carry(dst, src, false, site);
}
/// As above; `far` says whether stores go around the cache.
template <typename Dst, typename Src>
PTO_INLINE void TCARRY(
    Dst& dst, Src& src, const FarStores& far, cpu::checked::Site site = {__builtin_FILE(), __builtin_LINE()})
{
    cpu::carry(dst, src, bool(far), site);
}

}  // namespace pto
