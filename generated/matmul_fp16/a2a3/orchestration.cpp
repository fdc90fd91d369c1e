// Orchestration of `matmul_fp16` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void matmul_fp16(
    __gm__ half *c,
    __gm__ half *a,
    __gm__ half *b,
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

extern "C" void matmul_fp16_a2a3(pto_rt::Runtime &rt, const matmul_fp16_args &args)
{
    const int32_t m = static_cast<int32_t>(args.m);
    auto *a = (__gm__ half *)args.a;
    auto *b = (__gm__ half *)args.b;
    auto *c = (__gm__ half *)args.c;
    const int32_t cube = blocks_for(rt, Core::Cube);

    // The launches of one range of m; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t m_begin, int32_t m_end) {
        const int32_t matmul_fp16_blocks = fewer(int64_t((m_end - m_begin + 127) / 128) * 8, cube);
        rt.launch(
            "matmul_fp16", Core::Cube, matmul_fp16_blocks,
            [=] {
                matmul_fp16(c, a, b, m_begin, m_end, matmul_fp16_blocks);
            });
    };

    launch_range(0, m);
}
