// Orchestration of `embedding` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void embedding(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *token,
    int32_t t,
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

extern "C" void embedding_a2a3(pto_rt::Runtime &rt, const embedding_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *table = (__gm__ bfloat16_t *)args.table;
    auto *token = (__gm__ int32_t *)args.token;
    auto *y = (__gm__ bfloat16_t *)args.y;
    const int32_t vector = blocks_for(rt, Core::Vector);

    {
        const int32_t embedding_blocks = fewer((t + 7) / 8, vector);
        rt.launch(
            "embedding", Core::Vector, embedding_blocks,
            [=] {
                embedding(y, table, token, t, embedding_blocks);
            });
    }
}
