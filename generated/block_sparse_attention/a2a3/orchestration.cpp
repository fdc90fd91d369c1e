// Orchestration of `block_sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void attend_cube1(
    __gm__ float *s_2,
    __gm__ int32_t *seen,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t kv_blocks,
    int32_t nblk);
extern "C" __global__ AICORE void attend_vec1(
    __gm__ float *a,
    __gm__ bfloat16_t *acc_3,
    __gm__ float *l_end,
    __gm__ int32_t *seen,
    __gm__ float *s_2,
    float scale,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t kv_blocks,
    int32_t nblk);
extern "C" __global__ AICORE void attend_cube2(
    __gm__ float *acc_4,
    __gm__ int32_t *seen,
    __gm__ bfloat16_t *acc_3,
    __gm__ bfloat16_t *v,
    int32_t q_blocks_begin,
    int32_t q_blocks_end,
    int32_t q_blocks,
    int32_t kv_blocks,
    int32_t nblk);
extern "C" __global__ AICORE void attend_vec2(
    __gm__ float *acc_end,
    __gm__ int32_t *seen,
    __gm__ float *a,
    __gm__ float *acc_4,
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

extern "C" void block_sparse_attention_a2a3(pto_rt::Runtime &rt, const block_sparse_attention_args &args)
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
    auto *s_2 = static_cast<__gm__ float *>(rt.workspace((int64_t(kv_blocks) * q_blocks * 32768 + int64_t(q_blocks) * 32768) * sizeof(float)));
    auto *a = static_cast<__gm__ float *>(rt.workspace((int64_t(kv_blocks) * q_blocks * 512 + int64_t(q_blocks) * 512) * sizeof(float)));
    auto *acc_3 = static_cast<__gm__ bfloat16_t *>(rt.workspace((int64_t(kv_blocks) * q_blocks * 32768 + int64_t(q_blocks) * 32768) * sizeof(bfloat16_t)));
    auto *l_end = static_cast<__gm__ float *>(rt.workspace(int64_t(q_blocks) * 512 * sizeof(float)));
    auto *acc_4 = static_cast<__gm__ float *>(rt.workspace((int64_t(kv_blocks) * q_blocks * 65536 + int64_t(q_blocks) * 65536) * sizeof(float)));
    auto *acc_end = static_cast<__gm__ float *>(rt.workspace(int64_t(q_blocks) * 65536 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of q_blocks; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t q_blocks_begin, int32_t q_blocks_end) {
        const int32_t attend_cube1_blocks = fewer(int64_t(q_blocks_end - q_blocks_begin) * 8, cube);
        const Launch attend_cube1_done = rt.launch(
            "attend_cube1", Core::Cube, attend_cube1_blocks,
            [=] {
                attend_cube1(s_2, seen, q, k, q_blocks_begin, q_blocks_end, q_blocks, kv_blocks,
                    attend_cube1_blocks);
            }, {}, 4);
        const int32_t attend_vec1_blocks = fewer(int64_t(q_blocks_end - q_blocks_begin) * 8, vector);
        const Launch attend_vec1_done = rt.launch(
            "attend_vec1", Core::Vector, attend_vec1_blocks,
            [=] {
                attend_vec1(a, acc_3, l_end, seen, s_2, scale, q_blocks_begin, q_blocks_end, q_blocks,
                    kv_blocks, attend_vec1_blocks);
            }, {attend_cube1_done}, 3);
        const int32_t attend_cube2_blocks = fewer(int64_t(q_blocks_end - q_blocks_begin) * 8, cube);
        const Launch attend_cube2_done = rt.launch(
            "attend_cube2", Core::Cube, attend_cube2_blocks,
            [=] {
                attend_cube2(acc_4, seen, acc_3, v, q_blocks_begin, q_blocks_end, q_blocks, kv_blocks,
                    attend_cube2_blocks);
            }, {attend_vec1_done}, 2);
        const int32_t attend_vec2_blocks = fewer(int64_t(q_blocks_end - q_blocks_begin) * 8, vector);
        const Launch attend_vec2_done = rt.launch(
            "attend_vec2", Core::Vector, attend_vec2_blocks,
            [=] {
                attend_vec2(acc_end, seen, a, acc_4, q_blocks_begin, q_blocks_end, q_blocks, kv_blocks,
                    attend_vec2_blocks);
            }, {attend_vec1_done, attend_cube2_done}, 1);
        const int32_t out_blocks = fewer(int64_t(q_blocks_end - q_blocks_begin) * 8, vector);
        rt.launch(
            "out", Core::Vector, out_blocks,
            [=] {
                out(o, acc_end, l_end, q_blocks_begin, q_blocks_end, q_blocks, out_blocks);
            }, {attend_vec2_done, attend_vec1_done});
    };

    launch_range(0, q_blocks);
}
