// Orchestration of `gated_delta_rule` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

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
extern "C" __global__ AICORE void rule_cube1(
    __gm__ float *o_kk,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec4(
    __gm__ float *o_inverse_2,
    __gm__ float *o_joint_4,
    __gm__ float *o_joint_8,
    __gm__ float *o_joint_16,
    __gm__ float *o_joint_32,
    __gm__ float *o_rest_32,
    __gm__ float *o_left,
    __gm__ float *o_gamma_block,
    __gm__ float *o_kk,
    __gm__ float *o_beta,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_cube2(
    __gm__ float *o_joined_4,
    __gm__ float *o_joint_4,
    __gm__ float *o_inverse_2,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec5(
    __gm__ float *o_inverse_4,
    __gm__ float *o_inverse_2,
    __gm__ float *o_corner_4,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec9(
    __gm__ bfloat16_t *o_change_low,
    __gm__ bfloat16_t *o_less_low,
    __gm__ float *o_inverse_32,
    __gm__ float *o_corner_64,
    __gm__ float *o_beta,
    __gm__ float *o_left,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_cube12(
    __gm__ float *o_u_block,
    __gm__ float *o_w_wide,
    __gm__ bfloat16_t *o_change_low,
    __gm__ bfloat16_t *v,
    __gm__ bfloat16_t *o_less_low,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec10(
    __gm__ bfloat16_t *o_w_block,
    __gm__ float *o_w_wide,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_mixed_cube(
    __gm__ uint64_t *ffts,
    __gm__ float *o_recalled_block,
    __gm__ bfloat16_t *o_w_block,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    __gm__ bfloat16_t *o_state_low_fifo,
    __gm__ bfloat16_t *o_state_low_2_fifo,
    __gm__ bfloat16_t *o_lasting_low_fifo,
    __gm__ float *o_added_fifo,
    __gm__ float *o_known_fifo,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_mixed_vec(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *o_change_block,
    __gm__ float *state_end,
    __gm__ float *state_t,
    __gm__ float *o_g,
    __gm__ float *o_gamma_block,
    __gm__ float *o_u_block,
    __gm__ bfloat16_t *o_state_low_fifo,
    __gm__ bfloat16_t *o_state_low_2_fifo,
    __gm__ bfloat16_t *o_lasting_low_fifo,
    __gm__ float *o_added_fifo,
    __gm__ float *o_known_fifo,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_cube13(
    __gm__ float *o_qk,
    __gm__ bfloat16_t *q_n,
    __gm__ bfloat16_t *k_n,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec11(
    __gm__ bfloat16_t *o_p_low,
    __gm__ float *o_old,
    __gm__ float *o_gamma_block,
    __gm__ float *o_qk,
    __gm__ float *o_recalled_block,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_cube14(
    __gm__ float *o_new,
    __gm__ bfloat16_t *o_p_low,
    __gm__ bfloat16_t *o_change_block,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec12(
    __gm__ bfloat16_t *o_read_block,
    __gm__ float *o_old,
    __gm__ float *o_new,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void rule_vec13(
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
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    // Values between kernels.
    auto *q_n = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *k_n = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *state_t = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 524288 * sizeof(float)));
    auto *o_g = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *o_beta = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *o_gamma_block = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *o_kk = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 1024 * sizeof(float)));
    auto *o_inverse_2 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_joint_4 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_joint_8 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_joint_16 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_joint_32 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_rest_32 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_left = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 32 * sizeof(float)));
    auto *o_joined_4 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_corner_4 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_inverse_4 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_joined_8 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_corner_8 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_inverse_8 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_joined_16 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_corner_16 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_inverse_16 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_joined_32 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_corner_32 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_inverse_32 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_joined_64 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_corner_64 = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(float)));
    auto *o_change_low = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *o_less_low = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *o_u_block = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *o_w_wide = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *o_w_block = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *o_change_block = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    auto *o_recalled_block = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *state_end = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * 524288 * sizeof(float)));
    auto *o_qk = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 1024 * sizeof(float)));
    auto *o_p_low = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 2048 * sizeof(bfloat16_t)));
    auto *o_old = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *o_new = static_cast<__gm__ float *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(float)));
    auto *o_read_block = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(b) * s * 4096 * sizeof(bfloat16_t)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of b; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t b_begin, int32_t b_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t normalise_blocks = fewer(int64_t(b_end - b_begin) * s, vector);
        const Launch normalise_done = rt.launch(
            "normalise", Core::Vector, normalise_blocks,
            [=] {
                normalise(q_n, k_n, q, k, eps, b_begin, b_end, s, normalise_blocks);
            }, {}, 28);
        const int32_t turn_blocks = fewer(int64_t(b_end - b_begin) * 64, vector);
        const Launch turn_done = rt.launch(
            "turn", Core::Vector, turn_blocks,
            [=] {
                turn(state_t, state, b_begin, b_end, turn_blocks);
            }, {}, 7);
        const int32_t rule_vec1_blocks = fewer(int64_t(b) * ((s + 255) / 256), vector);
        const Launch rule_vec1_done = rt.launch(
            "rule_vec1", Core::Vector, rule_vec1_blocks,
            [=] {
                rule_vec1(o_g, g, b, s, rule_vec1_blocks);
            }, {}, 30);
        const int32_t rule_vec2_blocks = fewer(int64_t(b) * ((s + 255) / 256), vector);
        const Launch rule_vec2_done = rt.launch(
            "rule_vec2", Core::Vector, rule_vec2_blocks,
            [=] {
                rule_vec1(o_beta, beta, b, s, rule_vec2_blocks);
            }, {}, 29);
        const int32_t rule_vec3_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec3_done = rt.launch(
            "rule_vec3", Core::Vector, rule_vec3_blocks,
            [=] {
                rule_vec3(o_gamma_block, o_g, b_begin, b_end, s, rule_vec3_blocks);
            }, {rule_vec1_done}, 27);
        const int32_t rule_cube1_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 16, cube);
        const Launch rule_cube1_done = rt.launch(
            "rule_cube1", Core::Cube, rule_cube1_blocks,
            [=] {
                rule_cube1(o_kk, k_n, b_begin, b_end, s, rule_cube1_blocks);
            }, {normalise_done}, 26);
        const int32_t rule_vec4_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec4_done = rt.launch(
            "rule_vec4", Core::Vector, rule_vec4_blocks,
            [=] {
                rule_vec4(o_inverse_2, o_joint_4, o_joint_8, o_joint_16, o_joint_32, o_rest_32, o_left,
                    o_gamma_block, o_kk, o_beta, b_begin, b_end, s, rule_vec4_blocks);
            }, {rule_vec3_done, rule_cube1_done, rule_vec2_done}, 25);
        const int32_t rule_cube2_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube2_done = rt.launch(
            "rule_cube2", Core::Cube, rule_cube2_blocks,
            [=] {
                rule_cube2(o_joined_4, o_joint_4, o_inverse_2, b_begin, b_end, s, rule_cube2_blocks);
            }, {rule_vec4_done}, 24);
        const int32_t rule_cube3_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube3_done = rt.launch(
            "rule_cube3", Core::Cube, rule_cube3_blocks,
            [=] {
                rule_cube2(o_corner_4, o_inverse_2, o_joined_4, b_begin, b_end, s, rule_cube3_blocks);
            }, {rule_vec4_done, rule_cube2_done}, 23);
        const int32_t rule_vec5_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec5_done = rt.launch(
            "rule_vec5", Core::Vector, rule_vec5_blocks,
            [=] {
                rule_vec5(o_inverse_4, o_inverse_2, o_corner_4, b_begin, b_end, s, rule_vec5_blocks);
            }, {rule_vec4_done, rule_cube3_done}, 22);
        const int32_t rule_cube4_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube4_done = rt.launch(
            "rule_cube4", Core::Cube, rule_cube4_blocks,
            [=] {
                rule_cube2(o_joined_8, o_joint_8, o_inverse_4, b_begin, b_end, s, rule_cube4_blocks);
            }, {rule_vec4_done, rule_vec5_done}, 21);
        const int32_t rule_cube5_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube5_done = rt.launch(
            "rule_cube5", Core::Cube, rule_cube5_blocks,
            [=] {
                rule_cube2(o_corner_8, o_inverse_4, o_joined_8, b_begin, b_end, s, rule_cube5_blocks);
            }, {rule_vec5_done, rule_cube4_done}, 20);
        const int32_t rule_vec6_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec6_done = rt.launch(
            "rule_vec6", Core::Vector, rule_vec6_blocks,
            [=] {
                rule_vec5(o_inverse_8, o_inverse_4, o_corner_8, b_begin, b_end, s, rule_vec6_blocks);
            }, {rule_vec5_done, rule_cube5_done}, 19);
        const int32_t rule_cube6_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube6_done = rt.launch(
            "rule_cube6", Core::Cube, rule_cube6_blocks,
            [=] {
                rule_cube2(o_joined_16, o_joint_16, o_inverse_8, b_begin, b_end, s, rule_cube6_blocks);
            }, {rule_vec4_done, rule_vec6_done}, 18);
        const int32_t rule_cube7_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube7_done = rt.launch(
            "rule_cube7", Core::Cube, rule_cube7_blocks,
            [=] {
                rule_cube2(o_corner_16, o_inverse_8, o_joined_16, b_begin, b_end, s, rule_cube7_blocks);
            }, {rule_vec6_done, rule_cube6_done}, 17);
        const int32_t rule_vec7_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec7_done = rt.launch(
            "rule_vec7", Core::Vector, rule_vec7_blocks,
            [=] {
                rule_vec5(o_inverse_16, o_inverse_8, o_corner_16, b_begin, b_end, s, rule_vec7_blocks);
            }, {rule_vec6_done, rule_cube7_done}, 16);
        const int32_t rule_cube8_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube8_done = rt.launch(
            "rule_cube8", Core::Cube, rule_cube8_blocks,
            [=] {
                rule_cube2(o_joined_32, o_joint_32, o_inverse_16, b_begin, b_end, s, rule_cube8_blocks);
            }, {rule_vec4_done, rule_vec7_done}, 15);
        const int32_t rule_cube9_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube9_done = rt.launch(
            "rule_cube9", Core::Cube, rule_cube9_blocks,
            [=] {
                rule_cube2(o_corner_32, o_inverse_16, o_joined_32, b_begin, b_end, s, rule_cube9_blocks);
            }, {rule_vec7_done, rule_cube8_done}, 14);
        const int32_t rule_vec8_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec8_done = rt.launch(
            "rule_vec8", Core::Vector, rule_vec8_blocks,
            [=] {
                rule_vec5(o_inverse_32, o_inverse_16, o_corner_32, b_begin, b_end, s, rule_vec8_blocks);
            }, {rule_vec7_done, rule_cube9_done}, 13);
        const int32_t rule_cube10_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube10_done = rt.launch(
            "rule_cube10", Core::Cube, rule_cube10_blocks,
            [=] {
                rule_cube2(o_joined_64, o_rest_32, o_inverse_32, b_begin, b_end, s, rule_cube10_blocks);
            }, {rule_vec4_done, rule_vec8_done}, 12);
        const int32_t rule_cube11_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube11_done = rt.launch(
            "rule_cube11", Core::Cube, rule_cube11_blocks,
            [=] {
                rule_cube2(o_corner_64, o_inverse_32, o_joined_64, b_begin, b_end, s, rule_cube11_blocks);
            }, {rule_vec8_done, rule_cube10_done}, 11);
        const int32_t rule_vec9_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec9_done = rt.launch(
            "rule_vec9", Core::Vector, rule_vec9_blocks,
            [=] {
                rule_vec9(o_change_low, o_less_low, o_inverse_32, o_corner_64, o_beta, o_left, b_begin, b_end,
                    s, rule_vec9_blocks);
            }, {rule_vec8_done, rule_cube11_done, rule_vec2_done, rule_vec4_done}, 10);
        const int32_t rule_cube12_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube12_done = rt.launch(
            "rule_cube12", Core::Cube, rule_cube12_blocks,
            [=] {
                rule_cube12(o_u_block, o_w_wide, o_change_low, v, o_less_low, k_n, b_begin, b_end, s,
                    rule_cube12_blocks);
            }, {rule_vec9_done, normalise_done}, 9);
        const int32_t rule_vec10_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec10_done = rt.launch(
            "rule_vec10", Core::Vector, rule_vec10_blocks,
            [=] {
                rule_vec10(o_w_block, o_w_wide, b_begin, b_end, s, rule_vec10_blocks);
            }, {rule_cube12_done}, 8);
        const int32_t rule_mixed_blocks = fewer(int64_t(b_end - b_begin) * 32, mixed);
        auto *o_state_low_fifo = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(rule_mixed_blocks) * 65536 * sizeof(bfloat16_t)));
        auto *o_state_low_2_fifo = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(rule_mixed_blocks) * 65536 * sizeof(bfloat16_t)));
        auto *o_lasting_low_fifo = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(rule_mixed_blocks) * 32768 * sizeof(bfloat16_t)));
        auto *o_added_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(rule_mixed_blocks) * 65536 * sizeof(float)));
        auto *o_known_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(rule_mixed_blocks) * 32768 * sizeof(float)));
        const Launch rule_mixed_done = rt.launch(
            "rule_mixed", Core::Mixed, rule_mixed_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { rule_mixed_cube(ffts, o_recalled_block, o_w_block, q_n, k_n, o_state_low_fifo,
                    o_state_low_2_fifo, o_lasting_low_fifo, o_added_fifo, o_known_fifo, b_begin,
                    b_end, s, rule_mixed_blocks); },
                    [=] { rule_mixed_vec(ffts, o_change_block, state_end, state_t, o_g, o_gamma_block, o_u_block,
                    o_state_low_fifo, o_state_low_2_fifo, o_lasting_low_fifo, o_added_fifo,
                    o_known_fifo, b_begin, b_end, s, rule_mixed_blocks); });
            }, {rule_vec10_done, normalise_done, turn_done, rule_vec1_done, rule_vec3_done, rule_cube12_done}, 6);
        const int32_t rule_cube13_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 16, cube);
        const Launch rule_cube13_done = rt.launch(
            "rule_cube13", Core::Cube, rule_cube13_blocks,
            [=] {
                rule_cube13(o_qk, q_n, k_n, b_begin, b_end, s, rule_cube13_blocks);
            }, {normalise_done}, 5);
        const int32_t rule_vec11_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec11_done = rt.launch(
            "rule_vec11", Core::Vector, rule_vec11_blocks,
            [=] {
                rule_vec11(o_p_low, o_old, o_gamma_block, o_qk, o_recalled_block, b_begin, b_end, s,
                    rule_vec11_blocks);
            }, {rule_vec3_done, rule_cube13_done, rule_mixed_done}, 4);
        const int32_t rule_cube14_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, cube);
        const Launch rule_cube14_done = rt.launch(
            "rule_cube14", Core::Cube, rule_cube14_blocks,
            [=] {
                rule_cube14(o_new, o_p_low, o_change_block, b_begin, b_end, s, rule_cube14_blocks);
            }, {rule_vec11_done, rule_mixed_done}, 3);
        const int32_t rule_vec12_blocks = fewer(int64_t(b_end - b_begin) * ((s + 63) / 64) * 32, vector);
        const Launch rule_vec12_done = rt.launch(
            "rule_vec12", Core::Vector, rule_vec12_blocks,
            [=] {
                rule_vec12(o_read_block, o_old, o_new, b_begin, b_end, s, rule_vec12_blocks);
            }, {rule_vec11_done, rule_cube14_done}, 2);
        const int32_t rule_vec13_blocks = fewer(int64_t(b) * s, vector);
        rt.launch(
            "rule_vec13", Core::Vector, rule_vec13_blocks,
            [=] {
                rule_vec13(o, o_read_block, b, s, rule_vec13_blocks);
            }, {rule_vec12_done}, 1);
        const int32_t out_blocks = fewer(int64_t(b * 32) * 2, vector);
        rt.launch(
            "out", Core::Vector, out_blocks,
            [=] {
                out(state, state_end, b, out_blocks);
            }, {rule_mixed_done});
    };

    launch_range(0, b);
}
