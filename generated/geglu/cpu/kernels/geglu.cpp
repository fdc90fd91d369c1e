// geglu: vector kernel of `geglu` for cpu. Made by pyptogen; change the spec, not this file.
// stages geglu; tiles rows 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using GateGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void geglu(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *gate,
    __gm__ bfloat16_t *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 8192);  // y: around the cache if large
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        GateGm gate_in(gate + int64_t(rows0) * 4096);
        GateGm x_in(x + int64_t(rows0) * 4096);
        GateGm y_out(y + int64_t(rows0) * 4096);
        TPASS<4>(1, 4096, [&](auto at) {
            // y: geglu(gate, x)
            const auto gate_tile = at.load(gate_in);
            const auto y_half = gate_tile * 0.5f;
            const auto y_angle = gate_tile * 0.70710677f;
            const auto y_inner = at.max(y_angle, -4.0f);
            const auto y_inner_2 = at.min(y_inner, 4.0f);
            const auto y_square = y_inner_2 * y_inner_2;
            const auto y_p = y_square * 1.9867327e-06f;
            const auto y_p_2 = y_p + 0.00028456512f;
            const auto y_p_3 = y_p_2 * y_square;
            const auto y_p_4 = y_p_3 + 0.003883423f;
            const auto y_p_5 = y_p_4 * y_square;
            const auto y_p_6 = y_p_5 + 0.053101983f;
            const auto y_p_7 = y_p_6 * y_square;
            const auto y_p_8 = y_p_7 + 0.19354726f;
            const auto y_p_9 = y_p_8 * y_square;
            const auto y_p_10 = y_p_9 + 1.1283791f;
            const auto y_above = y_inner_2 * y_p_10;
            const auto y_q = y_square * 3.7419617e-05f;
            const auto y_q_2 = y_q + 0.0011855855f;
            const auto y_q_3 = y_q_2 * y_square;
            const auto y_q_4 = y_q_3 + 0.015207412f;
            const auto y_q_5 = y_q_4 * y_square;
            const auto y_q_6 = y_q_5 + 0.115350865f;
            const auto y_q_7 = y_q_6 * y_square;
            const auto y_q_8 = y_q_7 + 0.5048593f;
            const auto y_q_9 = y_q_8 * y_square;
            const auto y_q_10 = y_q_9 + 1.0f;
            const auto y_ratio = y_above / y_q_10;
            const auto y_erf = at.max(y_ratio, -1.0f);
            const auto y_erf_2 = at.min(y_erf, 1.0f);
            const auto y_1 = y_erf_2 + 1.0f;
            const auto y_2 = y_half * y_1;
            const auto x_tile = at.load(x_in);
            const auto y_3 = y_2 * x_tile;
            at.store(y_out, y_3, far);
        });
    }
#endif
}
