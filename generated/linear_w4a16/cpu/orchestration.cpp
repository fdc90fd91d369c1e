// Orchestration of `linear_w4a16` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void linear_to_out(
    __gm__ bfloat16_t *y,
    __gm__ uint8_t *w,
    __gm__ bfloat16_t *scale,
    __gm__ bfloat16_t *x,
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

extern "C" void linear_w4a16_cpu(pto_rt::Runtime &rt, const linear_w4a16_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ uint8_t *)args.w;
    auto *scale = (__gm__ bfloat16_t *)args.scale;
    auto *y = (__gm__ bfloat16_t *)args.y;
    const int32_t mixed = blocks_for(rt, Core::Mixed);

    // The launches of one range of t; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t linear_to_out_blocks = fewer(8, mixed);
        rt.launch(
            "linear_to_out", Core::Mixed, linear_to_out_blocks,
            [=] {
                linear_to_out(y, w, scale, x, t_begin, t_end, linear_to_out_blocks);
            });
    };

    launch_range(0, t);
}
