// linear_vec: vector kernel of `linear_w4a16` for a2a3. Made by pyptogen; change the spec, not this file.
// stages linear; tiles groups 1, n 128, t 64; memory UB 172544 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_32x128 = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecU8_32x128 = Tile<TileType::Vec, uint8_t, 32, 128, BLayout::RowMajor, 32, 128>;
using VecB16_1x128 = Tile<TileType::Vec, bfloat16_t, 1, 128, BLayout::RowMajor, 1, 128>;
using VecF16_32x128 = Tile<TileType::Vec, half, 32, 128, BLayout::RowMajor, 32, 128>;
using VecI16_32x128 = Tile<TileType::Vec, int16_t, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF32_32x128m = Tile<TileType::Vec, float, 32, 128, BLayout::RowMajor, 32, 128>;
using VecB16_32x128 = Tile<TileType::Vec, bfloat16_t, 32, 128, BLayout::RowMajor, 32, 128>;
using VecF32_1x128 = Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128>;
using WGm = GlobalTensor<uint8_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 2048, 1>>;
using ScaleGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 2048, 1>>;
using LowSlotGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using TotalEndGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 2048, 1>>;
using Low5Pipe = TPipe<0, Direction::DIR_V2C, 16384, 2>;  // 2 tiles of up to 64 x 128, to the cube core
using Low5Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using High5Pipe = TPipe<2, Direction::DIR_V2C, 16384, 2>;  // 2 tiles of up to 64 x 128, to the cube core
using High5Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using HighPipe = TPipe<4, Direction::DIR_C2V, 32768, 2, 2, true>;  // 2 tiles of up to 64 x 128, to both vector cores
using HighSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using LowPipe = TPipe<6, Direction::DIR_C2V, 32768, 2, 2, true>;  // 2 tiles of up to 64 x 128, to both vector cores
using LowSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void linear_vec(
    __gm__ float *total_end,
    __gm__ uint8_t *w,
    __gm__ bfloat16_t *scale,
    __gm__ bfloat16_t *low_5_ring,
    __gm__ bfloat16_t *high_5_ring,
    __gm__ float *high_ring,
    __gm__ float *low_ring,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const int32_t lane = static_cast<int32_t>(get_subblockid());  // which of the two vector cores beside the cube core
    Low5Pipe low_5_pipe(low_5_ring + int64_t(block) * 16384, 0x0, 0x0);
    High5Pipe high_5_pipe(high_5_ring + int64_t(block) * 16384, 0x0, 0x0);
    HighPipe high_pipe(high_ring + int64_t(block) * 16384, 0x0, 0x0);
    LowPipe low_pipe(low_ring + int64_t(block) * 16384, 0x0, 0x0);
    int32_t n0_slot = 0;  // which of 2 buffers this round of n0 uses
    int32_t groups0_slot = 0;  // which of 2 buffers this round of groups0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // copy 1 is free
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        const int32_t t0_share = (t0_valid + 1) / 2;  // rows of each vector core
        const int32_t t0_first = lane * (t0_valid - t0_share);  // this one's first
        for (int32_t n0 = block * 128; n0 < 2048; n0 += nblk * 128, n0_slot ^= 1) {
            // total: full([t, n], 0, fp32)  [linear_w4a16.yaml:31]
            VecF32_32x128 total(t0_share); TASSIGN(total, 0x00000 + n0_slot * 0x04000);  // UB 0x00000..0x08000, 2 copies
            wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + n0_slot));  // free again
            TEXPANDS(total, 0.0f);
            for (int32_t groups0 = 0; groups0 < 16; ++groups0, groups0_slot ^= 1) {
                // low:  matmul(x_g[:, :half], weights(w_g & 15), dtype=fp32)  [linear_w4a16.yaml:35]
                VecU8_32x128 w_g; TASSIGN(w_g, 0x08000 + groups0_slot * 0x01000);  // UB 0x08000..0x0a000, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + groups0_slot));  // free again
                WGm w_in(w + int64_t(groups0) * 131072 + int64_t(lane) * 65536 + int64_t(n0));
                TLOAD(w_g, w_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(4 + groups0_slot));
                // total: total + (low + high) * cast(scale[groups], fp32)  [linear_w4a16.yaml:38]
                VecB16_1x128 scale_tile; TASSIGN(scale_tile, 0x12000 + groups0_slot * 0x00100);  // UB 0x12000..0x12200, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + groups0_slot));  // free again
                ScaleGm scale_in(scale + int64_t(groups0) * 2048 + int64_t(n0));
                TLOAD(scale_tile, scale_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(2 + groups0_slot));
                // low:  matmul(x_g[:, :half], weights(w_g & 15), dtype=fp32)  [linear_w4a16.yaml:35]
                VecF16_32x128 low_2_int16_fp16; TASSIGN(low_2_int16_fp16, 0x22200);  // UB 0x22200..0x24200
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + groups0_slot));
                TCVT(low_2_int16_fp16, w_g, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE2, event_t(4 + groups0_slot));
                VecI16_32x128 low_2_int16; TASSIGN(low_2_int16, 0x24200);  // UB 0x24200..0x26200
                pipe_barrier(PIPE_V);
                TCVT(low_2_int16, low_2_int16_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
                VecI16_32x128 low_2_bitwise_and; TASSIGN(low_2_bitwise_and, 0x22200);  // UB 0x22200..0x24200
                pipe_barrier(PIPE_V);
                TANDS(low_2_bitwise_and, low_2_int16, 15);
                VecI16_32x128 low_2_low; TASSIGN(low_2_low, 0x26200);  // UB 0x26200..0x28200
                pipe_barrier(PIPE_V);
                TANDS(low_2_low, low_2_bitwise_and, 255);
                VecF16_32x128 low_2_fp16; TASSIGN(low_2_fp16, 0x22200);  // UB 0x22200..0x24200
                pipe_barrier(PIPE_V);
                TCVT(low_2_fp16, low_2_low, RoundMode::CAST_RINT);
                VecU8_32x128 low_2; TASSIGN(low_2, 0x26200);  // UB 0x26200..0x27200
                pipe_barrier(PIPE_V);
                TCVT(low_2, low_2_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
                // return: cast(cast(bits, fp32) - 8, bf16)  [linear_w4a16.yaml:25]
                VecF16_32x128 low_3_fp16; TASSIGN(low_3_fp16, 0x22200);  // UB 0x22200..0x24200
                pipe_barrier(PIPE_V);
                TCVT(low_3_fp16, low_2, RoundMode::CAST_RINT);
                VecF32_32x128m low_3; TASSIGN(low_3, 0x26200);  // UB 0x26200..0x2a200
                pipe_barrier(PIPE_V);
                TCVT(low_3, low_3_fp16, RoundMode::CAST_RINT);
                pipe_barrier(PIPE_V);
                TSUBS(low_3, low_3, 8.0f);
                VecB16_32x128 low_5; TASSIGN(low_5, 0x0a000 + groups0_slot * 0x02000);  // UB 0x0a000..0x0e000, 2 copies
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + groups0_slot));  // free again
                TCVT(low_5, low_3, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, event_t(2 + groups0_slot));
                // high: matmul(x_g[:, half:], weights(w_g >> 4), dtype=fp32)  [linear_w4a16.yaml:36]
                VecI16_32x128 high_2_bitwise_right_shift; TASSIGN(high_2_bitwise_right_shift, 0x22200);  // UB 0x22200..0x24200
                TSHRS(high_2_bitwise_right_shift, low_2_int16, 4);
                VecI16_32x128 high_2_low; TASSIGN(high_2_low, 0x24200);  // UB 0x24200..0x26200
                pipe_barrier(PIPE_V);
                TANDS(high_2_low, high_2_bitwise_right_shift, 255);
                VecF16_32x128 high_2_fp16; TASSIGN(high_2_fp16, 0x22200);  // UB 0x22200..0x24200
                pipe_barrier(PIPE_V);
                TCVT(high_2_fp16, high_2_low, RoundMode::CAST_RINT);
                VecU8_32x128 high_2; TASSIGN(high_2, 0x24200);  // UB 0x24200..0x25200
                pipe_barrier(PIPE_V);
                TCVT(high_2, high_2_fp16, RoundMode::CAST_RINT, SaturationMode::ON);
                // return: cast(cast(bits, fp32) - 8, bf16)  [linear_w4a16.yaml:25]
                VecF16_32x128 high_3_fp16; TASSIGN(high_3_fp16, 0x22200);  // UB 0x22200..0x24200
                pipe_barrier(PIPE_V);
                TCVT(high_3_fp16, high_2, RoundMode::CAST_RINT);
                VecF32_32x128m high_3; TASSIGN(high_3, 0x24200);  // UB 0x24200..0x28200
                pipe_barrier(PIPE_V);
                TCVT(high_3, high_3_fp16, RoundMode::CAST_RINT);
                pipe_barrier(PIPE_V);
                TSUBS(high_3, high_3, 8.0f);
                VecB16_32x128 high_5; TASSIGN(high_5, 0x0e000 + groups0_slot * 0x02000);  // UB 0x0e000..0x12000, 2 copies
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE3, PIPE_V, event_t(groups0_slot));  // free again
                TCVT(high_5, high_3, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE3, event_t(groups0_slot));
                // total: total + (low + high) * cast(scale[groups], fp32)  [linear_w4a16.yaml:38]
                VecF32_1x128 total_2; TASSIGN(total_2, 0x22200);  // UB 0x22200..0x22400
                wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + groups0_slot));
                TCVT(total_2, scale_tile, RoundMode::CAST_RINT);
                set_flag(PIPE_V, PIPE_MTE2, event_t(2 + groups0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + groups0_slot));
                // low:  matmul(x_g[:, :half], weights(w_g & 15), dtype=fp32)  [linear_w4a16.yaml:35]
                TPUSH<Low5Pipe, VecB16_32x128, TileSplitAxis::TILE_UP_DOWN>(low_5_pipe, low_5);
                set_flag(PIPE_MTE3, PIPE_V, event_t(2 + groups0_slot));
                wait_flag(PIPE_V, PIPE_MTE3, event_t(groups0_slot));
                // high: matmul(x_g[:, half:], weights(w_g >> 4), dtype=fp32)  [linear_w4a16.yaml:36]
                TPUSH<High5Pipe, VecB16_32x128, TileSplitAxis::TILE_UP_DOWN>(high_5_pipe, high_5);
                set_flag(PIPE_MTE3, PIPE_V, event_t(groups0_slot));
                // total: total + (low + high) * cast(scale[groups], fp32)  [linear_w4a16.yaml:38]
                LowSlot low_view(low_ring);
                TPOP<LowPipe, LowSlot, TileSplitAxis::TILE_NO_SPLIT>(low_pipe, low_view);
                __gm__ float *low_slot = low_view.data();
                VecF32_32x128 low(t0_share); TASSIGN(low, 0x12200 + groups0_slot * 0x04000);  // UB 0x12200..0x1a200, 2 copies
                wait_flag(PIPE_V, PIPE_MTE2, event_t(groups0_slot));  // free again
                LowSlotGm low_slot_in(low_slot + int64_t(t0_first) * 128, {t0_share});
                TLOAD(low, low_slot_in);
                TFREE<LowPipe, LowSlot, TileSplitAxis::TILE_NO_SPLIT>(low_pipe, low_view);
                HighSlot high_view(high_ring);
                TPOP<HighPipe, HighSlot, TileSplitAxis::TILE_NO_SPLIT>(high_pipe, high_view);
                __gm__ float *high_slot = high_view.data();
                VecF32_32x128 high(t0_share); TASSIGN(high, 0x1a200 + groups0_slot * 0x04000);  // UB 0x1a200..0x22200, 2 copies
                LowSlotGm high_slot_in(high_slot + int64_t(t0_first) * 128, {t0_share});
                TLOAD(high, high_slot_in);
                set_flag(PIPE_MTE2, PIPE_V, event_t(groups0_slot));
                TFREE<HighPipe, HighSlot, TileSplitAxis::TILE_NO_SPLIT>(high_pipe, high_view);
                VecF32_32x128 total_1(t0_share); TASSIGN(total_1, 0x22400);  // UB 0x22400..0x26400
                pipe_barrier(PIPE_V);
                wait_flag(PIPE_MTE2, PIPE_V, event_t(groups0_slot));
                TADD(total_1, low, high);
                set_flag(PIPE_V, PIPE_MTE2, event_t(groups0_slot));
                pipe_barrier(PIPE_V);
                TCOLEXPANDMUL(total_1, total_1, total_2);
                pipe_barrier(PIPE_V);
                TADD(total, total, total_1);
            }
            set_flag(PIPE_V, PIPE_MTE3, event_t(4 + n0_slot));
            wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + n0_slot));
            // total: full([t, n], 0, fp32)  [linear_w4a16.yaml:31]
            TotalEndGm total_end_out(total_end + int64_t(t0) * 2048 + int64_t(t0_first) * 2048 + int64_t(n0), {t0_share});
            TSTORE(total_end_out, total);
            set_flag(PIPE_MTE3, PIPE_V, event_t(4 + n0_slot));
        }
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // of the last round of copy 1
#endif
}
