// Mistakes that people make with pipes and flags, one in each function. The line that the checker must name ends in a
// comment, which says what the message has.
#define PTO_CHECKED
#define PTO_CHECKED_A2A3
#include "checked_kernels.hpp"

extern "C" void load_again_before_use()
{
    Block x = at<Block>(0), y = at<Block>(0x800);
    for (int i = 0; i < 2; ++i) {
        Memory in(gm_from + i * 256);
        TLOAD(x, in);  // here: race: TLOAD \(pipe MTE2\) writes UB bytes 0 to 0x400 that TADD \(pipe V, .*\) reads
        order(PIPE_MTE2, PIPE_V);
        TADD(y, x, x);
        order(PIPE_V, PIPE_MTE3);
    }
}

extern "C" void result_overwritten_while_stored()
{
    Block x = at<Block>(0);
    for (int i = 0; i < 2; ++i) {
        Memory out(gm_to + i * 256);
        TEXPANDS(x, 1.0f);  // here: race: TEXPANDS \(pipe V\) writes UB bytes 0 to 0x400 that TSTORE
        pipe_barrier(PIPE_V);
        order(PIPE_V, PIPE_MTE3);
        TSTORE(out, x);
    }
}

extern "C" void flag_in_the_wrong_direction()
{
    Block x = at<Block>(0);
    Memory in(gm_from);
    TLOAD(x, in);
    order(PIPE_V, PIPE_MTE2);
    TABS(x, x);  // here: race: TABS \(pipe V\) reads UB bytes 0 to 0x400 that TLOAD
}

extern "C" void barrier_instead_of_a_flag()
{
    Block x = at<Block>(0);
    Memory in(gm_from);
    TLOAD(x, in);
    pipe_barrier(PIPE_MTE2);
    pipe_barrier(PIPE_V);
    TABS(x, x);  // here: race: TABS \(pipe V\) reads UB bytes 0 to 0x400 that TLOAD
}

extern "C" void flag_for_the_first_of_two_loads()
{
    Block x = at<Block>(0), y = at<Block>(0x800), z = at<Block>(0x1000);
    Memory in(gm_from), next(gm_from + 256);
    TLOAD(x, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TLOAD(y, next);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMUL(z, x, y);  // here: race: TMUL \(pipe V\) reads UB bytes 0x800 to 0xc00 that TLOAD
}

extern "C" void flag_by_way_of_another_pipe_too_early()
{
    Block x = at<Block>(0);
    Memory in(gm_from), out(gm_to);
    set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    TLOAD(x, in);
    wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    order(PIPE_S, PIPE_MTE3);
    TSTORE(out, x);  // here: race: TSTORE \(pipe MTE3\) reads UB bytes 0 to 0x400 that TLOAD
}

extern "C" void no_barrier_before_a_broadcast()
{
    Block x = at<Block>(0), y = at<Block>(0x800);
    auto sums = at<Column<float, 16>>(0x1000, 16);
    TEXPANDS(x, 1.0f);
    TEXPANDS(y, 1.0f);
    pipe_barrier(PIPE_V);
    TROWSUM(sums, x, y);
    TROWEXPANDMUL(x, x, sums);  // here: race: TROWEXPANDMUL \(pipe V\) reads UB bytes 0x1000 to 0x1040 that TROWSUM
}

extern "C" void mask_used_without_a_barrier()
{
    Block x = at<Block>(0), y = at<Block>(0x800), z = at<Block>(0x1000);
    auto mask = at<Vec<uint8_t, 16, 32>>(0x2000);
    auto scratch = at<Vec<uint8_t, 16, 32>>(0x3000);
    TEXPANDS(x, 1.0f);
    TEXPANDS(y, 2.0f);
    pipe_barrier(PIPE_V);
    TCMP(mask, x, y, CmpMode::LT);
    TSEL(z, mask, x, y, scratch);  // here: race: TSEL \(pipe V\) reads UB bytes 0x2000 to 0x2200 that TCMP
}

extern "C" void scratch_shared_without_a_barrier()
{
    Block x = at<Block>(0), y = at<Block>(0x400), scratch = at<Block>(0x800);
    auto most = at<Column<float, 16>>(0x1000, 16), least = at<Column<float, 16>>(0x1100, 16);
    TEXPANDS(x, 1.0f);
    TEXPANDS(y, 1.0f);
    pipe_barrier(PIPE_V);
    TROWMAX(most, x, scratch);
    TROWMIN(least, y, scratch);  // here: race: TROWMIN \(pipe V\) writes UB bytes 0x800 to 0xc00 that TROWMAX
}

extern "C" void product_stored_too_early()
{
    auto a = at<Boxes<half, 16, 16>>(0, 16, 16), b = at<Boxes<half, 16, 16>>(0x1000, 16, 16);
    auto left = at<TileLeft<half, 16, 16>>(0);
    auto right = at<TileRight<half, 16, 16>>(0);
    auto sum = at<TileAcc<float, 16, 16>>(0);
    Matrix<half, 16, 16> in(reinterpret_cast<half*>(gm_from));
    Memory out(gm_to);
    TLOAD(a, in);
    TLOAD(b, in);
    order(PIPE_MTE2, PIPE_MTE1);
    TMOV(left, a);
    TMOV(right, b);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);
    order(PIPE_M, PIPE_MTE3);
    TSTORE(out, sum);  // here: race: TSTORE \(pipe FIX\) reads L0C bytes 0 to 0x400 that TMATMUL
}

