// inverse_vec3: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages inverse; tiles i1 128, i2 1; memory UB 1088 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x128 = Tile<TileType::Vec, int32_t, 1, 128, BLayout::RowMajor, 1, DYNAMIC>;
using VecI32_1x8_c1 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using Source1Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using Source3Gm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

// An index, or the nearest one that names a place. `site`: which of the operator's this is, for PTG408.
AICORE inline int64_t index_inside(int64_t index, int64_t places, [[maybe_unused]] int32_t site)
{
#if defined(PTO_WRONG_INDEX)
    PTO_WRONG_INDEX(index < 0 || index >= places, index, places, site);
#endif
    return index < 0 ? 0 : index < places ? index : places - 1;
}

AICORE inline void run_block(
    __gm__ int32_t *source,
    __gm__ int32_t *place,
    __gm__ int32_t *source_3,
    __gm__ int32_t *source_1,
    int32_t t,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);  // indices in GM may have changed
    int32_t i1_buffer = 0;  // which of 2 buffers this iteration of i1 uses
    int32_t i2_buffer = 0;  // which of 2 buffers this iteration of i2 uses
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    for (int32_t i1 = block * 128; i1 < t * 8; i1 += nblk * 128, i1_buffer ^= 1) {
        const int32_t i1_valid = t * 8 - i1 < 128 ? t * 8 - i1 : 128;
        // source: scatter(zeros([t * k], int32), 0, reshape(place, [t * k]), arange(t * k))
        VecI32_1x128 part(i1_valid); TASSIGN(part, 0x00000 + i1_buffer * 0x00200);  // UB 0x00000..0x00400, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i1_buffer));  // free again
        Source1Gm source_1_in(source_1 + int64_t(i1), {i1_valid});
        TLOAD(part, source_1_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_buffer));
        pipe_barrier(PIPE_MTE3);
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i1_buffer));
        Source1Gm source_out(source + int64_t(i1), {i1_valid});
        TSTORE(source_out, part);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i1_buffer));
    }
    for (int32_t i2 = 0; i2 < t * 8; ++i2) {
        const int64_t place_3 = index_inside(place[int64_t(i2)], int64_t(t) * 8, 1);
        if (place_3 / 128 % nblk != block) {  // another block's
            continue;
        }
        VecI32_1x8_c1 one; TASSIGN(one, 0x00400 + i2_buffer * 0x00020);  // UB 0x00400..0x00440, 2 copies
        wait_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));  // free again
        Source3Gm source_3_in(source_3 + int64_t(i2));
        TLOAD(one, source_3_in);
        set_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        pipe_barrier(PIPE_MTE3);
        wait_flag(PIPE_MTE2, PIPE_MTE3, event_t(i2_buffer));
        Source3Gm source_out(source + int64_t(place_3));
        TSTORE(source_out, one);
        set_flag(PIPE_MTE3, PIPE_MTE2, event_t(i2_buffer));
        i2_buffer ^= 1;
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void inverse_vec3(
    __gm__ int32_t *source, __gm__ int32_t *place, __gm__ int32_t *source_3, __gm__ int32_t *source_1, int32_t t,
    int32_t nblk)
{
    run_block(source, place, source_3, source_1, t, nblk, static_cast<int32_t>(get_block_idx()));
}
