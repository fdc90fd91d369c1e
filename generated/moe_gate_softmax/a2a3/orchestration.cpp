// Orchestration of `moe_gate_softmax` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void logits(
    __gm__ float *l,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void choose(
    __gm__ float *top,
    __gm__ int32_t *expert,
    __gm__ float *l,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void share(
    __gm__ float *weight,
    __gm__ float *top,
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

extern "C" void moe_gate_softmax_a2a3(pto_rt::Runtime &rt, const moe_gate_softmax_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ bfloat16_t *)args.w;
    auto *weight = (__gm__ float *)args.weight;
    auto *expert = (__gm__ int32_t *)args.expert;
    // Values between kernels.
    auto *l = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    auto *top = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 10 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t logits_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 8, cube);
        const Launch logits_done = rt.launch(
            "logits", Core::Cube, logits_blocks,
            [=] {
                logits(l, x, w, t_begin, t_end, logits_blocks);
            }, {}, 2);
        const int32_t choose_blocks = fewer((t + 1) / 2, vector);
        const Launch choose_done = rt.launch(
            "choose", Core::Vector, choose_blocks,
            [=] {
                choose(top, expert, l, t, choose_blocks);
            }, {logits_done}, 1);
        const int32_t share_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        rt.launch(
            "share", Core::Vector, share_blocks,
            [=] {
                share(weight, top, t_begin, t_end, share_blocks);
            }, {choose_done});
    };

    launch_range(0, t);
}
