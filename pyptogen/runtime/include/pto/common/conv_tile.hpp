// ConvTile: a feature map or a filter of up to six dimensions in one of a core's memories.
#pragma once

#include <pto/common/constants.hpp>
#include <pto/cpu/cube/held.hpp>

namespace pto {

namespace detail {

constexpr int kConvDims = 6;

/// Static extents of a ConvTile, DYNAMIC where given at run time, 0 for dimensions it does not have.
template <int... Extents>
struct ConvExtents {
    static_assert(sizeof...(Extents) >= 1 && sizeof...(Extents) <= kConvDims, "a ConvTile has one to six dimensions");
    static constexpr int64_t at(int dim)
    {
        const int64_t values[] = {Extents...};
        return dim < static_cast<int>(sizeof...(Extents)) ? values[dim] : 0;
    }
};

}  // namespace detail

/// The shape of a ConvTile, outermost dimension first; DYNAMIC extents are given to the constructor in order.
template <int... Extents>
struct ConvTileShape {
    using Fixed = detail::ConvExtents<Extents...>;
    static constexpr int totalDimCount = sizeof...(Extents);
    static constexpr int dynamicDimCount = ((Extents == DYNAMIC ? 1 : 0) + ...);
    static constexpr int64_t staticShape[detail::kConvDims] = {Fixed::at(0), Fixed::at(1), Fixed::at(2),
                                                               Fixed::at(3), Fixed::at(4), Fixed::at(5)};
    int64_t shape[detail::kConvDims] = {1, 1, 1, 1, 1, 1};

    PTO_INLINE ConvTileShape() = default;
    template <typename... Rest>
    PTO_INLINE ConvTileShape(int64_t first, Rest... rest)
    {
        static_assert(
            1 + sizeof...(rest) == dynamicDimCount || 1 + sizeof...(rest) == detail::kConvDims,
            "ConvTileShape takes one value for each DYNAMIC dimension, or six");
        const int64_t given[] = {first, static_cast<int64_t>(rest)...};
        int next = 0;
        for (int dim = 0; dim < detail::kConvDims; ++dim) {
            if (staticShape[dim] == DYNAMIC) {
                shape[dim] = given[1 + sizeof...(rest) == dynamicDimCount ? next++ : dim];
            }
        }
    }
};

/// A dense block of BufferSize_ bytes whose elements are ordered as the layout says (NC1HWC0, NDC1HWC0, FRACTAL_Z,
/// NCHW …), and the parameters of the convolution that reads it. Extents and strides are in elements, padding in
/// pixels.
template <TileType Loc_, typename Element_, const int BufferSize_, Layout Layout_, typename Shape_>
struct ConvTile {
    using DType = Element_;
    using TileDType = DType*;
    using ShapeType = Shape_;
    static constexpr TileType Loc = Loc_;
    static constexpr int bufferSize = BufferSize_;
    static constexpr Layout layout = Layout_;
    static constexpr int totalDimCount = Shape_::totalDimCount;
    static constexpr int dynamicDimCount = Shape_::dynamicDimCount;
    static constexpr int64_t staticShape[detail::kConvDims] = {Shape_::staticShape[0], Shape_::staticShape[1],
                                                               Shape_::staticShape[2], Shape_::staticShape[3],
                                                               Shape_::staticShape[4], Shape_::staticShape[5]};

    int64_t shape[detail::kConvDims] = {1, 1, 1, 1, 1, 1};

    PTO_INLINE ConvTile() = default;
    template <typename... Ints>
    PTO_INLINE explicit ConvTile(Ints... extents)
    {
        SetDynamicShape(extents...);
    }

    /// Sets the DYNAMIC extents, in order.
    template <typename... Ints>
    PTO_INLINE void SetDynamicShape(Ints... extents)
    {
        static_assert(sizeof...(extents) == dynamicDimCount, "a ConvTile takes one value for each DYNAMIC dimension");
        const int64_t given[] = {static_cast<int64_t>(extents)...};
        int next = 0;
        for (int dim = 0; dim < detail::kConvDims; ++dim) {
            if (staticShape[dim] == DYNAMIC) {
                shape[dim] = given[next++];
            }
        }
    }

    /// Extent of a dimension (0 is the outermost); -1 for one that does not exist.
    PTO_INLINE constexpr int64_t GetShape(int dim) const
    {
        if (dim < 0 || dim >= totalDimCount) {
            return -1;
        }
        return staticShape[dim] == DYNAMIC ? shape[dim] : staticShape[dim];
    }

    PTO_INLINE TileDType& data()
    {
        cpu::settle<Loc>(data_, bufferSize * sizeof(DType));
        return data_;
    }
    PTO_INLINE const TileDType& data() const
    {
        cpu::settle<Loc>(data_, bufferSize * sizeof(DType));
        return data_;
    }

