// Orchestration of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void normalise(
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    float eps,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void turn(
    __gm__ float *state_t,
    __gm__ float *state,
    int32_t b_begin,
    int32_t b_end,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec1(
    __gm__ float *o_g,
    __gm__ float *g,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec3(
    __gm__ float *o_gamma_block,
    __gm__ float *o_g,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_mixed1(
    __gm__ float *o_u_block,
    __gm__ bfloat16_t *o_w_block,
    __gm__ bfloat16_t *k_n,
    __gm__ float *o_gamma_block,
    __gm__ float *o_beta,
    __gm__ bfloat16_t *v,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_mixed2(
    __gm__ float *o_recalled_block,
    __gm__ bfloat16_t *o_change_block,
    __gm__ float *state_end,
    __gm__ float *state_t,
    __gm__ float *o_g,
    __gm__ float *o_gamma_block,
    __gm__ bfloat16_t *o_w_block,
    __gm__ bfloat16_t *q_n,
    __gm__ float *o_u_block,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_mixed3(
    __gm__ bfloat16_t *o_read_block,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ float *o_gamma_block,
    __gm__ float *o_recalled_block,
    __gm__ bfloat16_t *o_change_block,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec4(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *o_read_block,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void out(
    __gm__ float *state,
    __gm__ float *state_end,
    int32_t b,
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

extern "C" void gated_delta_rule_cpu(pto_rt::Runtime &rt, const gated_delta_rule_args &args)
{
    const int32_t b = static_cast<int32_t>(args.b);
    const int32_t s = static_cast<int32_t>(args.s);
    const float eps = static_cast<float>(args.eps);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    auto *v = (__gm__ bfloat16_t *)args.v;
    auto *g = (__gm__ float *)args.g;
    auto *beta = (__gm__ float *)args.beta;
    auto *state = (__gm__ float *)args.state;
    auto *o = (__gm__ bfloat16_t *)args.o;
    // Values between kernels.
    auto *q_n = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *k_n = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *state_t = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 524288 * sizeof(float)));
    auto *o_g = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *o_beta = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *o_gamma_block = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *o_u_block = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *o_w_block = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *o_change_block = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *o_recalled_block = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *state_end = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 524288 * sizeof(float)));
    auto *o_read_block = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of b; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t b_begin, int32_t b_end) {
        const int32_t normalise_blocks = fewer(s, vector);
        const Launch normalise_done = rt.launch(
            "normalise", Core::Vector, normalise_blocks,
            [=] {
                normalise(q_n, k_n, q, k, eps, b_begin, b_end, s, normalise_blocks);
            }, {}, 4);
        const int32_t turn_blocks = fewer(16, vector);
        const Launch turn_done = rt.launch(
            "turn", Core::Vector, turn_blocks,
            [=] {
                turn(state_t, state, b_begin, b_end, turn_blocks);
            }, {}, 3);
        const int32_t rule_vec1_blocks = fewer((s + 63) / 64, vector);
        const Launch rule_vec1_done = rt.launch(
            "rule_vec1", Core::Vector, rule_vec1_blocks,
            [=] {
                rule_vec1(o_g, g, b, s, rule_vec1_blocks);
            }, {}, 5);
        const int32_t rule_vec2_blocks = fewer((s + 63) / 64, vector);
        const Launch rule_vec2_done = rt.launch(
            "rule_vec2", Core::Vector, rule_vec2_blocks,
            [=] {
                rule_vec1(o_beta, beta, b, s, rule_vec2_blocks);
            }, {}, 4);
        const int32_t rule_vec3_blocks = fewer(16, vector);
        const Launch rule_vec3_done = rt.launch(
            "rule_vec3", Core::Vector, rule_vec3_blocks,
            [=] {
                rule_vec3(o_gamma_block, o_g, b_begin, b_end, s, rule_vec3_blocks);
            }, {rule_vec1_done}, 4);
        const int32_t rule_mixed1_blocks = fewer(16, mixed);
        const Launch rule_mixed1_done = rt.launch(
            "rule_mixed1", Core::Mixed, rule_mixed1_blocks,
            [=] {
                rule_mixed1(o_u_block, o_w_block, k_n, o_gamma_block, o_beta, v, b_begin, b_end, s,
                    rule_mixed1_blocks);
            }, {normalise_done, rule_vec3_done, rule_vec2_done}, 3);
        const int32_t rule_mixed2_blocks = fewer(16, mixed);
        const Launch rule_mixed2_done = rt.launch(
            "rule_mixed2", Core::Mixed, rule_mixed2_blocks,
            [=] {
                rule_mixed2(o_recalled_block, o_change_block, state_end, state_t, o_g, o_gamma_block, o_w_block,
                    q_n, o_u_block, k_n, b_begin, b_end, s, rule_mixed2_blocks);
            }, {turn_done, rule_vec1_done, rule_vec3_done, rule_mixed1_done, normalise_done}, 2);
        const int32_t rule_mixed3_blocks = fewer(16, mixed);
        const Launch rule_mixed3_done = rt.launch(
            "rule_mixed3", Core::Mixed, rule_mixed3_blocks,
            [=] {
                rule_mixed3(o_read_block, q_n, k_n, o_gamma_block, o_recalled_block, o_change_block, b_begin,
                    b_end, s, rule_mixed3_blocks);
            }, {normalise_done, rule_vec3_done, rule_mixed2_done}, 1);
        const int32_t rule_vec4_blocks = fewer(s, vector);
        rt.launch(
            "rule_vec4", Core::Vector, rule_vec4_blocks,
            [=] {
                rule_vec4(o, o_read_block, b, s, rule_vec4_blocks);
            }, {rule_mixed3_done});
        const int32_t out_blocks = fewer(b * 32, vector);
        rt.launch(
            "out", Core::Vector, out_blocks,
            [=] {
                out(state, state_end, b, out_blocks);
            }, {rule_mixed2_done});
    };

    launch_range(0, b);
}
