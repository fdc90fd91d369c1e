// Orchestration of `cross_entropy` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void cross_entropy_vec1(
    __gm__ half *counts,
    __gm__ int64_t *label,
    __gm__ float *total,
    __gm__ int64_t *counted_1,
    __gm__ int64_t *labels,
    __gm__ float *logits,
    int64_t ignore_index,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec2(
    __gm__ float *named,
    __gm__ float *logits,
    __gm__ int64_t *label,
    int32_t rows,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec3(
    __gm__ int64_t *counted,
    __gm__ int64_t *counted_1,
    int32_t rows,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec4(
    __gm__ float *loss_1,
    __gm__ float *total,
    __gm__ float *named,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec5(
    __gm__ float *loss,
    __gm__ half *counts,
    __gm__ float *loss_1,
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

extern "C" void cross_entropy_cpu(pto_rt::Runtime &rt, const cross_entropy_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    const int64_t ignore_index = static_cast<int64_t>(args.ignore_index);
    auto *logits = (__gm__ float *)args.logits;
    auto *labels = (__gm__ int64_t *)args.labels;
    auto *loss = (__gm__ float *)args.loss;
    auto *counted = (__gm__ int64_t *)args.counted;
    // Values between kernels.
    auto *counts = static_cast<__gm__ half *>(rt.workspace(int64_t(rows) * sizeof(half)));
    auto *label = static_cast<__gm__ int64_t *>(rt.workspace(int64_t(rows) * sizeof(int64_t)));
    auto *total = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * sizeof(float)));
    auto *counted_1 = static_cast<__gm__ int64_t *>(rt.workspace(int64_t(rows) * sizeof(int64_t)));
    auto *named = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * sizeof(float)));
    auto *loss_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t cross_entropy_vec1_blocks = fewer(rows_end - rows_begin, vector);
        const Launch cross_entropy_vec1_done = rt.launch(
            "cross_entropy_vec1", Core::Vector, cross_entropy_vec1_blocks,
            [=] {
                cross_entropy_vec1(counts, label, total, counted_1, labels, logits, ignore_index, rows_begin,
                    rows_end, cross_entropy_vec1_blocks);
            }, {}, 3);
        const int32_t cross_entropy_vec2_blocks = fewer(rows, vector);
        const Launch cross_entropy_vec2_done = rt.launch(
            "cross_entropy_vec2", Core::Vector, cross_entropy_vec2_blocks,
            [=] {
                cross_entropy_vec2(named, logits, label, rows, cross_entropy_vec2_blocks);
            }, {cross_entropy_vec1_done}, 2);
        const int32_t cross_entropy_vec3_blocks = 1;
        rt.launch(
            "cross_entropy_vec3", Core::Vector, cross_entropy_vec3_blocks,
            [=] {
                cross_entropy_vec3(counted, counted_1, rows, cross_entropy_vec3_blocks);
            }, {cross_entropy_vec1_done});
        const int32_t cross_entropy_vec4_blocks = fewer((rows_end - rows_begin + 63) / 64, vector);
        const Launch cross_entropy_vec4_done = rt.launch(
            "cross_entropy_vec4", Core::Vector, cross_entropy_vec4_blocks,
            [=] {
                cross_entropy_vec4(loss_1, total, named, rows_begin, rows_end, cross_entropy_vec4_blocks);
            }, {cross_entropy_vec1_done, cross_entropy_vec2_done}, 1);
        const int32_t cross_entropy_vec5_blocks = fewer((rows_end - rows_begin + 4095) / 4096, vector);
        rt.launch(
            "cross_entropy_vec5", Core::Vector, cross_entropy_vec5_blocks,
            [=] {
                cross_entropy_vec5(loss, counts, loss_1, rows_begin, rows_end, cross_entropy_vec5_blocks);
            }, {cross_entropy_vec1_done, cross_entropy_vec4_done});
    };

    launch_range(0, rows);
}
