// Packing a B operand into the fragments of a Right tile.
#pragma once

#include <pto/cpu/boxes.hpp>

namespace pto::cpu {

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t words8 __attribute__((vector_size(16)));
typedef uint32_t dwords4 __attribute__((vector_size(16)));
typedef uint64_t qwords2 __attribute__((vector_size(16)));

PTO_INLINE words8 low_words(words8 a, words8 b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
PTO_INLINE words8 high_words(words8 a, words8 b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
PTO_INLINE bytes16 low_bytes(bytes16 a, bytes16 b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
PTO_INLINE bytes16 high_bytes(bytes16 a, bytes16 b)
{
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/// One 64-byte row of a fragment from kGroupK rows of 16 columns, `stride` elements apart.
template <typename T>
PTO_INLINE void pack_group(char* to, const T* from, int64_t stride)
{
    if constexpr (sizeof(T) == 4) {
        __builtin_memcpy(to, from, 64);
    } else if constexpr (sizeof(T) == 2) {
        for (int i = 0; i < 2; ++i) {
            const words8 a = load_bits<words8>(from + 8 * i), b = load_bits<words8>(from + stride + 8 * i);
            store_bits(to + 32 * i, low_words(a, b));
            store_bits(to + 32 * i + 16, high_words(a, b));
        }
    } else {
        const bytes16 r0 = load_bits<bytes16>(from), r1 = load_bits<bytes16>(from + stride);
        const bytes16 r2 = load_bits<bytes16>(from + 2 * stride), r3 = load_bits<bytes16>(from + 3 * stride);
        const words8 t0 = (words8)low_bytes(r0, r1), t1 = (words8)high_bytes(r0, r1);
        const words8 t2 = (words8)low_bytes(r2, r3), t3 = (words8)high_bytes(r2, r3);
        store_bits(to, low_words(t0, t2));
        store_bits(to + 16, high_words(t0, t2));
        store_bits(to + 32, low_words(t1, t3));
        store_bits(to + 48, high_words(t1, t3));
    }
}

/// One 64-byte row of a fragment from up to kGroupK rows of up to 16 columns; what is missing becomes zero.
template <typename T>
inline void pack_partial_group(char* to, const T* from, int64_t stride, int64_t rows, int64_t cols, int first_col)
{
    T lanes[16 * kGroupK<T>];
    __builtin_memset(static_cast<void*>(lanes), 0, 64);
    for (int64_t k = 0; k < rows && k < kGroupK<T>; ++k) {
        for (int64_t n = 0; n < cols; ++n) {
            lanes[(first_col + n) * kGroupK<T> + k] = from[k * stride + n];
        }
    }
    __builtin_memcpy(to, lanes, 64);
}

/// Packs 16 columns (or `cols` of them) of a row-major [rows, ...] matrix into the fragments at `to`, which lie
/// kPanelStep apart for every KS rows. Rows up to the next multiple of KS become zero.
template <typename T>
inline void pack_columns(char* to, const T* from, int64_t stride, int64_t rows, int64_t cols)
{
    constexpr int kGroup = kGroupK<T>;
    const int64_t padded = round_up(rows, kStepK<T>);
    for (int64_t k = 0; k < padded; k += kGroup) {
        char* row = to + k / kStepK<T> * kPanelStep + k % kStepK<T> / kGroup * 64;
        if (cols == 16 && k + kGroup <= rows) {
            pack_group(row, from + k * stride, stride);
        } else {
            pack_partial_group(row, from + k * stride, stride, rows - k, cols, 0);
        }
    }
}

/// Packs a row-major [k, n] matrix into 32-column panels.
template <typename T>
inline void pack_row_major(char* to, int64_t panel, const T* from, int64_t stride, int64_t k, int64_t n)
{
    for (int64_t col = 0; col < round_up(n, 32); col += 16) {
        const int64_t cols = n - col < 0 ? 0 : n - col > 16 ? 16 : n - col;
        pack_columns(to + (col >> 5) * panel + ((col >> 4) & 1) * kFragment, from + col, stride, k, cols);
    }
}

/// Transposes the 16 x 16 dwords of a fragment: 16 columns of 64 bytes, `stride` bytes apart, into 16 rows.
PTO_INLINE void transpose_fragment(char* to, const char* from, int64_t stride)
{
    for (int column = 0; column < 16; column += 4) {
        for (int row = 0; row < 16; row += 4) {
            const char* s = from + column * stride + row * 4;
            const dwords4 a = load_bits<dwords4>(s), b = load_bits<dwords4>(s + stride);
            const dwords4 c = load_bits<dwords4>(s + 2 * stride), d = load_bits<dwords4>(s + 3 * stride);
            const qwords2 ab0 = (qwords2)__builtin_shufflevector(a, b, 0, 4, 1, 5);
            const qwords2 ab1 = (qwords2)__builtin_shufflevector(a, b, 2, 6, 3, 7);
            const qwords2 cd0 = (qwords2)__builtin_shufflevector(c, d, 0, 4, 1, 5);
            const qwords2 cd1 = (qwords2)__builtin_shufflevector(c, d, 2, 6, 3, 7);
            char* q = to + row * 64 + column * 4;
            store_bits(q, __builtin_shufflevector(ab0, cd0, 0, 2));
            store_bits(q + 64, __builtin_shufflevector(ab0, cd0, 1, 3));
            store_bits(q + 128, __builtin_shufflevector(ab1, cd1, 0, 2));
            store_bits(q + 192, __builtin_shufflevector(ab1, cd1, 1, 3));
        }
    }
}

/// Packs a [k, n] matrix whose columns are contiguous, `stride` elements apart, into 32-column panels.
template <typename T>
inline void pack_column_major(char* to, int64_t panel, const T* from, int64_t stride, int64_t k, int64_t n)
{
    constexpr int64_t kSize = sizeof(T);
    for (int64_t col = 0; col < round_up(n, 32); col += 16) {
        const int64_t cols = n - col < 0 ? 0 : n - col > 16 ? 16 : n - col;
        char* half = to + (col >> 5) * panel + ((col >> 4) & 1) * kFragment;
        for (int64_t at = 0; at < k; at += kStepK<T>, half += kPanelStep) {
            const int64_t length = k - at < kStepK<T> ? k - at : kStepK<T>;
            if (cols == 16 && length == kStepK<T>) {
                transpose_fragment(half, reinterpret_cast<const char*>(from + col * stride + at), stride * kSize);
                continue;
            }
            char padded[kFragment] = {};
            for (int64_t c = 0; c < cols; ++c) {
                __builtin_memcpy(padded + c * 64, from + (col + c) * stride + at, length * kSize);
            }
            transpose_fragment(half, padded, 64);
        }
    }
}

/// As pack_fractal, one row of a fragment after the other: for anything that is no whole step or panel.
template <typename T>
inline void pack_fractal_rows(
    char* to, int64_t panel, const T* from, int64_t panel_stride, int64_t block_stride, int64_t row_stride, int64_t k,
    int64_t n)
{
    constexpr int kBox = C0_SIZE_BYTE / static_cast<int>(sizeof(T));
    constexpr int kStart = kBox < 16 ? kBox : 16;  // columns that one source row gives to one fragment row
    for (int64_t col = 0; col < round_up(n, 32); col += 16) {
        char* half = to + (col >> 5) * panel + ((col >> 4) & 1) * kFragment;
        for (int64_t at = 0; at < round_up(k, kStepK<T>); at += kGroupK<T>) {
            char* row = half + at / kStepK<T> * kPanelStep + at % kStepK<T> / kGroupK<T> * 64;
            const T* source = from + at / 16 * block_stride + at % 16 * row_stride;
            for (int part = 0; part < 16; part += kStart) {
                const int64_t c = col + part;
                const T* box = source + c / kBox * panel_stride + c % kBox;
                const int64_t cols = n - c < 0 ? 0 : n - c > kStart ? kStart : n - c;
                if (kStart == 16 && cols == 16 && at + kGroupK<T> <= k) {
                    pack_group(row, box, row_stride);
                } else if (kStart < 16 && cols == kStart && at < k) {
                    __builtin_memcpy(row + part * 4, box, kStart * 4);
                } else if (kStart < 16) {
                    __builtin_memset(row + part * 4, 0, kStart * 4);
                    __builtin_memcpy(row + part * 4, box, at < k ? cols * 4 : 0);
                } else {
                    pack_partial_group(row, box, row_stride, k - at, cols, 0);
                }
            }
        }
    }
}

/// Packs a public NZ matrix: panels of c0 = 32 bytes of columns, each of 16-row blocks of 32-byte rows. Strides are in
/// elements: from panel to panel, from block to block and from row to row.
template <typename T>
inline void pack_fractal(
    char* to, int64_t panel, const T* from, int64_t panel_stride, int64_t block_stride, int64_t row_stride, int64_t k,
    int64_t n)
{
    int64_t rows = 0, cols = n;
    if (row_stride * static_cast<int64_t>(sizeof(T)) == C0_SIZE_BYTE && block_stride == 16 * row_stride) {
        rows = pack_box_steps(to, panel, from, panel_stride, k, cols);
    }
    cols = rows == 0 ? 0 : cols;
    if (rows < k && cols > 0) {  // what is left of K under the columns that are done
        pack_fractal_rows(
            to + rows / kStepK<T> * kPanelStep, panel, from + rows * row_stride, panel_stride, block_stride, row_stride,
            k - rows, cols);
    }
    if (cols < n) {
        constexpr int64_t kBox = C0_SIZE_BYTE / static_cast<int64_t>(sizeof(T));
        pack_fractal_rows(
            to + cols / 32 * panel, panel, from + cols / kBox * panel_stride, panel_stride, block_stride, row_stride, k,
            n - cols);
    }
}

}  // namespace pto::cpu
