// Orchestration of `softmax_long` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void statistics(
    __gm__ float *top,
    __gm__ float *total,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk);
extern "C" __global__ AICORE void normalise(
    __gm__ float *y,
    __gm__ float *x,
    __gm__ float *top,
    __gm__ float *total,
    int32_t rows_begin,
    int32_t rows_end,
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

extern "C" void softmax_long_a2a3(pto_rt::Runtime &rt, const softmax_long_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *x = (__gm__ float *)args.x;
    auto *y = (__gm__ float *)args.y;
    // Values between kernels.
    auto *top = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * sizeof(float)));
    auto *total = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t statistics_blocks = fewer((rows_end - rows_begin + 7) / 8, vector);
        const Launch statistics_done = rt.launch(
            "statistics", Core::Vector, statistics_blocks,
            [=] {
                statistics(top, total, x, rows_begin, rows_end, statistics_blocks);
            }, {}, 1);
        const int32_t normalise_blocks = fewer(int64_t((rows_end - rows_begin + 7) / 8) * 16, vector);
        rt.launch(
            "normalise", Core::Vector, normalise_blocks,
            [=] {
                normalise(y, x, top, total, rows_begin, rows_end, normalise_blocks);
            }, {statistics_done});
    };

    launch_range(0, rows);
}
