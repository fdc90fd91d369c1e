// Orchestration of `conv2d` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void conv2d_vec1(
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *y_edge_2,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_vec2(
    __gm__ bfloat16_t *y_padded,
    __gm__ bfloat16_t *y_edge,
    __gm__ bfloat16_t *x,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_vec3(
    __gm__ bfloat16_t *y_padded_2,
    __gm__ bfloat16_t *y_edge_2,
    __gm__ bfloat16_t *y_padded,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_vec4(
    __gm__ bfloat16_t *y_windows,
    __gm__ bfloat16_t *y_padded_2,
    int32_t n_begin,
    int32_t n_end,
    int32_t nblk);
extern "C" __global__ AICORE void conv2d_mixed(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *w,
    __gm__ bfloat16_t *y_windows,
    __gm__ float *bias,
    int32_t n_begin,
    int32_t n_end,
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

// Memory for indices [begin, end) of a value, addressed as if all of it were there.
template <class T>
__gm__ T *range_of(pto_rt::Runtime &rt, int64_t begin, int64_t end, int64_t elements)
{
    return static_cast<__gm__ T *>(rt.workspace((end - begin) * elements * sizeof(T))) - begin * elements;
}
}  // namespace

extern "C" void conv2d_cpu(pto_rt::Runtime &rt, const conv2d_args &args)
{
    const int32_t n = static_cast<int32_t>(args.n);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ bfloat16_t *)args.w;
    auto *bias = (__gm__ float *)args.bias;
    auto *y = (__gm__ bfloat16_t *)args.y;
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of n; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t n_begin, int32_t n_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        // Values between kernels.
        auto *y_edge = range_of<bfloat16_t>(rt, n_begin, n_end, 3584);
        auto *y_edge_2 = range_of<bfloat16_t>(rt, n_begin, n_end, 3712);
        auto *y_padded = range_of<bfloat16_t>(rt, n_begin, n_end, 207872);
        auto *y_padded_2 = range_of<bfloat16_t>(rt, n_begin, n_end, 215296);
        auto *y_windows = range_of<bfloat16_t>(rt, n_begin, n_end, 451584);
        const int32_t conv2d_vec1_blocks = fewer(64, vector);
        const Launch conv2d_vec1_done = rt.launch(
            "conv2d_vec1", Core::Vector, conv2d_vec1_blocks,
            [=] {
                conv2d_vec1(y_edge, y_edge_2, n_begin, n_end, conv2d_vec1_blocks);
            }, {}, 4);
        const int32_t conv2d_vec2_blocks = fewer((n_end * 3584 - n_begin * 3584 + 1023) / 1024, vector);
        const Launch conv2d_vec2_done = rt.launch(
            "conv2d_vec2", Core::Vector, conv2d_vec2_blocks,
            [=] {
                conv2d_vec2(y_padded, y_edge, x, n_begin, n_end, conv2d_vec2_blocks);
            }, {conv2d_vec1_done}, 3);
        const int32_t conv2d_vec3_blocks = fewer((n_end * 64 - n_begin * 64 + 140) / 141, vector);
        const Launch conv2d_vec3_done = rt.launch(
            "conv2d_vec3", Core::Vector, conv2d_vec3_blocks,
            [=] {
                conv2d_vec3(y_padded_2, y_edge_2, y_padded, n_begin, n_end, conv2d_vec3_blocks);
            }, {conv2d_vec1_done, conv2d_vec2_done}, 2);
        const int32_t conv2d_vec4_blocks = fewer(n_end * 64 - n_begin * 64, vector);
        const Launch conv2d_vec4_done = rt.launch(
            "conv2d_vec4", Core::Vector, conv2d_vec4_blocks,
            [=] {
                conv2d_vec4(y_windows, y_padded_2, n_begin, n_end, conv2d_vec4_blocks);
            }, {conv2d_vec3_done}, 1);
        const int32_t conv2d_mixed_blocks = fewer(4, mixed);
        rt.launch(
            "conv2d_mixed", Core::Mixed, conv2d_mixed_blocks,
            [=] {
                conv2d_mixed(y, w, y_windows, bias, n_begin, n_end, conv2d_mixed_blocks);
            }, {conv2d_vec4_done});
    };

    {
        // Tiling row: n in as many 1s as fit, then the next size.
        int32_t begin = 0;
        for (const int32_t size : {1}) {
            for (; n - begin >= size; begin += size) {
                launch_range(begin, begin + size);
            }
        }
    }
}
