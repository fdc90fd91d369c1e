// Orchestration of `rope` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void rope(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
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

extern "C" void rope_a2a3(pto_rt::Runtime &rt, const rope_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *y = (__gm__ bfloat16_t *)args.y;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t rope_blocks = fewer(t_end - t_begin, vector);
        rt.launch(
            "rope", Core::Vector, rope_blocks,
            [=] {
                rope(y, x, cos, sin, t_begin, t_end, rope_blocks);
            });
    };

    launch_range(0, t);
}
