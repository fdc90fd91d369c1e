// The arrays of a call: which of their bytes kernels have loaded and stored. What begins outside of all of them, and of
// the workspaces that the call has asked for, is another's memory.
#pragma once

#include <pto/cpu/checked/region.hpp>
#include <pto/cpu/checked/report.hpp>
#include <pto/cpu/core/wait.hpp>

#include <stdio.h>
#include <stdlib.h>

namespace pto::cpu::checked {

/// What the contract says of an array. kWholly: read, or written, to its last byte. kApart: its elements do not lie one
/// after the other, so only its first and last byte are known. kSpace: memory between kernels.
enum ArrayRole : int { kInput = 0, kOutput = 1, kUpdated = 2, kWholly = 4, kApart = 8, kSpace = 16 };

/// One array of the call under way. `marks`: by byte whether it was loaded, stored, and not loaded since it was stored.
struct CallArray {
    static constexpr uint8_t kLoaded = 1, kStored = 2, kFresh = 4;
    uintptr_t begin, bytes;
    int role;
    char name[64];
    uint8_t* marks;
    bool unseen;  // some accesses are chosen by data that the checker does not follow
    const char* file;
    int line;  // of a store to it
};

struct Locked {
    BriefLock& guard;
    explicit Locked(BriefLock& of) : guard(of) { guard.lock(); }
    ~Locked() { guard.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
};

struct CallArrays {
    static constexpr int kMost = 256;
    BriefLock guard;  // the orchestration asks for workspaces while kernels run
    CallArray of[kMost];
    int count;
    int spaces;  // workspaces so far
    bool more;  // than there is room for: what is outside of all is not known
};
PTO_CPU_OWN inline CallArrays call_arrays{};

inline CallArray* array_around(uintptr_t address)
{
    const Locked locked(call_arrays.guard);
    for (int i = 0; i < call_arrays.count; ++i) {
        CallArray& array = call_arrays.of[i];
        if (address >= array.begin && address - array.begin < array.bytes) {
            return &array;
        }
    }
    return nullptr;
}

/// Calls `run(address, bytes)` for each piece of what a tile of rows x cols covers of a GlobalTensor. False for layouts
/// whose places are not followed here.
template <typename Global, typename Run>
inline bool each_piece(const Global& tensor, int64_t rows, int64_t cols, Run run)
{
    constexpr Layout kLayout = Global::layout;
    constexpr int64_t kSize = sizeof(typename Global::RawDType);
    if constexpr (kLayout != Layout::ND && kLayout != Layout::DN && kLayout != Layout::NZ) {
        return false;
    }
    int64_t n[5];
    for (int dim = 0; dim < 5; ++dim) {
        n[dim] = tensor.GetShape(dim);
    }
    if (kLayout != Layout::NZ && n[0] * n[1] * n[2] == 1) {
        const auto [there, wide] = covered(tensor, rows, cols);
        n[3] = there;
        n[4] = wide;
    }
    const auto base = reinterpret_cast<uintptr_t>(tensor.data());
    const bool across = tensor.GetStride(4) != 1 && tensor.GetStride(3) == 1;
    const int inner = across ? 3 : 4, outer = across ? 4 : 3;
    const bool runs = tensor.GetStride(inner) == 1;
    for (int64_t a = 0; a < n[0]; ++a) {
        for (int64_t b = 0; b < n[1]; ++b) {
            for (int64_t c = 0; c < n[2]; ++c) {
                for (int64_t d = 0; d < n[outer]; ++d) {
                    const int64_t at = a * tensor.GetStride(0) + b * tensor.GetStride(1) + c * tensor.GetStride(2) +
                                       d * tensor.GetStride(outer);
                    for (int64_t e = 0; e < (runs ? 1 : n[inner]); ++e) {
                        const int64_t element = at + e * tensor.GetStride(inner);
                        run(base + static_cast<uintptr_t>(element * kSize), (runs ? n[inner] : 1) * kSize);
                    }
                }
            }
        }
    }
    return true;
}

/// The array around an address that is loaded or stored, or null, when that is not allowed and was reported.
inline CallArray* allowed_array(const Place& place, const char* name, uintptr_t address, bool stores)
{
    CallArray* array = array_around(address);
    if (array == nullptr) {
        report(place, "%s begins outside of every array and workspace of the call", name);
        return nullptr;
    }
    if (stores && (array->role & (kOutput | kUpdated | kSpace)) == 0) {
        report(place, "%s writes into `%s`, which is an input", name, array->name);
        return nullptr;
    }
    return array;
}

inline void report_leaving(const Place& place, const char* name, const CallArray& array, uintptr_t out)
{
    report(
        place, "%s leaves `%s`: at byte %lld of its %zu", name, array.name, static_cast<long long>(out - array.begin),
        static_cast<size_t>(array.bytes));
}

inline void mark_bytes(CallArray& array, uintptr_t at, uintptr_t bytes, bool stores)
{
    uint8_t* marks = array.marks + (at - array.begin);
    for (uintptr_t i = 0; i < bytes; ++i) {
        marks[i] = static_cast<uint8_t>(
            stores ? marks[i] | CallArray::kStored | CallArray::kFresh
                   : (marks[i] | CallArray::kLoaded) & ~CallArray::kFresh);
    }
}

/// A load or a store before it takes place: stays it in its array? False when it does not.
template <typename Global>
inline bool note_access(
    const Place& place, const char* name, const Global& tensor, int64_t rows, int64_t cols, bool stores)
{
    if (call_arrays.count == 0) {
        return true;
    }
    const auto address = reinterpret_cast<uintptr_t>(tensor.data());
    if (array_around(address) == nullptr) {
        bool any = false;
        const bool known = each_piece(tensor, rows, cols, [&any](uintptr_t, int64_t bytes) { any = any || bytes > 0; });
        if ((known && !any) || call_arrays.more) {
            return true;
        }
    }
    CallArray* array = allowed_array(place, name, address, stores);
    if (array == nullptr) {
        return false;
    }
    bool inside = true;
    uintptr_t out = 0;
    const bool known = each_piece(tensor, rows, cols, [&](uintptr_t at, int64_t bytes) {
        const bool fits = at >= array->begin && at + static_cast<uintptr_t>(bytes) <= array->begin + array->bytes;
        out = inside && !fits ? at : out;
        inside = inside && fits;
    });
    if (!known) {
        array->unseen = true;
        return true;
    }
    if (!inside) {
        report_leaving(place, name, *array, out);
        return false;
    }
    if (array->marks == nullptr) {
        return true;
    }
    each_piece(tensor, rows, cols, [&](uintptr_t at, int64_t bytes) {
        mark_bytes(*array, at, static_cast<uintptr_t>(bytes), stores);
    });
    if (stores) {
        array->file = place.file;
        array->line = place.line;
    }
    return true;
}

/// The same of bytes one after the other, of the array that a tensor begins in.
inline bool note_bytes(
    const Place& place, const char* name, uintptr_t tensor, uintptr_t begin, uintptr_t bytes, bool stores)
{
    if (call_arrays.count == 0 || (call_arrays.more && array_around(tensor) == nullptr)) {
        return true;
    }
    CallArray* array = allowed_array(place, name, tensor, stores);
    if (array == nullptr) {
        return false;
    }
    if (begin < array->begin || begin + bytes > array->begin + array->bytes) {
        report_leaving(place, name, *array, begin);
        return false;
    }
    if (array->marks != nullptr) {
        mark_bytes(*array, begin, bytes, stores);
        array->file = stores ? place.file : array->file;
        array->line = stores ? place.line : array->line;
    }
    return true;
}

/// The array that an instruction accesses where data say it.
inline void note_unseen(const void* address)
{
    if (CallArray* array = array_around(reinterpret_cast<uintptr_t>(address))) {
        array->unseen = true;
    }
}

/// The end of a call: what the contract says to be read or written has been.
inline void finish_arrays()
{
    for (int i = 0; i < call_arrays.count; ++i) {
        CallArray& array = call_arrays.of[i];
        const uint8_t wanted = (array.role & kOutput) != 0 ? CallArray::kStored : CallArray::kLoaded;
        uintptr_t missing = 0, first = array.bytes;
        const bool judged = (array.role & kWholly) != 0 && !array.unseen && array.marks != nullptr;
        for (uintptr_t b = 0; b < array.bytes && judged; ++b) {
            if ((array.marks[b] & wanted) == 0) {
                first = missing == 0 ? b : first;
                ++missing;
            }
        }
        if (missing != 0) {
            const Place place{array.file, array.line, false};
            report(
                place, "%zu of the %zu bytes of `%s` were never %s, from byte %zu on", static_cast<size_t>(missing),
                static_cast<size_t>(array.bytes), array.name, wanted == CallArray::kStored ? "stored" : "loaded",
                static_cast<size_t>(first));
        }
        free(array.marks);
    }
    call_arrays.count = 0;
    call_arrays.spaces = 0;
    call_arrays.more = false;
}

/// Memory that the orchestration of a watched call has got. It may be that of a scope whose launches have finished.
inline void note_workspace(const void* memory, uintptr_t bytes)
{
    const Locked locked(call_arrays.guard);
    if (call_arrays.count == 0 || bytes == 0) {
        return;
    }
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    CallArray* room = nullptr;
    for (int i = 0; i < call_arrays.count; ++i) {
        CallArray& array = call_arrays.of[i];
        if ((array.role & kSpace) != 0 && array.begin < begin + bytes && begin < array.begin + array.bytes) {
            array.bytes = 0;
        }
        if (array.bytes == 0) {
            room = &array;
        }
    }
    if (room == nullptr && call_arrays.count == CallArrays::kMost) {
        call_arrays.more = true;
        return;
    }
    room = room != nullptr ? room : &call_arrays.of[call_arrays.count++];
    *room = {begin, bytes, kSpace, {}, nullptr, true, "?", 0};
    snprintf(room->name, sizeof(room->name), "workspace %d", ++call_arrays.spaces);
}

}  // namespace pto::cpu::checked

/// Tells the checker of an array of the call that comes next; `role` as ArrayRole.
extern "C" __attribute__((used, weak, visibility("default"))) void pto_checked_array(
    const void* begin, uint64_t bytes, int role, const char* name)
{
    using namespace pto::cpu::checked;
    if (call_arrays.count < CallArrays::kMost && bytes != 0) {
        CallArray& array = call_arrays.of[call_arrays.count++];
        const bool apart = (role & kApart) != 0;
        auto* marks = apart ? nullptr : static_cast<uint8_t*>(calloc(bytes, 1));
        array = {reinterpret_cast<uintptr_t>(begin), bytes, role, {}, marks, apart, "?", 0};
        __builtin_strncpy(array.name, name, sizeof(array.name) - 1);
        if (array.marks == nullptr && !apart) {
            abort();
        }
    } else if (bytes != 0) {
        call_arrays.more = true;
    }
}

/// The call is over.
extern "C" __attribute__((used, weak, visibility("default"))) void pto_checked_over()
{
    pto::cpu::checked::finish_arrays();
}
