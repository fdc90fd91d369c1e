// Orchestration of `glm_gate` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void logits_cube(
    __gm__ float *l_parts,
    __gm__ float *x,
    __gm__ float *w,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void logits_vec(
    __gm__ float *l,
    __gm__ float *l_parts,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void scores(
    __gm__ float *score,
    __gm__ float *choice,
    __gm__ float *l,
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

extern "C" void glm_gate_a2a3(pto_rt::Runtime &rt, const glm_gate_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ float *)args.x;
    auto *w = (__gm__ float *)args.w;
    auto *bias = (__gm__ float *)args.bias;
    auto *score = (__gm__ float *)args.score;
    auto *choice = (__gm__ float *)args.choice;
    // Values between kernels.
    auto *l_parts = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 800 * sizeof(float)));
    auto *l = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 160 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t logits_cube_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 10, cube);
        const Launch logits_cube_done = rt.launch(
            "logits_cube", Core::Cube, logits_cube_blocks,
            [=] {
                logits_cube(l_parts, x, w, t_begin, t_end, t, logits_cube_blocks);
            }, {}, 2);
        const int32_t logits_vec_blocks = fewer((t * 160 + 1023) / 1024, vector);
        const Launch logits_vec_done = rt.launch(
            "logits_vec", Core::Vector, logits_vec_blocks,
            [=] {
                logits_vec(l, l_parts, t, logits_vec_blocks);
            }, {logits_cube_done}, 1);
        const int32_t scores_blocks = fewer((t_end - t_begin + 15) / 16, vector);
        rt.launch(
            "scores", Core::Vector, scores_blocks,
            [=] {
                scores(score, choice, l, bias, t_begin, t_end, scores_blocks);
            }, {logits_vec_done});
    };

    launch_range(0, t);
}
