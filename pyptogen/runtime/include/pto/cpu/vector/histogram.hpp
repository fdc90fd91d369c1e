// THISTOGRAM: how often each value of a byte occurs in a row.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/modes.hpp>
#include <pto/cpu/layout/slabs.hpp>
#include <pto/cpu/vector/elementwise.hpp>

namespace pto {

namespace cpu {

PTO_INLINE uint32_t byte_of(uint32_t value, int byte) { return (value >> (8 * byte)) & 0xffU; }

/// What the upper bytes of an element must be to count: in 16-bit rows one byte for each row, in 32-bit rows the first
/// column of up to three rows of idx, most significant byte first.
template <HistByte Byte, typename Src, typename Index>
PTO_INLINE uint32_t wanted_prefix(Index& idx, int64_t row)
{
    constexpr int kByte = static_cast<int>(Byte), kTop = static_cast<int>(sizeof(typename Src::DType)) - 1;
    uint32_t prefix = 0;
    for (int byte = kTop; byte > kByte; --byte) {
        const int64_t at = sizeof(typename Src::DType) == 2 ? row : int64_t(kTop - byte);
        prefix |= static_cast<uint32_t>(idx.data()[public_offset<Index>(at, 0)]) << (8 * byte);
    }
    return prefix;
}

}  // namespace cpu

/// dst(r, b) = how many elements of row r have a byte of at most b there, among those whose higher bytes are idx's. dst
/// has 256 columns; the counts are running sums over b, as radix sort wants them and the device's instruction gives.
template <HistByte byte, typename Dst, typename Src, typename Index, typename... Events>
PTO_INST RecordEvent THISTOGRAM(Dst& dst, Src& src, Index& idx, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(THISTOGRAM, dst, src, idx);
    using T = typename Src::DType;
    static_assert(static_cast<size_t>(byte) < sizeof(T), "THISTOGRAM of uint16 has BYTE_0 and BYTE_1 only");
    constexpr int kByte = static_cast<int>(byte);
    constexpr uint32_t kMask = kByte == 3 ? 0U : ~0U << (8 * (kByte + 1) % 32);
    const int64_t rows = src.GetValidRow(), cols = src.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        uint32_t counts[256] = {};
        const uint32_t prefix = cpu::wanted_prefix<byte, Src>(idx, r);
        for (int64_t c = 0; c < cols; ++c) {
            const uint32_t value = src.data()[cpu::public_offset<Src>(r, c)];
            counts[cpu::byte_of(value, kByte)] += (value & kMask) == prefix ? 1U : 0U;
        }
        uint32_t sum = 0;
        for (int64_t bin = 0; bin < 256; ++bin) {
            sum += counts[bin];
            dst.data()[cpu::public_offset<Dst>(r, bin)] = sum;
        }
    }
    return {};
}

}  // namespace pto
