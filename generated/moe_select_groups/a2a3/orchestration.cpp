// Orchestration of `moe_select_groups` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void score(
    __gm__ float *s,
    __gm__ float *c,
    __gm__ float *logits,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void group_vec1(
    __gm__ float *best,
    __gm__ float *c,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void group_vec2(
    __gm__ int32_t *open_1,
    int32_t nblk);
extern "C" __global__ AICORE void group_vec3(
    __gm__ float *g_1,
    __gm__ float *best,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void group_vec4(
    __gm__ int32_t *group,
    __gm__ float *g_1,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void group_vec5(
    __gm__ float *open,
    __gm__ int32_t *group,
    __gm__ int32_t *open_1,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void choose_vec1(
    __gm__ float *masked,
    __gm__ float *open,
    __gm__ float *c,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void choose_vec2(
    __gm__ int32_t *expert,
    __gm__ float *masked,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void share_vec1(
    __gm__ float *chosen,
    __gm__ float *s,
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

extern "C" void moe_select_groups_a2a3(pto_rt::Runtime &rt, const moe_select_groups_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const float scale = static_cast<float>(args.scale);
    auto *logits = (__gm__ float *)args.logits;
    auto *bias = (__gm__ float *)args.bias;
    auto *weight = (__gm__ float *)args.weight;
    auto *expert = (__gm__ int32_t *)args.expert;
    // Values between kernels.
    auto *s = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 256 * sizeof(float)));
    auto *c = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 256 * sizeof(float)));
    auto *best = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 16 * sizeof(float)));
    auto *open_1 = static_cast<__gm__ int32_t *>(rt.workspace(8 * sizeof(int32_t)));
    auto *g_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 8 * sizeof(float)));
    auto *group = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 4 * sizeof(int32_t)));
    auto *open = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 8 * sizeof(float)));
    auto *masked = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 256 * sizeof(float)));
    auto *chosen = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 8 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t score_blocks = fewer((t_end - t_begin + 15) / 16, vector);
        const Launch score_done = rt.launch(
            "score", Core::Vector, score_blocks,
            [=] {
                score(s, c, logits, bias, t_begin, t_end, score_blocks);
            }, {}, 9);
        const int32_t group_vec1_blocks = fewer((t * 8 + 15) / 16, vector);
        const Launch group_vec1_done = rt.launch(
            "group_vec1", Core::Vector, group_vec1_blocks,
            [=] {
                group_vec1(best, c, t, group_vec1_blocks);
            }, {score_done}, 8);
        const int32_t group_vec2_blocks = 1;
        const Launch group_vec2_done = rt.launch(
            "group_vec2", Core::Vector, group_vec2_blocks,
            [=] {
                group_vec2(open_1, group_vec2_blocks);
            }, {}, 5);
        const int32_t group_vec3_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        const Launch group_vec3_done = rt.launch(
            "group_vec3", Core::Vector, group_vec3_blocks,
            [=] {
                group_vec3(g_1, best, t_begin, t_end, group_vec3_blocks);
            }, {group_vec1_done}, 7);
        const int32_t group_vec4_blocks = fewer((t + 7) / 8, vector);
        const Launch group_vec4_done = rt.launch(
            "group_vec4", Core::Vector, group_vec4_blocks,
            [=] {
                group_vec4(group, g_1, t, group_vec4_blocks);
            }, {group_vec3_done}, 6);
        const int32_t group_vec5_blocks = fewer(t, vector);
        const Launch group_vec5_done = rt.launch(
            "group_vec5", Core::Vector, group_vec5_blocks,
            [=] {
                group_vec5(open, group, open_1, t, group_vec5_blocks);
            }, {group_vec4_done, group_vec2_done}, 4);
        const int32_t choose_vec1_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        const Launch choose_vec1_done = rt.launch(
            "choose_vec1", Core::Vector, choose_vec1_blocks,
            [=] {
                choose_vec1(masked, open, c, t_begin, t_end, choose_vec1_blocks);
            }, {group_vec5_done, score_done}, 3);
        const int32_t choose_vec2_blocks = fewer((t + 1) / 2, vector);
        const Launch choose_vec2_done = rt.launch(
            "choose_vec2", Core::Vector, choose_vec2_blocks,
            [=] {
                choose_vec2(expert, masked, t, choose_vec2_blocks);
            }, {choose_vec1_done}, 2);
        const int32_t share_vec1_blocks = fewer((t + 15) / 16, vector);
        const Launch share_vec1_done = rt.launch(
            "share_vec1", Core::Vector, share_vec1_blocks,
            [=] {
                share_vec1(chosen, s, expert, t, share_vec1_blocks);
            }, {score_done, choose_vec2_done}, 1);
        const int32_t share_vec2_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        rt.launch(
            "share_vec2", Core::Vector, share_vec2_blocks,
            [=] {
                share_vec2(weight, chosen, scale, t_begin, t_end, share_vec2_blocks);
            }, {share_vec1_done});
    };

    launch_range(0, t);
}
