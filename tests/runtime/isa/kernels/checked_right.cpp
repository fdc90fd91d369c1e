// Kernels as people write them for A2/A3, which the checker must let pass.
#define PTO_CHECKED
#define PTO_CHECKED_A2A3
#include "checked_kernels.hpp"

// Three buffers in turn; the next load runs while this block is worked on.
extern "C" void three_buffers()
{
    constexpr int kBlocks = 7;
    Block tiles[3] = {at<Block>(0), at<Block>(0x400), at<Block>(0x800)};
    const auto load = [&](int i) {
        Memory in(gm_from + i * 256);
        const auto id = static_cast<event_t>(i % 3);
        if (i >= 3) {
            wait_flag(PIPE_MTE3, PIPE_MTE2, id);
        }
        TLOAD(tiles[i % 3], in);
        set_flag(PIPE_MTE2, PIPE_V, id);
    };
    load(0);
    for (int i = 0; i < kBlocks; ++i) {
        if (i + 1 < kBlocks) {
            load(i + 1);
        }
        const auto id = static_cast<event_t>(i % 3);
        Memory out(gm_to + i * 256);
        wait_flag(PIPE_MTE2, PIPE_V, id);
        TMULS(tiles[i % 3], tiles[i % 3], 3.0f);
        set_flag(PIPE_V, PIPE_MTE3, id);
        wait_flag(PIPE_V, PIPE_MTE3, id);
        TSTORE(out, tiles[i % 3]);
        if (i + 3 < kBlocks) {
            set_flag(PIPE_MTE3, PIPE_MTE2, id);
        }
    }
}

// The last block has fewer rows and columns; one pair of tiles serves all.
extern "C" void tails()
{
    for (int first = 0; first < 40; first += 16) {
        const int rows = 40 - first < 16 ? 40 - first : 16;
        auto x = at<Part<float, 16, 16>>(0, rows, 13), y = at<Part<float, 16, 16>>(0x800, rows, 13);
        Window<float> in(gm_from + first * 13, Shape<1, 1, 1, -1, -1>(rows, 13), pto::Stride<1, 1, 1, -1, 1>(13));
        Window<float> out(gm_to + first * 13, Shape<1, 1, 1, -1, -1>(rows, 13), pto::Stride<1, 1, 1, -1, 1>(13));
        TLOAD(x, in);
        order(PIPE_MTE2, PIPE_V);
        TEXP(y, x);
        order(PIPE_V, PIPE_MTE3);
        TSTORE(out, y);
        order(PIPE_MTE3, PIPE_V);
        order(PIPE_V, PIPE_MTE2);
    }
}

// Views of one buffer: rows of it, its bytes in another shape, halves in the place of floats.
extern "C" void views()
{
    auto x = at<Vec<float, 16, 64>>(0);
    Matrix<float, 16, 64> in(gm_from), out(gm_to);
    Vec<float, 8, 64> lower;
    Vec<float, 32, 32> tall;
    auto narrow = at<Vec<half, 16, 64>>(0);
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TSUBVIEW(lower, x, 8, 0);
    TADDS(lower, lower, 1.0f);
    TRESHAPE(tall, x);
    pipe_barrier(PIPE_V);
    TMULS(tall, tall, 0.5f);
    pipe_barrier(PIPE_V);
    TCVT(narrow, x, RoundMode::CAST_RINT);
    order(PIPE_V, PIPE_MTE3);
    Matrix<half, 16, 64> half_out(reinterpret_cast<half*>(gm_to));
    TSTORE(half_out, narrow);
}

