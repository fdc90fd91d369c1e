// Arrays of numpy and tensors of PyTorch as they lie in memory, read without Python. All with the interpreter lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "python_api.hpp"

namespace pto_rt::native {

// How an argument has to lie.
enum class ArrayForm : int32_t {
    Rows,     // one after the other
    Strided,  // rows may lie apart, and strides decide over dims
    Columns,  // of each matrix one after the other
    Packed    // the flat array of a packed weight
};

// What an argument must be: its dtype as numpy has it (an object) and as DLPack has it (code, and bits from bit 8 on).
struct ArrayRule {
    const void* dtype;
    int64_t itemsize;
    int32_t rank;
    ArrayForm form;
    int32_t updated;
    int32_t exchanged;
};

struct ArrayView {
    int64_t data;
    const int64_t* sizes;
    const int64_t* strides;
    int64_t unit;  // bytes that a stride counts
    int32_t rank;
    bool contiguous, writeable;

    int64_t step(int32_t axis) const { return strides[axis] * unit; }

    // Whether the columns of each matrix lie one after the other, strides along axes of one element included.
    bool in_columns(int64_t itemsize) const
    {
        int64_t expected = itemsize;
        for (int32_t i = 0; i < rank; ++i) {
            const int32_t axis = i == 0 ? rank - 2 : i == 1 ? rank - 1 : rank - 1 - i;
            if (step(axis) != expected) return false;
            expected *= sizes[axis];
        }
        return true;
    }
};

// `DLTensor` of DLPack, version 1.
struct ExchangedTensor {
    void* data;
    int32_t device_type, device_id;
    int32_t rank;
    uint8_t code, bits;
    uint16_t lanes;
    const int64_t* sizes;
    const int64_t* strides;
    uint64_t offset;
};
// `DLPackDLTensorFromPyObjectNoSync`: not 0 with an exception set where it cannot be said so. Nothing is owned.
using ReadTensor = int (*)(const void* object, ExchangedTensor* tensor);

// The types whose objects are read by a function of their own.
struct TensorType {
    const void* type;
    ReadTensor read;

    static bool add(TensorType added)
    {
        for (TensorType& one : all()) {
            if (one.type != nullptr && one.type != added.type) continue;
            one = added;
            return true;
        }
        return false;
    }

    static ReadTensor of(const void* type)
    {
        for (const TensorType& one : all()) {
            if (one.type == type) return one.read;
        }
        return nullptr;
    }

private:
    static std::array<TensorType, 2>& all()
    {
        static std::array<TensorType, 2> types{};
        return types;
    }
};

class ArrayReader {
public:
    ArrayReader(const Python& python, const void* array_type) : python_(&python), array_type_(array_type) {}

    // Whether this is an aligned array in this machine's memory, of the dtype and the rank of `rule`.
    bool read(Object object, const ArrayRule& rule, ArrayView& found) const
    {
        const void* type = python_->type_of(object);
        if (type == array_type_) return read_array(array_of(object), rule, found);
        const ReadTensor read = TensorType::of(type);
        return read != nullptr && read_tensor(object, read, rule, found);
    }

    // Where the elements of an array of numpy are, whose own part begins behind `head` bytes.
    static char* data_of(Object object, int64_t head)
    {
        char* data;
        std::memcpy(&data, object + head, sizeof data);
        return data;
    }

private:
    // What numpy keeps of an array behind the head that all objects have.
    struct Array {
        char* data;
        int32_t rank;
        const int64_t* sizes;
        const int64_t* strides;
        void* base;
        const void* dtype;
        int32_t flags;
    };
    static constexpr int32_t kContiguous = 0x1, kAligned = 0x100, kWriteable = 0x400;
    static constexpr int32_t kCpu = 1;  // `kDLCPU`

    const Array& array_of(Object object) const { return *reinterpret_cast<const Array*>(object + python_->head); }

    static bool read_array(const Array& array, const ArrayRule& rule, ArrayView& found)
    {
        if (array.dtype != rule.dtype || array.rank != rule.rank || (array.flags & kAligned) == 0) return false;
        found = {reinterpret_cast<int64_t>(array.data),
                 array.sizes,
                 array.strides,
                 1,
                 array.rank,
                 (array.flags & kContiguous) != 0,
                 (array.flags & kWriteable) != 0};
        return true;
    }

    // A tensor whose elements are to be negated (`torch.Tensor.is_neg`) is not told from others by DLPack. It is the
    // imaginary part of a complex one, two elements apart: so strides must be exactly those of rows that lie next to each
    // other, also along axes of one element, and a tensor without axes is left to Python.
    bool read_tensor(Object object, ReadTensor read, const ArrayRule& rule, ArrayView& found) const
    {
        ExchangedTensor tensor{};
        if (read(object, &tensor) != 0) {
            python_->clear();
            return false;
        }
        const int64_t data = reinterpret_cast<int64_t>(tensor.data) + static_cast<int64_t>(tensor.offset);
        if (tensor.device_type != kCpu || tensor.lanes != 1 || (tensor.code | tensor.bits << 8) != rule.exchanged ||
            tensor.rank != rule.rank || tensor.rank == 0 || tensor.strides == nullptr || data % rule.itemsize != 0) {
            return false;
        }
        int64_t step = 1;
        bool contiguous = true;
        for (int32_t axis = tensor.rank - 1; axis >= 0; --axis) {
            contiguous = contiguous && tensor.strides[axis] == step;
            step *= tensor.sizes[axis];
        }
        found = {data, tensor.sizes, tensor.strides, rule.itemsize, tensor.rank, contiguous, true};
        return true;
    }

    const Python* python_;
    const void* array_type_;
};

}  // namespace pto_rt::native
