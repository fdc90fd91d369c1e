// Orchestration of `sparse_attention` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void gather_vec1(
    __gm__ int32_t *rows_1,
    __gm__ int32_t *index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void gather_vec2(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *latent,
    __gm__ int32_t *rows_1,
    int32_t t,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void absent(
    __gm__ float *bias,
    __gm__ int32_t *index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void attend(
    __gm__ bfloat16_t *o,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *rows,
    __gm__ float *bias,
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

extern "C" void sparse_attention_cpu(pto_rt::Runtime &rt, const sparse_attention_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const int32_t kv = static_cast<int32_t>(args.kv);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *latent = (__gm__ bfloat16_t *)args.latent;
    auto *index = (__gm__ int32_t *)args.index;
    auto *o = (__gm__ bfloat16_t *)args.o;
    // Values between kernels.
    auto *rows_1 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 2048 * sizeof(int32_t)));
    auto *rows = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 1179648 * sizeof(bfloat16_t)));
    auto *bias = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 2048 * sizeof(float)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t gather_vec1_blocks = fewer(16, vector);
        const Launch gather_vec1_done = rt.launch(
            "gather_vec1", Core::Vector, gather_vec1_blocks,
            [=] {
                gather_vec1(rows_1, index, t_begin, t_end, gather_vec1_blocks);
            }, {}, 2);
        const int32_t gather_vec2_blocks = fewer(t * 2048, vector);
        const Launch gather_vec2_done = rt.launch(
            "gather_vec2", Core::Vector, gather_vec2_blocks,
            [=] {
                gather_vec2(rows, latent, rows_1, t, kv, gather_vec2_blocks);
            }, {gather_vec1_done}, 1);
        const int32_t absent_blocks = fewer(16, vector);
        const Launch absent_done = rt.launch(
            "absent", Core::Vector, absent_blocks,
            [=] {
                absent(bias, index, t_begin, t_end, absent_blocks);
            }, {}, 1);
        const int32_t attend_blocks = fewer(t_end - t_begin, mixed);
        rt.launch(
            "attend", Core::Mixed, attend_blocks,
            [=] {
                attend(o, q, rows, bias, t_begin, t_end, attend_blocks);
            }, {gather_vec2_done, absent_done});
    };

    launch_range(0, t);
}
