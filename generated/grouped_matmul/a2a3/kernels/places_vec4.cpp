// places_vec4: vector kernel of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
// stages places; tiles whole; memory UB 448 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x16 = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, 1, 16>;
using EndGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *shift,
    __gm__ int32_t *end,
    __gm__ int32_t *count,
    __gm__ int32_t *upto,
    __gm__ int32_t *need,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // shift: reshape(end - count - (upto - need) * r, [groups])
    VecI32_1x16 end_tile; TASSIGN<0x00000>(end_tile);  // UB 0x00000..0x00040
    EndGm end_in(end);
    TLOAD(end_tile, end_in);
    VecI32_1x16 count_tile; TASSIGN<0x00040>(count_tile);  // UB 0x00040..0x00080
    EndGm count_in(count);
    TLOAD(count_tile, count_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    VecI32_1x16 upto_tile; TASSIGN<0x00080>(upto_tile);  // UB 0x00080..0x000c0
    EndGm upto_in(upto);
    TLOAD(upto_tile, upto_in);
    VecI32_1x16 need_tile; TASSIGN<0x000c0>(need_tile);  // UB 0x000c0..0x00100
    EndGm need_in(need);
    TLOAD(need_tile, need_in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    VecI32_1x16 shift_1; TASSIGN<0x00140>(shift_1);  // UB 0x00140..0x00180
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    TSUB(shift_1, end_tile, count_tile);
    VecI32_1x16 shift_2; TASSIGN<0x00180>(shift_2);  // UB 0x00180..0x001c0
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TSUB(shift_2, upto_tile, need_tile);
    pipe_barrier(PIPE_V);
    TMULS(shift_2, shift_2, 32);
    VecI32_1x16 shift_4; TASSIGN<0x00100>(shift_4);  // UB 0x00100..0x00140
    pipe_barrier(PIPE_V);
    TSUB(shift_4, shift_1, shift_2);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    EndGm shift_out(shift);
    TSTORE(shift_out, shift_4);
#endif
}

}  // namespace

extern "C" __global__ AICORE void places_vec4(
    __gm__ int32_t *shift, __gm__ int32_t *end, __gm__ int32_t *count, __gm__ int32_t *upto, __gm__ int32_t *need,
    int32_t nblk)
{
    run_block(shift, end, count, upto, need, nblk, static_cast<int32_t>(get_block_idx()));
}
