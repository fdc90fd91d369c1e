// Orchestration of `linear_fp8` for a5. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void quantise(
    __gm__ float *x_scale,
    __gm__ float8_e4m3_t *x_q,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void linear_cube(
    __gm__ uint64_t *ffts,
    __gm__ float8_e4m3_t *x_q,
    __gm__ float8_e4m3_t *w,
    __gm__ float *acc_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void linear_vec(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *y,
    __gm__ float *x_scale,
    __gm__ float *w_scale,
    __gm__ float *acc_fifo,
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

extern "C" void linear_fp8_a5(pto_rt::Runtime &rt, const linear_fp8_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ float8_e4m3_t *)args.w;
    auto *w_scale = (__gm__ float *)args.w_scale;
    auto *y = (__gm__ bfloat16_t *)args.y;
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    // Values between kernels.
    auto *x_scale = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *x_q = static_cast<__gm__ float8_e4m3_t *>(rt.workspace(int64_t(t) * 2048 * sizeof(float8_e4m3_t)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t quantise_blocks = fewer((t_end - t_begin + 1) / 2, vector);
        const Launch quantise_done = rt.launch(
            "quantise", Core::Vector, quantise_blocks,
            [=] {
                quantise(x_scale, x_q, x, t_begin, t_end, quantise_blocks);
            }, {}, 1);
        const int32_t linear_blocks = fewer(int64_t((t_end - t_begin + 255) / 256) * 4, mixed);
        auto *acc_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(linear_blocks) * 262144 * sizeof(float)));
        rt.launch(
            "linear", Core::Mixed, linear_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { linear_cube(ffts, x_q, w, acc_fifo, t_begin, t_end, linear_blocks); },
                    [=] { linear_vec(ffts, y, x_scale, w_scale, acc_fifo, t_begin, t_end, linear_blocks); });
            }, {quantise_done});
    };

    launch_range(0, t);
}
