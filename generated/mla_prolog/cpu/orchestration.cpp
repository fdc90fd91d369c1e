// Orchestration of `mla_prolog` for cpu. Made by pyptogen; change the spec, not this file.
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
extern "C" __global__ AICORE void query(
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *q_rope,
    __gm__ int8_t *q_norm,
    __gm__ int8_t *w_uq,
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
extern "C" __global__ AICORE void key_linear(
    __gm__ float *kv_f,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_dkv,
    int32_t t_begin,
    int32_t t_end,
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
extern "C" __global__ AICORE void rotary_linear_to_key_rope(
    __gm__ bfloat16_t *kr_cache,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_kr,
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

extern "C" void mla_prolog_cpu(pto_rt::Runtime &rt, const mla_prolog_args &args)
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
    auto *q_b = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 6144 * sizeof(bfloat16_t)));
    auto *kv_f = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t query_down_blocks = fewer((t_end - t_begin + 255) / 256, cube);
        const Launch query_down_done = rt.launch(
            "query_down", Core::Cube, query_down_blocks,
            [=] {
                query_down(q_c, x, w_dq, t_begin, t_end, query_down_blocks);
            }, {}, 3);
        const int32_t query_norm_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        const Launch query_norm_done = rt.launch(
            "query_norm", Core::Vector, query_norm_blocks,
            [=] {
                query_norm(q_norm, q_norm_scale, q_gamma, q_c, eps, t_begin, t_end, query_norm_blocks);
            }, {query_down_done}, 2);
        const int32_t query_blocks = fewer(32, mixed);
        const Launch query_done = rt.launch(
            "query", Core::Mixed, query_blocks,
            [=] {
                query(q_b, q_rope, q_norm, w_uq, q_norm_scale, w_uq_scale, cos, sin, t_begin, t_end,
                    query_blocks);
            }, {query_norm_done}, 1);
        const int32_t query_absorb_blocks = fewer(32, cube);
        rt.launch(
            "query_absorb", Core::Cube, query_absorb_blocks,
            [=] {
                query_absorb(q_nope, q_b, w_uk, t_begin, t_end, query_absorb_blocks);
            }, {query_done});
        const int32_t key_linear_blocks = fewer((t_end - t_begin + 255) / 256, cube);
        const Launch key_linear_done = rt.launch(
            "key_linear", Core::Cube, key_linear_blocks,
            [=] {
                key_linear(kv_f, x, w_dkv, t_begin, t_end, key_linear_blocks);
            }, {}, 1);
        const int32_t key_norm_blocks = fewer((t_end - t_begin + 15) / 16, vector);
        rt.launch(
            "key_norm", Core::Vector, key_norm_blocks,
            [=] {
                key_norm(kv_cache, kv_gamma, kv_f, slot, eps, t_begin, t_end, key_norm_blocks);
            }, {key_linear_done});
        const int32_t rotary_linear_to_key_rope_blocks = fewer((t_end - t_begin + 255) / 256, mixed);
        rt.launch(
            "rotary_linear_to_key_rope", Core::Mixed, rotary_linear_to_key_rope_blocks,
            [=] {
                rotary_linear_to_key_rope(kr_cache, x, w_kr, cos, sin, slot, t_begin, t_end,
                    rotary_linear_to_key_rope_blocks);
            });
    };

    launch_range(0, t);
}
