// Orchestration of `rope_qkv` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void queries(
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *qkv,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void keys(
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *qkv,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
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

extern "C" void rope_qkv_cpu(pto_rt::Runtime &rt, const rope_qkv_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *qkv = (__gm__ bfloat16_t *)args.qkv;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t queries_blocks = fewer(t_end - t_begin, vector);
        rt.launch(
            "queries", Core::Vector, queries_blocks,
            [=] {
                queries(q, qkv, cos, sin, t_begin, t_end, queries_blocks);
            });
        const int32_t keys_blocks = fewer(t_end - t_begin, vector);
        rt.launch(
            "keys", Core::Vector, keys_blocks,
            [=] {
                keys(k, qkv, cos, sin, t_begin, t_end, keys_blocks);
            });
    };

    launch_range(0, t);
}
