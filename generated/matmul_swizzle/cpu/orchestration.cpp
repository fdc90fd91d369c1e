// Orchestration of `matmul_swizzle` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void matmul_swizzle(
    __gm__ bfloat16_t *c,
    __gm__ bfloat16_t *a,
    __gm__ bfloat16_t *b,
    int32_t m_begin,
    int32_t m_end,
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

extern "C" void matmul_swizzle_cpu(pto_rt::Runtime &rt, const matmul_swizzle_args &args)
{
    const int32_t m = static_cast<int32_t>(args.m);
    auto *a = (__gm__ bfloat16_t *)args.a;
    auto *b = (__gm__ bfloat16_t *)args.b;
    auto *c = (__gm__ bfloat16_t *)args.c;

    // The launches of one range of m; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t m_begin, int32_t m_end, int32_t cube) {
        const int32_t matmul_swizzle_blocks = fewer(16, cube);
        rt.launch(
            "matmul_swizzle", Core::Cube, matmul_swizzle_blocks,
            [=] {
                matmul_swizzle(c, a, b, m_begin, m_end, matmul_swizzle_blocks);
            });
    };

    // Rows for every core: each takes ranges of them, and rearranges its part of the left operand once. Else columns.
    const int32_t tiles = (m + 255) / 256, cores = rt.cores(Core::Cube);
    if (cores > 1 && (tiles % cores == 0 || tiles >= 4 * cores)) {
        const int32_t range = (tiles + 4 * cores - 1) / (4 * cores) * 256;
        for (int32_t begin = 0; begin < m; begin += range) {
            launch_range(begin, m - begin < range ? m : begin + range, 1);
        }
    } else {
        launch_range(0, m, blocks_for(rt, Core::Cube));
    }
}
