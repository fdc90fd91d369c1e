// Orchestration of `index_add` for cpu. Made by pyptogen; change the spec, not this file.
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
}  // namespace

extern "C" void index_add_cpu(pto_rt::Runtime &rt, const index_add_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    const int32_t added = static_cast<int32_t>(args.added);
    auto *x = (__gm__ float *)args.x;
    auto *index = (__gm__ int32_t *)args.index;
    auto *src = (__gm__ float *)args.src;
    auto *y = (__gm__ float *)args.y;

    {
        const int32_t index_add_blocks = 1;
        rt.launch(
            "index_add", Core::Vector, index_add_blocks,
            [=] {
                index_add(y, x, index, src, rows, added, index_add_blocks);
            });
    }
}
