// Orchestration of `layer_norm_channels` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void layer_norm_channels(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ float *gamma,
    __gm__ float *beta,
    float eps,
    int32_t n_begin,
    int32_t n_end,
    int32_t hw,
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

extern "C" void layer_norm_channels_a2a3(pto_rt::Runtime &rt, const layer_norm_channels_args &args)
{
    const int32_t n = static_cast<int32_t>(args.n);
    const int32_t hw = static_cast<int32_t>(args.hw);
    const float eps = static_cast<float>(args.eps);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *gamma = (__gm__ float *)args.gamma;
    auto *beta = (__gm__ float *)args.beta;
    auto *y = (__gm__ bfloat16_t *)args.y;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of n; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t n_begin, int32_t n_end) {
        const int32_t layer_norm_channels_blocks = fewer(int64_t(n_end - n_begin) * ((hw + 511) / 512), vector);
        rt.launch(
            "layer_norm_channels", Core::Vector, layer_norm_channels_blocks,
            [=] {
                layer_norm_channels(y, x, gamma, beta, eps, n_begin, n_end, hw, layer_norm_channels_blocks);
            });
    };

    launch_range(0, n);
}
