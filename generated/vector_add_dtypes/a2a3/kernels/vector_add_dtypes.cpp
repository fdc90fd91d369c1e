// vector_add_dtypes: vector kernel of `vector_add_dtypes` for a2a3. Made by pyptogen; change the spec, not this file.
// stages vector_add_dtypes; tiles n 4096; memory UB 180224 B
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
using VecU8_1x4096 = Tile<TileType::Vec, uint8_t, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_1x4096 = Tile<TileType::Vec, float, 1, 4096, BLayout::RowMajor, 1, DYNAMIC>;
using AFp16Gm = GlobalTensor<half, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using ABf16Gm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt32Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt16Gm = GlobalTensor<int16_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AInt8Gm = GlobalTensor<int8_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using AUint8Gm = GlobalTensor<uint8_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
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
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // free at first
    for (int32_t n0 = n_begin + block * 4096; n0 < n_end; n0 += nblk * 4096) {
        const int32_t n0_valid = n_end - n0 < 4096 ? n_end - n0 : 4096;
        // c_fp16:  a_fp16 + b_fp16
        VecF16_1x4096 a_fp16_tile(n0_valid); TASSIGN<0x00000>(a_fp16_tile);  // UB 0x00000..0x02000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // free again
        AFp16Gm a_fp16_in(a_fp16 + int64_t(n0), {n0_valid});
        TLOAD(a_fp16_tile, a_fp16_in);
        VecF16_1x4096 b_fp16_tile(n0_valid); TASSIGN<0x02000>(b_fp16_tile);  // UB 0x02000..0x04000
        AFp16Gm b_fp16_in(b_fp16 + int64_t(n0), {n0_valid});
        TLOAD(b_fp16_tile, b_fp16_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
        // c_bf16:  a_bf16 + b_bf16
        VecB16_1x4096 a_bf16_tile(n0_valid); TASSIGN<0x06000>(a_bf16_tile);  // UB 0x06000..0x08000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // free again
        ABf16Gm a_bf16_in(a_bf16 + int64_t(n0), {n0_valid});
        TLOAD(a_bf16_tile, a_bf16_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
        VecB16_1x4096 b_bf16_tile(n0_valid); TASSIGN<0x08000>(b_bf16_tile);  // UB 0x08000..0x0a000
        ABf16Gm b_bf16_in(b_bf16 + int64_t(n0), {n0_valid});
        TLOAD(b_bf16_tile, b_bf16_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
        // c_int32: a_int32 + b_int32
        VecI32_1x4096 a_int32_tile(n0_valid); TASSIGN<0x0c000>(a_int32_tile);  // UB 0x0c000..0x10000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // free again
        AInt32Gm a_int32_in(a_int32 + int64_t(n0), {n0_valid});
        TLOAD(a_int32_tile, a_int32_in);
        VecI32_1x4096 b_int32_tile(n0_valid); TASSIGN<0x10000>(b_int32_tile);  // UB 0x10000..0x14000
        AInt32Gm b_int32_in(b_int32 + int64_t(n0), {n0_valid});
        TLOAD(b_int32_tile, b_int32_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
        // c_int16: a_int16 + b_int16
        VecI16_1x4096 a_int16_tile(n0_valid); TASSIGN<0x18000>(a_int16_tile);  // UB 0x18000..0x1a000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // free again
        AInt16Gm a_int16_in(a_int16 + int64_t(n0), {n0_valid});
        TLOAD(a_int16_tile, a_int16_in);
        VecI16_1x4096 b_int16_tile(n0_valid); TASSIGN<0x1a000>(b_int16_tile);  // UB 0x1a000..0x1c000
        AInt16Gm b_int16_in(b_int16 + int64_t(n0), {n0_valid});
        TLOAD(b_int16_tile, b_int16_in);
        // c_int8:  a_int8 + b_int8
        VecI8_1x4096 a_int8_tile(n0_valid); TASSIGN<0x1e000>(a_int8_tile);  // UB 0x1e000..0x1f000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // free again
        AInt8Gm a_int8_in(a_int8 + int64_t(n0), {n0_valid});
        TLOAD(a_int8_tile, a_int8_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        VecI8_1x4096 b_int8_tile(n0_valid); TASSIGN<0x1f000>(b_int8_tile);  // UB 0x1f000..0x20000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // free again
        AInt8Gm b_int8_in(b_int8 + int64_t(n0), {n0_valid});
        TLOAD(b_int8_tile, b_int8_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        // c_uint8: a_uint8 + b_uint8
        VecU8_1x4096 a_uint8_tile(n0_valid); TASSIGN<0x21000>(a_uint8_tile);  // UB 0x21000..0x22000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // free again
        AUint8Gm a_uint8_in(a_uint8 + int64_t(n0), {n0_valid});
        TLOAD(a_uint8_tile, a_uint8_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        VecU8_1x4096 b_uint8_tile(n0_valid); TASSIGN<0x22000>(b_uint8_tile);  // UB 0x22000..0x23000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // free again
        AUint8Gm b_uint8_in(b_uint8 + int64_t(n0), {n0_valid});
        TLOAD(b_uint8_tile, b_uint8_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        // c_fp16:  a_fp16 + b_fp16
        VecF16_1x4096 c_fp16_tile(n0_valid); TASSIGN<0x04000>(c_fp16_tile);  // UB 0x04000..0x06000
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // free again
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
        TADD(c_fp16_tile, a_fp16_tile, b_fp16_tile);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID5);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);
        // c_bf16:  a_bf16 + b_bf16
        VecF32_1x4096 c_bf16_fp32(n0_valid); TASSIGN<0x24000>(c_bf16_fp32);  // UB 0x24000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID6);
        TCVT(c_bf16_fp32, a_bf16_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF32_1x4096 c_bf16_fp32_2(n0_valid); TASSIGN<0x28000>(c_bf16_fp32_2);  // UB 0x28000..0x2c000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);
        TCVT(c_bf16_fp32_2, b_bf16_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);
        VecF32_1x4096 c_bf16_add(n0_valid); TASSIGN<0x24000>(c_bf16_add);  // UB 0x24000..0x28000
        pipe_barrier(PIPE_V);
        TADD(c_bf16_add, c_bf16_fp32, c_bf16_fp32_2);
        VecB16_1x4096 c_bf16_tile(n0_valid); TASSIGN<0x0a000>(c_bf16_tile);  // UB 0x0a000..0x0c000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // free again
        TCVT(c_bf16_tile, c_bf16_add, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);
        // c_int32: a_int32 + b_int32
        VecI32_1x4096 c_int32_tile(n0_valid); TASSIGN<0x14000>(c_int32_tile);  // UB 0x14000..0x18000
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // free again
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
        TADD(c_int32_tile, a_int32_tile, b_int32_tile);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);
        // c_int16: a_int16 + b_int16
        VecI16_1x4096 c_int16_tile(n0_valid); TASSIGN<0x1c000>(c_int16_tile);  // UB 0x1c000..0x1e000
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // free again
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);
        TADD(c_int16_tile, a_int16_tile, b_int16_tile);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);
        // c_int8:  a_int8 + b_int8
        VecF16_1x4096 c_int8_int16_fp16(n0_valid); TASSIGN<0x24000>(c_int8_int16_fp16);  // UB 0x24000..0x26000
        pipe_barrier(PIPE_V);
        TCVT(c_int8_int16_fp16, a_int8_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);
        VecI16_1x4096 c_int8_int16(n0_valid); TASSIGN<0x26000>(c_int8_int16);  // UB 0x26000..0x28000
        pipe_barrier(PIPE_V);
        TCVT(c_int8_int16, c_int8_int16_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_1x4096 c_int8_int16_2_fp16(n0_valid); TASSIGN<0x24000>(c_int8_int16_2_fp16);  // UB 0x24000..0x26000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
        TCVT(c_int8_int16_2_fp16, b_int8_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
        VecI16_1x4096 c_int8_int16_2(n0_valid); TASSIGN<0x28000>(c_int8_int16_2);  // UB 0x28000..0x2a000
        pipe_barrier(PIPE_V);
        TCVT(c_int8_int16_2, c_int8_int16_2_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI16_1x4096 c_int8_add(n0_valid); TASSIGN<0x24000>(c_int8_add);  // UB 0x24000..0x26000
        pipe_barrier(PIPE_V);
        TADD(c_int8_add, c_int8_int16, c_int8_int16_2);
        VecI16_1x4096 c_int8_high(n0_valid); TASSIGN<0x26000>(c_int8_high);  // UB 0x26000..0x28000
        pipe_barrier(PIPE_V);
        TSHLS(c_int8_high, c_int8_add, 8);
        VecI16_1x4096 c_int8_low(n0_valid); TASSIGN<0x24000>(c_int8_low);  // UB 0x24000..0x26000
        pipe_barrier(PIPE_V);
        TSHRS(c_int8_low, c_int8_high, 8);
        VecF16_1x4096 c_int8_tile_fp16(n0_valid); TASSIGN<0x26000>(c_int8_tile_fp16);  // UB 0x26000..0x28000
        pipe_barrier(PIPE_V);
        TCVT(c_int8_tile_fp16, c_int8_low, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI8_1x4096 c_int8_tile(n0_valid); TASSIGN<0x20000>(c_int8_tile);  // UB 0x20000..0x21000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // free again
        TCVT(c_int8_tile, c_int8_tile_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        // c_uint8: a_uint8 + b_uint8
        VecF16_1x4096 c_uint8_int16_fp16(n0_valid); TASSIGN<0x24000>(c_uint8_int16_fp16);  // UB 0x24000..0x26000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TCVT(c_uint8_int16_fp16, a_uint8_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
        VecI16_1x4096 c_uint8_int16(n0_valid); TASSIGN<0x26000>(c_uint8_int16);  // UB 0x26000..0x28000
        pipe_barrier(PIPE_V);
        TCVT(c_uint8_int16, c_uint8_int16_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
        VecF16_1x4096 c_uint8_int16_2_fp16(n0_valid); TASSIGN<0x24000>(c_uint8_int16_2_fp16);  // UB 0x24000..0x26000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TCVT(c_uint8_int16_2_fp16, b_uint8_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        VecI16_1x4096 c_uint8_int16_2(n0_valid); TASSIGN<0x28000>(c_uint8_int16_2);  // UB 0x28000..0x2a000
        pipe_barrier(PIPE_V);
        TCVT(c_uint8_int16_2, c_uint8_int16_2_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI16_1x4096 c_uint8_add(n0_valid); TASSIGN<0x24000>(c_uint8_add);  // UB 0x24000..0x26000
        pipe_barrier(PIPE_V);
        TADD(c_uint8_add, c_uint8_int16, c_uint8_int16_2);
        VecI16_1x4096 c_uint8_low(n0_valid); TASSIGN<0x26000>(c_uint8_low);  // UB 0x26000..0x28000
        pipe_barrier(PIPE_V);
        TANDS(c_uint8_low, c_uint8_add, 255);
        VecF16_1x4096 c_uint8_tile_fp16(n0_valid); TASSIGN<0x24000>(c_uint8_tile_fp16);  // UB 0x24000..0x26000
        pipe_barrier(PIPE_V);
        TCVT(c_uint8_tile_fp16, c_uint8_low, RoundMode::CAST_RINT, SaturationMode::ON);
        VecU8_1x4096 c_uint8_tile(n0_valid); TASSIGN<0x23000>(c_uint8_tile);  // UB 0x23000..0x24000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // free again
        TCVT(c_uint8_tile, c_uint8_tile_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID5);
        // c_fp16:  a_fp16 + b_fp16
        AFp16Gm c_fp16_out(c_fp16 + int64_t(n0), {n0_valid});
        TSTORE(c_fp16_out, c_fp16_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);
        // c_bf16:  a_bf16 + b_bf16
        ABf16Gm c_bf16_out(c_bf16 + int64_t(n0), {n0_valid});
        TSTORE(c_bf16_out, c_bf16_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);
        // c_int32: a_int32 + b_int32
        AInt32Gm c_int32_out(c_int32 + int64_t(n0), {n0_valid});
        TSTORE(c_int32_out, c_int32_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
        // c_int16: a_int16 + b_int16
        AInt16Gm c_int16_out(c_int16 + int64_t(n0), {n0_valid});
        TSTORE(c_int16_out, c_int16_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        // c_int8:  a_int8 + b_int8
        AInt8Gm c_int8_out(c_int8 + int64_t(n0), {n0_valid});
        TSTORE(c_int8_out, c_int8_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        // c_uint8: a_uint8 + b_uint8
        AUint8Gm c_uint8_out(c_uint8 + int64_t(n0), {n0_valid});
        TSTORE(c_uint8_out, c_uint8_tile);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // drain: the last use
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // drain: the last use
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void vector_add_dtypes(
    __gm__ half *c_fp16, __gm__ bfloat16_t *c_bf16, __gm__ int32_t *c_int32, __gm__ int16_t *c_int16,
    __gm__ int8_t *c_int8, __gm__ uint8_t *c_uint8, __gm__ half *a_fp16, __gm__ half *b_fp16,
    __gm__ bfloat16_t *a_bf16, __gm__ bfloat16_t *b_bf16, __gm__ int32_t *a_int32, __gm__ int32_t *b_int32,
    __gm__ int16_t *a_int16, __gm__ int16_t *b_int16, __gm__ int8_t *a_int8, __gm__ int8_t *b_int8,
    __gm__ uint8_t *a_uint8, __gm__ uint8_t *b_uint8, int32_t n_begin, int32_t n_end, int32_t nblk)
{
    run_block(
        c_fp16, c_bf16, c_int32, c_int16, c_int8, c_uint8, a_fp16, b_fp16, a_bf16, b_bf16, a_int32, b_int32,
        a_int16, b_int16, a_int8, b_int8, a_uint8, b_uint8, n_begin, n_end, nblk,
        static_cast<int32_t>(get_block_idx()));
}
