// linear_cube: cube kernel of `linear_w4a16` for a2a3. Made by pyptogen; change the spec, not this file.
// stages linear; tiles groups 1, n 128, t 64; memory L0A 32768 B, L0B 65536 B, L0C 131072 B, L1 98304 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x64 = Tile<TileType::Mat, bfloat16_t, 64, 64, BLayout::ColMajor, DYNAMIC, 64, SLayout::RowMajor, 512>;
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512>;
using LeftB16_64x64 = TileLeft<bfloat16_t, 64, 64, DYNAMIC, 64>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, 64, 128>;
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 2048, 1>>;
using Low5SlotGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using Low5Pipe = TPipe<0, Direction::DIR_V2C, 16384, 2>;  // 2 tiles of up to 64 x 128, to the cube core
using Low5Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using High5Pipe = TPipe<2, Direction::DIR_V2C, 16384, 2>;  // 2 tiles of up to 64 x 128, to the cube core
using High5Slot = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using HighPipe = TPipe<4, Direction::DIR_C2V, 32768, 2, 2, true>;  // 2 tiles of up to 64 x 128, to both vector cores
using HighSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
using LowPipe = TPipe<6, Direction::DIR_C2V, 32768, 2, 2, true>;  // 2 tiles of up to 64 x 128, to both vector cores
using LowSlot = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void linear_cube(
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *low_5_ring,
    __gm__ bfloat16_t *high_5_ring,
    __gm__ float *high_ring,
    __gm__ float *low_ring,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    Low5Pipe low_5_pipe(low_5_ring + int64_t(block) * 16384, 0x0, 0x0);
    High5Pipe high_5_pipe(high_5_ring + int64_t(block) * 16384, 0x0, 0x0);
    HighPipe high_pipe(high_ring + int64_t(block) * 16384, 0x0, 0x0);
    LowPipe low_pipe(low_ring + int64_t(block) * 16384, 0x0, 0x0);
    int32_t groups0_slot = 0;  // which of 2 buffers this round of groups0 uses
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // copy 1 is free
    for (int32_t t0 = t_begin; t0 < t_end; t0 += 64) {
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        for (int32_t n0 = block * 128; n0 < 2048; n0 += nblk * 128) {
            for (int32_t groups0 = 0; groups0 < 16; ++groups0, groups0_slot ^= 1) {
                // low:  matmul(x_g[:, :half], weights(w_g & 15), dtype=fp32)  [linear_w4a16.yaml:35]
                MatB16_64x64 x_tile(t0_valid); TASSIGN(x_tile, 0x00000 + groups0_slot * 0x02000);  // L1 0x00000..0x04000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + groups0_slot));  // free again
                XGm x_in(x + int64_t(t0) * 2048 + int64_t(groups0) * 128, {t0_valid});
                TLOAD(x_tile, x_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + groups0_slot));
                // high: matmul(x_g[:, half:], weights(w_g >> 4), dtype=fp32)  [linear_w4a16.yaml:36]
                MatB16_64x64 x_tile_2(t0_valid); TASSIGN(x_tile_2, 0x04000 + groups0_slot * 0x02000);  // L1 0x04000..0x08000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + groups0_slot));  // free again
                XGm x_in_2(x + int64_t(t0) * 2048 + int64_t(groups0) * 128 + 64, {t0_valid});
                TLOAD(x_tile_2, x_in_2);
                // low:  matmul(x_g[:, :half], weights(w_g & 15), dtype=fp32)  [linear_w4a16.yaml:35]
                Low5Slot low_5_view(low_5_ring);
                TPOP<Low5Pipe, Low5Slot, TileSplitAxis::TILE_NO_SPLIT>(low_5_pipe, low_5_view);
                __gm__ bfloat16_t *low_5_slot = low_5_view.data();
                MatB16_64x128 low_5_l1; TASSIGN(low_5_l1, 0x08000 + groups0_slot * 0x04000);  // L1 0x08000..0x10000, 2 copies
                Low5SlotGm low_5_slot_in(low_5_slot);
                TLOAD(low_5_l1, low_5_slot_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + groups0_slot));
                TFREE<Low5Pipe, Low5Slot, TileSplitAxis::TILE_NO_SPLIT>(low_5_pipe, low_5_view);
                LeftB16_64x64 x_tile_l0a(t0_valid); TASSIGN(x_tile_l0a, 0x00000 + groups0_slot * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(2 + groups0_slot));  // free again
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(4 + groups0_slot));
                TEXTRACT(x_tile_l0a, x_tile, 0, 0);
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(4 + groups0_slot));
                RightB16_64x128 low_5_l1_l0b; TASSIGN(low_5_l1_l0b, 0x00000 + groups0_slot * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + groups0_slot));
                TEXTRACT(low_5_l1_l0b, low_5_l1, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(2 + groups0_slot));
                AccF32_64x128 low_acc(t0_valid); TASSIGN(low_acc, 0x00000 + groups0_slot * 0x08000);  // L0C 0x00000..0x10000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(2 + groups0_slot));
                wait_flag(PIPE_FIX, PIPE_M, event_t(2 + groups0_slot));  // free again
                TMATMUL(low_acc, x_tile_l0a, low_5_l1_l0b);
                set_flag(PIPE_M, PIPE_FIX, event_t(2 + groups0_slot));
                set_flag(PIPE_M, PIPE_MTE1, event_t(2 + groups0_slot));
                wait_flag(PIPE_M, PIPE_FIX, event_t(2 + groups0_slot));
                TPUSH<LowPipe, AccF32_64x128, TileSplitAxis::TILE_NO_SPLIT>(low_pipe, low_acc);
                set_flag(PIPE_FIX, PIPE_M, event_t(2 + groups0_slot));
                // high: matmul(x_g[:, half:], weights(w_g >> 4), dtype=fp32)  [linear_w4a16.yaml:36]
                High5Slot high_5_view(high_5_ring);
                TPOP<High5Pipe, High5Slot, TileSplitAxis::TILE_NO_SPLIT>(high_5_pipe, high_5_view);
                __gm__ bfloat16_t *high_5_slot = high_5_view.data();
                MatB16_64x128 high_5_l1; TASSIGN(high_5_l1, 0x10000 + groups0_slot * 0x04000);  // L1 0x10000..0x18000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(groups0_slot));  // free again
                Low5SlotGm high_5_slot_in(high_5_slot);
                TLOAD(high_5_l1, high_5_slot_in);
                set_flag(PIPE_MTE2, PIPE_MTE1, event_t(groups0_slot));
                TFREE<High5Pipe, High5Slot, TileSplitAxis::TILE_NO_SPLIT>(high_5_pipe, high_5_view);
                LeftB16_64x64 x_tile_2_l0a(t0_valid); TASSIGN(x_tile_2_l0a, 0x04000 + groups0_slot * 0x02000);  // L0A 0x04000..0x08000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(groups0_slot));  // free again
                TEXTRACT(x_tile_2_l0a, x_tile_2, 0, 0);
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + groups0_slot));
                RightB16_64x128 high_5_l1_l0b; TASSIGN(high_5_l1_l0b, 0x08000 + groups0_slot * 0x04000);  // L0B 0x08000..0x10000, 2 copies
                wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(groups0_slot));
                TEXTRACT(high_5_l1_l0b, high_5_l1, 0, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(groups0_slot));
                set_flag(PIPE_MTE1, PIPE_MTE2, event_t(groups0_slot));
                AccF32_64x128 high_acc(t0_valid); TASSIGN(high_acc, 0x10000 + groups0_slot * 0x08000);  // L0C 0x10000..0x20000, 2 copies
                wait_flag(PIPE_MTE1, PIPE_M, event_t(groups0_slot));
                wait_flag(PIPE_FIX, PIPE_M, event_t(groups0_slot));  // free again
                TMATMUL(high_acc, x_tile_2_l0a, high_5_l1_l0b);
                set_flag(PIPE_M, PIPE_FIX, event_t(groups0_slot));
                set_flag(PIPE_M, PIPE_MTE1, event_t(groups0_slot));
                wait_flag(PIPE_M, PIPE_FIX, event_t(groups0_slot));
                TPUSH<HighPipe, AccF32_64x128, TileSplitAxis::TILE_NO_SPLIT>(high_pipe, high_acc);
                set_flag(PIPE_FIX, PIPE_M, event_t(groups0_slot));
            }
        }
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 1
#endif
}
