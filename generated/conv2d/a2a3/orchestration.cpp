// Orchestration of `conv2d` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void conv2d_vec1(
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *y_edge_2,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_vec2(
    __gm__ bfloat16_t *y_padded,
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *x,
    int32_t n,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_vec3(
    __gm__ bfloat16_t *y_padded_2,
    __gm__ bfloat16_t *y_edge_2,
    __gm__ bfloat16_t *y_padded,
    int32_t n,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_vec4(
    __gm__ bfloat16_t *y_windows,
    __gm__ bfloat16_t *y_padded_2,
    int32_t n,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_cube(
    __gm__ float *y_conv,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *y_windows,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_vec5(
    __gm__ bfloat16_t *y,
    __gm__ float *y_conv,
    __gm__ float *bias,
    int32_t n_begin,
    int32_t n_end,
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

extern "C" void conv2d_a2a3(pto_rt::Runtime &rt, const conv2d_args &args)
{
    const int32_t n = static_cast<int32_t>(args.n);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ bfloat16_t *)args.w;
    auto *bias = (__gm__ float *)args.bias;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *y_edge = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(n) * 3584 * sizeof(bfloat16_t)));
    auto *y_edge_2 = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(n) * 3712 * sizeof(bfloat16_t)));
    auto *y_padded = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(n) * 207872 * sizeof(bfloat16_t)));
    auto *y_padded_2 = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(n) * 215296 * sizeof(bfloat16_t)));
    auto *y_windows = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(n) * 451584 * sizeof(bfloat16_t)));
    auto *y_conv = static_cast<__gm__ float *>(rt.workspace(int64_t(n) * 100352 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of n; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t n_begin, int32_t n_end) {
        const int32_t conv2d_vec1_blocks = fewer(int64_t(n_end - n_begin) * 64, vector);
        const Launch conv2d_vec1_done = rt.launch(
            "conv2d_vec1", Core::Vector, conv2d_vec1_blocks,
            [=] {
                conv2d_vec1(y_edge, y_edge_2, n_begin, n_end, conv2d_vec1_blocks);
            }, {}, 5);
        const int32_t conv2d_vec2_blocks = fewer((n * 3584 + 383) / 384, vector);
        const Launch conv2d_vec2_done = rt.launch(
            "conv2d_vec2", Core::Vector, conv2d_vec2_blocks,
            [=] {
                conv2d_vec2(y_padded, y_edge, x, n, conv2d_vec2_blocks);
            }, {conv2d_vec1_done}, 4);
        const int32_t conv2d_vec3_blocks = fewer((n * 64 + 11) / 12, vector);
        const Launch conv2d_vec3_done = rt.launch(
            "conv2d_vec3", Core::Vector, conv2d_vec3_blocks,
            [=] {
                conv2d_vec3(y_padded_2, y_edge_2, y_padded, n, conv2d_vec3_blocks);
            }, {conv2d_vec1_done, conv2d_vec2_done}, 3);
        const int32_t conv2d_vec4_blocks = fewer(int64_t(n * 64) * 9, vector);
        const Launch conv2d_vec4_done = rt.launch(
            "conv2d_vec4", Core::Vector, conv2d_vec4_blocks,
            [=] {
                conv2d_vec4(y_windows, y_padded_2, n, conv2d_vec4_blocks);
            }, {conv2d_vec3_done}, 2);
        const int32_t conv2d_cube_blocks = fewer(int64_t(n_end - n_begin) * 7, cube);
        const Launch conv2d_cube_done = rt.launch(
            "conv2d_cube", Core::Cube, conv2d_cube_blocks,
            [=] {
                conv2d_cube(y_conv, w, y_windows, n_begin, n_end, conv2d_cube_blocks);
            }, {conv2d_vec4_done}, 1);
        const int32_t conv2d_vec5_blocks = fewer(int64_t(n_end - n_begin) * 8, vector);
        rt.launch(
            "conv2d_vec5", Core::Vector, conv2d_vec5_blocks,
            [=] {
                conv2d_vec5(y, y_conv, bias, n_begin, n_end, conv2d_vec5_blocks);
            }, {conv2d_cube_done});
    };

    launch_range(0, n);
}
