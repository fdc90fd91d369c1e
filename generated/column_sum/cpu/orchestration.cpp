// Orchestration of `column_sum` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void column_sum(
    __gm__ float *y,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk);

namespace {
}  // namespace

extern "C" void column_sum_cpu(pto_rt::Runtime &rt, const column_sum_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *x = (__gm__ float *)args.x;
    auto *y = (__gm__ float *)args.y;

    {
        const int32_t column_sum_blocks = 1;
        rt.launch(
            "column_sum", Core::Vector, column_sum_blocks,
            [=] {
                column_sum(y, x, rows, column_sum_blocks);
            });
    }
}
