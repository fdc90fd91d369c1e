// TSTORE: a tile to global memory.
#pragma once

#include <pto/cpu/isa/operands.hpp>
#include <pto/cpu/isa/products.hpp>
#include <pto/cpu/moves/accumulator.hpp>
#include <pto/cpu/moves/load.hpp>
#include <pto/cpu/moves/requantise.hpp>
#include <pto/cpu/moves/stream_store.hpp>

namespace pto {

namespace cpu {

/// Calls put(Global element*, tile value, row, column) for every element of a tile's valid region.
template <typename Tile, typename Global, typename Put>
PTO_INLINE void store_each(Global& dst, Tile& src, Put put)
{
    using T = typename Tile::DType;
    for_each_global_slab(dst, src.GetValidRow(), src.GetValidCol(), [&](const auto& to) {
        for_each_slab(src, to.row, to.col, to.rows, to.cols, [&](const Slab<T>& from) {
            auto* at = to.at + (from.row - to.row) * to.row_stride + (from.col - to.col) * to.col_stride;
            for (int64_t r = 0; r < from.rows; ++r) {
                for (int64_t c = 0; c < from.cols; ++c) {
                    put(at + r * to.row_stride + c * to.col_stride, from.at[r * from.row_stride + c * from.col_stride],
                        from.row + r, from.col + c);
                }
            }
        });
    });
}

/// The bytes of a tile's valid region to global memory of the same element size.
template <typename Tile, typename Global>
PTO_INLINE void store_bytes(Global& dst, Tile& src)
{
    PTO_OPERANDS(TSTORE_BYTES, dst, src);
    using T = typename Tile::DType;
    if constexpr (is_packed4_v<T>) {
        for_each_nibble(dst, src.GetValidRow(), src.GetValidCol(), [&](int64_t r, int64_t c, int64_t place) {
            store_element(reinterpret_cast<T*>(dst.data()), place, src.GetElement(r, c));
        });
        return;
    }
    for_each_global_slab(dst, src.GetValidRow(), src.GetValidCol(), [&](const auto& to) __attribute__((always_inline)) {
        for_each_slab(src, to.row, to.col, to.rows, to.cols, [&](const Slab<T>& from) __attribute__((always_inline)) {
            T* at =
                reinterpret_cast<T*>(to.at) + (from.row - to.row) * to.row_stride + (from.col - to.col) * to.col_stride;
            if constexpr (Tile::Loc == TileType::Vec) {
                if (stream_slab<T>(
                        at, to.row_stride, to.col_stride, from.at, from.row_stride, from.col_stride, from.rows,
                        from.cols)) {
                    return;
                }
            }
            copy_slab<T>(
                at, to.row_stride, to.col_stride, from.at, from.row_stride, from.col_stride, from.rows, from.cols);
        });
    });
}

/// Stores convert(value, column), or adds it to what is in memory.
template <bool Add, typename Tile, typename Global, typename Convert>
PTO_INLINE void store_converted(Global& dst, Tile& src, Convert convert)
{
    using To = typename Global::RawDType;
    store_each(dst, src, [convert](To* to, typename Tile::DType value, int64_t, int64_t column) {
        if constexpr (Add) {
            atomic_add(to, convert(value, column));
        } else {
            *to = convert(value, column);
        }
    });
}

template <bool Add, bool Relu, typename Tile, typename Global>
PTO_INLINE void store_acc(Global& dst, Tile& src)
{
    using To = typename Global::RawDType;
    using From = typename Tile::DType;
    static_assert(isa::casts_sum<From, To>, "TSTORE of an Acc tile casts " PTO_CASTS_OF_SUMS);
    if constexpr (Global::layout == Layout::ND && !Add && !Relu && (is_same<From, float> || is_same<From, int32_t>)) {
        if (dst.GetStride(4) == 1) {
            (void)src.data();
            for_each_plain_slab(dst, src.GetValidRow(), src.GetValidCol(), [&](const auto& to) {
                for (int64_t r = 0; r < to.rows; ++r) {
                    copy_acc_row(to.at + r * to.row_stride, src, to.row + r, 0, to.cols);
                }
            });
            return;
        }
    }
    store_converted<Add>(dst, src, CastValue<To, Relu>{});
}

template <bool Add, bool Relu, typename Tile, typename Global>
PTO_INLINE void store_tile(Global& dst, Tile& src)
{
    PTO_OPERANDS(TSTORE, dst, src);
    if constexpr (Relu) {
        PTO_OPERANDS(TSTORE_RELU, dst, src);
    }
    if constexpr (is_conv_tile_v<Tile>) {
        store_conv<Add>(dst, src);
    } else if constexpr (Tile::Loc == TileType::Acc) {
        store_acc<Add, Relu>(dst, src);
    } else {
        if constexpr (Add) {
            PTO_OPERANDS(TSTORE_ADD, dst, src);
            using T = typename Tile::DType;
            store_each(dst, src, [](T* to, T value, int64_t, int64_t) { atomic_add(to, value); });
        } else {
            store_bytes(dst, src);
        }
    }
}

}  // namespace cpu

/// Stores the valid region of src to global memory in any layout, as far as it lies in the extents of dst. Acc tiles are
/// cast as isa::casts_sum says; all others, and ConvTiles, are copied.
template <typename TileData, typename GlobalData, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, const Events&... events)
{
    TSYNC(events...);
    cpu::store_tile<false, false>(dst, src);
    return {};
}

/// As TSTORE; AtomicAdd adds to what is in memory, element by element as one step each; relu is for Acc tiles.
template <
    typename TileData, typename GlobalData, AtomicType atomicType, ReluPreMode reluPreMode = ReluPreMode::NoRelu,
    typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, const Events&... events)
{
    TSYNC(events...);
    cpu::store_tile<atomicType == AtomicType::AtomicAdd, reluPreMode == ReluPreMode::NormalRelu>(dst, src);
    return {};
}
template <typename TileData, typename GlobalData, ReluPreMode reluPreMode, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, const Events&... events)
{
    TSYNC(events...);
    cpu::store_tile<false, reluPreMode == ReluPreMode::NormalRelu>(dst, src);
    return {};
}

/// The forms with a phase of the accumulator, which matters to overlapping pipes only.
template <STPhase Phase, typename TileData, typename GlobalData, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, const Events&... events)
{
    TSYNC(events...);
    cpu::store_tile<false, false>(dst, src);
    return {};
}
template <
    STPhase Phase, typename TileData, typename GlobalData, AtomicType atomicType,
    ReluPreMode reluPreMode = ReluPreMode::NoRelu, typename... Events>
PTO_INST RecordEvent TSTORE(GlobalData& dst, TileData& src, const Events&... events)
{
    TSYNC(events...);
    cpu::store_tile<atomicType == AtomicType::AtomicAdd, reluPreMode == ReluPreMode::NormalRelu>(dst, src);
    return {};
}

}  // namespace pto
