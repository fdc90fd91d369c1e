// Orchestration of `gated_delta_rule` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void normalise_vec1(
    __gm__ bfloat16_t *q_n_1,
    __gm__ bfloat16_t *q,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void normalise_vec2(
    __gm__ bfloat16_t *k_n_1,
    __gm__ bfloat16_t *k,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void normalise_vec3(
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *q_n_1,
    __gm__ bfloat16_t *k_n_1,
    float eps,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void turn_vec1(
    __gm__ float *state_t,
    __gm__ float *state,
    int32_t b_begin,
    int32_t b_end,
    int32_t nblk);
extern "C" __global__ AICORE void turn_vec2(
    __gm__ bfloat16_t *v_h,
    __gm__ bfloat16_t *v,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void turn_vec3(
    __gm__ float *g_h,
    __gm__ float *g,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void turn_vec4(
    __gm__ float *beta_h,
    __gm__ float *beta,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void turn_vec5(
    __gm__ int32_t *number,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void turn_vec6(
    __gm__ float *place,
    __gm__ int32_t *number,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void decay(
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ float *g_h,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve(
    __gm__ float *u,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *k_n,
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ int32_t *number,
    __gm__ float *beta_h,
    __gm__ bfloat16_t *v_h,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void scan(
    __gm__ float *recalled,
    __gm__ bfloat16_t *change,
    __gm__ float *state_out,
    __gm__ float *state_t,
    __gm__ float *gamma,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *q_n,
    __gm__ float *u,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void read_kernel(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ float *recalled,
    __gm__ bfloat16_t *change,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void out_vec1(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *y,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void out_vec2(
    __gm__ float *state,
    __gm__ float *state_out,
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
    auto *q_n_1 = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *k_n_1 = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *q_n = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *k_n = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *state_t = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 524288 * sizeof(float)));
    auto *v_h = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *g_h = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *beta_h = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *number = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(s) * sizeof(int32_t)));
    auto *place = static_cast<__gm__ float *>(rt.workspace(int64_t(s) * sizeof(float)));
    auto *gamma = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *u = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *w = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *change = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *recalled = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *state_out = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 524288 * sizeof(float)));
    auto *y = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of b; each starts when those it names have finished. Last: its priority.
    const auto segment = [=, &rt](int32_t b_begin, int32_t b_end) {
        const int32_t normalise_vec1_blocks = fewer((b + 0) / 1, vector);
        const Launch normalise_vec1_done = rt.launch(
            "normalise_vec1", Core::Vector, normalise_vec1_blocks,
            [=] {
                normalise_vec1(q_n_1, q, b, s, normalise_vec1_blocks);
            }, {}, 5);
        const int32_t normalise_vec2_blocks = fewer((b + 0) / 1, vector);
        const Launch normalise_vec2_done = rt.launch(
            "normalise_vec2", Core::Vector, normalise_vec2_blocks,
            [=] {
                normalise_vec2(k_n_1, k, b, s, normalise_vec2_blocks);
            }, {}, 5);
        const int32_t normalise_vec3_blocks = fewer(16, vector);
        const Launch normalise_vec3_done = rt.launch(
            "normalise_vec3", Core::Vector, normalise_vec3_blocks,
            [=] {
                normalise_vec3(q_n, k_n, q_n_1, k_n_1, eps, b_begin, b_end, s, normalise_vec3_blocks);
            }, {normalise_vec1_done, normalise_vec2_done}, 4);
        const int32_t turn_vec1_blocks = fewer(16, vector);
        const Launch turn_vec1_done = rt.launch(
            "turn_vec1", Core::Vector, turn_vec1_blocks,
            [=] {
                turn_vec1(state_t, state, b_begin, b_end, turn_vec1_blocks);
            }, {}, 3);
        const int32_t turn_vec2_blocks = fewer((b + 0) / 1, vector);
        const Launch turn_vec2_done = rt.launch(
            "turn_vec2", Core::Vector, turn_vec2_blocks,
            [=] {
                turn_vec2(v_h, v, b, s, turn_vec2_blocks);
            }, {}, 4);
        const int32_t turn_vec3_blocks = fewer((b + 0) / 1, vector);
        const Launch turn_vec3_done = rt.launch(
            "turn_vec3", Core::Vector, turn_vec3_blocks,
            [=] {
                turn_vec3(g_h, g, b, s, turn_vec3_blocks);
            }, {}, 5);
        const int32_t turn_vec4_blocks = fewer((b + 0) / 1, vector);
        const Launch turn_vec4_done = rt.launch(
            "turn_vec4", Core::Vector, turn_vec4_blocks,
            [=] {
                turn_vec4(beta_h, beta, b, s, turn_vec4_blocks);
            }, {}, 4);
        const int32_t turn_vec5_blocks = fewer((s + 4095) / 4096, vector);
        const Launch turn_vec5_done = rt.launch(
            "turn_vec5", Core::Vector, turn_vec5_blocks,
            [=] {
                turn_vec5(number, s, turn_vec5_blocks);
            }, {}, 6);
        const int32_t turn_vec6_blocks = fewer((s + 63) / 64, vector);
        const Launch turn_vec6_done = rt.launch(
            "turn_vec6", Core::Vector, turn_vec6_blocks,
            [=] {
                turn_vec6(place, number, s, turn_vec6_blocks);
            }, {turn_vec5_done}, 5);
        const int32_t decay_blocks = fewer(16, vector);
        const Launch decay_done = rt.launch(
            "decay", Core::Vector, decay_blocks,
            [=] {
                decay(gamma, place, g_h, b_begin, b_end, s, decay_blocks);
            }, {turn_vec6_done, turn_vec3_done}, 4);
        const int32_t solve_blocks = fewer(16, mixed);
        const Launch solve_done = rt.launch(
            "solve", Core::Mixed, solve_blocks,
            [=] {
                solve(u, w, k_n, gamma, place, number, beta_h, v_h, b_begin, b_end, s, solve_blocks);
            }, {normalise_vec3_done, decay_done, turn_vec6_done, turn_vec5_done, turn_vec4_done, turn_vec2_done}, 3);
        const int32_t scan_blocks = fewer(16, mixed);
        const Launch scan_done = rt.launch(
            "scan", Core::Mixed, scan_blocks,
            [=] {
                scan(recalled, change, state_out, state_t, gamma, w, q_n, u, k_n, b_begin, b_end, s,
                    scan_blocks);
            }, {turn_vec1_done, decay_done, solve_done, normalise_vec3_done}, 2);
        const int32_t read_blocks = fewer(16, mixed);
        const Launch read_done = rt.launch(
            "read", Core::Mixed, read_blocks,
            [=] {
                read_kernel(y, q_n, k_n, gamma, place, recalled, change, b_begin, b_end, s, read_blocks);
            }, {normalise_vec3_done, decay_done, turn_vec6_done, scan_done}, 1);
        const int32_t out_vec1_blocks = fewer((b + 0) / 1, vector);
        rt.launch(
            "out_vec1", Core::Vector, out_vec1_blocks,
            [=] {
                out_vec1(o, y, b, s, out_vec1_blocks);
            }, {read_done});
        const int32_t out_vec2_blocks = fewer((b * 32 + 0) / 1, vector);
        rt.launch(
            "out_vec2", Core::Vector, out_vec2_blocks,
            [=] {
                out_vec2(state, state_out, b, out_vec2_blocks);
            }, {scan_done});
    };

    segment(0, b);
}
