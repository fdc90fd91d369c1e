// places_vec3: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles upto_tile_moved_at 1; memory UB 1152 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI32_16x8_c1 = Tile<TileType::Vec, int32_t, 16, 8, BLayout::RowMajor, 16, 1>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using NeedGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *upto,
    __gm__ int32_t *need,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // upto:  cumsum(need, axis=-1)
    VecI32_1x16 need_tile; TASSIGN<0x00000>(need_tile);  // UB 0x00000..0x00040
    NeedGm need_in(need);
    TLOAD(need_tile, need_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecI32_16x8_c1 upto_tile_moved; TASSIGN<0x00080>(upto_tile_moved);  // UB 0x00080..0x00280
    VecI32_16x8_c1 upto_tile_moved_tmp; TASSIGN<0x00280>(upto_tile_moved_tmp);  // UB 0x00280..0x00480
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TTRANS(upto_tile_moved, need_tile, upto_tile_moved_tmp);
    for (int32_t upto_tile_moved_at = 0; upto_tile_moved_at < 15; ++upto_tile_moved_at) {
        VecI32_1x8_c1 upto_tile_moved_line_2; TASSIGN(upto_tile_moved_line_2, 0x000a0 + upto_tile_moved_at * 0x00020);  // rows upto_tile_moved_at + 1.. of upto_tile_moved
        VecI32_1x8_c1 upto_tile_moved_line; TASSIGN(upto_tile_moved_line, 0x00080 + upto_tile_moved_at * 0x00020);  // rows upto_tile_moved_at.. of upto_tile_moved
        pipe_barrier(PIPE_V);
        TADD(upto_tile_moved_line_2, upto_tile_moved_line, upto_tile_moved_line_2);
    }
    VecI32_1x16 upto_tile; TASSIGN<0x00040>(upto_tile);  // UB 0x00040..0x00080
    VecI32_16x8_c1 upto_tile_tmp; TASSIGN<0x00280>(upto_tile_tmp);  // UB 0x00280..0x00480
    pipe_barrier(PIPE_V);
    TTRANS(upto_tile, upto_tile_moved, upto_tile_tmp);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    NeedGm upto_out(upto);
    TSTORE(upto_out, upto_tile);
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec3(__gm__ int32_t *upto, __gm__ int32_t *need, int32_t nblk)
{
    run_block(upto, need, nblk, static_cast<int32_t>(get_block_idx()));
}
