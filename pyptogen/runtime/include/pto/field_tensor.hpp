// Tensors in the usual form: as kernels get them, and as the orchestration has them. See <pto/field.hpp>.
#ifndef PTO_FIELD_TENSOR_HPP
#define PTO_FIELD_TENSOR_HPP

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include <pto/runtime.hpp>

namespace pto_rt::field {

enum class DataType : uint8_t { FLOAT32, FLOAT16, BFLOAT16, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64 };

inline uint32_t bytes_of(DataType type)
{
    constexpr uint8_t kBytes[] = {4, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8};
    return kBytes[static_cast<size_t>(type)];
}

// A tensor as kernels get it: `reinterpret_cast<Tensor*>(args[i])`. The first element of the box is at `buffer.addr` plus
// `start_offset` elements; sizes and strides are in elements.
struct KernelTensor {
    struct Buffer {
        uint64_t addr;
        uint64_t size;
    } buffer;
    uint64_t start_offset;
    uint32_t ndims;
    uint32_t shapes[kMaxRank];
    uint32_t strides[kMaxRank];
};

// A tensor as the orchestration has it: a box of memory, with its sizes where such files look for them.
struct TensorRef {
    uint32_t ndims = 0;
    uint32_t shapes[kMaxRank] = {};
    uint32_t element_bytes = 0;

    TensorRef() = default;
    explicit TensorRef(const Tensor& box) : ndims(box.rank), element_bytes(box.element_bytes), box_(box)
    {
        for (uint32_t axis = 0; axis < ndims; ++axis) shapes[axis] = static_cast<uint32_t>(box.extent[axis]);
    }

    TensorRef& ref() { return *this; }
    const TensorRef& ref() const { return *this; }
    const Tensor& box() const { return box_; }

    uint64_t numel() const
    {
        uint64_t count = 1;
        for (uint32_t axis = 0; axis < ndims; ++axis) count *= shapes[axis];
        return count;
    }

    template <class T>
    T* data_as() const
    {
        return box_.at<T>();
    }

    TensorRef view(const uint32_t* extents, const uint32_t* offsets) const
    {
        Tensor box = box_;
        for (uint32_t axis = 0; axis < ndims; ++axis) {
            box.offset[axis] += offsets[axis];
            box.extent[axis] = extents[axis];
        }
        return TensorRef(box);
    }

    // The same elements with other sizes. Dependencies see it as memory of another shape.
    TensorRef reshape(const uint32_t* sizes, uint32_t axes) const
    {
        Tensor box;
        box.data = box_.at<void>();
        box.element_bytes = element_bytes;
        box.rank = axes;
        for (uint32_t axis = 0; axis < axes; ++axis) box.shape[axis] = box.extent[axis] = sizes[axis];
        const TensorRef result(box);
        if (!contiguous() || result.numel() != numel()) throw std::invalid_argument("a tensor cannot be reshaped so");
        return result;
    }

    bool contiguous() const
    {
        bool whole = true;  // of all axes behind
        for (uint32_t axis = ndims; axis-- > 0;) {
            if (!whole && shapes[axis] != 1) return false;
            whole = whole && box_.extent[axis] == box_.shape[axis];
        }
        return true;
    }

    void* element(uint32_t axes, const uint32_t* index) const
    {
        uint64_t at = 0;
        for (uint32_t axis = 0; axis < ndims; ++axis) {
            at = at * box_.shape[axis] + box_.offset[axis] + (axis < axes ? index[axis] : 0);
        }
        return static_cast<char*>(box_.data) + at * element_bytes;
    }

    KernelTensor for_kernel() const
    {
        KernelTensor result{};
        uint64_t elements = 1;
        for (uint32_t axis = ndims; axis-- > 0;) {
            result.strides[axis] = static_cast<uint32_t>(elements);
            result.start_offset += box_.offset[axis] * elements;
            elements *= box_.shape[axis];
        }
        std::copy(shapes, shapes + ndims, result.shapes);
        result.buffer = {reinterpret_cast<uint64_t>(box_.data), elements * element_bytes};
        result.ndims = ndims;
        return result;
    }

private:
    Tensor box_;
};

// What a new tensor is like; the runtime makes it when a task is submitted that writes it.
struct TensorCreateInfo {
    TensorCreateInfo(const uint32_t* sizes, uint32_t axes, DataType type = DataType::FLOAT32)
    {
        box.element_bytes = bytes_of(type);
        box.rank = axes;
        for (uint32_t axis = 0; axis < axes; ++axis) box.shape[axis] = box.extent[axis] = sizes[axis];
    }
    Tensor box;
};

// A number among the arguments of a task, which are words of 64 bits, and back.
template <class T>
inline uint64_t to_u64(T value)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "to_u64 takes at most eight bytes");
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(value));
    return word;
}
template <class T>
inline T from_u64(uint64_t word)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "from_u64 gives at most eight bytes");
    T value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
}

// Memory that the program has got elsewhere, as a tensor.
inline TensorRef make_tensor_external(
    void* data, const uint32_t* sizes, uint32_t axes, DataType type = DataType::FLOAT32)
{
    Tensor box = TensorCreateInfo(sizes, axes, type).box;
    box.data = data;
    return TensorRef(box);
}

}  // namespace pto_rt::field

#endif
