// vector_add_dtypes: vector kernel of `vector_add_dtypes` for cpu. Made by pyptogen; change the spec, not this file.
// stages vector_add_dtypes; tiles n 4096; memory UB 81920 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF16_1x4096 = Tile<TileType::Vec, half, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecB16_1x4096 = Tile<TileType::Vec, bfloat16_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_1x4096 = Tile<TileType::Vec, int32_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecI16_1x4096 = Tile<TileType::Vec, int16_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecI8_1x4096 = Tile<TileType::Vec, int8_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using AFp16Gm = GlobalTensor<half, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using ABf16Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt32Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt16Gm = GlobalTensor<int16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt8Gm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void vector_add_dtypes(
    __gm__ half *c_fp16,
    __gm__ bfloat16_t *c_bf16,
    __gm__ int32_t *c_int32,
    __gm__ int16_t *c_int16,
    __gm__ int8_t *c_int8,
    __gm__ half *a_fp16,
    __gm__ half *b_fp16,
    __gm__ bfloat16_t *a_bf16,
    __gm__ bfloat16_t *b_bf16,
    __gm__ int32_t *a_int32,
    __gm__ int32_t *b_int32,
    __gm__ int16_t *a_int16,
    __gm__ int16_t *b_int16,
    __gm__ int8_t *a_int8,
    __gm__ int8_t *b_int8,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(n_end - n_begin) * 11);  // c_fp16, c_bf16, c_int32, c_int16, c_int8: around the cache if large
    for (int32_t n0 = n_begin + block * 4096; n0 < n_end; n0 += nblk * 4096) {
        const int32_t n0_valid = n_end - n0 < 4096 ? n_end - n0 : 4096;
        // c_fp16:  a_fp16 + b_fp16  [vector_add_dtypes.yaml:27]
        VecF16_1x4096 a_fp16_tile(n0_valid); TASSIGN(a_fp16_tile, 0x00000);  // UB 0x00000..0x02000
        AFp16Gm a_fp16_in(a_fp16 + int64_t(n0), {n0_valid});
        TLOAD(a_fp16_tile, a_fp16_in);
        VecF16_1x4096 b_fp16_tile(n0_valid); TASSIGN(b_fp16_tile, 0x02000);  // UB 0x02000..0x04000
        AFp16Gm b_fp16_in(b_fp16 + int64_t(n0), {n0_valid});
        TLOAD(b_fp16_tile, b_fp16_in);
        VecF16_1x4096 c_fp16_tile(n0_valid); TASSIGN(c_fp16_tile, 0x04000);  // UB 0x04000..0x06000
        TADD(c_fp16_tile, a_fp16_tile, b_fp16_tile);
        VecB16_1x4096 a_bf16_tile(n0_valid); TASSIGN(a_bf16_tile, 0x10000);  // UB 0x10000..0x12000
        VecB16_1x4096 b_bf16_tile(n0_valid); TASSIGN(b_bf16_tile, 0x12000);  // UB 0x12000..0x14000
        VecI32_1x4096 a_int32_tile(n0_valid); TASSIGN(a_int32_tile, 0x08000);  // UB 0x08000..0x0c000
        VecI32_1x4096 b_int32_tile(n0_valid); TASSIGN(b_int32_tile, 0x0c000);  // UB 0x0c000..0x10000
        VecI16_1x4096 a_int16_tile(n0_valid); TASSIGN(a_int16_tile, 0x02000);  // UB 0x02000..0x04000
        VecI16_1x4096 b_int16_tile(n0_valid); TASSIGN(b_int16_tile, 0x06000);  // UB 0x06000..0x08000
        VecI8_1x4096 a_int8_tile(n0_valid); TASSIGN(a_int8_tile, 0x00000);  // UB 0x00000..0x01000
        VecI8_1x4096 b_int8_tile(n0_valid); TASSIGN(b_int8_tile, 0x01000);  // UB 0x01000..0x02000
        ABf16Gm a_bf16_in(a_bf16 + int64_t(n0), {n0_valid});
        ABf16Gm b_bf16_in(b_bf16 + int64_t(n0), {n0_valid});
        AInt32Gm a_int32_in(a_int32 + int64_t(n0), {n0_valid});
        AInt32Gm b_int32_in(b_int32 + int64_t(n0), {n0_valid});
        AInt16Gm a_int16_in(a_int16 + int64_t(n0), {n0_valid});
        AInt16Gm b_int16_in(b_int16 + int64_t(n0), {n0_valid});
        AInt8Gm a_int8_in(a_int8 + int64_t(n0), {n0_valid});
        AInt8Gm b_int8_in(b_int8 + int64_t(n0), {n0_valid});
        AFp16Gm c_fp16_out(c_fp16 + int64_t(n0), {n0_valid});
        TPASS(1, n0_valid, [&](auto at) {
            // c_bf16:  a_bf16 + b_bf16  [vector_add_dtypes.yaml:28]
            const auto a_bf16_tile_v = at.load(a_bf16_in);
            at.store(a_bf16_tile, a_bf16_tile_v);
            const auto b_bf16_tile_v = at.load(b_bf16_in);
            at.store(b_bf16_tile, b_bf16_tile_v);
            // c_int32: a_int32 + b_int32  [vector_add_dtypes.yaml:29]
            const auto a_int32_tile_v = at.load(a_int32_in);
            at.store(a_int32_tile, a_int32_tile_v);
            const auto b_int32_tile_v = at.load(b_int32_in);
            at.store(b_int32_tile, b_int32_tile_v);
            // c_int16: a_int16 + b_int16  [vector_add_dtypes.yaml:30]
            const auto a_int16_tile_v = at.load(a_int16_in);
            at.store(a_int16_tile, a_int16_tile_v);
            const auto b_int16_tile_v = at.load(b_int16_in);
            at.store(b_int16_tile, b_int16_tile_v);
            // c_int8:  a_int8 + b_int8  [vector_add_dtypes.yaml:31]
            const auto a_int8_tile_v = at.load(a_int8_in);
            at.store(a_int8_tile, a_int8_tile_v);
            const auto b_int8_tile_v = at.load(b_int8_in);
            at.store(b_int8_tile, b_int8_tile_v);
            // c_fp16:  a_fp16 + b_fp16  [vector_add_dtypes.yaml:27]
            const auto c_fp16_tile_v = at.load(c_fp16_tile);
            at.store(c_fp16_out, c_fp16_tile_v, far);
        });
        // c_bf16:  a_bf16 + b_bf16  [vector_add_dtypes.yaml:28]
        VecB16_1x4096 c_bf16_tile(n0_valid); TASSIGN(c_bf16_tile, 0x04000);  // UB 0x04000..0x06000
        TADD(c_bf16_tile, a_bf16_tile, b_bf16_tile);
        // c_int32: a_int32 + b_int32  [vector_add_dtypes.yaml:29]
        VecI32_1x4096 c_int32_tile(n0_valid); TASSIGN(c_int32_tile, 0x10000);  // UB 0x10000..0x14000
        TADD(c_int32_tile, a_int32_tile, b_int32_tile);
        // c_int16: a_int16 + b_int16  [vector_add_dtypes.yaml:30]
        VecI16_1x4096 c_int16_tile(n0_valid); TASSIGN(c_int16_tile, 0x08000);  // UB 0x08000..0x0a000
        TADD(c_int16_tile, a_int16_tile, b_int16_tile);
        // c_int8:  a_int8 + b_int8  [vector_add_dtypes.yaml:31]
        VecI8_1x4096 c_int8_tile(n0_valid); TASSIGN(c_int8_tile, 0x02000);  // UB 0x02000..0x03000
        TADD(c_int8_tile, a_int8_tile, b_int8_tile);
        ABf16Gm c_bf16_out(c_bf16 + int64_t(n0), {n0_valid});
        AInt32Gm c_int32_out(c_int32 + int64_t(n0), {n0_valid});
        AInt16Gm c_int16_out(c_int16 + int64_t(n0), {n0_valid});
        AInt8Gm c_int8_out(c_int8 + int64_t(n0), {n0_valid});
        TPASS(1, n0_valid, [&](auto at) {
            // c_bf16:  a_bf16 + b_bf16  [vector_add_dtypes.yaml:28]
            const auto c_bf16_tile_v = at.load(c_bf16_tile);
            at.store(c_bf16_out, c_bf16_tile_v, far);
            // c_int32: a_int32 + b_int32  [vector_add_dtypes.yaml:29]
            const auto c_int32_tile_v = at.load(c_int32_tile);
            at.store(c_int32_out, c_int32_tile_v, far);
            // c_int16: a_int16 + b_int16  [vector_add_dtypes.yaml:30]
            const auto c_int16_tile_v = at.load(c_int16_tile);
            at.store(c_int16_out, c_int16_tile_v, far);
            // c_int8:  a_int8 + b_int8  [vector_add_dtypes.yaml:31]
            const auto c_int8_tile_v = at.load(c_int8_tile);
            at.store(c_int8_out, c_int8_tile_v, far);
        });
    }
#endif
}
