// Orchestration of `vector_add_dtypes` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void vector_add_dtypes(
    __gm__ half *c_fp16,
    __gm__ bfloat16_t *c_bf16,
    __gm__ int32_t *c_int32,
    __gm__ int16_t *c_int16,
    __gm__ int8_t *c_int8,
    __gm__ uint8_t *c_uint8,
    __gm__ half *a_fp16,
    __gm__ half *b_fp16,
    __gm__ bfloat16_t *a_bf16,
    __gm__ bfloat16_t *b_bf16,
    __gm__ int32_t *a_int32,
    __gm__ int32_t *b_int32,
    __gm__ int16_t *a_int16,
    __gm__ int16_t *b_int16,
    __gm__ int8_t *a_int8,
    __gm__ int8_t *b_int8,
    __gm__ uint8_t *a_uint8,
    __gm__ uint8_t *b_uint8,
    int32_t n_begin,
    int32_t n_end,
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

extern "C" void vector_add_dtypes_cpu(pto_rt::Runtime &rt, const vector_add_dtypes_args &args)
{
    const int32_t n = static_cast<int32_t>(args.n);
    auto *a_fp16 = (__gm__ half *)args.a_fp16;
    auto *b_fp16 = (__gm__ half *)args.b_fp16;
    auto *a_bf16 = (__gm__ bfloat16_t *)args.a_bf16;
    auto *b_bf16 = (__gm__ bfloat16_t *)args.b_bf16;
    auto *a_int32 = (__gm__ int32_t *)args.a_int32;
    auto *b_int32 = (__gm__ int32_t *)args.b_int32;
    auto *a_int16 = (__gm__ int16_t *)args.a_int16;
    auto *b_int16 = (__gm__ int16_t *)args.b_int16;
    auto *a_int8 = (__gm__ int8_t *)args.a_int8;
    auto *b_int8 = (__gm__ int8_t *)args.b_int8;
    auto *a_uint8 = (__gm__ uint8_t *)args.a_uint8;
    auto *b_uint8 = (__gm__ uint8_t *)args.b_uint8;
    auto *c_fp16 = (__gm__ half *)args.c_fp16;
    auto *c_bf16 = (__gm__ bfloat16_t *)args.c_bf16;
    auto *c_int32 = (__gm__ int32_t *)args.c_int32;
    auto *c_int16 = (__gm__ int16_t *)args.c_int16;
    auto *c_int8 = (__gm__ int8_t *)args.c_int8;
    auto *c_uint8 = (__gm__ uint8_t *)args.c_uint8;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of n; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t n_begin, int32_t n_end) {
        const int32_t vector_add_dtypes_blocks = fewer((n_end - n_begin + 4095) / 4096, vector);
        rt.launch(
            "vector_add_dtypes", Core::Vector, vector_add_dtypes_blocks,
            [=] {
                vector_add_dtypes(c_fp16, c_bf16, c_int32, c_int16, c_int8, c_uint8, a_fp16, b_fp16, a_bf16,
                    b_bf16, a_int32, b_int32, a_int16, b_int16, a_int8, b_int8, a_uint8,
                    b_uint8, n_begin, n_end, vector_add_dtypes_blocks);
            });
    };

    launch_range(0, n);
}
