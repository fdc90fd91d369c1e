// gelu_tanh: vector kernel of `gelu_tanh` for cpu. Made by pyptogen; change the spec, not this file.
// stages gelu_tanh; tiles rows 1; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using XGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
}  // namespace

extern "C" __global__ AICORE void gelu_tanh(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 8192);  // y: around the cache if large
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        XGm x_in(x + int64_t(rows0) * 4096);
        XGm y_out(y + int64_t(rows0) * 4096);
        TPASS<4>(1, 4096, [&](auto at) {
            // y: gelu_tanh(x)
            const auto x_tile = at.load(x_in);
            const auto y_half = x_tile * 0.5f;
            const auto y_square = x_tile * x_tile;
            const auto y_cube = y_square * x_tile;
            const auto y_1 = y_cube * 0.044715f;
            const auto y_bent = x_tile + y_1;
            const auto y_angle = y_bent * 0.7978846f;
            const auto y_2 = y_angle * 2.0f;
            const auto y_e2 = at.exp(y_2);
            const auto y_3 = y_e2 + 1.0f;
            const auto y_share = 2.0f / y_3;
            const auto y_tanh = -y_share;
            const auto y_tanh_2 = y_tanh + 1.0f;
            const auto y_4 = y_tanh_2 + 1.0f;
            const auto y_5 = y_half * y_4;
            at.store(y_out, y_5, far);
        });
    }
#endif
}
