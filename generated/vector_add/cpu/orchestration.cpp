// Orchestration of `vector_add` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void vector_add(
    __gm__ float *c,
    __gm__ float *a,
    __gm__ float *b,
    int32_t n_begin,
    int32_t n_end,
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

extern "C" void vector_add_cpu(pto_rt::Runtime &rt, const vector_add_args &args)
{
    const int32_t n = static_cast<int32_t>(args.n);
    auto *a = (__gm__ float *)args.a;
    auto *b = (__gm__ float *)args.b;
    auto *c = (__gm__ float *)args.c;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of n; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t n_begin, int32_t n_end) {
        const int32_t vector_add_blocks = fewer((n_end - n_begin + 4095) / 4096, vector);
        rt.launch(
            "vector_add", Core::Vector, vector_add_blocks,
            [=] {
                vector_add(c, a, b, n_begin, n_end, vector_add_blocks);
            });
    };

    launch_range(0, n);
}
