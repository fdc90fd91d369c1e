// Orchestration of `indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void query_linear(
    __gm__ int32_t *q_i32,
    __gm__ int8_t *q_norm,
    __gm__ int8_t *w_qb,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_rope(
    __gm__ bfloat16_t *q_cat,
    __gm__ int32_t *q_i32,
    __gm__ float *q_norm_scale,
    __gm__ float *w_qb_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_quant_cube(
    __gm__ bfloat16_t *q_h,
    __gm__ bfloat16_t *q_cat,
    __gm__ bfloat16_t *hadamard_q,
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
extern "C" __global__ AICORE void key_linear_cube(
    __gm__ float *k_f32_parts,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_k,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void key_linear_vec(
    __gm__ float *k_f32,
    __gm__ float *k_f32_parts,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void key_rope(
    __gm__ bfloat16_t *k_cat,
    __gm__ float *k_f32,
    __gm__ bfloat16_t *ln_gamma,
    __gm__ bfloat16_t *ln_beta,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_quant_cube(
    __gm__ bfloat16_t *k_h,
    __gm__ bfloat16_t *k_cat,
    __gm__ bfloat16_t *hadamard_k,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_quant_vec(
    __gm__ int8_t *k_cache,
    __gm__ half *k_scale_cache,
    __gm__ bfloat16_t *k_h,
    __gm__ int64_t *k_index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void head_weights_cube(
    __gm__ float *w_b_parts,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_proj,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void head_weights_vec(
    __gm__ half *weights,
    __gm__ float *w_b_parts,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
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

extern "C" void indexer_prolog_a2a3(pto_rt::Runtime &rt, const indexer_prolog_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const float eps = static_cast<float>(args.eps);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *q_norm = (__gm__ int8_t *)args.q_norm;
    auto *q_norm_scale = (__gm__ float *)args.q_norm_scale;
    auto *w_qb = (__gm__ int8_t *)args.w_qb;
    auto *w_qb_scale = (__gm__ float *)args.w_qb_scale;
    auto *w_k = (__gm__ bfloat16_t *)args.w_k;
    auto *w_proj = (__gm__ bfloat16_t *)args.w_proj;
    auto *ln_gamma = (__gm__ bfloat16_t *)args.ln_gamma;
    auto *ln_beta = (__gm__ bfloat16_t *)args.ln_beta;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *hadamard_q = (__gm__ bfloat16_t *)args.hadamard_q;
    auto *hadamard_k = (__gm__ bfloat16_t *)args.hadamard_k;
    auto *k_cache = (__gm__ int8_t *)args.k_cache;
    auto *k_scale_cache = (__gm__ half *)args.k_scale_cache;
    auto *k_index = (__gm__ int64_t *)args.k_index;
    auto *q = (__gm__ int8_t *)args.q;
    auto *q_scale = (__gm__ half *)args.q_scale;
    auto *weights = (__gm__ half *)args.weights;
    // Values between kernels.
    auto *q_i32 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(int32_t)));
    auto *q_cat = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(bfloat16_t)));
    auto *q_h = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(bfloat16_t)));
    auto *k_f32_parts = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    auto *k_f32 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 128 * sizeof(float)));
    auto *k_cat = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 128 * sizeof(bfloat16_t)));
    auto *k_h = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 128 * sizeof(bfloat16_t)));
    auto *w_b_parts = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 256 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t query_linear_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 64, cube);
        const Launch query_linear_done = rt.launch(
            "query_linear", Core::Cube, query_linear_blocks,
            [=] {
                query_linear(q_i32, q_norm, w_qb, t_begin, t_end, query_linear_blocks);
            }, {}, 10);
        const int32_t query_rope_blocks = fewer(64, vector);
        const Launch query_rope_done = rt.launch(
            "query_rope", Core::Vector, query_rope_blocks,
            [=] {
                query_rope(q_cat, q_i32, q_norm_scale, w_qb_scale, cos, sin, t_begin, t_end, query_rope_blocks);
            }, {query_linear_done}, 9);
        const int32_t query_quant_cube_blocks = fewer(int64_t(t_end - t_begin) * 2, cube);
        const Launch query_quant_cube_done = rt.launch(
            "query_quant_cube", Core::Cube, query_quant_cube_blocks,
            [=] {
                query_quant_cube(q_h, q_cat, hadamard_q, t_begin, t_end, query_quant_cube_blocks);
            }, {query_rope_done}, 4);
        const int32_t query_quant_vec_blocks = fewer(int64_t(t_end - t_begin) * 2, vector);
        rt.launch(
            "query_quant_vec", Core::Vector, query_quant_vec_blocks,
            [=] {
                query_quant_vec(q, q_scale, q_h, t_begin, t_end, query_quant_vec_blocks);
            }, {query_quant_cube_done}, 3);
        const int32_t key_linear_cube_blocks = fewer(int64_t((t_end - t_begin + 63) / 64) * 8, cube);
        const Launch key_linear_cube_done = rt.launch(
            "key_linear_cube", Core::Cube, key_linear_cube_blocks,
            [=] {
                key_linear_cube(k_f32_parts, x, w_k, t_begin, t_end, t, key_linear_cube_blocks);
            }, {}, 8);
        const int32_t key_linear_vec_blocks = fewer(int64_t((t_end - t_begin + 63) / 64) * 2, vector);
        const Launch key_linear_vec_done = rt.launch(
            "key_linear_vec", Core::Vector, key_linear_vec_blocks,
            [=] {
                key_linear_vec(k_f32, k_f32_parts, t_begin, t_end, t, key_linear_vec_blocks);
            }, {key_linear_cube_done}, 6);
        const int32_t key_rope_blocks = fewer((t_end - t_begin + 3) / 4, vector);
        const Launch key_rope_done = rt.launch(
            "key_rope", Core::Vector, key_rope_blocks,
            [=] {
                key_rope(k_cat, k_f32, ln_gamma, ln_beta, cos, sin, eps, t_begin, t_end, key_rope_blocks);
            }, {key_linear_vec_done}, 2);
        const int32_t key_quant_cube_blocks = fewer((t_end - t_begin + 3) / 4, cube);
        const Launch key_quant_cube_done = rt.launch(
            "key_quant_cube", Core::Cube, key_quant_cube_blocks,
            [=] {
                key_quant_cube(k_h, k_cat, hadamard_k, t_begin, t_end, key_quant_cube_blocks);
            }, {key_rope_done}, 1);
        const int32_t key_quant_vec_blocks = fewer((t_end - t_begin + 3) / 4, vector);
        rt.launch(
            "key_quant_vec", Core::Vector, key_quant_vec_blocks,
            [=] {
                key_quant_vec(k_cache, k_scale_cache, k_h, k_index, t_begin, t_end, key_quant_vec_blocks);
            }, {key_quant_cube_done});
        const int32_t head_weights_cube_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 4, cube);
        const Launch head_weights_cube_done = rt.launch(
            "head_weights_cube", Core::Cube, head_weights_cube_blocks,
            [=] {
                head_weights_cube(w_b_parts, x, w_proj, t_begin, t_end, t, head_weights_cube_blocks);
            }, {}, 7);
        const int32_t head_weights_vec_blocks = fewer((t_end - t_begin + 127) / 128, vector);
        rt.launch(
            "head_weights_vec", Core::Vector, head_weights_vec_blocks,
            [=] {
                head_weights_vec(weights, w_b_parts, t_begin, t_end, t, head_weights_vec_blocks);
            }, {head_weights_cube_done}, 5);
    };

    launch_range(0, t);
}