    PTO_INLINE uint16_t GetFmapH() const { return fmapH_; }
    PTO_INLINE void SetFmapH(uint16_t value) { fmapH_ = value; }
    PTO_INLINE uint16_t GetFmapW() const { return fmapW_; }
    PTO_INLINE void SetFmapW(uint16_t value) { fmapW_ = value; }

    /// Padding: 0 left, 1 right, 2 top, 3 bottom.
    PTO_INLINE uint8_t GetPadList(uint8_t side) const { return padList_[side & 3]; }
    PTO_INLINE void SetPadList(uint8_t side, uint8_t pixels) { padList_[side & 3] = pixels; }
    PTO_INLINE const uint8_t* GetPadListArray() const { return padList_; }
    PTO_INLINE void SetPadListArray(const uint8_t pixels[4])
    {
        for (int side = 0; side < 4; ++side) {
            padList_[side] = pixels[side];
        }
    }
    PTO_INLINE uint16_t GetFilterH() const { return filterH_; }
    PTO_INLINE void SetFilterH(uint16_t value) { filterH_ = value; }
    PTO_INLINE uint16_t GetFilterW() const { return filterW_; }
    PTO_INLINE void SetFilterW(uint16_t value) { filterW_ = value; }
    PTO_INLINE uint8_t GetDilationH() const { return static_cast<uint8_t>(dilationH_); }
    PTO_INLINE void SetDilationH(uint8_t value) { dilationH_ = value; }
    PTO_INLINE uint8_t GetDilationW() const { return static_cast<uint8_t>(dilationW_); }
    PTO_INLINE void SetDilationW(uint8_t value) { dilationW_ = value; }
    PTO_INLINE uint8_t GetStrideH() const { return static_cast<uint8_t>(strideH_); }
    PTO_INLINE void SetStrideH(uint8_t value) { strideH_ = value; }
    PTO_INLINE uint8_t GetStrideW() const { return static_cast<uint8_t>(strideW_); }
    PTO_INLINE void SetStrideW(uint8_t value) { strideW_ = value; }
    PTO_INLINE DType GetPadValue() const { return padValue_; }
    PTO_INLINE void SetPadValue(DType value) { padValue_ = value; }
    PTO_INLINE uint16_t GetChannelSize() const { return channelSize_; }
    PTO_INLINE void SetChannelSize(uint16_t value) { channelSize_ = value; }
    PTO_INLINE uint16_t GetRepeatStride() const { return repeatStride_; }
    PTO_INLINE void SetRepeatStride(uint16_t value) { repeatStride_ = value; }
    PTO_INLINE uint16_t GetRepeatTime() const { return repeatTime_; }
    PTO_INLINE void SetRepeatTime(uint8_t value) { repeatTime_ = value; }
    PTO_INLINE uint16_t GetRepeatMode() const { return repeatMode_; }
    PTO_INLINE void SetRepeatMode(uint8_t value) { repeatMode_ = value; }
    PTO_INLINE bool GetTranspose() const { return transpose_; }
    PTO_INLINE void SetTranspose(bool value) { transpose_ = value; }
    PTO_INLINE uint16_t GetDstStride() const { return dstStride_; }
    PTO_INLINE void SetDstStride(uint16_t value) { dstStride_ = value; }
    PTO_INLINE uint16_t GetDstMposition() const { return dstMposition_; }
    PTO_INLINE void SetDstMposition(uint16_t value) { dstMposition_ = value; }

private:
    TileDType data_ = nullptr;
    uint8_t padList_[4] = {};
    uint16_t fmapH_ = 0;
    uint16_t fmapW_ = 0;
    uint16_t filterH_ = 1;
    uint16_t filterW_ = 1;
    uint16_t dilationH_ = 1;
    uint16_t dilationW_ = 1;
    uint16_t strideH_ = 1;
    uint16_t strideW_ = 1;
    DType padValue_{};
    uint16_t channelSize_ = 0;
    uint16_t repeatStride_ = 0;
    uint8_t repeatTime_ = 1;
    uint8_t repeatMode_ = 0;
    uint16_t dstStride_ = 0;
    uint16_t dstMposition_ = 0;
    bool transpose_ = false;
};

template <typename T>
inline constexpr bool is_conv_tile_v = false;
template <TileType Loc_, typename Element_, const int BufferSize_, Layout Layout_, typename Shape_>
inline constexpr bool is_conv_tile_v<ConvTile<Loc_, Element_, BufferSize_, Layout_, Shape_>> = true;

}  // namespace pto
