// Orchestration of `reductions` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void along_rows(
    __gm__ float *total,
    __gm__ float *largest,
    __gm__ float *least,
    __gm__ float *average,
    __gm__ float *product,
    __gm__ float *spread,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk);
extern "C" __global__ AICORE void along_columns_vec1(
    __gm__ float *column_total_1_parts,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk);
extern "C" __global__ AICORE void along_columns_vec2(
    __gm__ float *column_largest_1_parts,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk);
extern "C" __global__ AICORE void along_columns_vec3(
    __gm__ float *column_total,
    __gm__ float *column_total_1_parts,
    int32_t nblk);
extern "C" __global__ AICORE void along_columns_vec4(
    __gm__ float *column_largest,
    __gm__ float *column_largest_1_parts,
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

extern "C" void reductions_a2a3(pto_rt::Runtime &rt, const reductions_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *x = (__gm__ float *)args.x;
    auto *total = (__gm__ float *)args.total;
    auto *largest = (__gm__ float *)args.largest;
    auto *least = (__gm__ float *)args.least;
    auto *average = (__gm__ float *)args.average;
    auto *product = (__gm__ float *)args.product;
    auto *spread = (__gm__ float *)args.spread;
    auto *column_total = (__gm__ float *)args.column_total;
    auto *column_largest = (__gm__ float *)args.column_largest;
    // Values between kernels.
    auto *column_total_1_parts = static_cast<__gm__ float *>(rt.workspace(4096 * sizeof(float)));
    auto *column_largest_1_parts = static_cast<__gm__ float *>(rt.workspace(4096 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t along_rows_blocks = fewer((rows_end - rows_begin + 15) / 16, vector);
        rt.launch(
            "along_rows", Core::Vector, along_rows_blocks,
            [=] {
                along_rows(total, largest, least, average, product, spread, x, rows_begin, rows_end,
                    along_rows_blocks);
            }, {}, 1);
        const int32_t along_columns_vec1_blocks = fewer(48, vector);
        const Launch along_columns_vec1_done = rt.launch(
            "along_columns_vec1", Core::Vector, along_columns_vec1_blocks,
            [=] {
                along_columns_vec1(column_total_1_parts, x, rows, along_columns_vec1_blocks);
            }, {}, 2);
        const int32_t along_columns_vec2_blocks = fewer(48, vector);
        const Launch along_columns_vec2_done = rt.launch(
            "along_columns_vec2", Core::Vector, along_columns_vec2_blocks,
            [=] {
                along_columns_vec2(column_largest_1_parts, x, rows, along_columns_vec2_blocks);
            }, {}, 2);
        const int32_t along_columns_vec3_blocks = fewer(8, vector);
        rt.launch(
            "along_columns_vec3", Core::Vector, along_columns_vec3_blocks,
            [=] {
                along_columns_vec3(column_total, column_total_1_parts, along_columns_vec3_blocks);
            }, {along_columns_vec1_done});
        const int32_t along_columns_vec4_blocks = fewer(8, vector);
        rt.launch(
            "along_columns_vec4", Core::Vector, along_columns_vec4_blocks,
            [=] {
                along_columns_vec4(column_largest, column_largest_1_parts, along_columns_vec4_blocks);
            }, {along_columns_vec2_done});
    };

    launch_range(0, rows);
}
