// Orchestration of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

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
extern "C" __global__ AICORE void solve_cube1(
    __gm__ float *a_2,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec1(
    __gm__ float *d2,
    __gm__ float *d4_part,
    __gm__ float *d8_part,
    __gm__ float *d16_part,
    __gm__ float *d32_part,
    __gm__ float *a32,
    __gm__ float *w_1,
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ int32_t *number,
    __gm__ float *a_2,
    __gm__ float *beta_h,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube2(
    __gm__ float *d4_2,
    __gm__ float *d4_part,
    __gm__ float *d2,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec2(
    __gm__ float *d4_3,
    __gm__ float *d4_2,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube3(
    __gm__ float *d4_4,
    __gm__ float *d2,
    __gm__ float *d4_3,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec3(
    __gm__ float *d4,
    __gm__ float *d2,
    __gm__ float *d4_4,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube4(
    __gm__ float *d8_1,
    __gm__ float *d8_part,
    __gm__ float *d4,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec4(
    __gm__ float *d8_2,
    __gm__ float *d8_1,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube5(
    __gm__ float *d8_3,
    __gm__ float *d4,
    __gm__ float *d8_2,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec5(
    __gm__ float *d8,
    __gm__ float *d4,
    __gm__ float *d8_3,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube6(
    __gm__ float *d16_1,
    __gm__ float *d16_part,
    __gm__ float *d8,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec6(
    __gm__ float *d16_2,
    __gm__ float *d16_1,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube7(
    __gm__ float *d16_3,
    __gm__ float *d8,
    __gm__ float *d16_2,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec7(
    __gm__ float *d16,
    __gm__ float *d8,
    __gm__ float *d16_3,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube8(
    __gm__ float *d32_1,
    __gm__ float *d32_part,
    __gm__ float *d16,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec8(
    __gm__ float *d32_2,
    __gm__ float *d32_1,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube9(
    __gm__ float *d32_3,
    __gm__ float *d16,
    __gm__ float *d32_2,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec9(
    __gm__ float *d32,
    __gm__ float *d16,
    __gm__ float *d32_3,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube10(
    __gm__ float *d64_1,
    __gm__ float *a32,
    __gm__ float *d32,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec10(
    __gm__ float *d64_2,
    __gm__ float *d64_1,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube11(
    __gm__ float *d64_3,
    __gm__ float *d32,
    __gm__ float *d64_2,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_vec11(
    __gm__ bfloat16_t *u_1,
    __gm__ bfloat16_t *w_3,
    __gm__ float *d32,
    __gm__ float *d64_3,
    __gm__ float *beta_h,
    __gm__ float *w_1,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void solve_cube12(
    __gm__ float *u,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *u_1,
    __gm__ bfloat16_t *v_h,
    __gm__ bfloat16_t *w_3,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void scan_cube(
    __gm__ float *recalled,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *before_ring,
    __gm__ bfloat16_t *before_2_ring,
    __gm__ bfloat16_t *left_ring,
    __gm__ float *fresh_1_ring,
    __gm__ float *state_end_5_ring,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void scan_vec(
    __gm__ bfloat16_t *change,
    __gm__ float *state_out,
    __gm__ float *state_t,
    __gm__ float *gamma,
    __gm__ float *u,
    __gm__ bfloat16_t *before_ring,
    __gm__ bfloat16_t *before_2_ring,
    __gm__ bfloat16_t *left_ring,
    __gm__ float *fresh_1_ring,
    __gm__ float *state_end_5_ring,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void read_cube1(
    __gm__ float *p_4,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void read_vec1(
    __gm__ bfloat16_t *p,
    __gm__ float *old,
    __gm__ float *gamma,
    __gm__ float *place,
    __gm__ float *p_4,
    __gm__ float *recalled,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void read_cube2(
    __gm__ float *y_1,
    __gm__ bfloat16_t *p,
    __gm__ bfloat16_t *change,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void read_vec2(
    __gm__ bfloat16_t *y,
    __gm__ float *old,
    __gm__ float *y_1,
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

extern "C" void gated_delta_rule_a2a3(pto_rt::Runtime &rt, const gated_delta_rule_args &args)
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
    auto *a_2 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 1024 * sizeof(float)));
    auto *d2 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d4_part = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d8_part = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d16_part = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d32_part = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *a32 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *w_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *d4_2 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d4_3 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d4_4 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d4 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d8_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d8_2 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d8_3 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d8 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d16_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d16_2 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d16_3 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d16 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d32_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d32_2 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d32_3 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d32 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d64_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d64_2 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *d64_3 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *u_1 = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *w_3 = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *u = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *w = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *change = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *recalled = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *state_out = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 524288 * sizeof(float)));
    auto *p_4 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 1024 * sizeof(float)));
    auto *p = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *old = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *y_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *y = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of b; each starts when those it names have finished. Last: its priority.
    const auto segment = [=, &rt](int32_t b_begin, int32_t b_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t normalise_vec1_blocks = fewer((b + 0) / 1, vector);
        const Launch normalise_vec1_done = rt.launch(
            "normalise_vec1", Core::Vector, normalise_vec1_blocks,
            [=] {
                normalise_vec1(q_n_1, q, b, s, normalise_vec1_blocks);
            }, {}, 30);
        const int32_t normalise_vec2_blocks = fewer((b + 0) / 1, vector);
        const Launch normalise_vec2_done = rt.launch(
            "normalise_vec2", Core::Vector, normalise_vec2_blocks,
            [=] {
                normalise_vec2(k_n_1, k, b, s, normalise_vec2_blocks);
            }, {}, 30);
        const int32_t normalise_vec3_blocks = fewer(16, vector);
        const Launch normalise_vec3_done = rt.launch(
            "normalise_vec3", Core::Vector, normalise_vec3_blocks,
            [=] {
                normalise_vec3(q_n, k_n, q_n_1, k_n_1, eps, b_begin, b_end, s, normalise_vec3_blocks);
            }, {normalise_vec1_done, normalise_vec2_done}, 27);
        const int32_t turn_vec1_blocks = fewer(16, vector);
        const Launch turn_vec1_done = rt.launch(
            "turn_vec1", Core::Vector, turn_vec1_blocks,
            [=] {
                turn_vec1(state_t, state, b_begin, b_end, turn_vec1_blocks);
            }, {}, 5);
        const int32_t turn_vec2_blocks = fewer((b + 0) / 1, vector);
        const Launch turn_vec2_done = rt.launch(
            "turn_vec2", Core::Vector, turn_vec2_blocks,
            [=] {
                turn_vec2(v_h, v, b, s, turn_vec2_blocks);
            }, {}, 31);
        const int32_t turn_vec3_blocks = fewer((b + 0) / 1, vector);
        const Launch turn_vec3_done = rt.launch(
            "turn_vec3", Core::Vector, turn_vec3_blocks,
            [=] {
                turn_vec3(g_h, g, b, s, turn_vec3_blocks);
            }, {}, 29);
        const int32_t turn_vec4_blocks = fewer((b + 0) / 1, vector);
        const Launch turn_vec4_done = rt.launch(
            "turn_vec4", Core::Vector, turn_vec4_blocks,
            [=] {
                turn_vec4(beta_h, beta, b, s, turn_vec4_blocks);
            }, {}, 28);
        const int32_t turn_vec5_blocks = fewer((s + 6143) / 6144, vector);
        const Launch turn_vec5_done = rt.launch(
            "turn_vec5", Core::Vector, turn_vec5_blocks,
            [=] {
                turn_vec5(number, s, turn_vec5_blocks);
            }, {}, 26);
        const int32_t turn_vec6_blocks = fewer((s + 63) / 64, vector);
        const Launch turn_vec6_done = rt.launch(
            "turn_vec6", Core::Vector, turn_vec6_blocks,
            [=] {
                turn_vec6(place, number, s, turn_vec6_blocks);
            }, {turn_vec5_done}, 26);
        const int32_t decay_blocks = fewer(16, vector);
        const Launch decay_done = rt.launch(
            "decay", Core::Vector, decay_blocks,
            [=] {
                decay(gamma, place, g_h, b_begin, b_end, s, decay_blocks);
            }, {turn_vec6_done, turn_vec3_done}, 25);
        const int32_t solve_cube1_blocks = fewer(16, cube);
        const Launch solve_cube1_done = rt.launch(
            "solve_cube1", Core::Cube, solve_cube1_blocks,
            [=] {
                solve_cube1(a_2, k_n, b_begin, b_end, s, solve_cube1_blocks);
            }, {normalise_vec3_done}, 24);
        const int32_t solve_vec1_blocks = fewer(16, vector);
        const Launch solve_vec1_done = rt.launch(
            "solve_vec1", Core::Vector, solve_vec1_blocks,
            [=] {
                solve_vec1(d2, d4_part, d8_part, d16_part, d32_part, a32, w_1, gamma, place, number, a_2,
                    beta_h, b_begin, b_end, s, solve_vec1_blocks);
            }, {decay_done, turn_vec6_done, turn_vec5_done, solve_cube1_done, turn_vec4_done}, 23);
        const int32_t solve_cube2_blocks = fewer(16, cube);
        const Launch solve_cube2_done = rt.launch(
            "solve_cube2", Core::Cube, solve_cube2_blocks,
            [=] {
                solve_cube2(d4_2, d4_part, d2, b_begin, b_end, s, solve_cube2_blocks);
            }, {solve_vec1_done}, 22);
        const int32_t solve_vec2_blocks = fewer(16, vector);
        const Launch solve_vec2_done = rt.launch(
            "solve_vec2", Core::Vector, solve_vec2_blocks,
            [=] {
                solve_vec2(d4_3, d4_2, b_begin, b_end, s, solve_vec2_blocks);
            }, {solve_cube2_done}, 22);
        const int32_t solve_cube3_blocks = fewer(16, cube);
        const Launch solve_cube3_done = rt.launch(
            "solve_cube3", Core::Cube, solve_cube3_blocks,
            [=] {
                solve_cube3(d4_4, d2, d4_3, b_begin, b_end, s, solve_cube3_blocks);
            }, {solve_vec1_done, solve_vec2_done}, 21);
        const int32_t solve_vec3_blocks = fewer(16, vector);
        const Launch solve_vec3_done = rt.launch(
            "solve_vec3", Core::Vector, solve_vec3_blocks,
            [=] {
                solve_vec3(d4, d2, d4_4, b_begin, b_end, s, solve_vec3_blocks);
            }, {solve_vec1_done, solve_cube3_done}, 20);
        const int32_t solve_cube4_blocks = fewer(16, cube);
        const Launch solve_cube4_done = rt.launch(
            "solve_cube4", Core::Cube, solve_cube4_blocks,
            [=] {
                solve_cube4(d8_1, d8_part, d4, b_begin, b_end, s, solve_cube4_blocks);
            }, {solve_vec1_done, solve_vec3_done}, 19);
        const int32_t solve_vec4_blocks = fewer(16, vector);
        const Launch solve_vec4_done = rt.launch(
            "solve_vec4", Core::Vector, solve_vec4_blocks,
            [=] {
                solve_vec4(d8_2, d8_1, b_begin, b_end, s, solve_vec4_blocks);
            }, {solve_cube4_done}, 18);
        const int32_t solve_cube5_blocks = fewer(16, cube);
        const Launch solve_cube5_done = rt.launch(
            "solve_cube5", Core::Cube, solve_cube5_blocks,
            [=] {
                solve_cube5(d8_3, d4, d8_2, b_begin, b_end, s, solve_cube5_blocks);
            }, {solve_vec3_done, solve_vec4_done}, 17);
        const int32_t solve_vec5_blocks = fewer(16, vector);
        const Launch solve_vec5_done = rt.launch(
            "solve_vec5", Core::Vector, solve_vec5_blocks,
            [=] {
                solve_vec5(d8, d4, d8_3, b_begin, b_end, s, solve_vec5_blocks);
            }, {solve_vec3_done, solve_cube5_done}, 17);
        const int32_t solve_cube6_blocks = fewer(16, cube);
        const Launch solve_cube6_done = rt.launch(
            "solve_cube6", Core::Cube, solve_cube6_blocks,
            [=] {
                solve_cube6(d16_1, d16_part, d8, b_begin, b_end, s, solve_cube6_blocks);
            }, {solve_vec1_done, solve_vec5_done}, 16);
        const int32_t solve_vec6_blocks = fewer(16, vector);
        const Launch solve_vec6_done = rt.launch(
            "solve_vec6", Core::Vector, solve_vec6_blocks,
            [=] {
                solve_vec6(d16_2, d16_1, b_begin, b_end, s, solve_vec6_blocks);
            }, {solve_cube6_done}, 15);
        const int32_t solve_cube7_blocks = fewer(16, cube);
        const Launch solve_cube7_done = rt.launch(
            "solve_cube7", Core::Cube, solve_cube7_blocks,
            [=] {
                solve_cube7(d16_3, d8, d16_2, b_begin, b_end, s, solve_cube7_blocks);
            }, {solve_vec5_done, solve_vec6_done}, 14);
        const int32_t solve_vec7_blocks = fewer(16, vector);
        const Launch solve_vec7_done = rt.launch(
            "solve_vec7", Core::Vector, solve_vec7_blocks,
            [=] {
                solve_vec7(d16, d8, d16_3, b_begin, b_end, s, solve_vec7_blocks);
            }, {solve_vec5_done, solve_cube7_done}, 13);
        const int32_t solve_cube8_blocks = fewer(16, cube);
        const Launch solve_cube8_done = rt.launch(
            "solve_cube8", Core::Cube, solve_cube8_blocks,
            [=] {
                solve_cube8(d32_1, d32_part, d16, b_begin, b_end, s, solve_cube8_blocks);
            }, {solve_vec1_done, solve_vec7_done}, 13);
        const int32_t solve_vec8_blocks = fewer(16, vector);
        const Launch solve_vec8_done = rt.launch(
            "solve_vec8", Core::Vector, solve_vec8_blocks,
            [=] {
                solve_vec8(d32_2, d32_1, b_begin, b_end, s, solve_vec8_blocks);
            }, {solve_cube8_done}, 12);
        const int32_t solve_cube9_blocks = fewer(16, cube);
        const Launch solve_cube9_done = rt.launch(
            "solve_cube9", Core::Cube, solve_cube9_blocks,
            [=] {
                solve_cube9(d32_3, d16, d32_2, b_begin, b_end, s, solve_cube9_blocks);
            }, {solve_vec7_done, solve_vec8_done}, 11);
        const int32_t solve_vec9_blocks = fewer(16, vector);
        const Launch solve_vec9_done = rt.launch(
            "solve_vec9", Core::Vector, solve_vec9_blocks,
            [=] {
                solve_vec9(d32, d16, d32_3, b_begin, b_end, s, solve_vec9_blocks);
            }, {solve_vec7_done, solve_cube9_done}, 10);
        const int32_t solve_cube10_blocks = fewer(16, cube);
        const Launch solve_cube10_done = rt.launch(
            "solve_cube10", Core::Cube, solve_cube10_blocks,
            [=] {
                solve_cube10(d64_1, a32, d32, b_begin, b_end, s, solve_cube10_blocks);
            }, {solve_vec1_done, solve_vec9_done}, 9);
        const int32_t solve_vec10_blocks = fewer(16, vector);
        const Launch solve_vec10_done = rt.launch(
            "solve_vec10", Core::Vector, solve_vec10_blocks,
            [=] {
                solve_vec10(d64_2, d64_1, b_begin, b_end, s, solve_vec10_blocks);
            }, {solve_cube10_done}, 8);
        const int32_t solve_cube11_blocks = fewer(16, cube);
        const Launch solve_cube11_done = rt.launch(
            "solve_cube11", Core::Cube, solve_cube11_blocks,
            [=] {
                solve_cube11(d64_3, d32, d64_2, b_begin, b_end, s, solve_cube11_blocks);
            }, {solve_vec9_done, solve_vec10_done}, 8);
        const int32_t solve_vec11_blocks = fewer(16, vector);
        const Launch solve_vec11_done = rt.launch(
            "solve_vec11", Core::Vector, solve_vec11_blocks,
            [=] {
                solve_vec11(u_1, w_3, d32, d64_3, beta_h, w_1, b_begin, b_end, s, solve_vec11_blocks);
            }, {solve_vec9_done, solve_cube11_done, turn_vec4_done, solve_vec1_done}, 7);
        const int32_t solve_cube12_blocks = fewer(16, cube);
        const Launch solve_cube12_done = rt.launch(
            "solve_cube12", Core::Cube, solve_cube12_blocks,
            [=] {
                solve_cube12(u, w, u_1, v_h, w_3, k_n, b_begin, b_end, s, solve_cube12_blocks);
            }, {solve_vec11_done, turn_vec2_done, normalise_vec3_done}, 6);
        const int32_t scan_blocks = fewer(16, mixed);
        auto *before_ring = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(scan_blocks) * 32768 * sizeof(bfloat16_t)));
        auto *before_2_ring = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(scan_blocks) * 32768 * sizeof(bfloat16_t)));
        auto *left_ring = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(scan_blocks) * 16384 * sizeof(bfloat16_t)));
        auto *fresh_1_ring = static_cast<__gm__ float *>(rt.workspace(int64_t(scan_blocks) * 16384 * sizeof(float)));
        auto *state_end_5_ring = static_cast<__gm__ float *>(rt.workspace(int64_t(scan_blocks) * 32768 * sizeof(float)));
        const Launch scan_done = rt.launch(
            "scan", Core::Mixed, scan_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they meet in the rings.
                pto_rt::side_by_side<2>(
                    [=] { scan_cube(recalled, w, q_n, k_n, before_ring, before_2_ring, left_ring, fresh_1_ring,
                    state_end_5_ring, b_begin, b_end, s, scan_blocks); },
                    [=] { scan_vec(change, state_out, state_t, gamma, u, before_ring, before_2_ring, left_ring,
                    fresh_1_ring, state_end_5_ring, b_begin, b_end, s, scan_blocks); });
            }, {solve_cube12_done, normalise_vec3_done, turn_vec1_done, decay_done}, 4);
        const int32_t read_cube1_blocks = fewer(16, cube);
        const Launch read_cube1_done = rt.launch(
            "read_cube1", Core::Cube, read_cube1_blocks,
            [=] {
                read_cube1(p_4, q_n, k_n, b_begin, b_end, s, read_cube1_blocks);
            }, {normalise_vec3_done}, 4);
        const int32_t read_vec1_blocks = fewer(16, vector);
        const Launch read_vec1_done = rt.launch(
            "read_vec1", Core::Vector, read_vec1_blocks,
            [=] {
                read_vec1(p, old, gamma, place, p_4, recalled, b_begin, b_end, s, read_vec1_blocks);
            }, {decay_done, turn_vec6_done, read_cube1_done, scan_done}, 3);
        const int32_t read_cube2_blocks = fewer(16, cube);
        const Launch read_cube2_done = rt.launch(
            "read_cube2", Core::Cube, read_cube2_blocks,
            [=] {
                read_cube2(y_1, p, change, b_begin, b_end, s, read_cube2_blocks);
            }, {read_vec1_done, scan_done}, 2);
        const int32_t read_vec2_blocks = fewer(16, vector);
        const Launch read_vec2_done = rt.launch(
            "read_vec2", Core::Vector, read_vec2_blocks,
            [=] {
                read_vec2(y, old, y_1, b_begin, b_end, s, read_vec2_blocks);
            }, {read_vec1_done, read_cube2_done}, 1);
        const int32_t out_vec1_blocks = fewer((b + 0) / 1, vector);
        rt.launch(
            "out_vec1", Core::Vector, out_vec1_blocks,
            [=] {
                out_vec1(o, y, b, s, out_vec1_blocks);
            }, {read_vec2_done});
        const int32_t out_vec2_blocks = fewer((b * 32 + 0) / 1, vector);
        rt.launch(
            "out_vec2", Core::Vector, out_vec2_blocks,
            [=] {
                out_vec2(state, state_out, b, out_vec2_blocks);
            }, {scan_done});
    };

    segment(0, b);
}
