// Orchestration of `rope_cache` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void turn_queries(
    __gm__ bfloat16_t *q_turned,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void turn_keys(
    __gm__ bfloat16_t *k_turned,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void store(
    __gm__ bfloat16_t *k_cache,
    __gm__ bfloat16_t *v_cache,
    __gm__ bfloat16_t *k_turned,
    __gm__ int64_t *slot,
    __gm__ bfloat16_t *v,
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

extern "C" void rope_cache_a2a3(pto_rt::Runtime &rt, const rope_cache_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    auto *v = (__gm__ bfloat16_t *)args.v;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *k_cache = (__gm__ bfloat16_t *)args.k_cache;
    auto *v_cache = (__gm__ bfloat16_t *)args.v_cache;
    auto *slot = (__gm__ int64_t *)args.slot;
    auto *q_turned = (__gm__ bfloat16_t *)args.q_turned;
    // Values between kernels.
    auto *k_turned = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 512 * sizeof(bfloat16_t)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t turn_queries_blocks = fewer(int64_t((t_end - t_begin + 31) / 32) * 16, vector);
        rt.launch(
            "turn_queries", Core::Vector, turn_queries_blocks,
            [=] {
                turn_queries(q_turned, q, cos, sin, t_begin, t_end, turn_queries_blocks);
            }, {}, 2);
        const int32_t turn_keys_blocks = fewer((t_end - t_begin + 31) / 32, vector);
        const Launch turn_keys_done = rt.launch(
            "turn_keys", Core::Vector, turn_keys_blocks,
            [=] {
                turn_keys(k_turned, k, cos, sin, t_begin, t_end, turn_keys_blocks);
            }, {}, 1);
        const int32_t store_blocks = fewer((t_end - t_begin + 15) / 16, vector);
        rt.launch(
            "store", Core::Vector, store_blocks,
            [=] {
                store(k_cache, v_cache, k_turned, slot, v, t_begin, t_end, store_blocks);
            }, {turn_keys_done});
    };

    launch_range(0, t);
}
