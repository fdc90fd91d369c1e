// Orchestration of `matmul_split_k` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void product_cube(
    __gm__ float *c_parts,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
    int32_t m,
    int32_t nblk);
extern "C" __global__ AICORE void product_vec(
    __gm__ bfloat16_t *c,
    __gm__ float *c_parts,
    int32_t m_begin,
    int32_t m_end,
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

extern "C" void matmul_split_k_a2a3(pto_rt::Runtime &rt, const matmul_split_k_args &args)
{
    const int32_t m = static_cast<int32_t>(args.m);
    auto *a = (__gm__ bfloat16_t *)args.a;
    auto *b = (__gm__ bfloat16_t *)args.b;
    auto *c = (__gm__ bfloat16_t *)args.c;
    // Values between kernels.
    auto *c_parts = static_cast<__gm__ float *>(rt.workspace(int64_t(m) * 1024 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of m; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t m_begin, int32_t m_end) {
        const int32_t product_cube_blocks = fewer(int64_t((m_end - m_begin + 31) / 32) * 8, cube);
        const Launch product_cube_done = rt.launch(
            "product_cube", Core::Cube, product_cube_blocks,
            [=] {
                product_cube(c_parts, a, b, m_begin, m_end, m, product_cube_blocks);
            }, {}, 1);
        const int32_t product_vec_blocks = fewer(int64_t((m_end - m_begin + 31) / 32) * 2, vector);
        rt.launch(
            "product_vec", Core::Vector, product_vec_blocks,
            [=] {
                product_vec(c, c_parts, m_begin, m_end, m, product_vec_blocks);
            }, {product_cube_done});
    };

    launch_range(0, m);
}
