// Orchestration of `block_sparse_attention` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void attend(
    __gm__ float *l_end,
    __gm__ float *acc_end,
    __gm__ int32_t *seen,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *v,
    float scale,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t kv_blocks,
    int32_t nblk);
extern "C" __global__ AICORE void out(
    __gm__ bfloat16_t *o,
    __gm__ float *acc_end,
    __gm__ float *l_end,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
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

extern "C" void block_sparse_attention_cpu(pto_rt::Runtime &rt, const block_sparse_attention_args &args)
{
    const int32_t q_blocks = static_cast<int32_t>(args.q_blocks);
    const int32_t kv_blocks = static_cast<int32_t>(args.kv_blocks);
    const float scale = static_cast<float>(args.scale);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    auto *v = (__gm__ bfloat16_t *)args.v;
    auto *seen = (__gm__ int32_t *)args.seen;
    auto *o = (__gm__ bfloat16_t *)args.o;
    // Values between kernels.
    auto *l_end = static_cast<__gm__ float *>(rt.workspace(int64_t(q_blocks) * 512 * sizeof(float)));
    auto *acc_end = static_cast<__gm__ float *>(rt.workspace(int64_t(q_blocks) * 65536 * sizeof(float)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of q_blocks; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t q_blocks_begin, int32_t q_blocks_end) {
        const int32_t attend_blocks = fewer(8, mixed);
        const Launch attend_done = rt.launch(
            "attend", Core::Mixed, attend_blocks,
            [=] {
                attend(l_end, acc_end, seen, q, k, v, scale, q_blocks_begin, q_blocks_end, q_blocks, kv_blocks,
                    attend_blocks);
            }, {}, 1);
        const int32_t out_blocks = fewer(8, vector);
        rt.launch(
            "out", Core::Vector, out_blocks,
            [=] {
                out(o, acc_end, l_end, q_blocks_begin, q_blocks_end, q_blocks, out_blocks);
            }, {attend_done});
    };

    launch_range(0, q_blocks);
}
