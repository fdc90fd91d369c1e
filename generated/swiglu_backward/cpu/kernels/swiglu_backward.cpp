// swiglu_backward: vector kernel of `swiglu_backward` for cpu. Made by pyptogen; change the spec, not this file.
// stages swiglu_backward; tiles rows 2; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using GateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 2048>, Stride<1, 1, 1, 2048, 1>>;
}  // namespace

extern "C" __global__ AICORE void swiglu_backward(
    __gm__ bfloat16_t *d_up,
    __gm__ bfloat16_t *d_gate,
    __gm__ bfloat16_t *gate,
    __gm__ bfloat16_t *d_y,
    __gm__ bfloat16_t *up,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 8192);  // d_up, d_gate: around the cache if large
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        GateGm gate_in(gate + int64_t(rows0) * 2048, {rows0_valid});
        GateGm d_y_in(d_y + int64_t(rows0) * 2048, {rows0_valid});
        GateGm up_in(up + int64_t(rows0) * 2048, {rows0_valid});
        GateGm d_up_out(d_up + int64_t(rows0) * 2048, {rows0_valid});
        GateGm d_gate_out(d_gate + int64_t(rows0) * 2048, {rows0_valid});
        TPASS<4>(rows0_valid, 2048, [&](auto at) {
            // g: cast(gate, fp32)
            const auto gate_tile = at.load(gate_in);
            // d: cast(d_y, fp32)
            const auto d_y_tile = at.load(d_y_in);
            // s: 1 / (exp(-g) + 1)
            const auto s_1 = -gate_tile;
            const auto s_2 = at.exp(s_1);
            const auto s_3 = s_2 + 1.0f;
            const auto s = 1.0f / s_3;
            // d_up: cast(d * (g * s), bf16)
            const auto d_up_1 = gate_tile * s;
            const auto d_up_2 = d_y_tile * d_up_1;
            // d_gate: cast(d * cast(up, fp32) * (s * (g * (1 - s) + 1)), bf16)
            const auto up_tile = at.load(up_in);
            const auto d_gate_2 = d_y_tile * up_tile;
            const auto d_gate_3 = -s;
            const auto d_gate_3_2 = d_gate_3 + 1.0f;
            const auto d_gate_4 = gate_tile * d_gate_3_2;
            const auto d_gate_5 = d_gate_4 + 1.0f;
            const auto d_gate_6 = s * d_gate_5;
            const auto d_gate_7 = d_gate_2 * d_gate_6;
            // d_up: cast(d * (g * s), bf16)
            at.store(d_up_out, d_up_2, far);
            // d_gate: cast(d * cast(up, fp32) * (s * (g * (1 - s) + 1)), bf16)
            at.store(d_gate_out, d_gate_7, far);
        });
    }
#endif
}
