// Orchestration of `grouped_matmul` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void places(
    __gm__ int32_t *end,
    __gm__ int32_t *upto,
    __gm__ int32_t *shift,
    __gm__ int32_t *count,
    int32_t nblk);
extern "C" __global__ AICORE void block_vec1(
    __gm__ int32_t *done_1,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void block_vec2(
    __gm__ int32_t *source_1,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void block_vec3(
    __gm__ int32_t *group,
    __gm__ int32_t *done_1,
    __gm__ int32_t *upto,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void block_vec4(
    __gm__ int32_t *first,
    __gm__ int32_t *shift,
    __gm__ int32_t *group,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void block_vec5(
    __gm__ int32_t *source,
    __gm__ int32_t *source_1,
    __gm__ int32_t *first,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void gather(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *x,
    __gm__ int32_t *source,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void product(
    __gm__ bfloat16_t *y_b,
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *w,
    __gm__ int32_t *group,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void place_vec1(
    __gm__ int32_t *past_1,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void place_vec2(
    __gm__ int32_t *owner,
    __gm__ int32_t *past_1,
    __gm__ int32_t *end,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void place_vec3(
    __gm__ int32_t *slot_1,
    __gm__ int32_t *shift,
    __gm__ int32_t *owner,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void place_vec4(
    __gm__ int32_t *slot,
    __gm__ int32_t *past_1,
    __gm__ int32_t *slot_1,
    int32_t full,
    int32_t nblk);
extern "C" __global__ AICORE void back(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *y_b,
    __gm__ int32_t *slot,
    int32_t full,
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

extern "C" void grouped_matmul_a2a3(pto_rt::Runtime &rt, const grouped_matmul_args &args)
{
    const int32_t full = static_cast<int32_t>(args.full);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *w = (__gm__ bfloat16_t *)args.w;
    auto *count = (__gm__ int32_t *)args.count;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *end = static_cast<__gm__ int32_t *>(rt.workspace(16 * sizeof(int32_t)));
    auto *upto = static_cast<__gm__ int32_t *>(rt.workspace(16 * sizeof(int32_t)));
    auto *shift = static_cast<__gm__ int32_t *>(rt.workspace(16 * sizeof(int32_t)));
    auto *done_1 = static_cast<__gm__ int32_t *>(rt.workspace((int64_t(full) + 16) * sizeof(int32_t)));
    auto *source_1 = static_cast<__gm__ int32_t *>(rt.workspace((int64_t(full) * 32 + 512) * sizeof(int32_t)));
    auto *group = static_cast<__gm__ int32_t *>(rt.workspace((int64_t(full) + 16) * sizeof(int32_t)));
    auto *first = static_cast<__gm__ int32_t *>(rt.workspace((int64_t(full) + 16) * sizeof(int32_t)));
    auto *source = static_cast<__gm__ int32_t *>(rt.workspace((int64_t(full) * 32 + 512) * sizeof(int32_t)));
    auto *rows = static_cast<__gm__ bfloat16_t *>(rt.workspace((int64_t(full) * 16384 + 262144) * sizeof(bfloat16_t)));
    auto *y_b = static_cast<__gm__ bfloat16_t *>(rt.workspace((int64_t(full) * 16384 + 262144) * sizeof(bfloat16_t)));
    auto *past_1 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(full) * 32 * sizeof(int32_t)));
    auto *owner = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(full) * 32 * sizeof(int32_t)));
    auto *slot_1 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(full) * 32 * sizeof(int32_t)));
    auto *slot = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(full) * 32 * sizeof(int32_t)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    {
        const int32_t places_blocks = 1;
        const Launch places_done = rt.launch(
            "places", Core::Vector, places_blocks,
            [=] {
                places(end, upto, shift, count, places_blocks);
            }, {}, 11);
        const int32_t block_vec1_blocks = fewer((full + 16 + 95) / 96, vector);
        const Launch block_vec1_done = rt.launch(
            "block_vec1", Core::Vector, block_vec1_blocks,
            [=] {
                block_vec1(done_1, full, block_vec1_blocks);
            }, {}, 12);
        const int32_t block_vec2_blocks = fewer((full * 32 + 512 + 3071) / 3072, vector);
        const Launch block_vec2_done = rt.launch(
            "block_vec2", Core::Vector, block_vec2_blocks,
            [=] {
                block_vec2(source_1, full, block_vec2_blocks);
            }, {}, 8);
        const int32_t block_vec3_blocks = fewer((full + 16 + 127) / 128, vector);
        const Launch block_vec3_done = rt.launch(
            "block_vec3", Core::Vector, block_vec3_blocks,
            [=] {
                block_vec3(group, done_1, upto, full, block_vec3_blocks);
            }, {block_vec1_done, places_done}, 10);
        const int32_t block_vec4_blocks = fewer((full + 16 + 7) / 8, vector);
        const Launch block_vec4_done = rt.launch(
            "block_vec4", Core::Vector, block_vec4_blocks,
            [=] {
                block_vec4(first, shift, group, full, block_vec4_blocks);
            }, {places_done, block_vec3_done}, 9);
        const int32_t block_vec5_blocks = fewer((full + 16 + 127) / 128, vector);
        const Launch block_vec5_done = rt.launch(
            "block_vec5", Core::Vector, block_vec5_blocks,
            [=] {
                block_vec5(source, source_1, first, full, block_vec5_blocks);
            }, {block_vec2_done, block_vec4_done}, 7);
        const int32_t gather_blocks = fewer((full * 32 + 512 + 7) / 8, vector);
        const Launch gather_done = rt.launch(
            "gather", Core::Vector, gather_blocks,
            [=] {
                gather(rows, x, source, full, gather_blocks);
            }, {block_vec5_done}, 6);
        const int32_t product_blocks = fewer(full + 16, cube);
        const Launch product_done = rt.launch(
            "product", Core::Cube, product_blocks,
            [=] {
                product(y_b, rows, w, group, full, product_blocks);
            }, {gather_done, block_vec3_done}, 5);
        const int32_t place_vec1_blocks = fewer((full * 32 + 3071) / 3072, vector);
        const Launch place_vec1_done = rt.launch(
            "place_vec1", Core::Vector, place_vec1_blocks,
            [=] {
                place_vec1(past_1, full, place_vec1_blocks);
            }, {}, 4);
        const int32_t place_vec2_blocks = fewer((full * 32 + 255) / 256, vector);
        const Launch place_vec2_done = rt.launch(
            "place_vec2", Core::Vector, place_vec2_blocks,
            [=] {
                place_vec2(owner, past_1, end, full, place_vec2_blocks);
            }, {place_vec1_done, places_done}, 3);
        const int32_t place_vec3_blocks = fewer((full * 32 + 7) / 8, vector);
        const Launch place_vec3_done = rt.launch(
            "place_vec3", Core::Vector, place_vec3_blocks,
            [=] {
                place_vec3(slot_1, shift, owner, full, place_vec3_blocks);
            }, {places_done, place_vec2_done}, 2);
        const int32_t place_vec4_blocks = fewer((full * 32 + 1023) / 1024, vector);
        const Launch place_vec4_done = rt.launch(
            "place_vec4", Core::Vector, place_vec4_blocks,
            [=] {
                place_vec4(slot, past_1, slot_1, full, place_vec4_blocks);
            }, {place_vec1_done, place_vec3_done}, 1);
        const int32_t back_blocks = fewer((full * 32 + 7) / 8, vector);
        rt.launch(
            "back", Core::Vector, back_blocks,
            [=] {
                back(y, y_b, slot, full, back_blocks);
            }, {product_done, place_vec4_done});
    }
}
