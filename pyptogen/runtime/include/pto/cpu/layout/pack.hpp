// Packing a B operand into the fragments of a Right tile.
#pragma once

#include <pto/cpu/layout/slabs.hpp>

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

/// As pack_group, of up to kGroupK rows of up to 16 columns; what is missing becomes zero.
template <typename T>
inline void pack_partial_group(char* to, const T* from, int64_t stride, int64_t rows, int64_t cols)
{
    if (rows >= kGroupK<T> && cols >= 16) {
        pack_group(to, from, stride);
        return;
    }
    T lanes[16 * kGroupK<T>];
    __builtin_memset(static_cast<void*>(lanes), 0, 64);
    for (int64_t k = 0; k < rows && k < kGroupK<T>; ++k) {
        for (int64_t n = 0; n < cols && n < 16; ++n) {
            lanes[n * kGroupK<T> + k] = from[k * stride + n];
        }
    }
    __builtin_memcpy(to, lanes, 64);
}

/// Packs a row-major [k, n] matrix into 32-column panels, with zeros up to whole steps of K and whole panels. Up to
/// kAcross columns go together, so that memory is read along its rows.
template <typename T>
inline void pack_row_major(char* to, int64_t panel, const T* from, int64_t stride, int64_t k, int64_t n)
{
    constexpr int kGroup = kGroupK<T>;
    constexpr int64_t kAcross = 256;
    const int64_t padded_k = round_up(k, kStepK<T>), padded_n = round_up(n, 32);
    for (int64_t first = 0; first < padded_n; first += kAcross) {
        const int64_t end = least(padded_n, first + kAcross);
        for (int64_t at = 0; at < padded_k; at += kGroup) {
            char* row = to + (first >> 5) * panel + at / kStepK<T> * kPanelStep + at % kStepK<T> / kGroup * 64;
            const T* source = from + at * stride;
            const int64_t whole = at + kGroup <= k ? least(n, end) / 32 * 32 : first;
            int64_t col = first;
            for (; col < whole; col += 32, row += panel) {
                pack_group(row, source + col, stride);
                pack_group(row + kFragment, source + col + 16, stride);
            }
            for (; col < end; col += 32, row += panel) {
                pack_partial_group(row, source + col, stride, k - at, n - col);
                pack_partial_group(row + kFragment, source + col + 16, stride, k - at, n - col - 16);
            }
        }
    }
}

/// Transposes the 16 x 16 dwords of a fragment: 16 columns of 64 bytes, `stride` bytes apart, into 16 rows,
/// `line` bytes apart.
PTO_INLINE void transpose_fragment(char* to, const char* from, int64_t stride, int64_t line = 64)
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
            char* q = to + row * line + column * 4;
            store_bits(q, __builtin_shufflevector(ab0, cd0, 0, 2));
            store_bits(q + line, __builtin_shufflevector(ab0, cd0, 1, 3));
            store_bits(q + 2 * line, __builtin_shufflevector(ab1, cd1, 0, 2));
            store_bits(q + 3 * line, __builtin_shufflevector(ab1, cd1, 1, 3));
        }
    }
}

