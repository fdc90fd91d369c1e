// key_linear_vec: vector kernel of `mla_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
// stages key_linear; tiles kv_rank 128, t 128; memory UB 131072 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x128 = Tile<TileType::Vec, float, 128, 128, BLayout::RowMajor, DYNAMIC, 128>;
using KvFPartsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 128>, Stride<1, 1, 1, 512, 1>>;

AICORE inline void run_block(
    __gm__ float *kv_f,
    __gm__ float *kv_f_parts,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free at first
    const int32_t tiles = (t_end - t_begin + 127) / 128 * 4;  // of t0 and kv_rank0
    for (int32_t tile = block; tile < tiles; tile += nblk) {
        const int32_t t0 = t_begin + tile / 4 * 128;
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        const int32_t kv_rank0 = tile % 4 * 128;
        // kv_f: matmul(x, w_dkv, dtype=fp32)
        VecF32_128x128 kv_f_parts_tile(t0_valid); TASSIGN<0x00000>(kv_f_parts_tile);  // UB 0x00000..0x10000
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        KvFPartsGm kv_f_parts_in(kv_f_parts + int64_t(t0) * 512 + int64_t(kv_rank0), {t0_valid});
        TLOAD(kv_f_parts_tile, kv_f_parts_in);
        VecF32_128x128 kv_f_parts_tile_2(t0_valid); TASSIGN<0x10000>(kv_f_parts_tile_2);  // UB 0x10000..0x20000
        KvFPartsGm kv_f_parts_in_2(kv_f_parts + int64_t(t) * 512 + int64_t(t0) * 512 + int64_t(kv_rank0), {t0_valid});
        TLOAD(kv_f_parts_tile_2, kv_f_parts_in_2);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecF32_128x128 kv_f_tile(t0_valid); TASSIGN<0x00000>(kv_f_tile);  // UB 0x00000..0x10000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TADD(kv_f_tile, kv_f_parts_tile, kv_f_parts_tile_2);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        KvFPartsGm kv_f_out(kv_f + int64_t(t0) * 512 + int64_t(kv_rank0), {t0_valid});
        TSTORE(kv_f_out, kv_f_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // drain: the last use
#endif
}

}  // namespace

extern "C" __global__ AICORE void key_linear_vec(
    __gm__ float *kv_f, __gm__ float *kv_f_parts, int32_t t_begin, int32_t t_end, int32_t t, int32_t nblk)
{
    run_block(kv_f, kv_f_parts, t_begin, t_end, t, nblk, static_cast<int32_t>(get_block_idx()));
}
