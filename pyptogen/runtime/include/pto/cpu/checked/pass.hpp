// What a TPASS or a TCARRY reads and writes, told to the checker; nothing of it without PTO_CHECKED.
#pragma once

#include <pto/cpu/checked/hooks.hpp>

#if defined(PTO_CHECKED)
#include <pto/cpu/checked/arrays.hpp>
#include <pto/cpu/checked/cores.hpp>
#include <pto/cpu/checked/region.hpp>
#endif

namespace pto::cpu::checked {

#if !defined(PTO_CHECKED)

constexpr void note_site(Site) {}
template <typename Dst, typename Src>
constexpr bool carries(const Dst&, const Src&)
{
    return true;
}
template <typename Object>
constexpr bool pass_accesses(const char*, const Object&, int64_t, int64_t, int64_t, bool)
{
    return true;
}

#else

/// Remembers the line of what follows.
inline void note_site(Site site) { engine().place = {site.file, site.line, true}; }

/// Elements (row, col) to (row, col + count) of a tile, or of an ND GlobalTensor, that a pass reads or writes. False
/// when they lie outside of it. Other cores' accesses to global memory are compared at the beginning of each row.
template <typename Object>
inline bool pass_accesses(const char* name, const Object& object, int64_t row, int64_t col, int64_t count, bool writes)
{
    int64_t rows = 0, cols = 0;
    if constexpr (is_global_data_v<Object>) {
        rows = object.GetShape(0) * object.GetShape(1) * object.GetShape(2) * object.GetShape(3);
        cols = object.GetShape(4);
    } else {
        rows = Object::Rows;
        cols = Object::Cols;
        if (object.data() == nullptr) {
            report(
                engine().place, "%s in a pass: a %s tile has no address; TASSIGN it first", name,
                memory_name(Object::Loc));
            return false;
        }
    }
    if (row < 0 || row >= rows || col < 0 || col + count > cols) {
        report(
            engine().place, "%s in a pass: elements (%lld, %lld) to (%lld, %lld) leave %s of %lld x %lld", name,
            static_cast<long long>(row), static_cast<long long>(col), static_cast<long long>(row),
            static_cast<long long>(col + count), is_global_data_v<Object> ? "the GlobalTensor" : "the tile",
            static_cast<long long>(rows), static_cast<long long>(cols));
        return false;
    }
    if constexpr (is_global_data_v<Object>) {
        constexpr int64_t kSize = sizeof(typename Object::RawDType);
        const auto tensor = reinterpret_cast<uintptr_t>(object.data());
        const uintptr_t begin = tensor + static_cast<uintptr_t>((row * object.GetStride(3) + col) * kSize);
        if (!note_bytes(engine().place, name, tensor, begin, static_cast<uintptr_t>(count * kSize), writes)) {
            return false;
        }
        if (col == 0) {
            const Region region{begin, count * kSize, count * kSize, 1};
            share({region, name, "global memory", begin, region.end(), engine().place, 0, PIPE_V, writes, false});
        }
    } else {
        Region region = region_of_tile(object);
        if constexpr (is_plain_vec<Object>) {
            constexpr int64_t kSize = sizeof(typename Object::DType);
            const int64_t at = row * Object::RowStride + col * Object::ColStride;
            region = {
                reinterpret_cast<uintptr_t>(object.data()) + static_cast<uintptr_t>(at * kSize), count * kSize,
                count * kSize, 1};
        }
        const int64_t hole = writes ? -1 : engine().first_unwritten(region, is_plain_vec<Object>);
        if (hole >= 0) {
            report(
                engine().place, "%s in a pass reads byte %#zx of %s, which nothing has written", name,
                static_cast<size_t>(named_offset(Object::Loc, region) + static_cast<uintptr_t>(hole)),
                memory_name(Object::Loc));
        }
        if (writes) {
            engine().mark_written(region);
        }
    }
    return true;
}

/// Rows that a TCARRY brings from one GlobalTensor to another. False when they leave an array of the call.
template <typename Dst, typename Src>
inline bool carries(const Dst& to, const Src& from)
{
    const auto accesses = [](const auto& tensor, bool writes) {
        const int64_t rows = tensor.GetShape(3), cols = tensor.GetShape(4);
        if (!note_access(engine().place, "TCARRY", tensor, rows, cols, writes)) {
            return false;
        }
        const Region region = region_of_global(tensor, rows, cols);
        share(
            {region, "TCARRY", "global memory", region.begin, region.end(), engine().place, 0, PIPE_V, writes, false});
        return true;
    };
    const bool reads = accesses(from, false);
    return accesses(to, true) && reads;
}

#endif

}  // namespace pto::cpu::checked
