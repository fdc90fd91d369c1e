// Orchestration of `sinkhorn` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void sinkhorn_vec1(
    __gm__ float *x_transposed,
    __gm__ float *x,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void sinkhorn_vec2(
    __gm__ float *y_00,
    __gm__ float *y_01,
    __gm__ float *y_02,
    __gm__ float *y_03,
    __gm__ float *y_10,
    __gm__ float *y_11,
    __gm__ float *y_12,
    __gm__ float *y_13,
    __gm__ float *y_20,
    __gm__ float *y_21,
    __gm__ float *y_22,
    __gm__ float *y_23,
    __gm__ float *y_30,
    __gm__ float *y_31,
    __gm__ float *y_32,
    __gm__ float *y_33,
    __gm__ float *x_transposed,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void sinkhorn_vec3(
    __gm__ float *y_planes,
    __gm__ float *y_00,
    __gm__ float *y_01,
    __gm__ float *y_02,
    __gm__ float *y_03,
    __gm__ float *y_10,
    __gm__ float *y_11,
    __gm__ float *y_12,
    __gm__ float *y_13,
    __gm__ float *y_20,
    __gm__ float *y_21,
    __gm__ float *y_22,
    __gm__ float *y_23,
    __gm__ float *y_30,
    __gm__ float *y_31,
    __gm__ float *y_32,
    __gm__ float *y_33,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void sinkhorn_vec4(
    __gm__ float *y,
    __gm__ float *y_planes,
    int32_t t,
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

extern "C" void sinkhorn_cpu(pto_rt::Runtime &rt, const sinkhorn_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ float *)args.x;
    auto *y = (__gm__ float *)args.y;
    // Values between kernels.
    auto *x_transposed = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 16 * sizeof(float)));
    auto *y_00 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_01 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_02 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_03 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_10 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_11 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_12 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_13 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_20 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_21 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_22 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_23 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_30 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_31 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_32 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_33 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *y_planes = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 16 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t sinkhorn_vec1_blocks = fewer((t + 63) / 64, vector);
        const Launch sinkhorn_vec1_done = rt.launch(
            "sinkhorn_vec1", Core::Vector, sinkhorn_vec1_blocks,
            [=] {
                sinkhorn_vec1(x_transposed, x, t, sinkhorn_vec1_blocks);
            }, {}, 3);
        const int32_t sinkhorn_vec2_blocks = fewer((t_end - t_begin + 4095) / 4096, vector);
        const Launch sinkhorn_vec2_done = rt.launch(
            "sinkhorn_vec2", Core::Vector, sinkhorn_vec2_blocks,
            [=] {
                sinkhorn_vec2(y_00, y_01, y_02, y_03, y_10, y_11, y_12, y_13, y_20, y_21, y_22, y_23, y_30,
                    y_31, y_32, y_33, x_transposed, t_begin, t_end, t, sinkhorn_vec2_blocks);
            }, {sinkhorn_vec1_done}, 2);
        const int32_t sinkhorn_vec3_blocks = fewer((t + 4095) / 4096, vector);
        const Launch sinkhorn_vec3_done = rt.launch(
            "sinkhorn_vec3", Core::Vector, sinkhorn_vec3_blocks,
            [=] {
                sinkhorn_vec3(y_planes, y_00, y_01, y_02, y_03, y_10, y_11, y_12, y_13, y_20, y_21, y_22, y_23,
                    y_30, y_31, y_32, y_33, t, sinkhorn_vec3_blocks);
            }, {sinkhorn_vec2_done}, 1);
        const int32_t sinkhorn_vec4_blocks = fewer((t + 63) / 64, vector);
        rt.launch(
            "sinkhorn_vec4", Core::Vector, sinkhorn_vec4_blocks,
            [=] {
                sinkhorn_vec4(y, y_planes, t, sinkhorn_vec4_blocks);
            }, {sinkhorn_vec3_done});
    };

    launch_range(0, t);
}
