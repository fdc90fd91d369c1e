// Where a TPASS stands: a vector of columns of one row, and what its body asks for there.
#pragma once

#include <pto/common/global_tensor.hpp>
#include <pto/cpu/checked/pass.hpp>
#include <pto/cpu/layout/fragments.hpp>
#include <pto/cpu/vector/far_stores.hpp>
#include <pto/cpu/vector/fused.hpp>
#include <pto/cpu/vector/reduce.hpp>
#include <pto/cpu/vector/unary.hpp>

namespace pto {

namespace cpu {

/// The columns of a vector: from `origin` + kWithin on, where origin is a multiple of kMultiple. With what is known
/// when the kernel is compiled, an address inside fragments is linear in origin.
template <int64_t Multiple, int64_t Within>
struct PassColumns {
    static constexpr int64_t kMultiple = Multiple, kWithin = Within;
    int64_t origin;

    PTO_INLINE int64_t first() const { return origin + kWithin; }
    /// Bytes to these columns in a row whose columns come in groups of Group, `apart` bytes from one to the next.
    template <int64_t Group>
    PTO_INLINE int64_t in_groups(int64_t apart, int64_t element_bytes) const
    {
        if constexpr (kMultiple % Group == 0) {
            return origin * (apart / Group) + kWithin / Group * apart + kWithin % Group * element_bytes;
        } else {
            return first() / Group * apart + first() % Group * element_bytes;
        }
    }
    /// Bytes to these columns in a row of an accumulator.
    PTO_INLINE int64_t in_accumulator() const
    {
        if constexpr (kMultiple % 32 == 0) {
            return in_groups<32>(kAccBlock, 0) + kWithin % 32 / 16 * kFragment + kWithin % 16 * 4;
        } else {
            return (first() >> 5) * kAccBlock + ((first() >> 4) & 1) * kFragment + (first() & 15) * 4;
        }
    }
};

/// Element (row, columns) of a plain Vec tile, an Acc tile, or an ND GlobalTensor. Nothing that concerns the
/// accumulator may be put off any more: a pass sees to it before it walks (pass_tiles.hpp).
template <typename Object, typename Columns>
PTO_INLINE auto* lanes_address(const Object& object, int64_t row, const Columns& columns)
{
    if constexpr (is_global_data_v<Object>) {
        static_assert(Object::layout == Layout::ND, "TPASS: a GlobalTensor must be in ND order");
        using T = typename Object::RawDType;
        return reinterpret_cast<T*>(const_cast<Object&>(object).data()) +
               row * const_cast<Object&>(object).GetStride(3) + columns.first();
    } else if constexpr (Object::Loc == TileType::Acc) {
        using T = typename Object::DType;
        char* base = reinterpret_cast<char*>(const_cast<Object&>(object).address()) + acc_offset<Object>(row, 0);
        return reinterpret_cast<T*>(base + columns.in_accumulator());
    } else {
        static_assert(
            Object::isRowMajor && !Object::isBoxedLayout, "TPASS: a tile must be row-major and without boxes");
        return object.data() + row * Object::RowStride + columns.first();
    }
}

/// Where a pass stands: a vector of columns of one row. Slot: which of four partial results a reduction adds to.
/// Grouped: it is vector Slot of a group of four.
template <int Slot, typename Extent, bool Grouped = false>
struct PassLanes {
    static constexpr int64_t kAheadBytes = 2048;
    static constexpr int kSlot = Slot;
    static constexpr bool kGrouped = Grouped, kFull = is_same<Extent, Full>;
    int64_t row_index;
    PassColumns<Grouped ? 4 * kF32Lanes : kF32Lanes, Grouped ? Slot * kF32Lanes : 0> columns;
    Extent extent;

    /// The values of a tile or of global memory here. Memory further on is asked for, because the hardware stops asking
    /// at the end of a page.
    template <typename Object>
    PTO_INLINE auto load(const Object& object, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        auto* from = lanes_address(object, row_index, columns);
        if constexpr (is_global_data_v<Object> && kFull) {
            __builtin_prefetch(reinterpret_cast<const char*>(from) + ahead_of<Object>(), 0, 3);
        }
        return allowed(site, "load", object, row_index) ? loaded(from) : decltype(loaded(from)){};
    }
    /// Asks for the global memory `down` rows further on, which a later pass will load.
    template <typename Global>
    PTO_INLINE void ask_for(const Global& global, int64_t down) const
    {
        __builtin_prefetch(lanes_address(global, row_index + down, columns), 0, 3);
    }
    /// The same beside a few operations, which do not take as long as memory does. Where there is a matrix unit the
    /// processor asks by itself, and further ahead: there layer_norm took 1.15 times as long with this.
    template <typename Global>
    PTO_INLINE void ask_between(const Global& global, int64_t down) const
    {
        if constexpr (!kHasMatrixUnit) {
            ask_for(global, down);
        }
    }
    /// The values `down` rows further in an accumulator.
    template <typename Object>
    PTO_INLINE auto extract(
        const Object& acc, int64_t down, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        auto* from = lanes_address(acc, row_index + down, columns);
        return allowed(site, "extract", acc, row_index + down) ? loaded(from) : decltype(loaded(from)){};
    }
    /// The values of a tile of one row, the same for every row.
    template <typename Tile>
    PTO_INLINE auto row(const Tile& tile, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        auto* from = lanes_address(tile, 0, columns);
        return allowed(site, "row", tile, 0) ? loaded(from) : decltype(loaded(from)){};
    }
    /// The value of a column of statistics in this row, in all lanes.
    template <typename Tile>
    PTO_INLINE f32v column(const Tile& tile, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        checked::note_site(site);
        if (!checked::pass_accesses("column", tile, row_index, 0, 1, false)) {
            return f32v{};
        }
        return splat(static_cast<float>(tile.data()[row_index * Tile::RowStride]));
    }