// A running maximum and sum over blocks, as attention has them.
extern "C" void running_softmax()
{
    Block x = at<Block>(0), scratch = at<Block>(0x400);
    auto now = at<Column<float, 16>>(0x880, 16), sums = at<Column<float, 16>>(0x900, 16);
    using Line = Part<float, 1, 16>;
    auto most_line = at<Line>(0x800, 1, 16), total_line = at<Line>(0x840, 1, 16);
    auto now_line = at<Line>(0x880, 1, 16), factor_line = at<Line>(0x8c0, 1, 16), sums_line = at<Line>(0x900, 1, 16);
    TEXPANDS(most_line, -1e30f);
    TEXPANDS(total_line, 0.0f);
    pipe_barrier(PIPE_V);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    for (int i = 0; i < 3; ++i) {
        Memory in(gm_from + i * 256);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        TLOAD(x, in);
        order(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TROWMAX(now, x, scratch);
        pipe_barrier(PIPE_V);
        TMAX(now_line, now_line, most_line);
        pipe_barrier(PIPE_V);
        TSUB(factor_line, most_line, now_line);
        TROWEXPANDSUB(x, x, now);
        pipe_barrier(PIPE_V);
        TEXP(factor_line, factor_line);
        TEXP(x, x);
        pipe_barrier(PIPE_V);
        TMUL(total_line, total_line, factor_line);
        TROWSUM(sums, x, scratch);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        pipe_barrier(PIPE_V);
        TADD(total_line, total_line, sums_line);
        TMULS(most_line, now_line, 1.0f);
        pipe_barrier(PIPE_V);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    Matrix<float, 1, 16> out(gm_to);
    order(PIPE_V, PIPE_MTE3);
    TSTORE(out, total_line);
}

// A product with a bias whose depth and width end inside of the tiles, through a workspace, then a relu.
extern "C" void product_and_relu()
{
    constexpr int kDepth = 40, kWidth = 24;
    auto a = at<Boxes<half, 16, 48>>(0, 16, kDepth);
    auto b = at<Boxes<half, 48, 32>>(0x1000, kDepth, kWidth);
    auto row = at<Tile<TileType::Mat, float, 1, 32, BLayout::RowMajor, 1, -1>>(0x3000, kWidth);
    auto bias = at<Tile<TileType::Bias, float, 1, 32, BLayout::RowMajor, 1, -1>>(0, kWidth);
    auto left = at<TileLeft<half, 16, 48, -1, -1>>(0, 16, kDepth);
    auto right = at<TileRight<half, 48, 32, -1, -1>>(0, kDepth, kWidth);
    auto sum = at<TileAcc<float, 16, 32, -1, -1>>(0, 16, kWidth);
    Matrix<half, 16, kDepth> a_in(reinterpret_cast<half*>(gm_from));
    Matrix<half, kDepth, kWidth> b_in(reinterpret_cast<half*>(gm_from));
    Matrix<float, 1, kWidth> bias_in(gm_from);
    Matrix<float, 16, kWidth> workspace(gm_to);
    TLOAD(a, a_in);
    TLOAD(b, b_in);
    TLOAD(row, bias_in);
    order(PIPE_MTE2, PIPE_MTE1);
    TMOV(left, a);
    TMOV(right, b);
    TMOV(bias, row);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL_BIAS(sum, left, right, bias);
    order(PIPE_M, PIPE_FIX);
    TSTORE(workspace, sum);
    order(PIPE_FIX, PIPE_MTE2);
    auto x = at<Part<float, 16, 32>>(0, 16, kWidth);
    TLOAD(x, workspace);
    order(PIPE_MTE2, PIPE_V);
    TRELU(x, x);
    order(PIPE_V, PIPE_MTE3);
    TSTORE(workspace, x);
}

// Sorted by blocks, merged, and the indices taken out.
extern "C" void sort()
{
    using Pairs = Part<float, 1, 256>;
    auto keys = at<Part<float, 1, 128>>(0, 1, 128);
    auto index = at<Part<uint32_t, 1, 128>>(0x400, 1, 128);
    auto pairs = at<Pairs>(0x800, 1, 256), merged = at<Pairs>(0x1000, 1, 256);
    auto best = at<Part<float, 1, 128>>(0x1800, 1, 128);
    Matrix<float, 1, 128> in(gm_from), out(gm_to);
    TLOAD(keys, in);
    order(PIPE_MTE2, PIPE_V);
    TCI<Part<int32_t, 1, 128>, int32_t, 0>(reinterpret_cast<Part<int32_t, 1, 128>&>(index), 0);
    order(PIPE_S, PIPE_V);
    TSORT32(pairs, keys, index);
    pipe_barrier(PIPE_V);
    TMRGSORT(merged, pairs, 64);
    pipe_barrier(PIPE_V);
    TGATHER<Part<float, 1, 128>, Pairs, MaskPattern::P0101>(best, merged);
    order(PIPE_V, PIPE_MTE3);
    TSTORE(out, best);
}

// Only some rounds do something; flags stay in step.
extern "C" void rounds_that_are_left_out()
{
    Block x = at<Block>(0);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    for (int i = 0; i < 5; ++i) {
        if (i % 2 == 1) {
            continue;
        }
        Memory in(gm_from + i * 256), out(gm_to + i * 256);
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        TLOAD(x, in);
        order(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TNEG(x, x);
        order(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(out, x);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
}

// A loop over the depth with the panels of L0 in two places, which one barrier of all pipes ends.
extern "C" void depth_in_turn()
{
    auto a = at<Boxes<half, 16, 64>>(0, 16, 64);
    auto b = at<Boxes<half, 64, 16>>(0x2000, 64, 16);
    auto sum = at<TileAcc<float, 16, 16>>(0);
    Matrix<half, 16, 64> a_in(reinterpret_cast<half*>(gm_from));
    Matrix<half, 64, 16> b_in(reinterpret_cast<half*>(gm_from));
    Memory out(gm_to);
    TLOAD(a, a_in);
    TLOAD(b, b_in);
    order(PIPE_MTE2, PIPE_MTE1);
    for (int i = 0; i < 4; ++i) {
        const auto id = static_cast<event_t>(i % 2);
        auto left = at<TileLeft<half, 16, 16>>(i % 2 * 0x200);
        auto right = at<TileRight<half, 16, 16>>(i % 2 * 0x200);
        if (i >= 2) {
            wait_flag(PIPE_M, PIPE_MTE1, id);
        }
        TEXTRACT(left, a, 0, i * 16);
        TEXTRACT(right, b, i * 16, 0);
        order(PIPE_MTE1, PIPE_M, id);
        if (i == 0) {
            TMATMUL(sum, left, right);
        } else {
            TMATMUL_ACC(sum, sum, left, right);
        }
        if (i < 2) {
            set_flag(PIPE_M, PIPE_MTE1, id);
        }
    }
    pipe_barrier(PIPE_ALL);
    TSTORE(out, sum);
}

// Selected by a mask, and added to memory.
extern "C" void mask_and_atomic_sum()
{
    Block x = at<Block>(0), y = at<Block>(0x400), z = at<Block>(0x800);
    auto mask = at<Vec<uint8_t, 16, 32>>(0x1000), scratch = at<Vec<uint8_t, 16, 32>>(0x1400);
    Memory in(gm_from), out(gm_to);
    TLOAD(x, in);
    TEXPANDS(y, 0.0f);
    order(PIPE_MTE2, PIPE_V);
    TCMPS(mask, x, 0.5f, CmpMode::GT);
    pipe_barrier(PIPE_V);
    TSEL(z, mask, x, y, scratch);
    order(PIPE_V, PIPE_MTE3);
    TSTORE<Block, Memory, AtomicType::AtomicAdd>(out, z);
    TSTORE<Block, Memory, AtomicType::AtomicAdd>(out, z);
}

// The scalar unit looks at what the vector unit found, and goes on by it.
extern "C" void number_that_decides()
{
    Block x = at<Block>(0), scratch = at<Block>(0x400);
    auto most = at<Column<float, 16>>(0x800, 16);
    Memory in(gm_from), out(gm_to);
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TROWMAX(most, x, scratch);
    order(PIPE_V, PIPE_S);
    const float first = most.GetValue(0);
    for (int i = 0; i < 2 && first > 0.0f; ++i) {
        TMULS(x, x, 1.0f / first);
        pipe_barrier(PIPE_V);
    }
    order(PIPE_V, PIPE_MTE3);
    TSTORE(out, x);
}

// A weight that is stored turned: columns stay columns in L1 and are right operands as they are.
extern "C" void product_with_stored_columns()
{
    using Columns = Tile<TileType::Mat, half, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor>;
    auto weight = at<Columns>(0);
    auto rows = at<Boxes<half, 64, 64>>(0x4000, 64, 64);
    auto left = at<TileLeft<half, 64, 64>>(0);
    auto right = at<TileRight<half, 64, 64>>(0);
    auto sum = at<TileAcc<float, 64, 64>>(0);
    auto* given = reinterpret_cast<half*>(gm_from);
    GlobalTensor<half, Shape<1, 1, 1, 64, 64>, pto::Stride<1, 1, 1, 1, 64>, Layout::DN> turned(given);
    Matrix<half, 64, 64> plain(given);
    TLOAD(weight, turned);
    TLOAD(rows, plain);
    order(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, rows, 0, 0);
    TEXTRACT(right, weight, 0, 0);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);
    order(PIPE_M, PIPE_FIX);
    Matrix<float, 64, 64> out(gm_to);
    TSTORE(out, sum);
}

// A product of which less is valid than its tiles hold, in compact tiles; the next one has more rows, at the same places.
extern "C" void product_of_compact_tiles()
{
    for (int rows = 20; rows <= 40; rows += 20) {
        auto from = at<Boxes<half, 64, 64>>(0, rows, 24), with = at<Boxes<half, 64, 64>>(0x4000, 24, 40);
        auto left = at<TileLeftCompact<half, 64, 64, -1, -1>>(0, rows, 24);
        auto right = at<TileRightCompact<half, 64, 64, -1, -1>>(0, 24, 40);
        auto sum = at<TileAccCompact<float, 64, 64, -1, -1>>(0, rows, 40);
        Matrix<half, 64, 64> given(reinterpret_cast<half*>(gm_from));
        TLOAD(from, given), TLOAD(with, given);
        order(PIPE_MTE2, PIPE_MTE1);
        TEXTRACT(left, from, 0, 0), TEXTRACT(right, with, 0, 0);
        order(PIPE_MTE1, PIPE_M);
        TMATMUL(sum, left, right);
        TMATMUL_ACC(sum, left, right);
        order(PIPE_M, PIPE_FIX);
        Window<float> out(gm_to, {rows, 40}, {64});
        TSTORE(out, sum);
        pipe_barrier(PIPE_ALL);
    }
}

// One column of fractals lies alike, whatever is valid of it.
extern "C" void sum_of_one_column_of_fractals()
{
    auto from = at<Boxes<half, 64, 16>>(0, 20, 16), with = at<Boxes<half, 64, 16>>(0x4000, 16, 16);
    auto left = at<TileLeft<half, 64, 16, -1, 16>>(0, 20);
    auto right = at<TileRight<half, 16, 16>>(0);
    auto sum = at<TileAcc<float, 64, 16, -1, 16>>(0, 20);
    Matrix<half, 64, 16> given(reinterpret_cast<half*>(gm_from));
    TLOAD(from, given), TLOAD(with, given);
    order(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, from, 0, 0), TEXTRACT(right, with, 0, 0);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);
    order(PIPE_M, PIPE_FIX);
    Matrix<float, 64, 16> out(gm_to);
    TSTORE(out, sum);
}

// Zeros, and what is known on top of them.
extern "C" void stores_to_one_place_in_order()
{
    Block x = at<Block>(0), y = at<Block>(0x400);
    TEXPANDS(x, 0.0f);
    TEXPANDS(y, 1.0f);
    order(PIPE_V, PIPE_MTE3);
    Memory out(gm_to);
    TSTORE(out, x);
    pipe_barrier(PIPE_MTE3);
    TSTORE(out, y);
    order(PIPE_MTE3, PIPE_MTE2);
    order(PIPE_MTE2, PIPE_MTE3);
    TSTORE(out, x);
}

// A mask for something of the kernel's own, and all elements again before vector work.
extern "C" void mask_set_back()
{
    cpu::checked::begin_kernel();
    set_ffts_base_addr(0);
    set_mask_norm();
    set_vector_mask(0, 0xff);
    set_vector_mask(-1, -1);
    Block x = at<Block>(0);
    TEXPANDS(x, 1.0f);
}

// Products and stores of one accumulator in turn, without other flags between the two pipes.
extern "C" void sums_that_unit_flags_hand_over()
{
    auto a = at<Boxes<float, 16, 16>>(0, 16, 16);
    auto left = at<TileLeft<float, 16, 16>>(0);
    auto right = at<TileRight<float, 16, 16>>(0);
    auto sum = at<TileAcc<float, 16, 16>>(0);
    Memory in(gm_from);
    TLOAD(a, in);
    order(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, a, 0, 0), TEXTRACT(right, a, 0, 0);
    order(PIPE_MTE1, PIPE_M);
    for (int i = 0; i < 3; ++i) {
        TMATMUL<AccPhase::Partial>(sum, left, right);
        TMATMUL_ACC<AccPhase::Final>(sum, sum, left, right);
        Memory out(gm_to + 256 * i);
        if (i == 1) {
            TSTORE<STPhase::Final, decltype(sum), Memory, AtomicType::AtomicNone, ReluPreMode::NormalRelu>(out, sum);
        } else {
            TSTORE<STPhase::Final>(out, sum);
        }
    }
}
