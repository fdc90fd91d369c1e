// Orchestration of `flash_attention_causal` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void flash_attention_causal(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *v,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
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

extern "C" void flash_attention_causal_cpu(pto_rt::Runtime &rt, const flash_attention_causal_args &args)
{
    const int32_t sq = static_cast<int32_t>(args.sq);
    const int32_t kv = static_cast<int32_t>(args.kv);
    const float scale = static_cast<float>(args.scale);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    auto *v = (__gm__ bfloat16_t *)args.v;
    auto *o = (__gm__ bfloat16_t *)args.o;
    const int32_t mixed = blocks_for(rt, Core::Mixed);

    // The launches of one range of sq; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t sq_begin, int32_t sq_end) {
        const int32_t flash_attention_causal_blocks = fewer(8, mixed);
        rt.launch(
            "flash_attention_causal", Core::Mixed, flash_attention_causal_blocks,
            [=] {
                flash_attention_causal(o, q, k, v, scale, sq_begin, sq_end, sq, kv,
                    flash_attention_causal_blocks);
            });
    };

    launch_range(0, sq);
}
