// read_cube2: cube kernel of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
// stages read; tiles b 1, group 1, heads 1, s 64; memory L0A 16384 B, L0B 32768 B, L0C 65536 B, L1 49152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_64x64 = Tile<TileType::Mat, bfloat16_t, 64, 64, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor, 512>;
using MatB16_64x128 = Tile<TileType::Mat, bfloat16_t, 64, 128, BLayout::ColMajor, DYNAMIC, 128, SLayout::RowMajor, 512>;
using LeftB16_64x64 = TileLeft<bfloat16_t, 64, 64, DYNAMIC, DYNAMIC>;
using RightB16_64x128 = TileRight<bfloat16_t, 64, 128, DYNAMIC, 128>;
using AccF32_64x128 = TileAcc<float, 64, 128, DYNAMIC, 128>;
using PGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, 64, 1>>;
using ChangeGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
using Y1Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 128, 1>>;
}  // namespace

extern "C" __global__ AICORE void read_cube2(
    __gm__ float *y_1,
    __gm__ bfloat16_t *p,
    __gm__ bfloat16_t *change,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk)
{
#if defined(__DAV_CUBE__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t s0_slot = 0;  // which of 2 buffers this round of s0 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0); set_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // 2 copies are free
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 copies are free
    for (int32_t b0 = b_begin; b0 < b_end; ++b0) {
        for (int32_t heads0 = block; heads0 < 16; heads0 += nblk) {
            for (int32_t group0 = 0; group0 < 2; ++group0) {
                for (int32_t s0 = 0; s0 < s; s0 += 64, s0_slot ^= 1) {
                    const int32_t s0_valid = s - s0 < 64 ? s - s0 : 64;
                    // y: cast(old + matmul(p, change[:, :, :, s], dtype=fp32), bf16)  [gated_delta_rule.yaml:101]
                    MatB16_64x64 p_tile(s0_valid, s0_valid); TASSIGN(p_tile, 0x00000 + s0_slot * 0x02000);  // L1 0x00000..0x04000, 2 copies
                    wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_slot));  // free again
                    PGm p_in(p + int64_t(b0) * s * 2048 + int64_t(heads0) * s * 128 + int64_t(group0) * s * 64 + int64_t(s0) * 64, {s0_valid, s0_valid});
                    TLOAD(p_tile, p_in);
                    set_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_slot));
                    MatB16_64x128 change_tile(s0_valid); TASSIGN(change_tile, 0x04000 + s0_slot * 0x04000);  // L1 0x04000..0x0c000, 2 copies
                    ChangeGm change_in(change + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TLOAD(change_tile, change_in);
                    set_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_slot));
                    LeftB16_64x64 p_tile_l0a(s0_valid, s0_valid); TASSIGN(p_tile_l0a, 0x00000 + s0_slot * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                    wait_flag(PIPE_M, PIPE_MTE1, event_t(s0_slot));  // free again
                    wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(2 + s0_slot));
                    TEXTRACT(p_tile_l0a, p_tile, 0, 0);
                    RightB16_64x128 change_tile_l0b(s0_valid); TASSIGN(change_tile_l0b, 0x00000 + s0_slot * 0x04000);  // L0B 0x00000..0x08000, 2 copies
                    wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(s0_slot));
                    TEXTRACT(change_tile_l0b, change_tile, 0, 0);
                    set_flag(PIPE_MTE1, PIPE_M, event_t(s0_slot));
                    set_flag(PIPE_MTE1, PIPE_MTE2, event_t(s0_slot));
                    AccF32_64x128 y_1_acc(s0_valid); TASSIGN(y_1_acc, 0x00000 + s0_slot * 0x08000);  // L0C 0x00000..0x10000, 2 copies
                    wait_flag(PIPE_MTE1, PIPE_M, event_t(s0_slot));
                    wait_flag(PIPE_FIX, PIPE_M, event_t(s0_slot));  // free again
                    TMATMUL(y_1_acc, p_tile_l0a, change_tile_l0b);
                    set_flag(PIPE_M, PIPE_FIX, event_t(s0_slot));
                    set_flag(PIPE_M, PIPE_MTE1, event_t(s0_slot));
                    wait_flag(PIPE_M, PIPE_FIX, event_t(s0_slot));
                    Y1Gm y_1_out(y_1 + int64_t(b0) * s * 4096 + int64_t(heads0) * s * 256 + int64_t(group0) * s * 128 + int64_t(s0) * 128, {s0_valid});
                    TSTORE(y_1_out, y_1_acc);
                    set_flag(PIPE_FIX, PIPE_M, event_t(s0_slot));
                }
            }
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0); wait_flag(PIPE_FIX, PIPE_M, EVENT_ID1);  // of the last rounds of 2 copies
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // of the last rounds of 2 copies
#endif
}
