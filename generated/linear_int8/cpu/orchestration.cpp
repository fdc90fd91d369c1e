// Orchestration of `linear_int8` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void product_to_scale(
    __gm__ bfloat16_t *y,
    __gm__ int8_t *x,
    __gm__ int8_t *w,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);

namespace {
int32_t fewer(int64_t tiles, int32_t blocks)
{
    return tiles < blocks ? static_cast<int32_t>(tiles) : blocks;
}

// More blocks than cores, so that a core that is done early finds more to do; one block for a single core.
int32_t blocks_for(pto_rt::Runtime &rt, Core core)
{
    return rt.cores(core) == 1 ? 1 : 4 * rt.cores(core);
}
}  // namespace

extern "C" void linear_int8_cpu(pto_rt::Runtime &rt, const linear_int8_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ int8_t *)args.x;
    auto *x_scale = (__gm__ float *)args.x_scale;
    auto *w = (__gm__ int8_t *)args.w;
    auto *w_scale = (__gm__ float *)args.w_scale;
    auto *bias = (__gm__ float *)args.bias;
    auto *y = (__gm__ bfloat16_t *)args.y;

    // The launches of one range of t; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end, int32_t mixed) {
        const int32_t product_to_scale_blocks = fewer(16, mixed);
        rt.launch(
            "product_to_scale", Core::Mixed, product_to_scale_blocks,
            [=] {
                product_to_scale(y, x, w, x_scale, w_scale, bias, t_begin, t_end, product_to_scale_blocks);
            });
    };

    // Rows for every core: each takes ranges of them, and rearranges its part of the left operand once. Else columns.
    const int32_t tiles = (t + 255) / 256, cores = rt.cores(Core::Mixed);
    if (cores > 1 && (tiles % cores == 0 || tiles >= 4 * cores)) {
        const int32_t range = (tiles + 4 * cores - 1) / (4 * cores) * 256;
        for (int32_t begin = 0; begin < t; begin += range) {
            launch_range(begin, t - begin < range ? t : begin + range, 1);
        }
    } else {
        launch_range(0, t, blocks_for(rt, Core::Mixed));
    }
}
