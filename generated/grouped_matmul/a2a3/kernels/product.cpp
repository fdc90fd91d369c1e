// product: cube kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages product; tiles blocks 1, k.l0 128, n 128; memory L0A 16384 B, L0B 65536 B, L0C 32768 B, L1 327680 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using MatB16_32x512 = Tile<TileType::Mat, bfloat16_t, 32, 512, BLayout::ColMajor, 32, 512, SLayout::RowMajor, 512>;
using MatB16_512x128 = Tile<TileType::Mat, bfloat16_t, 512, 128, BLayout::ColMajor, 512, 128, SLayout::RowMajor, 512>;
using AccF32_32x128 = TileAcc<float, 32, 128, 32, 128>;
using LeftB16_32x128 = TileLeft<bfloat16_t, 32, 128, 32, 128>;
using RightB16_128x128 = TileRight<bfloat16_t, 128, 128, 128, 128>;
using RowsGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 512>, Stride<1, 1, 1, 512, 1>>;
using WGm = GlobalTensor<bfloat16_t, Shape<1, 8, 32, 16, 16>, Stride<1, 8192, 256, 16, 1>, Layout::NZ>;
using YBGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 32, 128>, Stride<1, 1, 1, 512, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t size, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= size, index, size, site);
#endif
    return index < 0 ? 0 : index < size ? index : size - 1;
}

AICORE inline void run_block(
    __gm__ bfloat16_t *y_b,
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *w,
    __gm__ int32_t *group,
    int32_t full,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_CUBE__)
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t blocks0_buffer = 0;  // which of 2 buffers this iteration of blocks0 uses
    int32_t n0_buffer = 0;  // which of 2 buffers this iteration of n0 uses
    int32_t k1_buffer = 0;  // which of 2 buffers this iteration of k1 uses
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); set_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t blocks0 = block; blocks0 < full + 16; blocks0 += nblk, blocks0_buffer ^= 1) {
        // y_b: matmul(rows, w_b, dtype=bf16)
        MatB16_32x512 rows_tile; TASSIGN(rows_tile, 0x00000 + blocks0_buffer * 0x08000);  // L1 0x00000..0x10000, 2 copies
        wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + blocks0_buffer));  // free again
        RowsGm rows_in(rows + int64_t(blocks0) * 16384);
        TLOAD(rows_tile, rows_in);
        const int64_t group_here = index_inside(group[int64_t(blocks0)], 16, 0);
        for (int32_t n0 = 0; n0 < 512; n0 += 128, n0_buffer ^= 1) {
            MatB16_512x128 w_b; TASSIGN(w_b, 0x10000 + n0_buffer * 0x20000);  // L1 0x10000..0x50000, 2 copies
            wait_flag(PIPE_MTE1, PIPE_MTE2, event_t(n0_buffer));  // free again
            WGm w_in(w + int64_t(group_here) * 262144 + int64_t(n0) * 512);
            TLOAD(w_b, w_in);
            set_flag(PIPE_MTE2, PIPE_MTE1, event_t(n0_buffer));
            AccF32_32x128 y_b_acc; TASSIGN(y_b_acc, 0x00000 + n0_buffer * 0x04000);  // L0C 0x00000..0x08000, 2 copies
            wait_flag(PIPE_MTE2, PIPE_MTE1, event_t(n0_buffer));
            for (int32_t k1 = 0; k1 < 512; k1 += 128, k1_buffer ^= 1) {
                LeftB16_32x128 rows_tile_l0a; TASSIGN(rows_tile_l0a, 0x00000 + k1_buffer * 0x02000);  // L0A 0x00000..0x04000, 2 copies
                wait_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));  // free again
                TEXTRACT(rows_tile_l0a, rows_tile, 0, k1);
                RightB16_128x128 w_b_l0b; TASSIGN(w_b_l0b, 0x00000 + k1_buffer * 0x08000);  // L0B 0x00000..0x10000, 2 copies
                TEXTRACT(w_b_l0b, w_b, k1, 0);
                set_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                wait_flag(PIPE_MTE1, PIPE_M, event_t(k1_buffer));
                if (k1 == 0) {
                    TMATMUL<AccPhase::Partial>(y_b_acc, rows_tile_l0a, w_b_l0b);
                } else if (k1 + 128 < 512) {
                    TMATMUL_ACC<AccPhase::Partial>(y_b_acc, y_b_acc, rows_tile_l0a, w_b_l0b);
                } else {
                    TMATMUL_ACC<AccPhase::Final>(y_b_acc, y_b_acc, rows_tile_l0a, w_b_l0b);
                }
                set_flag(PIPE_M, PIPE_MTE1, event_t(k1_buffer));
            }
            set_flag(PIPE_MTE1, PIPE_MTE2, event_t(n0_buffer));
            YBGm y_b_out(y_b + int64_t(blocks0) * 16384 + int64_t(n0));
            TSTORE<STPhase::Final>(y_b_out, y_b_acc);
        }
        set_flag(PIPE_MTE1, PIPE_MTE2, event_t(2 + blocks0_buffer));
    }
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void product(
    __gm__ bfloat16_t *y_b, __gm__ bfloat16_t *rows, __gm__ bfloat16_t *w, __gm__ int32_t *group, int32_t full,
    int32_t nblk)
{
    run_block(y_b, rows, w, group, full, nblk, static_cast<int32_t>(get_block_idx()));
}
