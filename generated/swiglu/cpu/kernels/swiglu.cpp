// swiglu: vector kernel of `swiglu` for cpu. Made by pyptogen; change the spec, not this file.
// stages swiglu; tiles rows 2; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
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
    const FarStores far(int64_t(rows_end - rows_begin) * 4096);  // y: around the cache if large
    for (int32_t rows0 = rows_begin + block * 2; rows0 < rows_end; rows0 += nblk * 2) {
        const int32_t rows0_valid = rows_end - rows0 < 2 ? rows_end - rows0 : 2;
        GateGm gate_in(gate + int64_t(rows0) * 2048, {rows0_valid});
        GateGm up_in(up + int64_t(rows0) * 2048, {rows0_valid});
        GateGm y_out(y + int64_t(rows0) * 2048, {rows0_valid});
        TPASS<4>(rows0_valid, 2048, [&](auto at) {
            // g: cast(gate, fp32)
            const auto gate_tile = at.load(gate_in);
            // y: cast(g / (exp(-g) + 1) * cast(up, fp32), bf16)
            const auto y_1 = -gate_tile;
            const auto y_2 = at.exp(y_1);
            const auto y_3 = y_2 + 1.0f;
            const auto y_4 = gate_tile / y_3;
            const auto up_tile = at.load(up_in);
            const auto y_6 = y_4 * up_tile;
            at.store(y_out, y_6, far);
        });
    }
#endif
}
