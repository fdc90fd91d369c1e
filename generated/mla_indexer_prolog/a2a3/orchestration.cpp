// Orchestration of `mla_indexer_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void norm(
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *gamma,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_down(
    __gm__ float *q_c,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_dq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_norm(
    __gm__ int8_t *q_q,
    __gm__ float *q_s,
    __gm__ bfloat16_t *q_gamma,
    __gm__ float *q_c,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_up(
    __gm__ int32_t *q_i,
    __gm__ int8_t *q_q,
    __gm__ int8_t *w_uq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_split(
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *q_rope,
    __gm__ int32_t *q_i,
    __gm__ float *q_s,
    __gm__ float *w_uq_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_absorb(
    __gm__ bfloat16_t *q_nope,
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *w_uk,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_linear_cube(
    __gm__ float *kv_f_parts,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_dkv,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void key_linear_vec(
    __gm__ float *kv_f,
    __gm__ float *kv_f_parts,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void key_norm(
    __gm__ bfloat16_t *kv_cache,
    __gm__ bfloat16_t *kv_gamma,
    __gm__ float *kv_f,
    __gm__ int64_t *slot,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void rotary_linear(
    __gm__ bfloat16_t *kr_1,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_kr,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_rope(
    __gm__ bfloat16_t *kr_cache,
    __gm__ bfloat16_t *kr_1,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_linear(
    __gm__ int32_t *iq_i,
    __gm__ int8_t *q_q,
    __gm__ int8_t *w_iq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_rope(
    __gm__ bfloat16_t *iq_r,
    __gm__ int32_t *iq_i,
    __gm__ float *q_s,
    __gm__ float *w_iq_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_quant_cube(
    __gm__ bfloat16_t *iq_h,
    __gm__ bfloat16_t *iq_r,
    __gm__ bfloat16_t *hadamard,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_quant_vec(
    __gm__ int8_t *iq,
    __gm__ half *iq_scale,
    __gm__ bfloat16_t *iq_h,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_key_linear_cube(
    __gm__ float *ik_f_parts,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_ik,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void index_key_linear_vec(
    __gm__ float *ik_f,
    __gm__ float *ik_f_parts,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void index_key_rope(
    __gm__ bfloat16_t *ik_r,
    __gm__ float *ik_f,
    __gm__ bfloat16_t *ik_gamma,
    __gm__ bfloat16_t *ik_beta,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_key_quant_cube(
    __gm__ bfloat16_t *ik_h,
    __gm__ bfloat16_t *ik_r,
    __gm__ bfloat16_t *hadamard,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_key_quant_vec(
    __gm__ int8_t *ik_cache,
    __gm__ half *ik_scale,
    __gm__ bfloat16_t *ik_h,
    __gm__ int64_t *slot,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_weights_cube(
    __gm__ float *weights_1,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_iw,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_weights_vec(
    __gm__ half *weights,
    __gm__ float *weights_1,
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

extern "C" void mla_indexer_prolog_a2a3(pto_rt::Runtime &rt, const mla_indexer_prolog_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const float eps = static_cast<float>(args.eps);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *gamma = (__gm__ bfloat16_t *)args.gamma;
    auto *w_dq = (__gm__ bfloat16_t *)args.w_dq;
    auto *w_uq = (__gm__ int8_t *)args.w_uq;
    auto *w_uq_scale = (__gm__ float *)args.w_uq_scale;
    auto *w_uk = (__gm__ bfloat16_t *)args.w_uk;
    auto *w_dkv = (__gm__ bfloat16_t *)args.w_dkv;
    auto *w_kr = (__gm__ bfloat16_t *)args.w_kr;
    auto *w_iq = (__gm__ int8_t *)args.w_iq;
    auto *w_iq_scale = (__gm__ float *)args.w_iq_scale;
    auto *w_ik = (__gm__ bfloat16_t *)args.w_ik;
    auto *w_iw = (__gm__ bfloat16_t *)args.w_iw;
    auto *q_gamma = (__gm__ bfloat16_t *)args.q_gamma;
    auto *kv_gamma = (__gm__ bfloat16_t *)args.kv_gamma;
    auto *ik_gamma = (__gm__ bfloat16_t *)args.ik_gamma;
    auto *ik_beta = (__gm__ bfloat16_t *)args.ik_beta;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *hadamard = (__gm__ bfloat16_t *)args.hadamard;
    auto *kv_cache = (__gm__ bfloat16_t *)args.kv_cache;
    auto *kr_cache = (__gm__ bfloat16_t *)args.kr_cache;
    auto *ik_cache = (__gm__ int8_t *)args.ik_cache;
    auto *ik_scale = (__gm__ half *)args.ik_scale;
    auto *slot = (__gm__ int64_t *)args.slot;
    auto *q_nope = (__gm__ bfloat16_t *)args.q_nope;
    auto *q_rope = (__gm__ bfloat16_t *)args.q_rope;
    auto *iq = (__gm__ int8_t *)args.iq;
    auto *iq_scale = (__gm__ half *)args.iq_scale;
    auto *weights = (__gm__ half *)args.weights;
    // Values between kernels.
    auto *x_n = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 7168 * sizeof(bfloat16_t)));
    auto *q_c = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1536 * sizeof(float)));
    auto *q_q = static_cast<__gm__ int8_t *>(rt.workspace(int64_t(t) * 1536 * sizeof(int8_t)));
    auto *q_s = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *q_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 6144 * sizeof(int32_t)));
    auto *q_b = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 6144 * sizeof(bfloat16_t)));
    auto *kv_f_parts = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1024 * sizeof(float)));
    auto *kv_f = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    auto *kr_1 = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 64 * sizeof(bfloat16_t)));
    auto *iq_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(int32_t)));
    auto *iq_r = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(bfloat16_t)));
    auto *iq_h = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(bfloat16_t)));
    auto *ik_f_parts = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    auto *ik_f = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 128 * sizeof(float)));
    auto *ik_r = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 128 * sizeof(bfloat16_t)));
    auto *ik_h = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 128 * sizeof(bfloat16_t)));
    auto *weights_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 64 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t norm_blocks = fewer((t_end - t_begin + 1) / 2, vector);
        const Launch norm_done = rt.launch(
            "norm", Core::Vector, norm_blocks,
            [=] {
                norm(x_n, x, gamma, eps, t_begin, t_end, norm_blocks);
            }, {}, 21);
        const int32_t query_down_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 12, cube);
        const Launch query_down_done = rt.launch(
            "query_down", Core::Cube, query_down_blocks,
            [=] {
                query_down(q_c, x_n, w_dq, t_begin, t_end, query_down_blocks);
            }, {norm_done}, 20);
        const int32_t query_norm_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        const Launch query_norm_done = rt.launch(
            "query_norm", Core::Vector, query_norm_blocks,
            [=] {
                query_norm(q_q, q_s, q_gamma, q_c, eps, t_begin, t_end, query_norm_blocks);
            }, {query_down_done}, 19);
        const int32_t query_up_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 32, cube);
        const Launch query_up_done = rt.launch(
            "query_up", Core::Cube, query_up_blocks,
            [=] {
                query_up(q_i, q_q, w_uq, t_begin, t_end, query_up_blocks);
            }, {query_norm_done}, 17);
        const int32_t query_split_blocks = fewer(32, vector);
        const Launch query_split_done = rt.launch(
            "query_split", Core::Vector, query_split_blocks,
            [=] {
                query_split(q_b, q_rope, q_i, q_s, w_uq_scale, cos, sin, t_begin, t_end, query_split_blocks);
            }, {query_up_done, query_norm_done}, 15);
        const int32_t query_absorb_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 32, cube);
        rt.launch(
            "query_absorb", Core::Cube, query_absorb_blocks,
            [=] {
                query_absorb(q_nope, q_b, w_uk, t_begin, t_end, query_absorb_blocks);
            }, {query_split_done}, 14);
        const int32_t key_linear_cube_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 8, cube);
        const Launch key_linear_cube_done = rt.launch(
            "key_linear_cube", Core::Cube, key_linear_cube_blocks,
            [=] {
                key_linear_cube(kv_f_parts, x_n, w_dkv, t_begin, t_end, t, key_linear_cube_blocks);
            }, {norm_done}, 16);
        const int32_t key_linear_vec_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 4, vector);
        const Launch key_linear_vec_done = rt.launch(
            "key_linear_vec", Core::Vector, key_linear_vec_blocks,
            [=] {
                key_linear_vec(kv_f, kv_f_parts, t_begin, t_end, t, key_linear_vec_blocks);
            }, {key_linear_cube_done}, 9);
        const int32_t key_norm_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        rt.launch(
            "key_norm", Core::Vector, key_norm_blocks,
            [=] {
                key_norm(kv_cache, kv_gamma, kv_f, slot, eps, t_begin, t_end, key_norm_blocks);
            }, {key_linear_vec_done}, 2);
        const int32_t rotary_linear_blocks = fewer((t_end - t_begin + 63) / 64, cube);
        const Launch rotary_linear_done = rt.launch(
            "rotary_linear", Core::Cube, rotary_linear_blocks,
            [=] {
                rotary_linear(kr_1, x_n, w_kr, t_begin, t_end, rotary_linear_blocks);
            }, {norm_done}, 11);
        const int32_t key_rope_blocks = fewer((t_end - t_begin + 15) / 16, vector);
        rt.launch(
            "key_rope", Core::Vector, key_rope_blocks,
            [=] {
                key_rope(kr_cache, kr_1, cos, sin, slot, t_begin, t_end, key_rope_blocks);
            }, {rotary_linear_done}, 1);
        const int32_t index_linear_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 64, cube);
        const Launch index_linear_done = rt.launch(
            "index_linear", Core::Cube, index_linear_blocks,
            [=] {
                index_linear(iq_i, q_q, w_iq, t_begin, t_end, index_linear_blocks);
            }, {query_norm_done}, 18);
        const int32_t index_rope_blocks = fewer(64, vector);
        const Launch index_rope_done = rt.launch(
            "index_rope", Core::Vector, index_rope_blocks,
            [=] {
                index_rope(iq_r, iq_i, q_s, w_iq_scale, cos, sin, t_begin, t_end, index_rope_blocks);
            }, {index_linear_done, query_norm_done}, 13);
        const int32_t index_quant_cube_blocks = fewer(int64_t(t_end - t_begin) * 2, cube);
        const Launch index_quant_cube_done = rt.launch(
            "index_quant_cube", Core::Cube, index_quant_cube_blocks,
            [=] {
                index_quant_cube(iq_h, iq_r, hadamard, t_begin, t_end, index_quant_cube_blocks);
            }, {index_rope_done}, 6);
        const int32_t index_quant_vec_blocks = fewer(int64_t(t_end - t_begin) * 2, vector);
        rt.launch(
            "index_quant_vec", Core::Vector, index_quant_vec_blocks,
            [=] {
                index_quant_vec(iq, iq_scale, iq_h, t_begin, t_end, index_quant_vec_blocks);
            }, {index_quant_cube_done}, 4);
        const int32_t index_key_linear_cube_blocks = fewer(int64_t((t_end - t_begin + 63) / 64) * 8, cube);
        const Launch index_key_linear_cube_done = rt.launch(
            "index_key_linear_cube", Core::Cube, index_key_linear_cube_blocks,
            [=] {
                index_key_linear_cube(ik_f_parts, x_n, w_ik, t_begin, t_end, t, index_key_linear_cube_blocks);
            }, {norm_done}, 12);
        const int32_t index_key_linear_vec_blocks = fewer(int64_t((t_end - t_begin + 63) / 64) * 2, vector);
        const Launch index_key_linear_vec_done = rt.launch(
            "index_key_linear_vec", Core::Vector, index_key_linear_vec_blocks,
            [=] {
                index_key_linear_vec(ik_f, ik_f_parts, t_begin, t_end, t, index_key_linear_vec_blocks);
            }, {index_key_linear_cube_done}, 8);
        const int32_t index_key_rope_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        const Launch index_key_rope_done = rt.launch(
            "index_key_rope", Core::Vector, index_key_rope_blocks,
            [=] {
                index_key_rope(ik_r, ik_f, ik_gamma, ik_beta, cos, sin, eps, t_begin, t_end,
                    index_key_rope_blocks);
            }, {index_key_linear_vec_done}, 7);
        const int32_t index_key_quant_cube_blocks = fewer((t_end - t_begin + 31) / 32, cube);
        const Launch index_key_quant_cube_done = rt.launch(
            "index_key_quant_cube", Core::Cube, index_key_quant_cube_blocks,
            [=] {
                index_key_quant_cube(ik_h, ik_r, hadamard, t_begin, t_end, index_key_quant_cube_blocks);
            }, {index_key_rope_done}, 5);
        const int32_t index_key_quant_vec_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        rt.launch(
            "index_key_quant_vec", Core::Vector, index_key_quant_vec_blocks,
            [=] {
                index_key_quant_vec(ik_cache, ik_scale, ik_h, slot, t_begin, t_end, index_key_quant_vec_blocks);
            }, {index_key_quant_cube_done}, 3);
        const int32_t index_weights_cube_blocks = fewer((t_end - t_begin + 31) / 32, cube);
        const Launch index_weights_cube_done = rt.launch(
            "index_weights_cube", Core::Cube, index_weights_cube_blocks,
            [=] {
                index_weights_cube(weights_1, x_n, w_iw, t_begin, t_end, index_weights_cube_blocks);
            }, {norm_done}, 10);
        const int32_t index_weights_vec_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        rt.launch(
            "index_weights_vec", Core::Vector, index_weights_vec_blocks,
            [=] {
                index_weights_vec(weights, weights_1, t_begin, t_end, index_weights_vec_blocks);
            }, {index_weights_cube_done});
    };

    launch_range(0, t);
}
