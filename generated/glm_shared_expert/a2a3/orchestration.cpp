// Orchestration of `glm_shared_expert` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void quantise_x(
    __gm__ int8_t *x_q,
    __gm__ float *x_scale,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void gate_up(
    __gm__ int32_t *gate_i,
    __gm__ int32_t *up_i,
    __gm__ int8_t *x_q,
    __gm__ int8_t *w_gate,
    __gm__ int8_t *w_up,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void activate(
    __gm__ float *a,
    __gm__ int32_t *gate_i,
    __gm__ float *x_scale,
    __gm__ float *w_gate_scale,
    __gm__ int32_t *up_i,
    __gm__ float *w_up_scale,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void quantise_a(
    __gm__ int8_t *a_q,
    __gm__ float *a_scale,
    __gm__ float *a,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void down(
    __gm__ int32_t *down_i,
    __gm__ int8_t *a_q,
    __gm__ int8_t *w_down,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void scale(
    __gm__ bfloat16_t *y,
    __gm__ int32_t *down_i,
    __gm__ float *a_scale,
    __gm__ float *w_down_scale,
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

extern "C" void glm_shared_expert_a2a3(pto_rt::Runtime &rt, const glm_shared_expert_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w_gate = (__gm__ int8_t *)args.w_gate;
    auto *w_up = (__gm__ int8_t *)args.w_up;
    auto *w_down = (__gm__ int8_t *)args.w_down;
    auto *w_gate_scale = (__gm__ float *)args.w_gate_scale;
    auto *w_up_scale = (__gm__ float *)args.w_up_scale;
    auto *w_down_scale = (__gm__ float *)args.w_down_scale;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *x_q = static_cast<__gm__ int8_t *>(rt.workspace(int64_t(t) * 5120 * sizeof(int8_t)));
    auto *x_scale = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *gate_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 1536 * sizeof(int32_t)));
    auto *up_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 1536 * sizeof(int32_t)));
    auto *a = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1536 * sizeof(float)));
    auto *a_q = static_cast<__gm__ int8_t *>(rt.workspace(int64_t(t) * 1536 * sizeof(int8_t)));
    auto *a_scale = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *down_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 5120 * sizeof(int32_t)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t quantise_x_blocks = fewer((t_end - t_begin + 1) / 2, vector);
        const Launch quantise_x_done = rt.launch(
            "quantise_x", Core::Vector, quantise_x_blocks,
            [=] {
                quantise_x(x_q, x_scale, x, t_begin, t_end, quantise_x_blocks);
            }, {}, 5);
        const int32_t gate_up_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 12, cube);
        const Launch gate_up_done = rt.launch(
            "gate_up", Core::Cube, gate_up_blocks,
            [=] {
                gate_up(gate_i, up_i, x_q, w_gate, w_up, t_begin, t_end, gate_up_blocks);
            }, {quantise_x_done}, 4);
        const int32_t activate_blocks = fewer((t_end - t_begin + 1) / 2, vector);
        const Launch activate_done = rt.launch(
            "activate", Core::Vector, activate_blocks,
            [=] {
                activate(a, gate_i, x_scale, w_gate_scale, up_i, w_up_scale, t_begin, t_end, activate_blocks);
            }, {gate_up_done, quantise_x_done}, 3);
        const int32_t quantise_a_blocks = fewer((t_end - t_begin + 3) / 4, vector);
        const Launch quantise_a_done = rt.launch(
            "quantise_a", Core::Vector, quantise_a_blocks,
            [=] {
                quantise_a(a_q, a_scale, a, t_begin, t_end, quantise_a_blocks);
            }, {activate_done}, 2);
        const int32_t down_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 40, cube);
        const Launch down_done = rt.launch(
            "down", Core::Cube, down_blocks,
            [=] {
                down(down_i, a_q, w_down, t_begin, t_end, down_blocks);
            }, {quantise_a_done}, 1);
        const int32_t scale_blocks = fewer((t_end - t_begin + 1) / 2, vector);
        rt.launch(
            "scale", Core::Vector, scale_blocks,
            [=] {
                scale(y, down_i, a_scale, w_down_scale, t_begin, t_end, scale_blocks);
            }, {down_done, quantise_a_done});
    };

    launch_range(0, t);
}
