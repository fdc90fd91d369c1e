// Global tensors as slabs; see slabs.hpp.
//
// No transfer leaves the extents of its GlobalTensor: a tile that is larger has the rest of its elements untouched.
#pragma once

#include <pto/cpu/layout/slabs.hpp>

namespace pto::cpu {

struct Extents {
    int64_t rows, cols;
};

/// C0 of NDC1HWC0, which is no extent of the tensor: 32 bytes, but 16 channels of int32, as A2/A3 stores accumulators.
template <typename T>
inline constexpr int64_t channel_block = is_same<T, int32_t> ? 16 : C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));

/// Rows and columns of a global tensor, in its layout; see channel_offset for those of convolutions and scales.
template <typename Global>
PTO_INLINE Extents extents_of(const Global& global)
{
    constexpr Layout kLayout = Global::layout;
    constexpr int64_t kC0 = channel_block<typename Global::RawDType>;
    const int64_t n0 = global.GetShape(0), n1 = global.GetShape(1), n2 = global.GetShape(2);
    const int64_t n3 = global.GetShape(3), n4 = global.GetShape(4);
    switch (kLayout) {
        case Layout::ND: return {n0 * n1 * n2 * n3, n4};
        case Layout::DN: return {n3, n0 * n1 * n2 * n4};
        case Layout::NZ: return {n2 * n3, n0 * n1 * n4};
        case Layout::NC1HWC0: return {n0 * n2 * n3, n1 * n4};
        case Layout::NDC1HWC0: return {n0 * n3 * n4, n1 * n2 * kC0};
        case Layout::FRACTAL_Z: return {n0 * n1 * n2 * n4, n3};
        case Layout::NHWC: return {n1 * n2 * n3, n4};
        case Layout::NCHW: return {n1 * n3 * n4, n2};
        case Layout::NCDHW: return {n0 * n3 * n4, n1 * n2};
        case Layout::MX_A_ZZ: return {n1 * n3, n2 * n4};
        case Layout::MX_A_ND: return {n2, n3 * n4};
        case Layout::MX_A_DN: return {n3, n2 * n4};
        case Layout::MX_B_NN: return {n2 * n4, n1 * n3};
        case Layout::MX_B_ND: return {n2 * n4, n3};
        case Layout::CPU_PACKED: return {n3, n4};
        default: return {n3 * n4, n2};
    }
}

/// Elements one after another from the first on along dimension 3 or 4, with the outer dimensions that go on where it
/// ends.
template <typename Global>
PTO_INLINE int64_t run_of(const Global& global, int dim)
{
    int64_t run = global.GetShape(dim);
    for (int outer = 2; outer >= 0; --outer) {
        const int64_t extent = global.GetShape(outer);
        if (extent != 1 && global.GetStride(outer) != run * global.GetStride(dim)) {
            break;
        }
        run *= extent;
    }
    return run;
}

/// What a transfer of `rows` x `cols` elements moves: as many of them as the tensor has. Outer dimensions of a DN
/// tensor may be rows, too, where there are no more columns than dimension 4 has, and those of an ND tensor columns.
template <typename Global>
PTO_INLINE Extents covered(const Global& global, int64_t rows, int64_t cols)
{
    Extents all = extents_of(global);
    if constexpr (Global::layout == Layout::DN) {
        if (rows > all.rows && cols <= global.GetShape(4)) {
            all.rows = run_of(global, 3);
        }
    } else if constexpr (Global::layout == Layout::ND) {
        if (cols > all.cols && rows <= global.GetShape(3)) {
            all.cols = run_of(global, 4);
        }
    }
    return {least(rows, all.rows), least(cols, all.cols)};
}

