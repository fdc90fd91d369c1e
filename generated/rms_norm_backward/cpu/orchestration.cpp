// Orchestration of `rms_norm_backward` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void rms_norm_backward_vec1(
    __gm__ float *d_x,
    __gm__ float *d_gamma_1,
    __gm__ float *x,
    __gm__ float *d_y,
    __gm__ float *gamma,
    float eps,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk);
extern "C" __global__ AICORE void rms_norm_backward_vec2(
    __gm__ float *d_gamma,
    __gm__ float *d_gamma_1,
    int32_t rows,
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

extern "C" void rms_norm_backward_cpu(pto_rt::Runtime &rt, const rms_norm_backward_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    const float eps = static_cast<float>(args.eps);
    auto *x = (__gm__ float *)args.x;
    auto *gamma = (__gm__ float *)args.gamma;
    auto *d_y = (__gm__ float *)args.d_y;
    auto *d_x = (__gm__ float *)args.d_x;
    auto *d_gamma = (__gm__ float *)args.d_gamma;
    // Values between kernels.
    auto *d_gamma_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * 4096 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t rms_norm_backward_vec1_blocks = fewer(rows_end - rows_begin, vector);
        const Launch rms_norm_backward_vec1_done = rt.launch(
            "rms_norm_backward_vec1", Core::Vector, rms_norm_backward_vec1_blocks,
            [=] {
                rms_norm_backward_vec1(d_x, d_gamma_1, x, d_y, gamma, eps, rows_begin, rows_end,
                    rms_norm_backward_vec1_blocks);
            }, {}, 1);
        const int32_t rms_norm_backward_vec2_blocks = 1;
        rt.launch(
            "rms_norm_backward_vec2", Core::Vector, rms_norm_backward_vec2_blocks,
            [=] {
                rms_norm_backward_vec2(d_gamma, d_gamma_1, rows, rms_norm_backward_vec2_blocks);
            }, {rms_norm_backward_vec1_done});
    };

    launch_range(0, rows);
}
