// Orchestration of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void cross_entropy_vec1(
    __gm__ half *counts,
    __gm__ float *total,
    __gm__ int32_t *label_int32,
    __gm__ int32_t *counted_part,
    __gm__ int32_t *counted_part_2,
    __gm__ int32_t *counted_part_3,
    __gm__ int32_t *counted_part_4,
    __gm__ int32_t *counted_word,
    __gm__ int32_t *labels_halves,
    __gm__ float *logits,
    int32_t counts_number_low_number,
    int32_t counts_number_high_number,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec2(
    __gm__ float *named,
    __gm__ float *logits,
    __gm__ int32_t *label_int32,
    int32_t rows,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec3(
    __gm__ int32_t *counted_part_sum_parts,
    __gm__ int32_t *counted_part,
    int32_t rows,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec8(
    __gm__ float *loss_1,
    __gm__ int32_t *counted_low_3,
    __gm__ int32_t *counted_high,
    __gm__ float *total,
    __gm__ float *named,
    __gm__ int32_t *counted_part_sum_parts,
    __gm__ int32_t *counted_part_sum_2_parts,
    __gm__ int32_t *counted_part_sum_3_parts,
    __gm__ int32_t *counted_part_sum_4_parts,
    __gm__ int32_t *counted_high_sum_parts,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec9(
    __gm__ int32_t *counted_halves,
    __gm__ int32_t *counted_low_3,
    __gm__ int32_t *counted_high,
    int32_t nblk);
extern "C" __global__ AICORE void cross_entropy_vec10(
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

extern "C" void cross_entropy_a2a3(pto_rt::Runtime &rt, const cross_entropy_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    const int64_t ignore_index = static_cast<int64_t>(args.ignore_index);
    const int32_t counts_number_low_number = static_cast<int32_t>(((int64_t(-4294967296) * ((((int64_t(ignore_index) % int64_t(4294967296) + int64_t(4294967296)) % int64_t(4294967296)) - ((((int64_t(ignore_index) % int64_t(4294967296) + int64_t(4294967296)) % int64_t(4294967296)) % int64_t(2147483648) + int64_t(2147483648)) % int64_t(2147483648))) / int64_t(2147483648))) + ((int64_t(ignore_index) % int64_t(4294967296) + int64_t(4294967296)) % int64_t(4294967296))));
    const int32_t counts_number_high_number = static_cast<int32_t>(((int64_t(ignore_index) - ((int64_t(ignore_index) % int64_t(4294967296) + int64_t(4294967296)) % int64_t(4294967296))) / int64_t(4294967296)));
    auto *logits = (__gm__ float *)args.logits;
    auto *loss = (__gm__ float *)args.loss;
    auto *labels_halves = (__gm__ int32_t *)args.labels;
    auto *counted_halves = (__gm__ int32_t *)args.counted;
    // Values between kernels.
    auto *counts = static_cast<__gm__ half *>(rt.workspace(int64_t(rows) * sizeof(half)));
    auto *total = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * sizeof(float)));
    auto *label_int32 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(rows) * sizeof(int32_t)));
    auto *counted_part = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(rows) * sizeof(int32_t)));
    auto *counted_part_2 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(rows) * sizeof(int32_t)));
    auto *counted_part_3 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(rows) * sizeof(int32_t)));
    auto *counted_part_4 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(rows) * sizeof(int32_t)));
    auto *counted_word = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(rows) * sizeof(int32_t)));
    auto *named = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * sizeof(float)));
    auto *counted_part_sum_parts = static_cast<__gm__ int32_t *>(rt.workspace(48 * sizeof(int32_t)));
    auto *counted_part_sum_2_parts = static_cast<__gm__ int32_t *>(rt.workspace(48 * sizeof(int32_t)));
    auto *counted_part_sum_3_parts = static_cast<__gm__ int32_t *>(rt.workspace(48 * sizeof(int32_t)));
    auto *counted_part_sum_4_parts = static_cast<__gm__ int32_t *>(rt.workspace(48 * sizeof(int32_t)));
    auto *counted_high_sum_parts = static_cast<__gm__ int32_t *>(rt.workspace(48 * sizeof(int32_t)));
    auto *loss_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * sizeof(float)));
    auto *counted_low_3 = static_cast<__gm__ int32_t *>(rt.workspace(1 * sizeof(int32_t)));
    auto *counted_high = static_cast<__gm__ int32_t *>(rt.workspace(1 * sizeof(int32_t)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t cross_entropy_vec1_blocks = fewer((rows_end - rows_begin + 3) / 4, vector);
        const Launch cross_entropy_vec1_done = rt.launch(
            "cross_entropy_vec1", Core::Vector, cross_entropy_vec1_blocks,
            [=] {
                cross_entropy_vec1(counts, total, label_int32, counted_part, counted_part_2, counted_part_3,
                    counted_part_4, counted_word, labels_halves, logits,
                    counts_number_low_number, counts_number_high_number, rows_begin, rows_end,
                    cross_entropy_vec1_blocks);
            }, {}, 5);
        const int32_t cross_entropy_vec2_blocks = fewer(rows, vector);
        const Launch cross_entropy_vec2_done = rt.launch(
            "cross_entropy_vec2", Core::Vector, cross_entropy_vec2_blocks,
            [=] {
                cross_entropy_vec2(named, logits, label_int32, rows, cross_entropy_vec2_blocks);
            }, {cross_entropy_vec1_done}, 4);
        const int32_t cross_entropy_vec3_blocks = fewer(48, vector);
        const Launch cross_entropy_vec3_done = rt.launch(
            "cross_entropy_vec3", Core::Vector, cross_entropy_vec3_blocks,
            [=] {
                cross_entropy_vec3(counted_part_sum_parts, counted_part, rows, cross_entropy_vec3_blocks);
            }, {cross_entropy_vec1_done}, 3);
        const int32_t cross_entropy_vec4_blocks = fewer(48, vector);
        const Launch cross_entropy_vec4_done = rt.launch(
            "cross_entropy_vec4", Core::Vector, cross_entropy_vec4_blocks,
            [=] {
                cross_entropy_vec3(counted_part_sum_2_parts, counted_part_2, rows, cross_entropy_vec4_blocks);
            }, {cross_entropy_vec1_done}, 3);
        const int32_t cross_entropy_vec5_blocks = fewer(48, vector);
        const Launch cross_entropy_vec5_done = rt.launch(
            "cross_entropy_vec5", Core::Vector, cross_entropy_vec5_blocks,
            [=] {
                cross_entropy_vec3(counted_part_sum_3_parts, counted_part_3, rows, cross_entropy_vec5_blocks);
            }, {cross_entropy_vec1_done}, 3);
        const int32_t cross_entropy_vec6_blocks = fewer(48, vector);
        const Launch cross_entropy_vec6_done = rt.launch(
            "cross_entropy_vec6", Core::Vector, cross_entropy_vec6_blocks,
            [=] {
                cross_entropy_vec3(counted_part_sum_4_parts, counted_part_4, rows, cross_entropy_vec6_blocks);
            }, {cross_entropy_vec1_done}, 3);
        const int32_t cross_entropy_vec7_blocks = fewer(48, vector);
        const Launch cross_entropy_vec7_done = rt.launch(
            "cross_entropy_vec7", Core::Vector, cross_entropy_vec7_blocks,
            [=] {
                cross_entropy_vec3(counted_high_sum_parts, counted_word, rows, cross_entropy_vec7_blocks);
            }, {cross_entropy_vec1_done}, 3);
        const int32_t cross_entropy_vec8_blocks = fewer((rows_end - rows_begin + 127) / 128, vector);
        const Launch cross_entropy_vec8_done = rt.launch(
            "cross_entropy_vec8", Core::Vector, cross_entropy_vec8_blocks,
            [=] {
                cross_entropy_vec8(loss_1, counted_low_3, counted_high, total, named, counted_part_sum_parts,
                    counted_part_sum_2_parts, counted_part_sum_3_parts,
                    counted_part_sum_4_parts, counted_high_sum_parts, rows_begin, rows_end,
                    cross_entropy_vec8_blocks);
            }, {cross_entropy_vec1_done, cross_entropy_vec2_done, cross_entropy_vec3_done, cross_entropy_vec4_done, cross_entropy_vec5_done, cross_entropy_vec6_done, cross_entropy_vec7_done}, 2);
        const int32_t cross_entropy_vec9_blocks = 1;
        rt.launch(
            "cross_entropy_vec9", Core::Vector, cross_entropy_vec9_blocks,
            [=] {
                cross_entropy_vec9(counted_halves, counted_low_3, counted_high, cross_entropy_vec9_blocks);
            }, {cross_entropy_vec8_done});
        const int32_t cross_entropy_vec10_blocks = fewer((rows_end - rows_begin + 4095) / 4096, vector);
        rt.launch(
            "cross_entropy_vec10", Core::Vector, cross_entropy_vec10_blocks,
            [=] {
                cross_entropy_vec10(loss, counts, loss_1, rows_begin, rows_end, cross_entropy_vec10_blocks);
            }, {cross_entropy_vec1_done, cross_entropy_vec8_done}, 1);
    };

    launch_range(0, rows);
}
