// Orchestration of `rope_interleaved` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void rope_interleaved_vec1(
    __gm__ float *y_x,
    __gm__ float *y_cos,
    __gm__ float *y_sin,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void rope_interleaved_vec2(
    __gm__ float *y_low,
    __gm__ float *y_high,
    __gm__ float *y_x,
    __gm__ float *y_cos,
    __gm__ float *y_sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void rope_interleaved_vec3(
    __gm__ float *y_roped,
    __gm__ float *y_low,
    __gm__ float *y_high,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void rope_interleaved_vec4(
    __gm__ bfloat16_t *y,
    __gm__ float *y_roped,
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

extern "C" void rope_interleaved_a2a3(pto_rt::Runtime &rt, const rope_interleaved_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *y_x = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1024 * sizeof(float)));
    auto *y_cos = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 64 * sizeof(float)));
    auto *y_sin = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 64 * sizeof(float)));
    auto *y_low = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    auto *y_high = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    auto *y_roped = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1024 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto segment = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t rope_interleaved_vec1_blocks = fewer((t_end - t_begin + 0) / 1, vector);
        const Launch rope_interleaved_vec1_done = rt.launch(
            "rope_interleaved_vec1", Core::Vector, rope_interleaved_vec1_blocks,
            [=] {
                rope_interleaved_vec1(y_x, y_cos, y_sin, x, cos, sin, t_begin, t_end,
                    rope_interleaved_vec1_blocks);
            }, {}, 3);
        const int32_t rope_interleaved_vec2_blocks = fewer((t_end - t_begin + 0) / 1, vector);
        const Launch rope_interleaved_vec2_done = rt.launch(
            "rope_interleaved_vec2", Core::Vector, rope_interleaved_vec2_blocks,
            [=] {
                rope_interleaved_vec2(y_low, y_high, y_x, y_cos, y_sin, t_begin, t_end,
                    rope_interleaved_vec2_blocks);
            }, {rope_interleaved_vec1_done}, 2);
        const int32_t rope_interleaved_vec3_blocks = fewer((t * 512 + 767) / 768, vector);
        const Launch rope_interleaved_vec3_done = rt.launch(
            "rope_interleaved_vec3", Core::Vector, rope_interleaved_vec3_blocks,
            [=] {
                rope_interleaved_vec3(y_roped, y_low, y_high, t, rope_interleaved_vec3_blocks);
            }, {rope_interleaved_vec2_done}, 1);
        const int32_t rope_interleaved_vec4_blocks = fewer((t_end - t_begin + 0) / 1, vector);
        rt.launch(
            "rope_interleaved_vec4", Core::Vector, rope_interleaved_vec4_blocks,
            [=] {
                rope_interleaved_vec4(y, y_roped, t_begin, t_end, rope_interleaved_vec4_blocks);
            }, {rope_interleaved_vec3_done});
    };

    segment(0, t);
}
