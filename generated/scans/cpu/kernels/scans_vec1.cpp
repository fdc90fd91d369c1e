// scans_vec1: vector kernel of `scans` for cpu. Made by pyptogen; change the spec, not this file.
// stages scans; tiles i2 1, once 1; memory UB 1024 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecF32_1x256 = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, 256>;
using XGm = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 1, 1>>;
}  // namespace

extern "C" __global__ AICORE void scans_vec1(
    __gm__ float *down,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    const FarStores far(int64_t(rows) * 1024);  // down: around the cache if large
    for (int32_t once = block; once < 1; once += nblk) {
        // down:    cumsum(x, axis=0)
        VecF32_1x256 total; TASSIGN(total, 0x00000);  // UB 0x00000..0x00400
        TEXPANDS(total, 0.0f);
        for (int32_t i2 = 0; i2 < rows; ++i2) {
            XGm x_in(x + int64_t(i2) * 256);
            XGm down_out(down + int64_t(i2) * 256);
            TPASS(1, 256, [&](auto at) {
                const auto part = at.load(x_in);
                const auto total_v = at.load(total);
                const auto total_v_2 = total_v + part;
                at.store(total, total_v_2);
                at.store(down_out, total_v_2, far);
            });
        }
    }
#endif
}
