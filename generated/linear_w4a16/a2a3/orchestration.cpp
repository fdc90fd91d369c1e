// Orchestration of `linear_w4a16` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void linear_to_out_cube(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *y_g_1_fifo,
    __gm__ float *y_g_fifo,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void linear_to_out_vec(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *y,
    __gm__ uint8_t *w,
    __gm__ bfloat16_t *scale,
    __gm__ bfloat16_t *y_g_1_fifo,
    __gm__ float *y_g_fifo,
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

extern "C" void linear_w4a16_a2a3(pto_rt::Runtime &rt, const linear_w4a16_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ uint8_t *)args.w;
    auto *scale = (__gm__ bfloat16_t *)args.scale;
    auto *y = (__gm__ bfloat16_t *)args.y;
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    const int32_t mixed = blocks_for(rt, Core::Mixed);

    // The launches of one range of t; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t linear_to_out_blocks = fewer(int64_t((t_end - t_begin + 255) / 256) * 22, mixed);
        auto *y_g_1_fifo = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(linear_to_out_blocks) * 36864 * sizeof(bfloat16_t)));
        auto *y_g_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(linear_to_out_blocks) * 73728 * sizeof(float)));
        rt.launch(
            "linear_to_out", Core::Mixed, linear_to_out_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { linear_to_out_cube(ffts, x, y_g_1_fifo, y_g_fifo, t_begin, t_end, linear_to_out_blocks); },
                    [=] { linear_to_out_vec(ffts, y, w, scale, y_g_1_fifo, y_g_fifo, t_begin, t_end,
                    linear_to_out_blocks); });
            });
    };

    launch_range(0, t);
}
