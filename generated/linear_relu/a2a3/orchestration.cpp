// Orchestration of `linear_relu` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void product(
    __gm__ float *p,
    __gm__ half *x,
    __gm__ half *w,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void activation(
    __gm__ half *y,
    __gm__ float *p,
    __gm__ float *bias,
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

extern "C" void linear_relu_a2a3(pto_rt::Runtime &rt, const linear_relu_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ half *)args.x;
    auto *w = (__gm__ half *)args.w;
    auto *bias = (__gm__ float *)args.bias;
    auto *y = (__gm__ half *)args.y;
    // Values between kernels.
    auto *p = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1024 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t product_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 8, cube);
        const Launch product_done = rt.launch(
            "product", Core::Cube, product_blocks,
            [=] {
                product(p, x, w, t_begin, t_end, product_blocks);
            }, {}, 1);
        const int32_t activation_blocks = fewer(int64_t((t_end - t_begin + 15) / 16) * 2, vector);
        rt.launch(
            "activation", Core::Vector, activation_blocks,
            [=] {
                activation(y, p, bias, t_begin, t_end, activation_blocks);
            }, {product_done});
    };

    launch_range(0, t);
}
