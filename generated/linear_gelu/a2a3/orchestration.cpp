// Orchestration of `linear_gelu` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void product_to_activation_cube(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w,
    __gm__ float *p_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void product_to_activation_vec(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *y,
    __gm__ float *bias,
    __gm__ float *p_fifo,
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

extern "C" void linear_gelu_a2a3(pto_rt::Runtime &rt, const linear_gelu_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ bfloat16_t *)args.w;
    auto *bias = (__gm__ float *)args.bias;
    auto *y = (__gm__ bfloat16_t *)args.y;
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    const int32_t mixed = blocks_for(rt, Core::Mixed);

    // The launches of one range of t; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t product_to_activation_blocks = fewer(16, mixed);
        auto *p_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(product_to_activation_blocks) * 32768 * sizeof(float)));
        rt.launch(
            "product_to_activation", Core::Mixed, product_to_activation_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { product_to_activation_cube(ffts, x, w, p_fifo, t_begin, t_end, product_to_activation_blocks); },
                    [=] { product_to_activation_vec(ffts, y, bias, p_fifo, t_begin, t_end, product_to_activation_blocks); });
            });
    };

    launch_range(0, t);
}
