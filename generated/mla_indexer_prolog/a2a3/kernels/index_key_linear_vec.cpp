// index_key_linear_vec: vector kernel of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages index_key_linear; tiles d 64, t 64; memory UB 180224 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_64x64 = Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, DYNAMIC, 64>;
using IkFPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, 128, 1>>;

AICORE inline void run_block(
    __gm__ float *ik_f,
    __gm__ float *ik_f_parts,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t d0_buffer = 0;  // which of 2 buffers this iteration of d0 uses
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    const int32_t tiles = (t_end - t_begin + 63) / 64 * 2;  // of t0 and d0
    for (int32_t tile = block; tile < tiles; tile += nblk, d0_buffer ^= 1) {
        const int32_t t0 = t_begin + tile / 2 * 64;
        const int32_t t0_valid = t_end - t0 < 64 ? t_end - t0 : 64;
        const int32_t d0 = tile % 2 * 64;
        // ik_f: matmul(x_n, w_ik, dtype=fp32)
        VecF32_64x64 ik_f_parts_tile(t0_valid); TASSIGN(ik_f_parts_tile, 0x00000 + d0_buffer * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + d0_buffer));  // free again
        IkFPartsGm ik_f_parts_in(ik_f_parts + int64_t(t0) * 128 + int64_t(d0), {t0_valid});
        TLOAD(ik_f_parts_tile, ik_f_parts_in);
        VecF32_64x64 ik_f_parts_tile_2(t0_valid); TASSIGN(ik_f_parts_tile_2, 0x08000 + d0_buffer * 0x04000);  // UB 0x08000..0x10000, 2 copies
        IkFPartsGm ik_f_parts_in_2(ik_f_parts + int64_t(t) * 128 + int64_t(t0) * 128 + int64_t(d0), {t0_valid});
        TLOAD(ik_f_parts_tile_2, ik_f_parts_in_2);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + d0_buffer));
        VecF32_64x64 ik_f_parts_tile_3(t0_valid); TASSIGN(ik_f_parts_tile_3, 0x10000 + d0_buffer * 0x04000);  // UB 0x10000..0x18000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(d0_buffer));  // free again
        IkFPartsGm ik_f_parts_in_3(ik_f_parts + int64_t(t) * 256 + int64_t(t0) * 128 + int64_t(d0), {t0_valid});
        TLOAD(ik_f_parts_tile_3, ik_f_parts_in_3);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + d0_buffer));
        VecF32_64x64 ik_f_parts_tile_4(t0_valid); TASSIGN(ik_f_parts_tile_4, 0x18000 + d0_buffer * 0x04000);  // UB 0x18000..0x20000, 2 copies
        IkFPartsGm ik_f_parts_in_4(ik_f_parts + int64_t(t) * 384 + int64_t(t0) * 128 + int64_t(d0), {t0_valid});
        TLOAD(ik_f_parts_tile_4, ik_f_parts_in_4);
        set_flag(PIPE_MTE2, PIPE_V, event_t(d0_buffer));
        VecF32_64x64 ik_f_add(t0_valid); TASSIGN<0x28000>(ik_f_add);  // UB 0x28000..0x2c000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + d0_buffer));
        TADD(ik_f_add, ik_f_parts_tile, ik_f_parts_tile_2);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + d0_buffer));
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + d0_buffer));
        TADD(ik_f_add, ik_f_add, ik_f_parts_tile_3);
        VecF32_64x64 ik_f_tile(t0_valid); TASSIGN(ik_f_tile, 0x20000 + d0_buffer * 0x04000);  // UB 0x20000..0x28000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(d0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(d0_buffer));  // free again
        TADD(ik_f_tile, ik_f_add, ik_f_parts_tile_4);
        set_flag(PIPE_V, PIPE_MTE3, event_t(d0_buffer));
        set_flag(PIPE_V, PIPE_MTE2, event_t(d0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(d0_buffer));
        IkFPartsGm ik_f_out(ik_f + int64_t(t0) * 128 + int64_t(d0), {t0_valid});
        TSTORE(ik_f_out, ik_f_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(d0_buffer));
    }
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void index_key_linear_vec(
    __gm__ float *ik_f, __gm__ float *ik_f_parts, int32_t t_begin, int32_t t_end, int32_t t, int32_t nblk)
{
    run_block(ik_f, ik_f_parts, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