/// Calls f(Slab) for the parts of the upper left `tile_rows` x `tile_cols` elements of an ND or DN tensor: dimensions 0
/// to 2 repeat rows (ND) or columns (DN).
template <typename Global, typename F>
PTO_INLINE void for_each_plain_slab(Global& global, int64_t tile_rows, int64_t tile_cols, F f)
{
    using T = typename Global::RawDType;
    const auto [rows, cols] = covered(global, tile_rows, tile_cols);
    const int64_t n0 = global.GetShape(0), n1 = global.GetShape(1), n2 = global.GetShape(2);
    const int64_t rs = global.GetStride(3), cs = global.GetStride(4);
    if (n0 == 1 && n1 == 1 && n2 == 1) {
        if (rows > 0 && cols > 0) {
            f(Slab<T>{global.data(), 0, 0, rows, cols, rs, cs});
        }
        return;
    }
    constexpr bool kRows = Global::layout != Layout::DN;
    const int64_t part = global.GetShape(kRows ? 3 : 4), total = kRows ? rows : cols;
    int64_t first = 0;
    for (int64_t i0 = 0; i0 < n0; ++i0) {
        for (int64_t i1 = 0; i1 < n1; ++i1) {
            for (int64_t i2 = 0; i2 < n2 && first < total; ++i2, first += part) {
                T* at = global.data() + i0 * global.GetStride(0) + i1 * global.GetStride(1) + i2 * global.GetStride(2);
                const int64_t count = least(part, total - first);
                f(kRows ? Slab<T>{at, first, 0, count, cols, rs, cs} : Slab<T>{at, 0, first, rows, count, rs, cs});
            }
        }
    }
}

/// As for_each_plain_slab, for NZ: columns are (dimension 0, 1, 4), rows (2, 3).
template <typename Global, typename F>
PTO_INLINE void for_each_nz_slab(Global& global, int64_t tile_rows, int64_t tile_cols, F f)
{
    using T = typename Global::RawDType;
    const auto [rows, cols] = covered(global, tile_rows, tile_cols);
    const int64_t inner = global.GetShape(3), width = global.GetShape(4), per_batch = global.GetShape(1);
    const int64_t rs = global.GetStride(3), block = global.GetStride(2);
    const bool whole = block == inner * rs;
    for (int64_t c = 0; c < cols; c += width) {
        const int64_t panel = c / width;
        T* at = global.data() + panel / per_batch * global.GetStride(0) + panel % per_batch * global.GetStride(1);
        const int64_t step = whole ? rows : inner;
        for (int64_t r = 0; r < rows; r += step) {
            f(Slab<T>{
                at + r / inner * block, r, c, least(step, rows - r), least(width, cols - c), rs, global.GetStride(4)});
        }
    }
}

/// Columns that one run of a tensor in a convolution or scale layout holds side by side.
template <typename Global>
PTO_INLINE int64_t run_of_columns(const Global& global)
{
    constexpr Layout kLayout = Global::layout;
    constexpr int64_t kC0 = channel_block<typename Global::RawDType>;
    switch (kLayout) {
        case Layout::NC1HWC0: return global.GetShape(4);
        case Layout::NDC1HWC0: return kC0;
        case Layout::MX_A_ZZ:
        case Layout::MX_A_ND:
        case Layout::MX_A_DN: return 2;
        case Layout::CPU_PACKED: return kGroupK<typename Global::RawDType> == 1 ? 16 : 1;
        default: return 1;
    }
}

