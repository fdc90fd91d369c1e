// New arrays of numpy, made without Python. All with the interpreter lock.
#pragma once

#include <cstdint>
#include <vector>

#include "array_view.hpp"
#include "python_api.hpp"

namespace pto_rt::native {

constexpr int64_t kAlignment = 64;

// What a new array is: its sizes, its strides in bytes, empty where its rows lie one after the other, and how many bytes to
// get for it.
struct ArrayPlan {
    std::vector<int64_t> sizes, strides;
    int64_t room;
};

// The functions of numpy that make arrays, at places of its table (`PyArray_API`) that are part of its ABI.
class ArrayMaker {
public:
    explicit ArrayMaker(const Python& python) : python_(python) {}

    // `api`: numpy's table; `bytes`: its dtype of bytes.
    void load(void* const* api, const void* array_type, const void* bytes)
    {
        array_type_ = array_type;
        bytes_ = bytes;
        new_array_ = reinterpret_cast<NewArray>(api[kNewFromDescr]);
        set_base_ = reinterpret_cast<SetBase>(api[kSetBaseObject]);
    }

    // An array whose elements begin at a multiple of 64, on memory of its own; null with an exception set. `data` takes the
    // address of its elements.
    Object array(const ArrayPlan& plan, const void* dtype, int64_t& data) const
    {
        const auto* memory = static_cast<const char*>(make(bytes_, 1, &plan.room, nullptr, 0, 0));
        if (memory == nullptr) return nullptr;
        const int64_t start = reinterpret_cast<int64_t>(ArrayReader::data_of(memory, python_.head));
        data = start + (-start & (kAlignment - 1));
        const int64_t* strides = plan.strides.empty() ? nullptr : plan.strides.data();
        auto* made = static_cast<char*>(
            make(dtype, static_cast<int>(plan.sizes.size()), plan.sizes.data(), strides, data, kLikeC));
        if (made == nullptr) {
            python_.drop(memory);
            return nullptr;
        }
        if (set_base_(made, memory) == 0) return made;  // takes the memory, also where it fails
        python_.drop(made);
        return nullptr;
    }

private:
    using NewArray = void* (*)(
        const void* type, const void* dtype, int rank, const int64_t* sizes, const int64_t* strides, void* data,
        int flags, void* like);
    using SetBase = int (*)(void* array, const void* base);
    static constexpr int kNewFromDescr = 94, kSetBaseObject = 282;
    static constexpr int kLikeC = 0x501;  // rows one after the other, aligned, may be written

    void* make(const void* dtype, int rank, const int64_t* sizes, const int64_t* strides, int64_t data, int flags) const
    {
        python_.keep(dtype);  // a new array takes it
        return new_array_(array_type_, dtype, rank, sizes, strides, reinterpret_cast<void*>(data), flags, nullptr);
    }

    const Python& python_;
    const void* array_type_ = nullptr;
    const void* bytes_ = nullptr;
    NewArray new_array_ = nullptr;
    SetBase set_base_ = nullptr;
};

}  // namespace pto_rt::native
