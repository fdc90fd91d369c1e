// Orchestration of `flash_attention_fp32_backward` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void scores_cube(
    __gm__ uint64_t *ffts,
    __gm__ float *q,
    __gm__ float *k,
    __gm__ float *s_2_fifo,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void scores_vec(
    __gm__ uint64_t *ffts,
    __gm__ float *s,
    __gm__ float *s_2_fifo,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void weights(
    __gm__ float *p,
    __gm__ float *s,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_values(
    __gm__ float *d_v,
    __gm__ float *p,
    __gm__ float *d_o,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_weights_to_of_scores_cube(
    __gm__ uint64_t *ffts,
    __gm__ float *d_o,
    __gm__ float *v,
    __gm__ float *d_p_fifo,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_weights_to_of_scores_vec(
    __gm__ uint64_t *ffts,
    __gm__ float *d_s,
    __gm__ float *d_o,
    __gm__ float *o,
    __gm__ float *p,
    __gm__ float *d_p_fifo,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_queries(
    __gm__ float *d_q,
    __gm__ float *d_s,
    __gm__ float *k,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_keys(
    __gm__ float *d_k,
    __gm__ float *d_s,
    __gm__ float *q,
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

extern "C" void flash_attention_fp32_backward_a2a3(pto_rt::Runtime &rt, const flash_attention_fp32_backward_args &args)
{
    const int32_t sq = static_cast<int32_t>(args.sq);
    const int32_t kv = static_cast<int32_t>(args.kv);
    const float scale = static_cast<float>(args.scale);
    auto *q = (__gm__ float *)args.q;
    auto *k = (__gm__ float *)args.k;
    auto *v = (__gm__ float *)args.v;
    auto *o = (__gm__ float *)args.o;
    auto *d_o = (__gm__ float *)args.d_o;
    auto *d_q = (__gm__ float *)args.d_q;
    auto *d_k = (__gm__ float *)args.d_k;
    auto *d_v = (__gm__ float *)args.d_v;
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    // Values between kernels.
    auto *s = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(float)));
    auto *p = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(float)));
    auto *d_s = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of sq; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t sq_begin, int32_t sq_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t scores_blocks = fewer(int64_t((sq_end - sq_begin + 127) / 128) * ((kv + 127) / 128) * 8, mixed);
        auto *s_2_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(scores_blocks) * 65536 * sizeof(float)));
        const Launch scores_done = rt.launch(
            "scores", Core::Mixed, scores_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { scores_cube(ffts, q, k, s_2_fifo, sq_begin, sq_end, sq, kv, scores_blocks); },
                    [=] { scores_vec(ffts, s, s_2_fifo, scale, sq_begin, sq_end, sq, kv, scores_blocks); });
            }, {}, 4);
        const int32_t weights_blocks = fewer(int64_t((sq_end - sq_begin + 7) / 8) * 8, vector);
        const Launch weights_done = rt.launch(
            "weights", Core::Vector, weights_blocks,
            [=] {
                weights(p, s, sq_begin, sq_end, sq, kv, weights_blocks);
            }, {scores_done}, 3);
        const int32_t of_values_blocks = fewer(int64_t((kv + 127) / 128) * 8, cube);
        rt.launch(
            "of_values", Core::Cube, of_values_blocks,
            [=] {
                of_values(d_v, p, d_o, sq, kv, of_values_blocks);
            }, {weights_done}, 1);
        const int32_t of_weights_to_of_scores_blocks = fewer(int64_t((sq_end - sq_begin + 127) / 128) * ((kv + 127) / 128) * 8, mixed);
        auto *d_p_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(of_weights_to_of_scores_blocks) * 65536 * sizeof(float)));
        const Launch of_weights_to_of_scores_done = rt.launch(
            "of_weights_to_of_scores", Core::Mixed, of_weights_to_of_scores_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { of_weights_to_of_scores_cube(ffts, d_o, v, d_p_fifo, sq_begin, sq_end, sq, kv,
                    of_weights_to_of_scores_blocks); },
                    [=] { of_weights_to_of_scores_vec(ffts, d_s, d_o, o, p, d_p_fifo, scale, sq_begin, sq_end, sq, kv,
                    of_weights_to_of_scores_blocks); });
            }, {weights_done}, 2);
        const int32_t of_queries_blocks = fewer(int64_t((sq_end - sq_begin + 127) / 128) * 8, cube);
        rt.launch(
            "of_queries", Core::Cube, of_queries_blocks,
            [=] {
                of_queries(d_q, d_s, k, sq_begin, sq_end, sq, kv, of_queries_blocks);
            }, {of_weights_to_of_scores_done});
        const int32_t of_keys_blocks = fewer(int64_t((kv + 127) / 128) * 8, cube);
        rt.launch(
            "of_keys", Core::Cube, of_keys_blocks,
            [=] {
                of_keys(d_k, d_s, q, sq, kv, of_keys_blocks);
            }, {of_weights_to_of_scores_done}, 1);
    };

    launch_range(0, sq);
}
