// Orchestration of `index_add` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void index_add(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ int32_t *index,
    __gm__ float *src,
    int32_t rows,
    int32_t added,
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

extern "C" void index_add_a2a3(pto_rt::Runtime &rt, const index_add_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    const int32_t added = static_cast<int32_t>(args.added);
    auto *x = (__gm__ float *)args.x;
    auto *index = (__gm__ int32_t *)args.index;
    auto *src = (__gm__ float *)args.src;
    auto *y = (__gm__ float *)args.y;
    const int32_t vector = blocks_for(rt, Core::Vector);

    {
        const int32_t index_add_blocks = fewer(rows, vector);
        rt.launch(
            "index_add", Core::Vector, index_add_blocks,
            [=] {
                index_add(y, x, index, src, rows, added, index_add_blocks);
            });
    }
}
