// Orchestration of `scans` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void scans_vec1(
    __gm__ float *down,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk);
extern "C" __global__ AICORE void scans_vec2(
    __gm__ float *product,
    __gm__ float *x,
    int32_t rows,
    int32_t nblk);
extern "C" __global__ AICORE void scans_vec3(
    __gm__ int32_t *count,
    __gm__ int32_t *mark,
    int32_t rows,
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

extern "C" void scans_a2a3(pto_rt::Runtime &rt, const scans_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *x = (__gm__ float *)args.x;
    auto *mark = (__gm__ int32_t *)args.mark;
    auto *down = (__gm__ float *)args.down;
    auto *product = (__gm__ float *)args.product;
    auto *count = (__gm__ int32_t *)args.count;
    const int32_t vector = blocks_for(rt, Core::Vector);

    {
        const int32_t scans_vec1_blocks = fewer(4, vector);
        rt.launch(
            "scans_vec1", Core::Vector, scans_vec1_blocks,
            [=] {
                scans_vec1(down, x, rows, scans_vec1_blocks);
            });
        const int32_t scans_vec2_blocks = fewer((rows + 31) / 32, vector);
        rt.launch(
            "scans_vec2", Core::Vector, scans_vec2_blocks,
            [=] {
                scans_vec2(product, x, rows, scans_vec2_blocks);
            }, {}, 1);
        const int32_t scans_vec3_blocks = fewer((rows + 31) / 32, vector);
        rt.launch(
            "scans_vec3", Core::Vector, scans_vec3_blocks,
            [=] {
                scans_vec3(count, mark, rows, scans_vec3_blocks);
            }, {}, 1);
    }
}
