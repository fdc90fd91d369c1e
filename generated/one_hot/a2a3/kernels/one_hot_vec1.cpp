// one_hot_vec1: vector kernel of `one_hot` for a2a3. Made by pyptogen; change the spec, not this file.
// stages one_hot; tiles whole; memory UB 640 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x160 = Tile<TileType::Vec, int32_t, 1, 160, BLayout::RowMajor, 1, 160>;
using Y1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 160>, Stride<1, 1, 1, 1, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *y_1,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    // y: cast(one_hot(index, classes), fp32)
    VecI32_1x160 y_1_view; TASSIGN<0x00000>(y_1_view);  // UB 0x00000..0x00280
    TCI<VecI32_1x160, int32_t, 0>(y_1_view, 0);
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    Y1Gm y_1_out(y_1);
    TSTORE(y_1_out, y_1_view);
#endif
}

}  // namespace

extern "C" __global__ AICORE void one_hot_vec1(__gm__ int32_t *y_1, int32_t nblk)
{
    run_block(y_1, nblk, static_cast<int32_t>(get_block_idx()));
}
