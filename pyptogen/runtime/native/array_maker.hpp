// New arrays of numpy, made without Python. All with the interpreter lock.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "array_view.hpp"

namespace pto_rt::native {

constexpr int64_t kAlignment = 64;

// What a new array is: its sizes, its strides in bytes, empty where its rows lie one after the other, and how many bytes to
// get for it.
struct ArrayPlan {
    std::vector<int64_t> sizes, strides;
    int64_t room;
};

// The functions of CPython and numpy that make arrays and tuples. Those of numpy stand at places of its table
// (`PyArray_API`) that are part of its ABI.
class ArrayMaker {
public:
    // False where this process has not what it takes. `api`: numpy's table; `bytes`: its dtype of bytes.
    bool load(void* const* api, const void* array_type, const void* bytes)
    {
        array_type_ = array_type;
        bytes_ = bytes;
        new_array_ = reinterpret_cast<NewArray>(api[kNewFromDescr]);
        set_base_ = reinterpret_cast<SetBase>(api[kSetBaseObject]);
        return found(new_tuple_, "PyTuple_New") && found(set_item_, "PyTuple_SetItem") && found(keep_, "Py_IncRef") &&
               found(drop_, "Py_DecRef") && found(whole_, "PyLong_FromLongLong");
    }

    // An array whose elements begin at a multiple of 64, on memory of its own; null with an exception set. `data` takes the
    // address of its elements.
    Object array(const ArrayPlan& plan, const void* dtype, int64_t& data) const
    {
        const auto* memory = static_cast<const char*>(make(bytes_, 1, &plan.room, nullptr, nullptr, 0));
        if (memory == nullptr) return nullptr;
        const int64_t start = reinterpret_cast<int64_t>(ArrayReader::data_of(memory, head_));
        data = start + (-start & (kAlignment - 1));
        const int64_t* strides = plan.strides.empty() ? nullptr : plan.strides.data();
        auto* made = static_cast<char*>(
            make(dtype, static_cast<int>(plan.sizes.size()), plan.sizes.data(), strides, data, kLikeC));
        if (made == nullptr) {
            drop(memory);
            return nullptr;
        }
        if (set_base_(made, memory) == 0) return made;  // takes the memory, also where it fails
        drop(made);
        return nullptr;
    }

    Object tuple(int64_t count) const { return new_tuple_(count); }
    void set(Object tuple, int64_t index, Object item) const { set_item_(tuple, index, item); }
    Object number(int64_t value) const { return whole_(value); }
    void drop(Object object) const { drop_(object); }
    void set_head(int64_t head) { head_ = head; }

private:
    using NewArray = void* (*)(
        const void* type, const void* dtype, int rank, const int64_t* sizes, const int64_t* strides, void* data,
        int flags, void* like);
    using SetBase = int (*)(void* array, const void* base);
    static constexpr int kNewFromDescr = 94, kSetBaseObject = 282;
    static constexpr int kLikeC = 0x501;  // rows one after the other, aligned, may be written

    void* make(const void* dtype, int rank, const int64_t* sizes, const int64_t* strides, int64_t data, int flags) const
    {
        keep_(dtype);  // a new array takes it
        return new_array_(array_type_, dtype, rank, sizes, strides, reinterpret_cast<void*>(data), flags, nullptr);
    }
    void* make(
        const void* dtype, int rank, const int64_t* sizes, const int64_t* strides, std::nullptr_t, int flags) const
    {
        return make(dtype, rank, sizes, strides, int64_t{0}, flags);
    }

    template <class Function>
    static bool found(Function& function, const char* name)
    {
        function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
        return function != nullptr;
    }

    const void* array_type_ = nullptr;
    const void* bytes_ = nullptr;
    int64_t head_ = 0;
    NewArray new_array_ = nullptr;
    SetBase set_base_ = nullptr;
    Object (*new_tuple_)(int64_t) = nullptr;
    int (*set_item_)(Object, int64_t, Object) = nullptr;
    void (*keep_)(const void*) = nullptr;
    void (*drop_)(const void*) = nullptr;
    Object (*whole_)(long long) = nullptr;
};

}  // namespace pto_rt::native
