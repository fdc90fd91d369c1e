// vector_add: vector kernel of `vector_add` for cpu. Made by pyptogen; change the spec, not this file.
// stages vector_add; tiles n 4096; memory UB 0 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using AGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void vector_add(
    __gm__ float *c,
    __gm__ float *a,
    __gm__ float *b,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(n_end - n_begin) * 4);  // c: around the cache if large
    for (int32_t n0 = n_begin + block * 4096; n0 < n_end; n0 += nblk * 4096) {
        const int32_t n0_valid = n_end - n0 < 4096 ? n_end - n0 : 4096;
        AGm a_in(a + int64_t(n0), {n0_valid});
        AGm b_in(b + int64_t(n0), {n0_valid});
        AGm c_out(c + int64_t(n0), {n0_valid});
        TPASS(1, n0_valid, [&](auto at) {
            // c: a + b
            const auto a_tile = at.load(a_in);
            const auto b_tile = at.load(b_in);
            const auto c_tile = a_tile + b_tile;
            at.store(c_out, c_tile, far);
        });
    }
#endif
}
