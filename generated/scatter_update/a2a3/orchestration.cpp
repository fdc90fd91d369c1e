// Orchestration of `scatter_update` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void scatter_update(
    __gm__ bfloat16_t *cache,
    __gm__ float *rows,
    __gm__ int64_t *slot,
    int32_t tokens_begin,
    int32_t tokens_end,
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

extern "C" void scatter_update_a2a3(pto_rt::Runtime &rt, const scatter_update_args &args)
{
    const int32_t tokens = static_cast<int32_t>(args.tokens);
    auto *cache = (__gm__ bfloat16_t *)args.cache;
    auto *slot = (__gm__ int64_t *)args.slot;
    auto *rows = (__gm__ float *)args.rows;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of tokens; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t tokens_begin, int32_t tokens_end) {
        const int32_t scatter_update_blocks = fewer((tokens_end - tokens_begin + 15) / 16, vector);
        rt.launch(
            "scatter_update", Core::Vector, scatter_update_blocks,
            [=] {
                scatter_update(cache, rows, slot, tokens_begin, tokens_end, scatter_update_blocks);
            });
    };

    launch_range(0, tokens);
}
