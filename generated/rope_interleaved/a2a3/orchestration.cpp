// Orchestration of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void rope_interleaved_vec1(
    __gm__ bfloat16_t *y_even,
    __gm__ bfloat16_t *y_odd,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void rope_interleaved_vec2(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *y_even,
    __gm__ bfloat16_t *y_odd,
    int32_t t,
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

extern "C" void rope_interleaved_a2a3(pto_rt::Runtime &rt, const rope_interleaved_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *y_even = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 512 * sizeof(bfloat16_t)));
    auto *y_odd = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 512 * sizeof(bfloat16_t)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t rope_interleaved_vec1_blocks = fewer(t_end - t_begin, vector);
        const Launch rope_interleaved_vec1_done = rt.launch(
            "rope_interleaved_vec1", Core::Vector, rope_interleaved_vec1_blocks,
            [=] {
                rope_interleaved_vec1(y_even, y_odd, x, cos, sin, t_begin, t_end, rope_interleaved_vec1_blocks);
            }, {}, 1);
        const int32_t rope_interleaved_vec2_blocks = fewer((t * 512 + 1535) / 1536, vector);
        rt.launch(
            "rope_interleaved_vec2", Core::Vector, rope_interleaved_vec2_blocks,
            [=] {
                rope_interleaved_vec2(y, y_even, y_odd, t, rope_interleaved_vec2_blocks);
            }, {rope_interleaved_vec1_done});
    };

    launch_range(0, t);
}
