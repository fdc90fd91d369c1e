// Arrays as operators take them: a pointer with sizes and strides, which owns nothing; and weights in packed form.
#ifndef PYPTOGEN_TENSOR_HPP
#define PYPTOGEN_TENSOR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace pyptogen {

// An array of `Rank` axes. Strides count elements; without any the last axis is contiguous and those before lie without
// gaps. A `Tensor<float, 2>` goes wherever a `Tensor<const float, 2>` is taken, a vector where one of one axis is.
template <class T, size_t Rank>
class Tensor {
public:
    using Sizes = std::array<int64_t, Rank>;

    Tensor(T* data, const Sizes& sizes) : data_(data), sizes_(sizes)
    {
        int64_t step = 1;
        for (size_t axis = Rank; axis-- > 0;) {
            strides_[axis] = step;
            step *= sizes[axis];
        }
    }
    Tensor(T* data, const Sizes& sizes, const Sizes& strides) : data_(data), sizes_(sizes), strides_(strides) {}

    template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
    Tensor(const Tensor<U, Rank>& other) : Tensor(other.data(), other.sizes(), other.strides())
    {
    }

    template <
        class Array, size_t R = Rank, class = std::enable_if_t<R == 1>,
        class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<Array&>().data()), T*>>,
        class = decltype(std::declval<Array&>().begin())>
    Tensor(Array& array) : Tensor(array.data(), {static_cast<int64_t>(array.size())})
    {
    }

    T* data() const { return data_; }
    int64_t size(size_t axis) const { return sizes_[axis]; }
    int64_t stride(size_t axis) const { return strides_[axis]; }
    const Sizes& sizes() const { return sizes_; }
    const Sizes& strides() const { return strides_; }

private:
    T* data_;
    Sizes sizes_;
    Sizes strides_{};
};

namespace detail {

inline int64_t up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

}  // namespace detail

// Bytes of a matrix [rows, cols] in packed form: panels of 32 columns, in each fractals of 64 bytes of every column.
inline int64_t packed_bytes(int64_t rows, int64_t cols, int64_t element_bytes)
{
    return detail::up(rows, 64 / element_bytes) * detail::up(cols, 32) * element_bytes;
}

// Writes a matrix, row after row, in packed form; `packed` has room for `packed_bytes`. Elements have 1, 2 or 4 bytes.
inline void pack_matrix(const void* matrix, int64_t rows, int64_t cols, int64_t element_bytes, void* packed)
{
    const int64_t deep = 64 / element_bytes, group = 4 / element_bytes, pitch = detail::up(rows, deep) * 32;
    const char* const from = static_cast<const char*>(matrix);
    char* const to = static_cast<char*>(packed);
    std::memset(to, 0, static_cast<size_t>(packed_bytes(rows, cols, element_bytes)));
    for (int64_t k = 0; k < rows; ++k) {
        for (int64_t n = 0; n < cols; ++n) {
            const int64_t fragment = k / deep * 2 + n % 32 / 16;
            const int64_t at =
                n / 32 * pitch + (fragment * 16 + k % deep / group) * 16 * group + n % 16 * group + k % group;
            std::memcpy(
                to + at * element_bytes, from + (k * cols + n) * element_bytes, static_cast<size_t>(element_bytes));
        }
    }
}

// Matrices [..., K, N] in packed form, 64-byte aligned, as an operator takes them; owns nothing. `sizes` are those of
// the plain matrices.
template <class T, size_t Rank>
class Packed {
public:
    using Sizes = std::array<int64_t, Rank>;

    Packed(T* data, const Sizes& sizes) : data_(data), sizes_(sizes) {}
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
    Packed(const Packed<U, Rank>& other) : Packed(other.data(), other.sizes())
    {
    }

    T* data() const { return data_; }
    int64_t size(size_t axis) const { return sizes_[axis]; }
    const Sizes& sizes() const { return sizes_; }
    int64_t bytes() const
    {
        int64_t bytes = packed_bytes(sizes_[Rank - 2], sizes_[Rank - 1], sizeof(T));
        for (size_t axis = 0; axis + 2 < Rank; ++axis) bytes *= sizes_[axis];
        return bytes;
    }

private:
    T* data_;
    Sizes sizes_;
};

// Packed matrices that own their memory: packed once, used in many calls.
template <class T, size_t Rank>
class PackedWeights {
public:
    // Packs contiguous matrices. Throws std::bad_alloc.
    explicit PackedWeights(const Tensor<const T, Rank>& plain) : view_(nullptr, plain.sizes())
    {
        static_assert(Rank >= 2 && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4), "matrices of 1, 2 or 4 bytes");
        const int64_t rows = plain.size(Rank - 2), cols = plain.size(Rank - 1);
        const int64_t one = packed_bytes(rows, cols, sizeof(T)), bytes = view_.bytes();
        memory_.reset(static_cast<char*>(::operator new(static_cast<size_t>(bytes), std::align_val_t(64))));
        for (int64_t i = 0; i * one < bytes; ++i) {
            pack_matrix(plain.data() + i * rows * cols, rows, cols, sizeof(T), memory_.get() + i * one);
        }
        view_ = Packed<const T, Rank>(reinterpret_cast<const T*>(memory_.get()), plain.sizes());
    }

    operator Packed<const T, Rank>() const { return view_; }
    int64_t bytes() const { return view_.bytes(); }

private:
    struct Free {
        void operator()(char* memory) const { ::operator delete(memory, std::align_val_t(64)); }
    };
    std::unique_ptr<char, Free> memory_;
    Packed<const T, Rank> view_;
};

}  // namespace pyptogen

#endif
