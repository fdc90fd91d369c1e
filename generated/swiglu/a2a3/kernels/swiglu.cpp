// swiglu: vector kernel of `swiglu` for a2a3. Made by pyptogen; change the spec, not this file.
// stages swiglu; tiles rows 8; memory UB 163840 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_8x2048 = Tile<TileType::Vec, bfloat16_t, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x2048 = Tile<TileType::Vec, float, 8, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using GateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void swiglu(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *gate,
    __gm__ bfloat16_t *up,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free for the first round
    for (int32_t rows0 = rows_begin + block * 8; rows0 < rows_end; rows0 += nblk * 8) {
        const int32_t rows0_valid = rows_end - rows0 < 8 ? rows_end - rows0 : 8;
        // g: cast(gate, fp32)  [swiglu.yaml:16]
        VecB16_8x2048 gate_tile(rows0_valid); TASSIGN(gate_tile, 0x00000);  // UB 0x00000..0x08000
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // free again
        GateGm gate_in(gate + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(gate_tile, gate_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        VecF32_8x2048 g(rows0_valid); TASSIGN(g, 0x08000);  // UB 0x08000..0x18000
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
        TCVT(g, gate_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        // y: cast(g / (exp(-g) + 1) * cast(up, fp32), bf16)  [swiglu.yaml:17]
        VecF32_8x2048 y_1(rows0_valid); TASSIGN(y_1, 0x18000);  // UB 0x18000..0x28000
        pipe_barrier(PIPE_V);
        TNEG(y_1, g);
        VecF32_8x2048 y_2(rows0_valid); TASSIGN(y_2, 0x18000);  // UB 0x18000..0x28000
        pipe_barrier(PIPE_V);
        TEXP(y_2, y_1);
        VecF32_8x2048 y_3(rows0_valid); TASSIGN(y_3, 0x18000);  // UB 0x18000..0x28000
        pipe_barrier(PIPE_V);
        TADDS(y_3, y_2, 1.0f);
        VecF32_8x2048 y_4(rows0_valid); TASSIGN(y_4, 0x08000);  // UB 0x08000..0x18000
        pipe_barrier(PIPE_V);
        TDIV(y_4, g, y_3);
        VecB16_8x2048 up_tile(rows0_valid); TASSIGN(up_tile, 0x00000);  // UB 0x00000..0x08000
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        GateGm up_in(up + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(up_tile, up_in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        VecF32_8x2048 y_5(rows0_valid); TASSIGN(y_5, 0x18000);  // UB 0x18000..0x28000
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TCVT(y_5, up_tile, RoundMode::CAST_RINT);
        VecF32_8x2048 y_6(rows0_valid); TASSIGN(y_6, 0x08000);  // UB 0x08000..0x18000
        pipe_barrier(PIPE_V);
        TMUL(y_6, y_4, y_5);
        VecB16_8x2048 y_tile(rows0_valid); TASSIGN(y_tile, 0x00000);  // UB 0x00000..0x08000
        pipe_barrier(PIPE_V);
        TCVT(y_tile, y_6, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        GateGm y_out(y + int64_t(rows0) * 2048, {rows0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);  // of the last round
#endif
}
