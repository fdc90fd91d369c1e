// Orchestration of `causal_conv1d` for a2a3. Made by pyptogen; change the spec, not this file.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void causal_conv1d_vec1(
    __gm__ float *y_tap_wide,
    __gm__ float *y_tap_wide_2,
    __gm__ float *y_tap_wide_3,
    __gm__ float *y_tap_wide_4,
    __gm__ bfloat16_t *w,
    int32_t nblk);
extern "C" __global__ AICORE void causal_conv1d_vec2(
    __gm__ bfloat16_t *seen,
    __gm__ bfloat16_t *state,
    __gm__ bfloat16_t *x,
    int32_t b,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void causal_conv1d_vec3(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *seen,
    __gm__ float *y_tap_wide,
    __gm__ float *y_tap_wide_2,
    __gm__ float *y_tap_wide_3,
    __gm__ float *y_tap_wide_4,
    __gm__ float *bias,
    int32_t b_begin,
    int32_t b_end,
    int32_t s,
    int32_t nblk);
extern "C" __global__ AICORE void causal_conv1d_vec4(
    __gm__ bfloat16_t *state,
    __gm__ bfloat16_t *seen,
    int32_t b,
    int32_t s,
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

extern "C" void causal_conv1d_a2a3(pto_rt::Runtime &rt, const causal_conv1d_args &args)
{
    const int32_t b = static_cast<int32_t>(args.b);
    const int32_t s = static_cast<int32_t>(args.s);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *state = (__gm__ bfloat16_t *)args.state;
    auto *w = (__gm__ bfloat16_t *)args.w;
    auto *bias = (__gm__ float *)args.bias;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *y_tap_wide = static_cast<__gm__ float *>(rt.workspace(256 * sizeof(float)));
    auto *y_tap_wide_2 = static_cast<__gm__ float *>(rt.workspace(256 * sizeof(float)));
    auto *y_tap_wide_3 = static_cast<__gm__ float *>(rt.workspace(256 * sizeof(float)));
    auto *y_tap_wide_4 = static_cast<__gm__ float *>(rt.workspace(256 * sizeof(float)));
    auto *seen = static_cast<__gm__ bfloat16_t *>(rt.workspace((int64_t(b) * 768 + int64_t(b) * s * 256) * sizeof(bfloat16_t)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of b; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t b_begin, int32_t b_end) {
        const int32_t causal_conv1d_vec1_blocks = fewer(32, vector);
        const Launch causal_conv1d_vec1_done = rt.launch(
            "causal_conv1d_vec1", Core::Vector, causal_conv1d_vec1_blocks,
            [=] {
                causal_conv1d_vec1(y_tap_wide, y_tap_wide_2, y_tap_wide_3, y_tap_wide_4, w,
                    causal_conv1d_vec1_blocks);
            }, {}, 2);
        const int32_t causal_conv1d_vec2_blocks = fewer(std::max<int64_t>((b * 256 + 367) / 368, int64_t((b * 256 + 3) / 4) * ((s + 6143) / 6144)), vector);
        const Launch causal_conv1d_vec2_done = rt.launch(
            "causal_conv1d_vec2", Core::Vector, causal_conv1d_vec2_blocks,
            [=] {
                causal_conv1d_vec2(seen, state, x, b, s, causal_conv1d_vec2_blocks);
            }, {}, 3);
        const int32_t causal_conv1d_vec3_blocks = fewer(int64_t(b_end - b_begin) * ((s + 255) / 256) * 16, vector);
        rt.launch(
            "causal_conv1d_vec3", Core::Vector, causal_conv1d_vec3_blocks,
            [=] {
                causal_conv1d_vec3(y, seen, y_tap_wide, y_tap_wide_2, y_tap_wide_3, y_tap_wide_4, bias, b_begin,
                    b_end, s, causal_conv1d_vec3_blocks);
            }, {causal_conv1d_vec2_done, causal_conv1d_vec1_done}, 1);
        const int32_t causal_conv1d_vec4_blocks = fewer((b * 256 + 367) / 368, vector);
        rt.launch(
            "causal_conv1d_vec4", Core::Vector, causal_conv1d_vec4_blocks,
            [=] {
                causal_conv1d_vec4(state, seen, b, s, causal_conv1d_vec4_blocks);
            }, {causal_conv1d_vec2_done});
    };

    launch_range(0, b);
}
