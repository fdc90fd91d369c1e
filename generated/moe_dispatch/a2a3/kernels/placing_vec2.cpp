// placing_vec2: vector kernel of `moe_dispatch` for a2a3. Made by pyptogen; change the spec, not this file.
// stages placing; tiles t 128; memory UB 36896 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_128x8 = Tile<TileType::Vec, float, 128, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecU8_128x32_c1 = Tile<TileType::Vec, uint8_t, 128, 32, BLayout::RowMajor, DYNAMIC, 1>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8>;
using VecI32_128x8 = Tile<TileType::Vec, int32_t, 128, 8, BLayout::RowMajor, DYNAMIC, 8>;
using UptoGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using PlaceGm = GlobalTensor<int32_t, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;

AICORE inline void run_block(
    __gm__ int32_t *place,
    __gm__ float *upto,
    __gm__ float *place_2,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t t0_buffer = 0;  // which of 2 buffers this iteration of t0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    for (int32_t t0 = t_begin + block * 128; t0 < t_end; t0 += nblk * 128, t0_buffer ^= 1) {
        const int32_t t0_valid = t_end - t0 < 128 ? t_end - t0 : 128;
        // place: cast(where(upto == 0, 1e9, upto - 1), int32, mode=rint)
        VecF32_128x8 upto_tile(t0_valid); TASSIGN(upto_tile, 0x00000 + t0_buffer * 0x01000);  // UB 0x00000..0x02000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));  // free again
        UptoGm upto_in(upto + int64_t(t0) * 8, {t0_valid});
        TLOAD(upto_tile, upto_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        VecF32_128x8 place_2_tile(t0_valid); TASSIGN(place_2_tile, 0x02000 + t0_buffer * 0x01000);  // UB 0x02000..0x04000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));  // free again
        UptoGm place_2_in(place_2 + int64_t(t0) * 8, {t0_valid});
        TLOAD(place_2_tile, place_2_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        VecU8_128x32_c1 place_1_bits(t0_valid); TASSIGN<0x06000>(place_1_bits);  // UB 0x06000..0x07000
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + t0_buffer));
        TCMPS(place_1_bits, upto_tile, 0.0f, CmpMode::EQ);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + t0_buffer));
        VecF32_128x8 place_3_then(t0_valid); TASSIGN<0x07000>(place_3_then);  // UB 0x07000..0x08000
        TEXPANDS(place_3_then, 1e+09f);
        VecF32_128x8 place_3(t0_valid); TASSIGN<0x08000>(place_3);  // UB 0x08000..0x09000
        VecF32_1x8 place_3_tmp; TASSIGN<0x09000>(place_3_tmp);  // UB 0x09000..0x09020
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(t0_buffer));
        TSEL(place_3, place_1_bits, place_3_then, place_2_tile, place_3_tmp);
        set_flag(PIPE_V, PIPE_MTE2, event_t(t0_buffer));
        VecI32_128x8 place_tile(t0_valid); TASSIGN(place_tile, 0x04000 + t0_buffer * 0x01000);  // UB 0x04000..0x06000, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));  // free again
        TCVT(place_tile, place_3, RoundMode::CAST_RINT, SaturationMode::ON);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_buffer));
        PlaceGm place_out(place + int64_t(t0) * 8, {t0_valid});
        TSTORE(place_out, place_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void placing_vec2(
    __gm__ int32_t *place, __gm__ float *upto, __gm__ float *place_2, int32_t t_begin, int32_t t_end, int32_t nblk)
{
    run_block(place, upto, place_2, t_begin, t_end, nblk, static_cast<int32_t>(get_block_idx()));
}
