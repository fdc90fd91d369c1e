// Orchestration of `gated_delta_step` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void normalise(
    __gm__ float *q_n,
    __gm__ float *k_n,
    __gm__ float *decay,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ float *g,
    float eps,
    int32_t b_begin,
    int32_t b_end,
    int32_t nblk);
extern "C" __global__ AICORE void step(
    __gm__ float *state,
    __gm__ bfloat16_t *o,
    __gm__ float *decay,
    __gm__ float *k_n,
    __gm__ bfloat16_t *v,
    __gm__ float *beta,
    __gm__ float *q_n,
    int32_t b_begin,
    int32_t b_end,
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

extern "C" void gated_delta_step_a2a3(pto_rt::Runtime &rt, const gated_delta_step_args &args)
{
    const int32_t b = static_cast<int32_t>(args.b);
    const float eps = static_cast<float>(args.eps);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    auto *v = (__gm__ bfloat16_t *)args.v;
    auto *g = (__gm__ float *)args.g;
    auto *beta = (__gm__ float *)args.beta;
    auto *state = (__gm__ float *)args.state;
    auto *o = (__gm__ bfloat16_t *)args.o;
    // Values between kernels.
    auto *q_n = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 2048 * sizeof(float)));
    auto *k_n = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 2048 * sizeof(float)));
    auto *decay = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 32 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of b; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t b_begin, int32_t b_end) {
        const int32_t normalise_blocks = fewer((b_end - b_begin + 1) / 2, vector);
        const Launch normalise_done = rt.launch(
            "normalise", Core::Vector, normalise_blocks,
            [=] {
                normalise(q_n, k_n, decay, q, k, g, eps, b_begin, b_end, normalise_blocks);
            }, {}, 1);
        const int32_t step_blocks = fewer(int64_t(b_end - b_begin) * 32, vector);
        rt.launch(
            "step", Core::Vector, step_blocks,
            [=] {
                step(state, o, decay, k_n, v, beta, q_n, b_begin, b_end, step_blocks);
            }, {normalise_done});
    };

    launch_range(0, b);
}