extern "C" void reload_of_a_product_too_early()
{
    auto sum = at<TileAcc<float, 16, 16>>(0);
    auto left = at<TileLeft<half, 16, 16>>(0);
    auto right = at<TileRight<half, 16, 16>>(0);
    auto a = at<Boxes<half, 16, 16>>(0, 16, 16);
    Matrix<half, 16, 16> in(reinterpret_cast<half*>(gm_from));
    Memory workspace(gm_to);
    Block again = at<Block>(0);
    TLOAD(a, in);
    order(PIPE_MTE2, PIPE_MTE1);
    TMOV(left, a);
    TMOV(right, a);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);
    order(PIPE_M, PIPE_FIX);
    TSTORE(workspace, sum);
    order(PIPE_M, PIPE_MTE2);
    TLOAD(again, workspace);  // here: race: TLOAD \(pipe MTE2\) reads global memory bytes .* that TSTORE \(pipe FIX
}

extern "C" void bias_moved_too_late()
{
    using BiasIn = Tile<TileType::Mat, float, 1, 16, BLayout::RowMajor, 1, 16>;
    auto a = at<Boxes<half, 16, 16>>(0, 16, 16);
    auto row = at<BiasIn>(0x2000);
    auto bias = at<Tile<TileType::Bias, float, 1, 16>>(0);
    auto left = at<TileLeft<half, 16, 16>>(0);
    auto right = at<TileRight<half, 16, 16>>(0);
    auto sum = at<TileAcc<float, 16, 16>>(0);
    Matrix<half, 16, 16> in(reinterpret_cast<half*>(gm_from));
    Matrix<float, 1, 16> bias_in(gm_from);
    TLOAD(a, in);
    TLOAD(row, bias_in);
    order(PIPE_MTE2, PIPE_MTE1);
    TMOV(left, a);
    TMOV(right, a);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMOV(bias, row);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL_BIAS(sum, left, right, bias);  // here: race: TMATMUL_BIAS \(pipe M\) reads the bias table bytes 0
}

extern "C" void flag_set_in_a_loop_and_waited_for_after_it()
{
    Block x = at<Block>(0);
    for (int i = 0; i < 2; ++i) {
        TEXPANDS(x, 1.0f);
        pipe_barrier(PIPE_V);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);  // here: set_flag\(V, MTE3, 0\) while this flag is still set
    }
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
}

extern "C" void wait_before_the_first_round()
{
    Block x = at<Block>(0);
    Memory in(gm_from);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // here: wait_flag\(V, MTE2, 0\) for a flag that nobody has set
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TABS(x, x);
}

extern "C" void flag_left_by_the_last_round()
{
    for (int i = 0; i < 2; ++i) {
        if (i > 0) {
            wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
        }
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // here: set_flag\(V, MTE2, 2\) is left over at the end
    }
}

extern "C" void ninth_event()
{
    set_flag(PIPE_V, PIPE_MTE2, static_cast<event_t>(8));  // here: an event id from 0 to 7, but the id is 8
}

extern "C" void stores_to_one_place()
{
    Block x = at<Block>(0), y = at<Block>(0x400);
    TEXPANDS(x, 0.0f);
    TEXPANDS(y, 1.0f);
    order(PIPE_V, PIPE_MTE3);
    Memory out(gm_to);
    TSTORE(out, x);
    TSTORE(out, y);  // here: race: TSTORE \(pipe MTE3\) writes global memory .* that TSTORE \(pipe MTE3
}
