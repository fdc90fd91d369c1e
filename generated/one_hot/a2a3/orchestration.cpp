// Orchestration of `one_hot` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void one_hot_vec1(
    __gm__ int32_t *y_1,
    int32_t nblk);
extern "C" __global__ AICORE void one_hot_vec2(
    __gm__ float *y,
    __gm__ int32_t *index,
    __gm__ int32_t *y_1,
    int32_t t_begin,
    int32_t t_end,
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

extern "C" void one_hot_a2a3(pto_rt::Runtime &rt, const one_hot_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *index = (__gm__ int32_t *)args.index;
    auto *y = (__gm__ float *)args.y;
    // Values between kernels.
    auto *y_1 = static_cast<__gm__ int32_t *>(rt.workspace(160 * sizeof(int32_t)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t one_hot_vec1_blocks = 1;
        const Launch one_hot_vec1_done = rt.launch(
            "one_hot_vec1", Core::Vector, one_hot_vec1_blocks,
            [=] {
                one_hot_vec1(y_1, one_hot_vec1_blocks);
            }, {}, 1);
        const int32_t one_hot_vec2_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        rt.launch(
            "one_hot_vec2", Core::Vector, one_hot_vec2_blocks,
            [=] {
                one_hot_vec2(y, index, y_1, t_begin, t_end, one_hot_vec2_blocks);
            }, {one_hot_vec1_done});
    };

    launch_range(0, t);
}
