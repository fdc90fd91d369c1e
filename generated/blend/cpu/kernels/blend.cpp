// blend: vector kernel of `blend` for cpu. Made by pyptogen; change the spec, not this file.
// stages blend; tiles rows 16; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AGm = GlobalTensor<float, Shape<1, 1, 1, 8, 1024>, Stride<1, 1, 1, 1024, 1>>;
}  // namespace

extern "C" __global__ AICORE void blend(
    __gm__ float *y,
    __gm__ float *a,
    __gm__ float *b,
    float alpha,
    float beta,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows_end - rows_begin) * 4096);  // y: around the cache if large
    for (int32_t i0 = rows_begin + block * 16; i0 < rows_end; i0 += nblk * 16) {
        AGm a_in(a + int64_t(i0) * 1024);
        AGm b_in(b + int64_t(i0) * 1024);
        AGm a_in_2(a + int64_t(i0) * 1024 + 8192);
        AGm b_in_2(b + int64_t(i0) * 1024 + 8192);
        AGm y_out(y + int64_t(i0) * 1024);
        AGm y_out_2(y + int64_t(i0) * 1024 + 8192);
        TPASS(8, 1024, [&](auto at) {
            // a0: load(a[16*i:16*i+8, :])
            const auto a0 = at.load(a_in);
            // b0: load(b[16*i:16*i+8, :])
            const auto b0 = at.load(b_in);
            // a1: load(a[16*i+8:16*i+16, :])
            const auto a1 = at.load(a_in_2);
            // b1: load(b[16*i+8:16*i+16, :])
            const auto b1 = at.load(b_in_2);
            // a0: muls(a0, alpha)
            const auto a0_2 = a0 * at.all(alpha);
            // b0: muls(b0, beta)
            const auto b0_2 = b0 * at.all(beta);
            // a0: add(a0, b0)
            const auto a0_3 = a0_2 + b0_2;
            // a1: muls(a1, alpha)
            const auto a1_2 = a1 * at.all(alpha);
            // b1: muls(b1, beta)
            const auto b1_2 = b1 * at.all(beta);
            // a1: add(a1, b1)
            const auto a1_3 = a1_2 + b1_2;
            // store(a0, y[16*i:16*i+8, :])
            at.store(y_out, a0_3, far);
            // store(a1, y[16*i+8:16*i+16, :])
            at.store(y_out_2, a1_3, far);
        });
    }
#endif
}
