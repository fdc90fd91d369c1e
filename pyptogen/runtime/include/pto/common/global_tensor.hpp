// Shape, Stride and GlobalTensor: a five-dimensional view of global memory.
#pragma once

#include <pto/common/constants.hpp>
#include <pto/common/small_floats.hpp>

namespace pto {

namespace detail {

/// Five extents, each static or (DYNAMIC) given to the constructor, in the order of the dynamic ones.
template <int64_t N1, int64_t N2, int64_t N3, int64_t N4, int64_t N5>
struct FiveExtents {
    static constexpr int64_t fixed[5] = {N1, N2, N3, N4, N5};
    static constexpr int dynamicCount =
        (N1 == DYNAMIC) + (N2 == DYNAMIC) + (N3 == DYNAMIC) + (N4 == DYNAMIC) + (N5 == DYNAMIC);

    template <typename... Ints>
    PTO_INLINE static void assign(int64_t (&values)[5], Ints... given)
    {
        static_assert(
            sizeof...(given) == 5 || sizeof...(given) == dynamicCount,
            "Shape/Stride takes all five values, or exactly one for each DYNAMIC dimension.");
        const int64_t list[] = {static_cast<int64_t>(given)...};
        int next = 0;
        for (int dim = 0; dim < 5; ++dim) {
            if (fixed[dim] == DYNAMIC) {
                values[dim] = list[sizeof...(given) == 5 ? dim : next++];
            }
        }
    }
};

}  // namespace detail

/// Extents of a GlobalTensor, outermost first. Without arguments every dynamic extent is 1.
template <int64_t N1 = DYNAMIC, int64_t N2 = DYNAMIC, int64_t N3 = DYNAMIC, int64_t N4 = DYNAMIC, int64_t N5 = DYNAMIC>
struct Shape {
    static constexpr int64_t staticShape[5] = {N1, N2, N3, N4, N5};
    int64_t shape[5] = {1, 1, 1, 1, 1};

    PTO_INLINE Shape() = default;
    template <typename... Rest>
    PTO_INLINE Shape(int64_t first, Rest... rest)
    {
        detail::FiveExtents<N1, N2, N3, N4, N5>::assign(shape, first, rest...);
    }
};

/// Distances between neighbours of a GlobalTensor, in elements. Without arguments every dynamic stride is 1.
template <int64_t N1 = DYNAMIC, int64_t N2 = DYNAMIC, int64_t N3 = DYNAMIC, int64_t N4 = DYNAMIC, int64_t N5 = DYNAMIC>
struct Stride {
    static constexpr int64_t staticStride[5] = {N1, N2, N3, N4, N5};
    int64_t stride[5] = {1, 1, 1, 1, 1};

    PTO_INLINE Stride() = default;
    template <typename... Rest>
    PTO_INLINE Stride(int64_t first, Rest... rest)
    {
        detail::FiveExtents<N1, N2, N3, N4, N5>::assign(stride, first, rest...);
    }
};

/// A view of global memory: pointer, five extents and strides, and how the last two dimensions are laid out.
///
/// For Layout::ND and Layout::DN dimensions 3 and 4 are rows and columns. For Layout::NZ the five dimensions are
/// [batch, columns / c0, rows / 16, 16, c0] with c0 = 32 bytes of elements. For Layout::CPU_PACKED dimensions 3 and 4
/// are the logical K and N, and stride 3 is the distance from one 32-column panel to the next, in elements.
template <typename Element_, typename Shape_, typename Stride_, Layout Layout_ = Layout::ND>
struct GlobalTensor {
    using Shape = Shape_;
    using Stride = Stride_;
    using RawDType = cpu::bare_t<Element_>;
    using DType = __gm__ RawDType;
    static constexpr Layout layout = Layout_;

    PTO_INLINE GlobalTensor() : data_(nullptr) {}
    PTO_INLINE GlobalTensor(DType* data, const Shape& shape = Shape(), const Stride& stride = Stride())
        : data_(data), shape_(shape), stride_(stride)
    {
    }

    PTO_INLINE DType* data() { return data_; }
    PTO_INLINE const DType* data() const { return data_; }

    /// Extent of a dimension (0 is the outermost); -1 for a dimension that does not exist.
    PTO_INLINE int64_t GetShape(const int dim) const
    {
        if (dim < 0 || dim >= GlobalTensorDim::TOTAL_DIM) {
            return -1;
        }
        return Shape::staticShape[dim] == DYNAMIC ? shape_.shape[dim] : Shape::staticShape[dim];
    }

    /// Stride of a dimension in elements; -1 for a dimension that does not exist.
    PTO_INLINE int64_t GetStride(const int dim) const
    {
        if (dim < 0 || dim >= GlobalTensorDim::TOTAL_DIM) {
            return -1;
        }
        return Stride::staticStride[dim] == DYNAMIC ? stride_.stride[dim] : Stride::staticStride[dim];
    }

    template <int dim>
    static constexpr int64_t GetShape()
    {
        static_assert(dim >= 0 && dim < 5 && Shape::staticShape[dim] != DYNAMIC, "this extent is not static");
        return Shape::staticShape[dim];
    }

    template <int dim>
    static constexpr int64_t GetStride()
    {
        static_assert(dim >= 0 && dim < 5 && Stride::staticStride[dim] != DYNAMIC, "this stride is not static");
        return Stride::staticStride[dim];
    }

    template <int... dims, typename... Ints>
    PTO_INLINE void SetShape(Ints... values)
    {
        static_assert(sizeof...(dims) == sizeof...(Ints) && ((Shape::staticShape[dims] == DYNAMIC) && ...));
        ((shape_.shape[dims] = values), ...);
    }

    template <int... dims, typename... Ints>
    PTO_INLINE void SetStride(Ints... values)
    {
        static_assert(sizeof...(dims) == sizeof...(Ints) && ((Stride::staticStride[dims] == DYNAMIC) && ...));
        ((stride_.stride[dims] = values), ...);
    }

    PTO_INLINE DType GetElement(const size_t offset) const { return load_element(data_, static_cast<int64_t>(offset)); }
    PTO_INLINE DType GetElement(int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4) const
    {
        return load_element(data_, Offset(i0, i1, i2, i3, i4));
    }
    PTO_INLINE void SetElement(const size_t offset, const DType& value)
    {
        store_element(data_, static_cast<int64_t>(offset), value);
    }
    PTO_INLINE void SetElement(int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4, const DType& value)
    {
        store_element(data_, Offset(i0, i1, i2, i3, i4), value);
    }

    /// Moves the view; what TASSIGN of a GlobalTensor does.
    PTO_INLINE void SetAddr(DType* address) { data_ = address; }

private:
    PTO_INLINE int64_t Offset(int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4) const
    {
        return i0 * GetStride(0) + i1 * GetStride(1) + i2 * GetStride(2) + i3 * GetStride(3) + i4 * GetStride(4);
    }

    DType* data_;
    Shape shape_;
    Stride stride_;
};

template <typename T>
inline constexpr bool is_global_data_v = false;
template <typename Element_, typename Shape_, typename Stride_, Layout Layout_>
inline constexpr bool is_global_data_v<GlobalTensor<Element_, Shape_, Stride_, Layout_>> = true;

}  // namespace pto
