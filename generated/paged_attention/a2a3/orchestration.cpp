// Orchestration of `paged_attention` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

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
extern "C" __global__ AICORE void attend_to_out_cube(
    __gm__ uint64_t *ffts,
    __gm__ int32_t *lengths,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k_cache,
    __gm__ int32_t *block_table,
    __gm__ bfloat16_t *v_cache,
    __gm__ bfloat16_t *acc_3_fifo,
    __gm__ float *acc_6_fifo,
    __gm__ float *qk_fifo,
    int32_t batch_begin,
    int32_t batch_end,
    int32_t pages,
    int32_t nblk);
extern "C" __global__ AICORE void attend_to_out_vec(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *o,
    __gm__ int32_t *lengths,
    __gm__ float *bias,
    __gm__ bfloat16_t *acc_3_fifo,
    __gm__ float *acc_6_fifo,
    __gm__ float *qk_fifo,
    int32_t batch_begin,
    int32_t batch_end,
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
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    // Values between kernels.
    auto *ahead_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(batch) * sizeof(float)));
    auto *place_1 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(pages) * 32 * sizeof(int32_t)));
    auto *bias = static_cast<__gm__ float *>(rt.workspace(int64_t(batch) * pages * 32 * sizeof(float)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of batch; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t batch_begin, int32_t batch_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t visible_vec1_blocks = fewer(batch_end - batch_begin, vector);
        const Launch visible_vec1_done = rt.launch(
            "visible_vec1", Core::Vector, visible_vec1_blocks,
            [=] {
                visible_vec1(ahead_1, lengths, batch_begin, batch_end, visible_vec1_blocks);
            }, {}, 2);
        const int32_t visible_vec2_blocks = fewer((pages * 32 + 3071) / 3072, vector);
        const Launch visible_vec2_done = rt.launch(
            "visible_vec2", Core::Vector, visible_vec2_blocks,
            [=] {
                visible_vec2(place_1, pages, visible_vec2_blocks);
            }, {}, 3);
        const int32_t visible_vec3_blocks = fewer(batch_end - batch_begin, vector);
        const Launch visible_vec3_done = rt.launch(
            "visible_vec3", Core::Vector, visible_vec3_blocks,
            [=] {
                visible_vec3(bias, place_1, ahead_1, batch_begin, batch_end, pages, visible_vec3_blocks);
            }, {visible_vec2_done, visible_vec1_done}, 1);
        const int32_t attend_to_out_blocks = fewer(int64_t(batch_end - batch_begin) * 2, mixed);
        auto *acc_3_fifo = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(attend_to_out_blocks) * 2048 * sizeof(bfloat16_t)));
        auto *acc_6_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(attend_to_out_blocks) * 8192 * sizeof(float)));
        auto *qk_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(attend_to_out_blocks) * 2048 * sizeof(float)));
        rt.launch(
            "attend_to_out", Core::Mixed, attend_to_out_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { attend_to_out_cube(ffts, lengths, q, k_cache, block_table, v_cache, acc_3_fifo, acc_6_fifo,
                    qk_fifo, batch_begin, batch_end, pages, attend_to_out_blocks); },
                    [=] { attend_to_out_vec(ffts, o, lengths, bias, acc_3_fifo, acc_6_fifo, qk_fifo, batch_begin,
                    batch_end, pages, attend_to_out_blocks); });
            }, {visible_vec3_done});
    };

    launch_range(0, batch);
}
