// Orchestration of `linear_fp8_blocks` for a5. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void linear_to_out_cube(
    __gm__ float *part,
    __gm__ float8_e4m3_t *x,
    __gm__ float8_e4m3_t *w,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void linear_to_out_vec(
    __gm__ bfloat16_t *y,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    __gm__ float *part,
    int32_t t_begin,
    int32_t t_end,
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

extern "C" void linear_fp8_blocks_a5(pto_rt::Runtime &rt, const linear_fp8_blocks_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ float8_e4m3_t *)args.x;
    auto *x_scale = (__gm__ float *)args.x_scale;
    auto *w = (__gm__ float8_e4m3_t *)args.w;
    auto *w_scale = (__gm__ float *)args.w_scale;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *part = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 9984 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto segment = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t linear_to_out_cube_blocks = fewer(int64_t((t_end - t_begin + 255) / 256) * 6, cube);
        const Launch linear_to_out_cube_done = rt.launch(
            "linear_to_out_cube", Core::Cube, linear_to_out_cube_blocks,
            [=] {
                linear_to_out_cube(part, x, w, t_begin, t_end, t, linear_to_out_cube_blocks);
            }, {}, 1);
        const int32_t linear_to_out_vec_blocks = fewer(int64_t((t_end - t_begin + 63) / 64) * 6, vector);
        rt.launch(
            "linear_to_out_vec", Core::Vector, linear_to_out_vec_blocks,
            [=] {
                linear_to_out_vec(y, x_scale, w_scale, part, t_begin, t_end, t, linear_to_out_vec_blocks);
            }, {linear_to_out_cube_done});
    };

    segment(0, t);
}
