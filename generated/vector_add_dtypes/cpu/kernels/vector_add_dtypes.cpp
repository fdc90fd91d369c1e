// vector_add_dtypes: vector kernel of `vector_add_dtypes` for cpu. Made by pyptogen; change the spec, not this file.
// stages vector_add_dtypes; tiles n 4096; memory UB 12288 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecU8_1x4096 = Tile<TileType::Vec, uint8_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using AFp16Gm = GlobalTensor<half, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using ABf16Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt32Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt16Gm = GlobalTensor<int16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt8Gm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AUint8Gm = GlobalTensor<uint8_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void vector_add_dtypes(
    __gm__ half *c_fp16,
    __gm__ bfloat16_t *c_bf16,
    __gm__ int32_t *c_int32,
    __gm__ int16_t *c_int16,
    __gm__ int8_t *c_int8,
    __gm__ uint8_t *c_uint8,
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
    __gm__ uint8_t *a_uint8,
    __gm__ uint8_t *b_uint8,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(n_end - n_begin) * 11);  // c_fp16, c_bf16, c_int32, c_int16, c_int8: around the cache if large
    for (int32_t n0 = n_begin + block * 4096; n0 < n_end; n0 += nblk * 4096) {
        const int32_t n0_valid = n_end - n0 < 4096 ? n_end - n0 : 4096;
        AFp16Gm a_fp16_in(a_fp16 + int64_t(n0), {n0_valid});
        AFp16Gm b_fp16_in(b_fp16 + int64_t(n0), {n0_valid});
        AFp16Gm c_fp16_out(c_fp16 + int64_t(n0), {n0_valid});
        TPASS(1, n0_valid, [&](auto at) {
            // c_fp16:  a_fp16 + b_fp16
            const auto a_fp16_tile = at.load(a_fp16_in);
            const auto b_fp16_tile = at.load(b_fp16_in);
            const auto c_fp16_tile = a_fp16_tile + b_fp16_tile;
            at.store(c_fp16_out, c_fp16_tile, far);
        });
        ABf16Gm a_bf16_in(a_bf16 + int64_t(n0), {n0_valid});
        ABf16Gm b_bf16_in(b_bf16 + int64_t(n0), {n0_valid});
        ABf16Gm c_bf16_out(c_bf16 + int64_t(n0), {n0_valid});
        TPASS(1, n0_valid, [&](auto at) {
            // c_bf16:  a_bf16 + b_bf16
            const auto a_bf16_tile = at.load(a_bf16_in);
            const auto b_bf16_tile = at.load(b_bf16_in);
            const auto c_bf16_tile = a_bf16_tile + b_bf16_tile;
            at.store(c_bf16_out, c_bf16_tile, far);
        });
        AInt32Gm a_int32_in(a_int32 + int64_t(n0), {n0_valid});
        AInt32Gm b_int32_in(b_int32 + int64_t(n0), {n0_valid});
        AInt32Gm c_int32_out(c_int32 + int64_t(n0), {n0_valid});
        TPASS(1, n0_valid, [&](auto at) {
            // c_int32: a_int32 + b_int32
            const auto a_int32_tile = at.load(a_int32_in);
            const auto b_int32_tile = at.load(b_int32_in);
            const auto c_int32_tile = a_int32_tile + b_int32_tile;
            at.store(c_int32_out, c_int32_tile, far);
        });
        VecU8_1x4096 a_uint8_tile(n0_valid); TASSIGN(a_uint8_tile, 0x00000);  // UB 0x00000..0x01000
        VecU8_1x4096 b_uint8_tile(n0_valid); TASSIGN(b_uint8_tile, 0x01000);  // UB 0x01000..0x02000
        AInt16Gm a_int16_in(a_int16 + int64_t(n0), {n0_valid});
        AInt16Gm b_int16_in(b_int16 + int64_t(n0), {n0_valid});
        AInt8Gm a_int8_in(a_int8 + int64_t(n0), {n0_valid});
        AInt8Gm b_int8_in(b_int8 + int64_t(n0), {n0_valid});
        AUint8Gm a_uint8_in(a_uint8 + int64_t(n0), {n0_valid});
        AUint8Gm b_uint8_in(b_uint8 + int64_t(n0), {n0_valid});
        AInt16Gm c_int16_out(c_int16 + int64_t(n0), {n0_valid});
        AInt8Gm c_int8_out(c_int8 + int64_t(n0), {n0_valid});
        TPASS(1, n0_valid, [&](auto at) {
            // c_int16: a_int16 + b_int16
            const auto a_int16_tile = at.load(a_int16_in);
            const auto b_int16_tile = at.load(b_int16_in);
            const auto c_int16_tile = at.template wrapped<int16_t>(a_int16_tile + b_int16_tile);
            // c_int8:  a_int8 + b_int8
            const auto a_int8_tile = at.load(a_int8_in);
            const auto b_int8_tile = at.load(b_int8_in);
            const auto c_int8_tile = at.template wrapped<int8_t>(a_int8_tile + b_int8_tile);
            // c_uint8: a_uint8 + b_uint8
            const auto a_uint8_tile_v = at.load(a_uint8_in);
            at.store(a_uint8_tile, a_uint8_tile_v);
            const auto b_uint8_tile_v = at.load(b_uint8_in);
            at.store(b_uint8_tile, b_uint8_tile_v);
            // c_int16: a_int16 + b_int16
            at.store(c_int16_out, c_int16_tile, far);
            // c_int8:  a_int8 + b_int8
            at.store(c_int8_out, c_int8_tile, far);
        });
        // c_uint8: a_uint8 + b_uint8
        VecU8_1x4096 c_uint8_tile(n0_valid); TASSIGN(c_uint8_tile, 0x02000);  // UB 0x02000..0x03000
        TADD(c_uint8_tile, a_uint8_tile, b_uint8_tile);
        AUint8Gm c_uint8_out(c_uint8 + int64_t(n0), {n0_valid});
        TSTORE(c_uint8_out, c_uint8_tile);
    }
#endif
}
