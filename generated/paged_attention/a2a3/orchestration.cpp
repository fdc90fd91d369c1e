// Orchestration of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void gather_vec1(
    __gm__ bfloat16_t *k_rows,
    __gm__ bfloat16_t *k_cache,
    __gm__ int32_t *block_table,
    int32_t batch,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void gather_vec2(
    __gm__ bfloat16_t *v_rows,
    __gm__ bfloat16_t *v_cache,
    __gm__ int32_t *block_table,
    int32_t batch,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void gather_vec3(
    __gm__ bfloat16_t *k,
    __gm__ bfloat16_t *k_rows,
    int32_t batch,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void gather_vec4(
    __gm__ bfloat16_t *v,
    __gm__ bfloat16_t *v_rows,
    int32_t batch,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void visible_vec1(
    __gm__ float *ahead_1,
    __gm__ int32_t *lengths,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t nblk);
extern "C" __global__ AICORE void visible_vec2(
    __gm__ int32_t *place_1,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void visible_vec3(
    __gm__ float *bias,
    __gm__ int32_t *place_1,
    __gm__ float *ahead_1,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void attend_cube1(
    __gm__ float *o_qk,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void attend_vec1(
    __gm__ float *o_alpha,
    __gm__ bfloat16_t *o_p_low,
    __gm__ float *o_sum_end,
    __gm__ float *o_qk,
    __gm__ float *bias,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t batch,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void attend_cube2(
    __gm__ float *o_pv,
    __gm__ bfloat16_t *o_p_low,
    __gm__ bfloat16_t *v,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t batch,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void attend_vec2(
    __gm__ bfloat16_t *o,
    __gm__ float *o_alpha,
    __gm__ float *o_pv,
    __gm__ float *o_sum_end,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t batch,
    int32_t pages,
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

extern "C" void paged_attention_a2a3(pto_rt::Runtime &rt, const paged_attention_args &args)
{
    const int32_t batch = static_cast<int32_t>(args.batch);
    const int32_t pages = static_cast<int32_t>(args.pages);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k_cache = (__gm__ bfloat16_t *)args.k_cache;
    auto *v_cache = (__gm__ bfloat16_t *)args.v_cache;
    auto *block_table = (__gm__ int32_t *)args.block_table;
    auto *lengths = (__gm__ int32_t *)args.lengths;
    auto *o = (__gm__ bfloat16_t *)args.o;
    // Values between kernels.
    auto *k_rows = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(batch) * pages * 8192 * sizeof(bfloat16_t)));
    auto *v_rows = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(batch) * pages * 8192 * sizeof(bfloat16_t)));
    auto *k = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(batch) * pages * 8192 * sizeof(bfloat16_t)));
    auto *v = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(batch) * pages * 8192 * sizeof(bfloat16_t)));
    auto *ahead_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(batch) * sizeof(float)));
    auto *place_1 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(pages) * 32 * sizeof(int32_t)));
    auto *bias = static_cast<__gm__ float *>(rt.workspace(int64_t(batch) * pages * 32 * sizeof(float)));
    auto *o_qk = static_cast<__gm__ float *>(rt.workspace(int64_t(batch) * pages * 1024 * sizeof(float)));
    auto *o_alpha = static_cast<__gm__ float *>(rt.workspace((int64_t(batch) * 512 + int64_t(batch) * pages * 32) * sizeof(float)));
    auto *o_p_low = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(batch) * pages * 1024 * sizeof(bfloat16_t)));
    auto *o_sum_end = static_cast<__gm__ float *>(rt.workspace(int64_t(batch) * 32 * sizeof(float)));
    auto *o_pv = static_cast<__gm__ float *>(rt.workspace((int64_t(batch) * 16384 + int64_t(batch) * pages * 1024) * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of batch; each starts when those it names have finished. Last: its priority.
    const auto segment = [=, &rt](int32_t batch_begin, int32_t batch_end) {
        const int32_t gather_vec1_blocks = fewer((batch * pages + 0) / 1, vector);
        const Launch gather_vec1_done = rt.launch(
            "gather_vec1", Core::Vector, gather_vec1_blocks,
            [=] {
                gather_vec1(k_rows, k_cache, block_table, batch, pages, gather_vec1_blocks);
            }, {}, 10);
        const int32_t gather_vec2_blocks = fewer((batch * pages + 0) / 1, vector);
        const Launch gather_vec2_done = rt.launch(
            "gather_vec2", Core::Vector, gather_vec2_blocks,
            [=] {
                gather_vec2(v_rows, v_cache, block_table, batch, pages, gather_vec2_blocks);
            }, {}, 9);
        const int32_t gather_vec3_blocks = fewer((batch + 0) / 1, vector);
        const Launch gather_vec3_done = rt.launch(
            "gather_vec3", Core::Vector, gather_vec3_blocks,
            [=] {
                gather_vec3(k, k_rows, batch, pages, gather_vec3_blocks);
            }, {gather_vec1_done}, 8);
        const int32_t gather_vec4_blocks = fewer((batch + 0) / 1, vector);
        const Launch gather_vec4_done = rt.launch(
            "gather_vec4", Core::Vector, gather_vec4_blocks,
            [=] {
                gather_vec4(v, v_rows, batch, pages, gather_vec4_blocks);
            }, {gather_vec2_done}, 7);
        const int32_t visible_vec1_blocks = fewer((batch_end - batch_begin + 0) / 1, vector);
        const Launch visible_vec1_done = rt.launch(
            "visible_vec1", Core::Vector, visible_vec1_blocks,
            [=] {
                visible_vec1(ahead_1, lengths, batch_begin, batch_end, visible_vec1_blocks);
            }, {}, 5);
        const int32_t visible_vec2_blocks = fewer((pages * 32 + 6143) / 6144, vector);
        const Launch visible_vec2_done = rt.launch(
            "visible_vec2", Core::Vector, visible_vec2_blocks,
            [=] {
                visible_vec2(place_1, pages, visible_vec2_blocks);
            }, {}, 6);
        const int32_t visible_vec3_blocks = fewer((batch_end - batch_begin + 0) / 1, vector);
        const Launch visible_vec3_done = rt.launch(
            "visible_vec3", Core::Vector, visible_vec3_blocks,
            [=] {
                visible_vec3(bias, place_1, ahead_1, batch_begin, batch_end, pages, visible_vec3_blocks);
            }, {visible_vec2_done, visible_vec1_done}, 4);
        const int32_t attend_cube1_blocks = fewer((batch_end - batch_begin + 0) / 1, cube);
        const Launch attend_cube1_done = rt.launch(
            "attend_cube1", Core::Cube, attend_cube1_blocks,
            [=] {
                attend_cube1(o_qk, q, k, batch_begin, batch_end, pages, attend_cube1_blocks);
            }, {gather_vec3_done}, 3);
        const int32_t attend_vec1_blocks = fewer((batch_end - batch_begin + 0) / 1, vector);
        const Launch attend_vec1_done = rt.launch(
            "attend_vec1", Core::Vector, attend_vec1_blocks,
            [=] {
                attend_vec1(o_alpha, o_p_low, o_sum_end, o_qk, bias, batch_begin, batch_end, batch, pages,
                    attend_vec1_blocks);
            }, {attend_cube1_done, visible_vec3_done}, 2);
        const int32_t attend_cube2_blocks = fewer((batch_end - batch_begin + 0) / 1, cube);
        const Launch attend_cube2_done = rt.launch(
            "attend_cube2", Core::Cube, attend_cube2_blocks,
            [=] {
                attend_cube2(o_pv, o_p_low, v, batch_begin, batch_end, batch, pages, attend_cube2_blocks);
            }, {attend_vec1_done, gather_vec4_done}, 1);
        const int32_t attend_vec2_blocks = fewer((batch_end - batch_begin + 0) / 1, vector);
        rt.launch(
            "attend_vec2", Core::Vector, attend_vec2_blocks,
            [=] {
                attend_vec2(o, o_alpha, o_pv, o_sum_end, batch_begin, batch_end, batch, pages,
                    attend_vec2_blocks);
            }, {attend_vec1_done, attend_cube2_done});
    };

    segment(0, batch);
}
