// Orchestration of `sinkhorn` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void sinkhorn_vec1(
    __gm__ float *first_r,
    __gm__ float *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void sinkhorn_vec2(
    __gm__ float *first_1,
    __gm__ float *first_r,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void sinkhorn_vec3(
    __gm__ float *second_r,
    __gm__ float *first_r,
    __gm__ float *first_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void sinkhorn_vec9(
    __gm__ float *y,
    __gm__ float *y_r,
    __gm__ float *y_1,
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

extern "C" void sinkhorn_a2a3(pto_rt::Runtime &rt, const sinkhorn_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ float *)args.x;
    auto *y = (__gm__ float *)args.y;
    // Values between kernels.
    auto *first_r = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 16 * sizeof(float)));
    auto *first_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 4 * sizeof(float)));
    auto *second_r = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 16 * sizeof(float)));
    auto *second_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 4 * sizeof(float)));
    auto *third_r = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 16 * sizeof(float)));
    auto *third_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 4 * sizeof(float)));
    auto *y_r = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 16 * sizeof(float)));
    auto *y_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 4 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t sinkhorn_vec1_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        const Launch sinkhorn_vec1_done = rt.launch(
            "sinkhorn_vec1", Core::Vector, sinkhorn_vec1_blocks,
            [=] {
                sinkhorn_vec1(first_r, x, t_begin, t_end, sinkhorn_vec1_blocks);
            }, {}, 8);
        const int32_t sinkhorn_vec2_blocks = fewer(t, vector);
        const Launch sinkhorn_vec2_done = rt.launch(
            "sinkhorn_vec2", Core::Vector, sinkhorn_vec2_blocks,
            [=] {
                sinkhorn_vec2(first_1, first_r, t, sinkhorn_vec2_blocks);
            }, {sinkhorn_vec1_done}, 7);
        const int32_t sinkhorn_vec3_blocks = fewer(t_end - t_begin, vector);
        const Launch sinkhorn_vec3_done = rt.launch(
            "sinkhorn_vec3", Core::Vector, sinkhorn_vec3_blocks,
            [=] {
                sinkhorn_vec3(second_r, first_r, first_1, t_begin, t_end, sinkhorn_vec3_blocks);
            }, {sinkhorn_vec1_done, sinkhorn_vec2_done}, 6);
        const int32_t sinkhorn_vec4_blocks = fewer(t, vector);
        const Launch sinkhorn_vec4_done = rt.launch(
            "sinkhorn_vec4", Core::Vector, sinkhorn_vec4_blocks,
            [=] {
                sinkhorn_vec2(second_1, second_r, t, sinkhorn_vec4_blocks);
            }, {sinkhorn_vec3_done}, 5);
        const int32_t sinkhorn_vec5_blocks = fewer(t_end - t_begin, vector);
        const Launch sinkhorn_vec5_done = rt.launch(
            "sinkhorn_vec5", Core::Vector, sinkhorn_vec5_blocks,
            [=] {
                sinkhorn_vec3(third_r, second_r, second_1, t_begin, t_end, sinkhorn_vec5_blocks);
            }, {sinkhorn_vec3_done, sinkhorn_vec4_done}, 4);
        const int32_t sinkhorn_vec6_blocks = fewer(t, vector);
        const Launch sinkhorn_vec6_done = rt.launch(
            "sinkhorn_vec6", Core::Vector, sinkhorn_vec6_blocks,
            [=] {
                sinkhorn_vec2(third_1, third_r, t, sinkhorn_vec6_blocks);
            }, {sinkhorn_vec5_done}, 3);
        const int32_t sinkhorn_vec7_blocks = fewer(t_end - t_begin, vector);
        const Launch sinkhorn_vec7_done = rt.launch(
            "sinkhorn_vec7", Core::Vector, sinkhorn_vec7_blocks,
            [=] {
                sinkhorn_vec3(y_r, third_r, third_1, t_begin, t_end, sinkhorn_vec7_blocks);
            }, {sinkhorn_vec5_done, sinkhorn_vec6_done}, 2);
        const int32_t sinkhorn_vec8_blocks = fewer(t, vector);
        const Launch sinkhorn_vec8_done = rt.launch(
            "sinkhorn_vec8", Core::Vector, sinkhorn_vec8_blocks,
            [=] {
                sinkhorn_vec2(y_1, y_r, t, sinkhorn_vec8_blocks);
            }, {sinkhorn_vec7_done}, 1);
        const int32_t sinkhorn_vec9_blocks = fewer(t_end - t_begin, vector);
        rt.launch(
            "sinkhorn_vec9", Core::Vector, sinkhorn_vec9_blocks,
            [=] {
                sinkhorn_vec9(y, y_r, y_1, t_begin, t_end, sinkhorn_vec9_blocks);
            }, {sinkhorn_vec7_done, sinkhorn_vec8_done});
    };

    launch_range(0, t);
}
