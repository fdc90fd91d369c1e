// Orchestration of `linear_mxfp4` for a5. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void widen(
    __gm__ float8_e4m3_t *w_wide,
    __gm__ uint8_t *w,
    int32_t nblk);
extern "C" __global__ AICORE void quantise_vec1(
    __gm__ uint8_t *x_q,
    __gm__ float8_e8m0_t *x_scale,
    __gm__ bfloat16_t *x,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void quantise_vec2(
    __gm__ float8_e4m3_t *x_wide,
    __gm__ uint8_t *x_q,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void linear_cube(
    __gm__ uint64_t *ffts,
    __gm__ float8_e4m3_t *x_wide,
    __gm__ float8_e4m3_t *w_wide,
    __gm__ float8_e8m0_t *x_scale,
    __gm__ float8_e8m0_t *w_scale,
    __gm__ float *acc_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void linear_vec(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *y,
    __gm__ float *bias,
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

extern "C" void linear_mxfp4_a5(pto_rt::Runtime &rt, const linear_mxfp4_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ uint8_t *)args.w;
    auto *w_scale = (__gm__ float8_e8m0_t *)args.w_scale;
    auto *bias = (__gm__ float *)args.bias;
    auto *y = (__gm__ bfloat16_t *)args.y;
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    // Values between kernels.
    auto *w_wide = static_cast<__gm__ float8_e4m3_t *>(rt.workspace(2097152 * sizeof(float8_e4m3_t)));
    auto *x_q = static_cast<__gm__ uint8_t *>(rt.workspace(int64_t(t) * 1024 * sizeof(uint8_t)));
    auto *x_scale = static_cast<__gm__ float8_e8m0_t *>(rt.workspace(int64_t(t) * 64 * sizeof(float8_e8m0_t)));
    auto *x_wide = static_cast<__gm__ float8_e4m3_t *>(rt.workspace(int64_t(t) * 2048 * sizeof(float8_e4m3_t)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t widen_blocks = fewer(128, vector);
        const Launch widen_done = rt.launch(
            "widen", Core::Vector, widen_blocks,
            [=] {
                widen(w_wide, w, widen_blocks);
            }, {}, 3);
        const int32_t quantise_vec1_blocks = fewer(t_end - t_begin, vector);
        const Launch quantise_vec1_done = rt.launch(
            "quantise_vec1", Core::Vector, quantise_vec1_blocks,
            [=] {
                quantise_vec1(x_q, x_scale, x, t_begin, t_end, quantise_vec1_blocks);
            }, {}, 2);
        const int32_t quantise_vec2_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        const Launch quantise_vec2_done = rt.launch(
            "quantise_vec2", Core::Vector, quantise_vec2_blocks,
            [=] {
                quantise_vec2(x_wide, x_q, t_begin, t_end, quantise_vec2_blocks);
            }, {quantise_vec1_done}, 1);
        const int32_t linear_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 4, mixed);
        auto *acc_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(linear_blocks) * 131072 * sizeof(float)));
        rt.launch(
            "linear", Core::Mixed, linear_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { linear_cube(ffts, x_wide, w_wide, x_scale, w_scale, acc_fifo, t_begin, t_end, linear_blocks); },
                    [=] { linear_vec(ffts, y, bias, acc_fifo, t_begin, t_end, linear_blocks); });
            }, {quantise_vec2_done, widen_done, quantise_vec1_done});
    };

    launch_range(0, t);
}
