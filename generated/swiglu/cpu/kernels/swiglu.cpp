// swiglu: vector kernel of `swiglu` for cpu. Made by pyptogen; change the spec, not this file.
// stages swiglu; tiles rows 2; memory UB 40960 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_2x2048 = Tile<TileType::Vec, bfloat16_t, 2, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_2x2048 = Tile<TileType::Vec, float, 2, 2048, BLayout::RowMajor, DYNAMIC, 2048>;
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
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        // g: cast(gate, fp32)  [swiglu.yaml:16]
        VecB16_2x2048 gate_tile(rows0_valid); TASSIGN(gate_tile, 0x00000);  // UB 0x00000..0x02000
        GateGm gate_in(gate + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(gate_tile, gate_in);
        VecF32_2x2048 g(rows0_valid); TASSIGN(g, 0x02000);  // UB 0x02000..0x06000
        TCVT(g, gate_tile, RoundMode::CAST_RINT);
        // y: cast(g / (exp(-g) + 1) * cast(up, fp32), bf16)  [swiglu.yaml:17]
        VecF32_2x2048 y_1(rows0_valid); TASSIGN(y_1, 0x06000);  // UB 0x06000..0x0a000
        TNEG(y_1, g);
        VecF32_2x2048 y_2(rows0_valid); TASSIGN(y_2, 0x06000);  // UB 0x06000..0x0a000
        TEXP(y_2, y_1);
        VecF32_2x2048 y_3(rows0_valid); TASSIGN(y_3, 0x06000);  // UB 0x06000..0x0a000
        TADDS(y_3, y_2, 1.0f);
        VecF32_2x2048 y_4(rows0_valid); TASSIGN(y_4, 0x02000);  // UB 0x02000..0x06000
        TDIV(y_4, g, y_3);
        VecB16_2x2048 up_tile(rows0_valid); TASSIGN(up_tile, 0x00000);  // UB 0x00000..0x02000
        GateGm up_in(up + int64_t(rows0) * 2048, {rows0_valid});
        TLOAD(up_tile, up_in);
        VecF32_2x2048 y_5(rows0_valid); TASSIGN(y_5, 0x06000);  // UB 0x06000..0x0a000
        TCVT(y_5, up_tile, RoundMode::CAST_RINT);
        VecF32_2x2048 y_6(rows0_valid); TASSIGN(y_6, 0x02000);  // UB 0x02000..0x06000
        TMUL(y_6, y_4, y_5);
        VecB16_2x2048 y_tile(rows0_valid); TASSIGN(y_tile, 0x00000);  // UB 0x00000..0x02000
        TCVT(y_tile, y_6, RoundMode::CAST_RINT);
        GateGm y_out(y + int64_t(rows0) * 2048, {rows0_valid});
        TSTORE(y_out, y_tile);
    }
#endif
}
