// Orchestration of `embedding_bag` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void places_vec1(
    __gm__ float *there,
    __gm__ int32_t *token,
    int32_t t_begin,
    int32_t t_end,
    int32_t bag,
    int32_t nblk);
extern "C" __global__ AICORE void places_vec2(
    __gm__ int32_t *place_lines,
    __gm__ int32_t *token,
    int32_t t,
    int32_t bag,
    int32_t nblk);
extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *table,
    __gm__ int32_t *place_lines,
    __gm__ float *there,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t bag,
    int32_t vocabulary,
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

extern "C" void embedding_bag_a2a3(pto_rt::Runtime &rt, const embedding_bag_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const int32_t bag = static_cast<int32_t>(args.bag);
    const int32_t vocabulary = static_cast<int32_t>(args.vocabulary);
    auto *table = (__gm__ bfloat16_t *)args.table;
    auto *token = (__gm__ int32_t *)args.token;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *there = static_cast<__gm__ float *>(rt.workspace(int64_t(bag) * t * sizeof(float)));
    auto *place_lines = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(bag) * t * sizeof(int32_t)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t places_vec1_blocks = fewer(int64_t((t_end - t_begin + 15) / 16) * ((bag + 127) / 128), vector);
        const Launch places_vec1_done = rt.launch(
            "places_vec1", Core::Vector, places_vec1_blocks,
            [=] {
                places_vec1(there, token, t_begin, t_end, bag, places_vec1_blocks);
            }, {}, 1);
        const int32_t places_vec2_blocks = fewer(int64_t((bag + 127) / 128) * ((t + 63) / 64), vector);
        const Launch places_vec2_done = rt.launch(
            "places_vec2", Core::Vector, places_vec2_blocks,
            [=] {
                places_vec2(place_lines, token, t, bag, places_vec2_blocks);
            }, {}, 2);
        const int32_t add_to_out_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        rt.launch(
            "add_to_out", Core::Vector, add_to_out_blocks,
            [=] {
                add_to_out(y, table, place_lines, there, t_begin, t_end, t, bag, vocabulary, add_to_out_blocks);
            }, {places_vec2_done, places_vec1_done});
    };

    launch_range(0, t);
}
