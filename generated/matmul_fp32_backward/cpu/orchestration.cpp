// Orchestration of `matmul_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void matmul_fp32_backward_cube1(
    __gm__ float *d_a,
    __gm__ float *d_c,
    __gm__ float *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t nblk);
extern "C" __global__ AICORE void matmul_fp32_backward_cube2(
    __gm__ float *d_b,
    __gm__ float *a,
    __gm__ float *d_c,
    int32_t m,
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

extern "C" void matmul_fp32_backward_cpu(pto_rt::Runtime &rt, const matmul_fp32_backward_args &args)
{
    const int32_t m = static_cast<int32_t>(args.m);
    auto *a = (__gm__ float *)args.a;
    auto *b = (__gm__ float *)args.b;
    auto *d_c = (__gm__ float *)args.d_c;
    auto *d_a = (__gm__ float *)args.d_a;
    auto *d_b = (__gm__ float *)args.d_b;
    const int32_t cube = blocks_for(rt, Core::Cube);

    // The launches of one range of m; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t m_begin, int32_t m_end) {
        const int32_t matmul_fp32_backward_cube1_blocks = fewer((m_end - m_begin + 255) / 256, cube);
        rt.launch(
            "matmul_fp32_backward_cube1", Core::Cube, matmul_fp32_backward_cube1_blocks,
            [=] {
                matmul_fp32_backward_cube1(d_a, d_c, b, m_begin, m_end, matmul_fp32_backward_cube1_blocks);
            });
        const int32_t matmul_fp32_backward_cube2_blocks = fewer(4, cube);
        rt.launch(
            "matmul_fp32_backward_cube2", Core::Cube, matmul_fp32_backward_cube2_blocks,
            [=] {
                matmul_fp32_backward_cube2(d_b, a, d_c, m, matmul_fp32_backward_cube2_blocks);
            });
    };

    launch_range(0, m);
}
