// Orchestration of `indexer_prolog_v4` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void query_linear(
    __gm__ int32_t *q_i,
    __gm__ int8_t *q_norm,
    __gm__ int8_t *w_qb,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_rope(
    __gm__ bfloat16_t *q_r,
    __gm__ int32_t *q_i,
    __gm__ float *q_norm_scale,
    __gm__ float *w_qb_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_quant_cube(
    __gm__ bfloat16_t *q_h,
    __gm__ bfloat16_t *q_r,
    __gm__ bfloat16_t *hadamard,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_quant_vec(
    __gm__ int8_t *q,
    __gm__ half *q_scale,
    __gm__ bfloat16_t *q_h,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void head_weights_cube(
    __gm__ bfloat16_t *w_b,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_proj,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void head_weights_vec(
    __gm__ half *weights,
    __gm__ bfloat16_t *w_b,
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

extern "C" void indexer_prolog_v4_a2a3(pto_rt::Runtime &rt, const indexer_prolog_v4_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *q_norm = (__gm__ int8_t *)args.q_norm;
    auto *q_norm_scale = (__gm__ float *)args.q_norm_scale;
    auto *w_qb = (__gm__ int8_t *)args.w_qb;
    auto *w_qb_scale = (__gm__ float *)args.w_qb_scale;
    auto *w_proj = (__gm__ bfloat16_t *)args.w_proj;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *hadamard = (__gm__ bfloat16_t *)args.hadamard;
    auto *q = (__gm__ int8_t *)args.q;
    auto *q_scale = (__gm__ half *)args.q_scale;
    auto *weights = (__gm__ half *)args.weights;
    // Values between kernels.
    auto *q_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(int32_t)));
    auto *q_r = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(bfloat16_t)));
    auto *q_h = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(bfloat16_t)));
    auto *w_b = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 64 * sizeof(bfloat16_t)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t query_linear_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 64, cube);
        const Launch query_linear_done = rt.launch(
            "query_linear", Core::Cube, query_linear_blocks,
            [=] {
                query_linear(q_i, q_norm, w_qb, t_begin, t_end, query_linear_blocks);
            }, {}, 5);
        const int32_t query_rope_blocks = fewer(64, vector);
        const Launch query_rope_done = rt.launch(
            "query_rope", Core::Vector, query_rope_blocks,
            [=] {
                query_rope(q_r, q_i, q_norm_scale, w_qb_scale, cos, sin, t_begin, t_end, query_rope_blocks);
            }, {query_linear_done}, 4);
        const int32_t query_quant_cube_blocks = fewer(t_end - t_begin, cube);
        const Launch query_quant_cube_done = rt.launch(
            "query_quant_cube", Core::Cube, query_quant_cube_blocks,
            [=] {
                query_quant_cube(q_h, q_r, hadamard, t_begin, t_end, query_quant_cube_blocks);
            }, {query_rope_done}, 2);
        const int32_t query_quant_vec_blocks = fewer(t_end - t_begin, vector);
        rt.launch(
            "query_quant_vec", Core::Vector, query_quant_vec_blocks,
            [=] {
                query_quant_vec(q, q_scale, q_h, t_begin, t_end, query_quant_vec_blocks);
            }, {query_quant_cube_done}, 1);
        const int32_t head_weights_cube_blocks = fewer(int64_t((t_end - t_begin + 31) / 32) * 2, cube);
        const Launch head_weights_cube_done = rt.launch(
            "head_weights_cube", Core::Cube, head_weights_cube_blocks,
            [=] {
                head_weights_cube(w_b, x, w_proj, t_begin, t_end, head_weights_cube_blocks);
            }, {}, 3);
        const int32_t head_weights_vec_blocks = fewer(int64_t((t_end - t_begin + 31) / 32) * 2, vector);
        rt.launch(
            "head_weights_vec", Core::Vector, head_weights_vec_blocks,
            [=] {
                head_weights_vec(weights, w_b, t_begin, t_end, head_weights_vec_blocks);
            }, {head_weights_cube_done});
    };

    launch_range(0, t);
}