/// Puts `rows` rows of `cols` elements, whose columns are contiguous and `stride` elements apart, into a Left tile
/// whose panels are `panel` bytes apart, with zeros up to whole steps. Rows beyond stay as they are.
template <typename T>
inline void fill_left_columns(char* to, int64_t panel, const T* from, int64_t stride, int64_t rows, int64_t cols)
{
    constexpr int64_t kGroup = kGroupK<T>;
    alignas(64) char groups[kFragment], lines[kFragment];
    for (int64_t at = 0; at < cols; at += kStepK<T>, to += kPanelStep) {
        for (int64_t row = 0; row < rows; row += 16) {
            const int64_t count = least(16, rows - row);
            for (int64_t group = 0; group < 16; ++group) {
                const int64_t first = at + group * kGroup;
                pack_partial_group(
                    groups + group * 64, from + least(first, cols - 1) * stride + row, stride, cols - first, count);
            }
            char* out = to + left_row_offset(row, panel);
            if (count == 16) {
                transpose_fragment(out, groups, 64);
            } else {
                transpose_fragment(lines, groups, 64);
                __builtin_memcpy(out, lines, count * 64);
            }
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

/// KS rows of 32 columns of an Nz matrix, whose panels are `panel` bytes apart, to the two fragments of a step.
template <typename T>
PTO_INLINE void pack_fractal_step(char* to, const char* from, int64_t panel)
{
    constexpr int64_t kSize = sizeof(T), kC0 = C0_SIZE_BYTE / kSize;
    if constexpr (packs_whole_steps<T>) {
        pack_whole_step<T>(to, from, panel);
    } else {
        for (int64_t half = 0; half < 2; ++half) {
            for (int64_t row = 0; row < 16; ++row) {
                char* out = to + half * kFragment + row * 64;
                const char* source = from + row * kGroupK<T> * C0_SIZE_BYTE;
                if constexpr (kSize == 4) {
                    __builtin_memcpy(out, source + 2 * half * panel, C0_SIZE_BYTE);
                    __builtin_memcpy(out + C0_SIZE_BYTE, source + (2 * half + 1) * panel, C0_SIZE_BYTE);
                } else {
                    const int64_t place = kSize == 2 ? half * panel : half * 16;
                    pack_group(out, reinterpret_cast<const T*>(source + place), kC0);
                }
            }
        }
    }
}

/// Copies up to KS rows and 32 columns of an NZ matrix to panels of KS rows at `to`; what is missing becomes zero.
template <typename T>
inline void gather_step(
    char* to, const T* from, int64_t panel_stride, int64_t block_stride, int64_t row_stride, int64_t rows, int64_t cols)
{
    constexpr int64_t kSize = sizeof(T), kC0 = C0_SIZE_BYTE / kSize;
    __builtin_memset(to, 0, kPanelStep);
    for (int64_t c = 0; c < 32 && c < cols; c += kC0, from += panel_stride, to += kStepK<T> * C0_SIZE_BYTE) {
        const int64_t width = cols - c < kC0 ? cols - c : kC0;
        for (int64_t r = 0; r < rows && r < kStepK<T>; ++r) {
            __builtin_memcpy(to + r * C0_SIZE_BYTE, from + r / 16 * block_stride + r % 16 * row_stride, width * kSize);
        }
    }
}

/// Packs a public NZ matrix: panels of c0 = 32 bytes of columns, each of 16-row blocks of 32-byte rows. Strides are in
/// elements: from panel to panel, from block to block and from row to row.
template <typename T>
PTO_CPU_OUT_OF_LINE void pack_fractal(
    char* to, int64_t panel, const T* from, int64_t panel_stride, int64_t block_stride, int64_t row_stride, int64_t k,
    int64_t n)
{
    constexpr int64_t kSize = sizeof(T), kC0 = C0_SIZE_BYTE / kSize;
    const bool dense = row_stride == kC0 && block_stride == 16 * kC0;
    alignas(64) char step[kPanelStep];
    for (int64_t col = 0; col < n; col += 32) {
        char* out = to + col / 32 * panel;
        for (int64_t at = 0; at < k; at += kStepK<T>, out += kPanelStep) {
            const T* source = from + col / kC0 * panel_stride + at / 16 * block_stride;
            if (dense && n - col >= 32 && k - at >= kStepK<T>) {
                pack_fractal_step<T>(out, reinterpret_cast<const char*>(source), panel_stride * kSize);
            } else {
                gather_step(step, source, panel_stride, block_stride, row_stride, k - at, n - col);
                pack_fractal_step<T>(out, step, kStepK<T> * C0_SIZE_BYTE);
            }
        }
    }
}

}  // namespace pto::cpu
