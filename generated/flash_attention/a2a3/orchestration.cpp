// Orchestration of `flash_attention` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void flash_attention_cube(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *v,
    __gm__ bfloat16_t *o_p_low_fifo,
    __gm__ float *o_pv_fifo,
    __gm__ float *o_qk_fifo,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void flash_attention_vec(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *o_p_low_fifo,
    __gm__ float *o_pv_fifo,
    __gm__ float *o_qk_fifo,
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

extern "C" void flash_attention_a2a3(pto_rt::Runtime &rt, const flash_attention_args &args)
{
    const int32_t sq = static_cast<int32_t>(args.sq);
    const int32_t kv = static_cast<int32_t>(args.kv);
    const float scale = static_cast<float>(args.scale);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    auto *v = (__gm__ bfloat16_t *)args.v;
    auto *o = (__gm__ bfloat16_t *)args.o;
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    const int32_t mixed = blocks_for(rt, Core::Mixed);

    // The launches of one range of sq; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t sq_begin, int32_t sq_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t flash_attention_blocks = fewer(int64_t((sq_end - sq_begin + 127) / 128) * 8, mixed);
        auto *o_p_low_fifo = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(flash_attention_blocks) * 131072 * sizeof(bfloat16_t)));
        auto *o_pv_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(flash_attention_blocks) * 65536 * sizeof(float)));
        auto *o_qk_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(flash_attention_blocks) * 131072 * sizeof(float)));
        rt.launch(
            "flash_attention", Core::Mixed, flash_attention_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { flash_attention_cube(ffts, q, k, v, o_p_low_fifo, o_pv_fifo, o_qk_fifo, sq_begin, sq_end, sq,
                    kv, flash_attention_blocks); },
                    [=] { flash_attention_vec(ffts, o, o_p_low_fifo, o_pv_fifo, o_qk_fifo, scale, sq_begin, sq_end, sq,
                    kv, flash_attention_blocks); });
            });
    };

    launch_range(0, sq);
}
