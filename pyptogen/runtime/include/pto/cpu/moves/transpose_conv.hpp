// ConvTiles from one layout of a feature map or a filter to another.
#pragma once

#include <pto/cpu/moves/conv.hpp>

namespace pto::cpu {

/// Where the channels of a split layout lie: C1 blocks of C0, `plane` elements of C0 in each.
struct ChannelSplit {
    int64_t batches;   // G * N
    int64_t channels;  // C
    int64_t plane;     // H * W
    int64_t c0;
};

/// Moves values between (N, C, H, W) and (N, C1, H, W, C0); what C0 has beyond C is left as it is.
template <bool ToSplit, typename T>
inline void split_channels(T* split, T* whole, const ChannelSplit& s)
{
    const int64_t blocks = (s.channels + s.c0 - 1) / s.c0;
    for (int64_t n = 0; n < s.batches; ++n) {
        for (int64_t c = 0; c < s.channels; ++c) {
            const int64_t one = ((n * blocks + c / s.c0) * s.plane) * s.c0 + c % s.c0;
            const int64_t other = (n * s.channels + c) * s.plane;
            for (int64_t p = 0; p < s.plane; ++p) {
                if constexpr (ToSplit) {
                    store_element(split, one + p * s.c0, load_element<T>(whole, other + p));
                } else {
                    store_element(whole, other + p, load_element<T>(split, one + p * s.c0));
                }
            }
        }
    }
}

/// (G, N, C1, H, W, C0) to (G, C1, H, W, N1, N0, C0); positions of N1 N0 beyond N are left as they are.
template <typename T>
inline void filter_blocks(
    T* to, const T* from, int64_t groups, int64_t count, int64_t lines, int64_t n1, int64_t n0, int64_t c0)
{
    for (int64_t g = 0; g < groups; ++g) {
        for (int64_t n = 0; n < count; ++n) {
            for (int64_t line = 0; line < lines; ++line) {
                constexpr int64_t kPerByte = is_packed4_v<T> ? 2 : 1;
                const T* source = from + ((g * count + n) * lines + line) * c0 / kPerByte;
                T* target = to + ((g * lines + line) * n1 * n0 + n) * c0 / kPerByte;
                __builtin_memcpy(static_cast<void*>(target), source, c0 * sizeof(T) / kPerByte);
            }
        }
    }
}

/// (N, C, D, H, W) to (D, C1, H, W, N1, N0, C0).
template <typename T, typename Dst, typename Src>
inline void filter_blocks_3d(Dst& dst, Src& src)
{
    const int64_t n_count = src.GetShape(0), channels = src.GetShape(1), depth = src.GetShape(2);
    const int64_t plane = src.GetShape(3) * src.GetShape(4);
    const int64_t c0 = dst.GetShape(3), per_line = dst.GetShape(1) * dst.GetShape(2);
    const int64_t blocks = (channels + c0 - 1) / c0;
    for (int64_t n = 0; n < n_count; ++n) {
        for (int64_t c = 0; c < channels; ++c) {
            for (int64_t d = 0; d < depth; ++d) {
                const int64_t from = ((n * channels + c) * depth + d) * plane;
                const int64_t to = ((d * blocks + c / c0) * plane * per_line + n) * c0 + c % c0;
                for (int64_t p = 0; p < plane; ++p) {
                    store_element(dst.data(), to + p * per_line * c0, load_element<T>(src.data(), from + p));
                }
            }
        }
    }
}

template <typename Dst, typename Src>
inline void transpose_conv(Dst& dst, Src& src)
{
    using T = typename Src::DType;
    static_assert(is_same<T, typename Dst::DType>, "TTRANS of ConvTiles needs the same element type on both sides");
    constexpr Layout kFrom = Src::layout, kTo = Dst::layout;
    const auto s = [&](int dim) { return src.GetShape(dim); };
    if constexpr (kFrom == Layout::NCHW && kTo == Layout::NC1HWC0) {
        split_channels<true>(dst.data(), src.data(), {s(0), s(1), s(2) * s(3), dst.GetShape(4)});
    } else if constexpr (kFrom == Layout::NC1HWC0 && kTo == Layout::NCHW) {
        split_channels<false>(src.data(), dst.data(), {dst.GetShape(0), dst.GetShape(1), s(2) * s(3), s(4)});
    } else if constexpr (kFrom == Layout::GNCHW && kTo == Layout::GNC1HWC0) {
        split_channels<true>(dst.data(), src.data(), {s(0) * s(1), s(2), s(3) * s(4), dst.GetShape(5)});
    } else if constexpr (kFrom == Layout::GNC1HWC0 && kTo == Layout::GNCHW) {
        split_channels<false>(
            src.data(), dst.data(), {dst.GetShape(0) * dst.GetShape(1), dst.GetShape(2), s(3) * s(4), s(5)});
    } else if constexpr (kFrom == Layout::NC1HWC0 && kTo == Layout::FRACTAL_Z) {
        filter_blocks<T>(
            dst.data(), src.data(), 1, s(0), s(1) * s(2) * s(3), dst.GetShape(1), dst.GetShape(2), dst.GetShape(3));
    } else if constexpr (kFrom == Layout::GNC1HWC0 && kTo == Layout::FRACTAL_Z) {
        filter_blocks<T>(
            dst.data(), src.data(), s(0), s(1), s(2) * s(3) * s(4), dst.GetShape(1), dst.GetShape(2), dst.GetShape(3));
    } else {
        static_assert(
            kFrom == Layout::NCDHW && kTo == Layout::FRACTAL_Z_3D,
            "TTRANS of ConvTiles: NCHW and NC1HWC0 both ways, GNCHW and GNC1HWC0 both ways, NC1HWC0 or GNC1HWC0 to "
            "FRACTAL_Z, NCDHW to FRACTAL_Z_3D");
        filter_blocks_3d<T>(dst, src);
    }
}

}  // namespace pto::cpu
