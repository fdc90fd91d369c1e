// Orchestration of `glm_expert_selector` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void choose(
    __gm__ int32_t *expert,
    __gm__ float *choice,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void share_vec1(
    __gm__ float *chosen,
    __gm__ float *score,
    __gm__ int32_t *expert,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void share_vec2(
    __gm__ float *weight,
    __gm__ float *chosen,
    float scale,
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

extern "C" void glm_expert_selector_a2a3(pto_rt::Runtime &rt, const glm_expert_selector_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const float scale = static_cast<float>(args.scale);
    auto *score = (__gm__ float *)args.score;
    auto *choice = (__gm__ float *)args.choice;
    auto *weight = (__gm__ float *)args.weight;
    auto *expert = (__gm__ int32_t *)args.expert;
    // Values between kernels.
    auto *chosen = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 8 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t choose_blocks = fewer((t + 3) / 4, vector);
        const Launch choose_done = rt.launch(
            "choose", Core::Vector, choose_blocks,
            [=] {
                choose(expert, choice, t, choose_blocks);
            }, {}, 2);
        const int32_t share_vec1_blocks = fewer((t + 24) / 25, vector);
        const Launch share_vec1_done = rt.launch(
            "share_vec1", Core::Vector, share_vec1_blocks,
            [=] {
                share_vec1(chosen, score, expert, t, share_vec1_blocks);
            }, {choose_done}, 1);
        const int32_t share_vec2_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        rt.launch(
            "share_vec2", Core::Vector, share_vec2_blocks,
            [=] {
                share_vec2(weight, chosen, scale, t_begin, t_end, share_vec2_blocks);
            }, {share_vec1_done});
    };

    launch_range(0, t);
}