/// Offset in elements of (r, c) in a tensor in a convolution or scale layout. NC1HWC0: rows are (N, H, W), columns
/// (C1, C0). NDC1HWC0: rows (N, H, W), columns (D, C1, C0), C0 without an extent of its own. FRACTAL_Z: rows (0, 1,
/// 2, 4). NCHW: rows (0, 2, 3), columns 1; NHWC: columns 3; NCDHW: rows (0, 3, 4), columns (2, 1). Scales: 16 x 2
/// fractals. CPU_PACKED: a Right operand, whose first row and column begin a fragment.
template <typename Global>
inline int64_t channel_offset(const Global& global, int64_t r, int64_t c)
{
    constexpr Layout kLayout = Global::layout;
    constexpr int64_t kC0 = channel_block<typename Global::RawDType>;
    const auto n = [&](int dim) { return global.GetShape(dim); };
    const auto at = [&](int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4) {
        return i0 * global.GetStride(0) + i1 * global.GetStride(1) + i2 * global.GetStride(2) +
               i3 * global.GetStride(3) + i4 * global.GetStride(4);
    };
    if constexpr (kLayout == Layout::NC1HWC0) {
        return at(r / (n(2) * n(3)), c / n(4), r / n(3) % n(2), r % n(3), c % n(4));
    } else if constexpr (kLayout == Layout::NDC1HWC0) {
        return at(r / (n(3) * n(4)), c / (n(2) * kC0), c / kC0 % n(2), r / n(4) % n(3), r % n(4)) + c % kC0;
    } else if constexpr (kLayout == Layout::FRACTAL_Z) {
        return at(r / (n(1) * n(2) * n(4)), r / (n(2) * n(4)) % n(1), r / n(4) % n(2), c, r % n(4));
    } else if constexpr (kLayout == Layout::NCHW) {
        return at(0, r / (n(3) * n(4)), c, r / n(4) % n(3), r % n(4));
    } else if constexpr (kLayout == Layout::NHWC) {
        return at(0, r / (n(2) * n(3)), r / n(3) % n(2), r % n(3), c);
    } else if constexpr (kLayout == Layout::NCDHW) {
        return at(r / (n(3) * n(4)), c % n(1), c / n(1), r / n(4) % n(3), r % n(4));
    } else if constexpr (kLayout == Layout::MX_A_ZZ) {
        return at(0, r / 16, c / 2, r % 16, c % 2);
    } else if constexpr (kLayout == Layout::MX_B_NN) {
        return at(0, c / 16, r / 2, c % 16, r % 2);
    } else if constexpr (kLayout == Layout::MX_A_ND) {
        return at(0, 0, r, c / 2, c % 2);
    } else if constexpr (kLayout == Layout::MX_A_DN) {
        return at(0, 0, c / 2, r, c % 2);
    } else if constexpr (kLayout == Layout::MX_B_ND) {
        return at(0, 0, r / 2, c, r % 2);
    } else if constexpr (kLayout == Layout::CPU_PACKED) {
        constexpr auto kSize = static_cast<int64_t>(sizeof(typename Global::RawDType));
        return right_offset<typename Global::RawDType>(r, c, global.GetStride(3) * kSize) / kSize;
    } else {
        static_assert(kLayout == Layout::MX_B_DN, "TLOAD and TSTORE have no meaning for this layout of global memory");
        return at(0, 0, c, r / 2, r % 2);
    }
}

/// Calls f(Slab) for the parts of the upper left `tile_rows` x `tile_cols` elements of a global tensor in any layout.
/// Of a tensor of a four-bit type Slab::at is data() plus as many bytes as there are elements before: see
/// for_each_nibble.
template <typename Global, typename F>
PTO_INLINE void for_each_global_slab(Global& global, int64_t tile_rows, int64_t tile_cols, F f)
{
    using T = typename Global::RawDType;
    if constexpr (Global::layout == Layout::ND || Global::layout == Layout::DN) {
        for_each_plain_slab(global, tile_rows, tile_cols, f);
    } else if constexpr (Global::layout == Layout::NZ) {
        for_each_nz_slab(global, tile_rows, tile_cols, f);
    } else {
        const auto [rows, cols] = covered(global, tile_rows, tile_cols);
        const int64_t run = run_of_columns(global);
        for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < cols; c += run) {
                f(Slab<T>{global.data() + channel_offset(global, r, c), r, c, 1, least(run, cols - c), 0, 1});
            }
        }
    }
}

/// Calls f(row, column, offset in elements from data()) for the elements of a tensor of a four-bit type.
template <typename Global, typename F>
PTO_INLINE void for_each_nibble(Global& global, int64_t rows, int64_t cols, F f)
{
    for_each_global_slab(global, rows, cols, [&](const auto& part) {
        for (int64_t r = 0; r < part.rows; ++r) {
            for (int64_t c = 0; c < part.cols; ++c) {
                f(part.row + r, part.col + c, part.at - global.data() + r * part.row_stride + c * part.col_stride);
            }
        }
    });
}

}  // namespace pto::cpu
