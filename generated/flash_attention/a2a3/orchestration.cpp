// Orchestration of `flash_attention` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void flash_attention_cube1(
    __gm__ float *o_1,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t kv,
    int32_t sq,
    int32_t nblk);
extern "C" __global__ AICORE void flash_attention_vec1(
    __gm__ float *o_alpha,
    __gm__ bfloat16_t *o_p_low,
    __gm__ float *o_sum_end,
    __gm__ float *o_1,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t kv,
    int32_t sq,
    int32_t nblk);
extern "C" __global__ AICORE void flash_attention_cube2(
    __gm__ float *o_5,
    __gm__ bfloat16_t *o_p_low,
    __gm__ bfloat16_t *v,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t kv,
    int32_t sq,
    int32_t nblk);
extern "C" __global__ AICORE void flash_attention_vec2(
    __gm__ bfloat16_t *o,
    __gm__ float *o_alpha,
    __gm__ float *o_5,
    __gm__ float *o_sum_end,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t kv,
    int32_t sq,
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
    // Values between kernels.
    auto *o_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(float)));
    auto *o_alpha = static_cast<__gm__ float *>(rt.workspace((int64_t(sq) * 512 + int64_t(kv) * sq) * sizeof(float)));
    auto *o_p_low = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(bfloat16_t)));
    auto *o_sum_end = static_cast<__gm__ float *>(rt.workspace(int64_t(sq) * 8 * sizeof(float)));
    auto *o_5 = static_cast<__gm__ float *>(rt.workspace((int64_t(sq) * 4096 + int64_t(kv) * sq * 8) * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of sq; each starts when those it names have finished. Last: its priority.
    const auto segment = [=, &rt](int32_t sq_begin, int32_t sq_end) {
        const int32_t flash_attention_cube1_blocks = fewer(8, cube);
        const Launch flash_attention_cube1_done = rt.launch(
            "flash_attention_cube1", Core::Cube, flash_attention_cube1_blocks,
            [=] {
                flash_attention_cube1(o_1, q, k, sq_begin, sq_end, kv, sq, flash_attention_cube1_blocks);
            }, {}, 3);
        const int32_t flash_attention_vec1_blocks = fewer(8, vector);
        const Launch flash_attention_vec1_done = rt.launch(
            "flash_attention_vec1", Core::Vector, flash_attention_vec1_blocks,
            [=] {
                flash_attention_vec1(o_alpha, o_p_low, o_sum_end, o_1, scale, sq_begin, sq_end, kv, sq,
                    flash_attention_vec1_blocks);
            }, {flash_attention_cube1_done}, 2);
        const int32_t flash_attention_cube2_blocks = fewer(8, cube);
        const Launch flash_attention_cube2_done = rt.launch(
            "flash_attention_cube2", Core::Cube, flash_attention_cube2_blocks,
            [=] {
                flash_attention_cube2(o_5, o_p_low, v, sq_begin, sq_end, kv, sq, flash_attention_cube2_blocks);
            }, {flash_attention_vec1_done}, 1);
        const int32_t flash_attention_vec2_blocks = fewer(8, vector);
        rt.launch(
            "flash_attention_vec2", Core::Vector, flash_attention_vec2_blocks,
            [=] {
                flash_attention_vec2(o, o_alpha, o_5, o_sum_end, sq_begin, sq_end, kv, sq,
                    flash_attention_vec2_blocks);
            }, {flash_attention_vec1_done, flash_attention_cube2_done});
    };

    segment(0, sq);
}
