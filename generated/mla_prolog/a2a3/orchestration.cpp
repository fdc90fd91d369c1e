// Orchestration of `mla_prolog` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void query_down(
    __gm__ float *q_c,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_dq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_norm(
    __gm__ int8_t *q_norm,
    __gm__ float *q_norm_scale,
    __gm__ bfloat16_t *q_gamma,
    __gm__ float *q_c,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_up(
    __gm__ int32_t *q_i,
    __gm__ int8_t *q_norm,
    __gm__ int8_t *w_uq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_split(
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *q_rope,
    __gm__ int32_t *q_i,
    __gm__ float *q_norm_scale,
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
    __gm__ bfloat16_t *x,
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
    __gm__ bfloat16_t *x,
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

extern "C" void mla_prolog_a2a3(pto_rt::Runtime &rt, const mla_prolog_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const float eps = static_cast<float>(args.eps);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w_dq = (__gm__ bfloat16_t *)args.w_dq;
    auto *w_uq = (__gm__ int8_t *)args.w_uq;
    auto *w_uq_scale = (__gm__ float *)args.w_uq_scale;
    auto *w_uk = (__gm__ bfloat16_t *)args.w_uk;
    auto *w_dkv = (__gm__ bfloat16_t *)args.w_dkv;
    auto *w_kr = (__gm__ bfloat16_t *)args.w_kr;
    auto *q_gamma = (__gm__ bfloat16_t *)args.q_gamma;
    auto *kv_gamma = (__gm__ bfloat16_t *)args.kv_gamma;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *kv_cache = (__gm__ bfloat16_t *)args.kv_cache;
    auto *kr_cache = (__gm__ bfloat16_t *)args.kr_cache;
    auto *slot = (__gm__ int64_t *)args.slot;
    auto *q_nope = (__gm__ bfloat16_t *)args.q_nope;
    auto *q_rope = (__gm__ bfloat16_t *)args.q_rope;
    auto *q_norm = (__gm__ int8_t *)args.q_norm;
    auto *q_norm_scale = (__gm__ float *)args.q_norm_scale;
    // Values between kernels.
    auto *q_c = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1536 * sizeof(float)));
    auto *q_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 6144 * sizeof(int32_t)));
    auto *q_b = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 6144 * sizeof(bfloat16_t)));
    auto *kv_f_parts = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1024 * sizeof(float)));
    auto *kv_f = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    auto *kr_1 = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 64 * sizeof(bfloat16_t)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t query_down_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 12, cube);
        const Launch query_down_done = rt.launch(
            "query_down", Core::Cube, query_down_blocks,
            [=] {
                query_down(q_c, x, w_dq, t_begin, t_end, query_down_blocks);
            }, {}, 9);
        const int32_t query_norm_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        const Launch query_norm_done = rt.launch(
            "query_norm", Core::Vector, query_norm_blocks,
            [=] {
                query_norm(q_norm, q_norm_scale, q_gamma, q_c, eps, t_begin, t_end, query_norm_blocks);
            }, {query_down_done}, 8);
        const int32_t query_up_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 32, cube);
        const Launch query_up_done = rt.launch(
            "query_up", Core::Cube, query_up_blocks,
            [=] {
                query_up(q_i, q_norm, w_uq, t_begin, t_end, query_up_blocks);
            }, {query_norm_done}, 7);
        const int32_t query_split_blocks = fewer(32, vector);
        const Launch query_split_done = rt.launch(
            "query_split", Core::Vector, query_split_blocks,
            [=] {
                query_split(q_b, q_rope, q_i, q_norm_scale, w_uq_scale, cos, sin, t_begin, t_end,
                    query_split_blocks);
            }, {query_up_done, query_norm_done}, 5);
        const int32_t query_absorb_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 32, cube);
        rt.launch(
            "query_absorb", Core::Cube, query_absorb_blocks,
            [=] {
                query_absorb(q_nope, q_b, w_uk, t_begin, t_end, query_absorb_blocks);
            }, {query_split_done}, 4);
        const int32_t key_linear_cube_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 8, cube);
        const Launch key_linear_cube_done = rt.launch(
            "key_linear_cube", Core::Cube, key_linear_cube_blocks,
            [=] {
                key_linear_cube(kv_f_parts, x, w_dkv, t_begin, t_end, t, key_linear_cube_blocks);
            }, {}, 6);
        const int32_t key_linear_vec_blocks = fewer(int64_t((t_end - t_begin + 127) / 128) * 4, vector);
        const Launch key_linear_vec_done = rt.launch(
            "key_linear_vec", Core::Vector, key_linear_vec_blocks,
            [=] {
                key_linear_vec(kv_f, kv_f_parts, t_begin, t_end, t, key_linear_vec_blocks);
            }, {key_linear_cube_done}, 2);
        const int32_t key_norm_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        rt.launch(
            "key_norm", Core::Vector, key_norm_blocks,
            [=] {
                key_norm(kv_cache, kv_gamma, kv_f, slot, eps, t_begin, t_end, key_norm_blocks);
            }, {key_linear_vec_done}, 1);
        const int32_t rotary_linear_blocks = fewer((t_end - t_begin + 63) / 64, cube);
        const Launch rotary_linear_done = rt.launch(
            "rotary_linear", Core::Cube, rotary_linear_blocks,
            [=] {
                rotary_linear(kr_1, x, w_kr, t_begin, t_end, rotary_linear_blocks);
            }, {}, 3);
        const int32_t key_rope_blocks = fewer((t_end - t_begin + 15) / 16, vector);
        rt.launch(
            "key_rope", Core::Vector, key_rope_blocks,
            [=] {
                key_rope(kr_cache, kr_1, cos, sin, slot, t_begin, t_end, key_rope_blocks);
            }, {rotary_linear_done});
    };

    launch_range(0, t);
}