    /// Stores values, converted to the element type of a tile or of global memory.
    template <typename Object, typename V>
    PTO_INLINE void store(Object& object, V v, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        if (allowed(site, "store", object, row_index, true)) {
            put(lanes_address(object, row_index, columns), v);
        }
    }
    /// As store; `far` says whether stores go around the cache.
    template <typename Object, typename V>
    PTO_INLINE void store(
        Object& object, V v, const FarStores& far, checked::Site site = {__builtin_FILE(), __builtin_LINE()}) const
    {
        auto* to = lanes_address(object, row_index, columns);
        if (!allowed(site, "store", object, row_index, true)) {
            return;
        }
        if constexpr (kFull) {
            if (far) {
                store_far(to, v);
                return;
            }
        }
        put(to, v);
    }

    PTO_INLINE static f32v exp(f32v v) { return exp_f32(v); }
    PTO_INLINE static f32v log(f32v v) { return log_f32(v); }
    PTO_INLINE static f32v sqrt(f32v v) { return sqrt_f32(v); }
    PTO_INLINE static f32v abs(f32v v) { return absolute<float>(v); }
    PTO_INLINE static f32v relu(f32v v) { return Max::apply<float>(v, f32v{}); }
    PTO_INLINE static f32v max(f32v a, f32v b) { return Max::apply<float>(a, b); }
    PTO_INLINE static f32v min(f32v a, f32v b) { return Min::apply<float>(a, b); }
    PTO_INLINE static f32v max(f32v a, float b) { return beyond<Max>(a, b); }
    PTO_INLINE static f32v min(f32v a, float b) { return beyond<Min>(a, b); }
    PTO_INLINE static f32v all(float value) { return splat(value); }
    PTO_INLINE static f32v to_float(i32v v) { return __builtin_convertvector(v, f32v); }
    /// Rounded to a narrow float type, as a cast to it and back.
    template <typename T>
    PTO_INLINE static f32v rounded(f32v v)
    {
        return rounded_to<T>(v);
    }

    /// The low bits that a narrower integer type keeps.
    template <typename T>
    PTO_INLINE static i32v wrapped(i32v v)
    {
        constexpr int kLeft = 32 - 8 * static_cast<int>(sizeof(T));
        return (v << kLeft) >> kLeft;
    }

    /// Stores values at an address, converted to the element type there.
    template <typename T, typename V>
    PTO_INLINE void put(T* to, V v) const
    {
        static_assert(
            !is_float<T> || is_same<V, f32v>,
            "TPASS: what is stored as floats must be fp32: at.to_float(v) makes it so");
        if constexpr (is_float<T>) {
            cpu::store(to, v, extent);
        } else if constexpr (is_same<V, f32v>) {
            store_saturated<T>(to, nearest_for_int<T>(v), extent);
        } else {
            store_int(to, v, extent);
        }
    }

private:
    /// Bytes to what a walk reads kAheadBytes later: of a window that is narrower than the rows of its tensor, further
    /// down.
    template <typename Global>
    PTO_INLINE static constexpr int64_t ahead_of()
    {
        constexpr int64_t kCols = Global::Shape::staticShape[4], kApart = Global::Stride::staticStride[3];
        constexpr int64_t kSize = sizeof(typename Global::RawDType);
        if constexpr (kCols > 0 && kApart > kCols) {
            return (kAheadBytes + kCols * kSize - 1) / (kCols * kSize) * kApart * kSize;
        } else {
            return kAheadBytes;
        }
    }
    template <typename Object>
    PTO_INLINE bool allowed(
        checked::Site site, const char* name, const Object& object, int64_t row, bool writes = false) const
    {
        int64_t count = kF32Lanes;
        if constexpr (!kFull) {
            count = extent.n;
        }
        checked::note_site(site);
        return checked::pass_accesses(name, object, row, columns.first(), count, writes);
    }
    /// Max or Min of values and one number. The comparison alone gives its second operand where that is NaN or equal,
    /// so nothing needs a second look unless the number is NaN or a zero, whose sign would count.
    template <typename Op>
    PTO_INLINE static f32v beyond(f32v a, float b)
    {
        return b == b && b != 0.0f ? Op::ignoring_nan(splat(b), a) : Op::template apply<float>(a, splat(b));
    }
    template <typename T>
    PTO_INLINE auto loaded(const T* from) const
    {
        if constexpr (is_float<T>) {
            return cpu::load(from, extent);
        } else {
            return load_int(from, extent);
        }
    }
};

}  // namespace cpu

}  // namespace pto
