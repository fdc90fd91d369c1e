// Mistakes that people make with tiles, one in each function: addresses, valid regions, element types. The line that
// the checker must name ends in a comment, which says what the message has.
#define PTO_CHECKED
#define PTO_CHECKED_A2A3
#include "checked_kernels.hpp"

extern "C" void tile_larger_than_left_memory()
{
    TileLeft<half, 256, 192> left;
    TASSIGN(left, 0);  // here: TASSIGN: a tile of 98304 bytes at 0 leaves L0A of A2/A3, which has 65536 bytes
}

extern "C" void sum_beyond_its_memory()
{
    TileAcc<float, 128, 128> sum;
    TASSIGN(sum, 80 * 1024);  // here: TASSIGN: a tile of 65536 bytes at 0x14000 leaves L0C of A2/A3
}

extern "C" void bias_beyond_its_table()
{
    Tile<TileType::Bias, float, 1, 512> bias;
    TASSIGN(bias, 0);  // here: TASSIGN: a tile of 2048 bytes at 0 leaves the bias table of A2/A3, which has 1024 bytes
}

extern "C" void address_in_elements()
{
    Vec<half, 16, 16> x;
    TASSIGN(x, 16 * 17);  // here: TASSIGN: UB address 0x110 is no multiple of 32 bytes
}

extern "C" void view_from_the_third_column_on()
{
    auto line = at<Vec<float, 1, 64>>(0);
    Vec<float, 1, 16> piece;
    TEXPANDS(line, 1.0f);
    pipe_barrier(PIPE_V);
    TSUBVIEW(piece, line, 0, 3);
    TABS(piece, piece);  // here: TABS: UB address 0xc is no multiple of 32 bytes
}

extern "C" void view_behind_the_end()
{
    auto line = at<Vec<float, 1, 64>>(192 * 1024 - 256);
    Vec<float, 1, 64> later;
    TSUBVIEW(later, line, 0, 8);
    TEXPANDS(later, 1.0f);  // here: TEXPANDS: a tile reaches outside of UB of A2/A3
}

extern "C" void rows_that_are_not_valid_in_another_shape()
{
    auto x = at<Part<float, 16, 16>>(0, 12, 16);
    auto y = at<Vec<float, 1, 256>>(0x800);
    Vec<float, 1, 256> flat;
    TEXPANDS(x, 1.0f);
    TRESHAPE(flat, x);
    pipe_barrier(PIPE_V);
    TABS(y, flat);  // here: TABS reads byte 0x300 of UB, which nothing has written
}

extern "C" void buffers_one_row_too_close()
{
    Block x = at<Block>(0), y = at<Block>(0x3c0), z = at<Block>(0x800);
    TEXPANDS(x, 1.0f);
    TEXPANDS(y, 2.0f);  // here: race: TEXPANDS \(pipe V\) writes UB bytes 0x3c0 to 0x400 that TEXPANDS
    pipe_barrier(PIPE_V);
    TADD(z, x, y);
}

extern "C" void column_of_a_column_never_written()
{
    auto x = at<Part<float, 16, 16>>(0, 16, 15);
    Block all = at<Block>(0), y = at<Block>(0x800);
    Window<float> in(gm_from, Shape<1, 1, 1, -1, -1>(16, 15), pto::Stride<1, 1, 1, -1, 1>(15));
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TABS(y, all);  // here: TABS reads byte 0x3c of UB, which nothing has written
}

extern "C" void mask_never_written()
{
    Block x = at<Block>(0), y = at<Block>(0x400), z = at<Block>(0x800);
    auto mask = at<Vec<uint8_t, 16, 32>>(0x2000);
    auto scratch = at<Vec<uint8_t, 16, 32>>(0x3000);
    TEXPANDS(x, 1.0f);
    TEXPANDS(y, 1.0f);
    pipe_barrier(PIPE_V);
    TSEL(z, mask, x, y, scratch);  // here: TSEL reads byte 0x2000 of UB, which nothing has written
}

extern "C" void result_of_the_kernel_before()
{
    Block x = at<Block>(0x4000);
    Memory out(gm_to);
    TSTORE(out, x);  // here: TSTORE reads byte 0x4000 of UB, which nothing has written
}

extern "C" void more_columns_than_the_tile_has()
{
    auto x = at<Part<float, 16, 16>>(0, 16, 17);
    TEXPANDS(x, 1.0f);  // here: TEXPANDS: the valid region of 16 x 17 leaves its tile of 16 x 16
}

extern "C" void tail_forgotten()
{
    Block x = at<Block>(0);
    Window<float> in(gm_from, Shape<1, 1, 1, -1, -1>(16, 13), pto::Stride<1, 1, 1, -1, 1>(16));
    TLOAD(x, in);  // here: TLOAD: the tile covers 16 x 16 elements of a GlobalTensor of 16 x 13
}

extern "C" void column_of_the_whole_tile_for_a_part()
{
    auto x = at<Part<float, 16, 16>>(0, 9, 16), y = at<Part<float, 16, 16>>(0x800, 9, 16);
    auto sums = at<Column<float, 16>>(0x1000, 16);
    TEXPANDS(x, 1.0f);
    TEXPANDS(y, 1.0f);
    pipe_barrier(PIPE_V);
    TROWSUM(sums, x, y);  // here: TROWSUM: the valid region of an operand is 9 x 16, that of the result 16 x 1
}

extern "C" void depths_that_differ()
{
    auto a = at<Boxes<half, 16, 32>>(0, 16, 32);
    auto b = at<Boxes<half, 32, 16>>(0x1000, 32, 16);
    TileLeft<half, 16, 32, -1, -1> left(16, 32);
    TileRight<half, 32, 16, -1, -1> right(16, 16);
    auto sum = at<TileAcc<float, 16, 16>>(0);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    Matrix<half, 16, 32> a_in(reinterpret_cast<half*>(gm_from));
    Matrix<half, 32, 16> b_in(reinterpret_cast<half*>(gm_from));
    TLOAD(a, a_in);
    TLOAD(b, b_in);
    order(PIPE_MTE2, PIPE_MTE1);
    TMOV(left, a);
    TEXTRACT(right, b, 0, 0);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);  // here: TMATMUL: the left operand is 16 x 32 and the right one 16 x 16: their depths
}

extern "C" void window_beyond_the_panel()
{
    auto a = at<Boxes<half, 16, 32>>(0, 16, 32);
    auto left = at<TileLeft<half, 16, 32>>(0);
    Matrix<half, 16, 32> in(reinterpret_cast<half*>(gm_from));
    TLOAD(a, in);
    order(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, a, 0, 16);  // here: TEXTRACT: 16 x 32 elements from \(0, 16\) on leave the tile of 16 x 32
}

extern "C" void sum_of_bf16()
{
    auto x = at<Vec<bfloat16_t, 16, 16>>(0);
    Matrix<bfloat16_t, 16, 16> in(reinterpret_cast<bfloat16_t*>(gm_from));
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TADD(x, x, x);  // here: TADD does not take bf16 on A2/A3
}

extern "C" void exponential_of_integers()
{
    auto x = at<Vec<int32_t, 16, 16>>(0);
    TEXPANDS(x, 1);
    pipe_barrier(PIPE_V);
    TEXP(x, x);  // here: TEXP does not take int32 on A2/A3
}

extern "C" void cast_that_needs_two_steps()
{
    auto x = at<Vec<bfloat16_t, 16, 16>>(0);
    auto y = at<Vec<half, 16, 16>>(0x800);
    Matrix<bfloat16_t, 16, 16> in(reinterpret_cast<bfloat16_t*>(gm_from));
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TCVT(y, x, RoundMode::CAST_RINT);  // here: TCVT does not convert bf16 to fp16 on A2/A3
}

extern "C" void transposed_onto_itself()
{
    Block x = at<Block>(0), y = at<Block>(0x80), scratch = at<Block>(0x1000);
    TEXPANDS(x, 1.0f);
    pipe_barrier(PIPE_V);
    TTRANS(y, x, scratch);  // here: TTRANS writes UB bytes 0x80 to 0x480 and reads bytes 0 to 0x400
}

extern "C" void transposed_into_too_few_rows()
{
    auto x = at<Part<float, 16, 32>>(0, 16, 24);
    Block y = at<Block>(0x1000), scratch = at<Block>(0x2000);
    TEXPANDS(x, 1.0f);
    pipe_barrier(PIPE_V);
    TTRANS(y, x, scratch);  // here: TTRANS: the valid region transposed, 24 x 16, leaves the tile of 16 x 16
}

extern "C" void index_outside_of_the_table()
{
    auto index = at<Vec<int32_t, 1, 16>>(0);
    auto rows = at<Vec<float, 16, 16>>(0x800);
    TEXPANDS(index, 16);
    order(PIPE_V, PIPE_MTE2);
    Memory table(gm_from);
    MGATHER(rows, table, index);  // here: MGATHER
}

extern "C" void columns_into_boxes_of_rows()
{
    auto right = at<Boxes<half, 64, 64>>(0, 64, 64);
    GlobalTensor<half, Shape<1, 1, 1, 64, 64>, pto::Stride<1, 1, 1, 1, 64>, Layout::DN> in(
        reinterpret_cast<half*>(gm_from));
    TLOAD(right, in);  // here: TLOAD does not fill this tile in L1 from columns \(DN\) on A2/A3
}

extern "C" void sum_of_fewer_rows_than_its_tile()
{
    auto from = at<Boxes<half, 64, 64>>(0, 20, 64), with = at<Boxes<half, 64, 64>>(0x4000, 64, 64);
    auto left = at<TileLeft<half, 64, 64, -1, 64>>(0, 20);
    auto right = at<TileRight<half, 64, 64>>(0);
    auto sum = at<TileAcc<float, 64, 64, -1, 64>>(0, 20);
    Matrix<half, 64, 64> given(reinterpret_cast<half*>(gm_from));
    TLOAD(from, given), TLOAD(with, given);
    order(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, from, 0, 0), TEXTRACT(right, with, 0, 0);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);
    order(PIPE_M, PIPE_FIX);
    Matrix<float, 20, 64> out(gm_to);
    TSTORE(out, sum);  // here: TSTORE takes the fractals of this L0C tile of 64 x 64 to be 64 elements apart; TMATMUL
}

extern "C" void depth_that_is_less_than_its_tile()
{
    auto from = at<Boxes<half, 64, 64>>(0, 64, 20), with = at<Boxes<half, 64, 64>>(0x4000, 20, 64);
    auto left = at<TileLeft<half, 64, 64, 64, -1>>(0, 20);
    auto right = at<TileRight<half, 64, 64, -1, 64>>(0, 20);
    auto sum = at<TileAcc<float, 64, 64>>(0);
    Matrix<half, 64, 64> given(reinterpret_cast<half*>(gm_from));
    TLOAD(from, given), TLOAD(with, given);
    order(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, from, 0, 0), TEXTRACT(right, with, 0, 0);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);  // here: TMATMUL takes .* L0A tile of 64 x 64 to be 32 .* left them 64 apart.*TileLeftCompact
}

extern "C" void columns_that_are_fewer_than_their_tile()
{
    auto from = at<Boxes<half, 64, 64>>(0, 64, 64), with = at<Boxes<half, 64, 64>>(0x4000, 64, 40);
    auto left = at<TileLeft<half, 64, 64>>(0);
    auto right = at<TileRight<half, 64, 64, 64, -1>>(0, 40);
    auto sum = at<TileAcc<float, 64, 64, 64, -1>>(0, 40);
    Matrix<half, 64, 64> given(reinterpret_cast<half*>(gm_from));
    TLOAD(from, given), TLOAD(with, given);
    order(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, from, 0, 0), TEXTRACT(right, with, 0, 0);
    order(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);  // here: TMATMUL takes .* L0B tile of 64 x 64 to be 48 .* left them 64 apart.*TileRightCompact
}

extern "C" void bits_in_place()
{
    using Bits = Tile<TileType::Vec, int32_t, 8, 8>;
    Bits x = at<Bits>(0);
    TEXPANDS(x, 7);
    pipe_barrier(PIPE_V);
    TANDS(x, x, 3);  // here: TANDS writes UB bytes 0 to .* overwritten before they are read
}

extern "C" void number_divided_in_place()
{
    Block x = at<Block>(0);
    TEXPANDS(x, 7.0f);
    pipe_barrier(PIPE_V);
    TDIVS(x, x, 2.0f);
    pipe_barrier(PIPE_V);
    TDIVS(x, 2.0f, x);  // here: TDIVS writes UB bytes 0 to .* overwritten before they are read
}

extern "C" void reciprocal_in_place()
{
    Block x = at<Block>(0);
    TEXPANDS(x, 7.0f);
    pipe_barrier(PIPE_V);
    TRECIP(x, x);  // here: TRECIP writes UB bytes 0 to .* overwritten before they are read
}

extern "C" void source_of_a_quantisation()
{
    Block x = at<Block>(0);
    auto small = at<Part<int8_t, 16, 32>>(0x1000, 16, 16);
    auto scale = at<Column<float, 16>>(0x2000, 16);
    TEXPANDS(x, 7.0f), TEXPANDS(scale, 1.0f);
    pipe_barrier(PIPE_V);
    TQUANT<QuantType::INT8_SYM>(small, x, scale);
    pipe_barrier(PIPE_V);
    TADDS(x, x, 1.0f);  // here: TADDS reads byte 0 of UB, which nothing has written
}

extern "C" void mask_of_half_a_repeat()
{
    set_vector_mask(0, -1);
    Block x = at<Block>(0);
    TEXPANDS(x, 1.0f);  // here: TEXPANDS works under the vector mask 0 0xffffffffffffffff that .*checked_operands
}

extern "C" void mask_left_by_the_kernel_before()
{
    set_mask_norm();
    set_vector_mask(0, 0xff);
    cpu_sim::set_execution_context(0, 0, 1);
    Block x = at<Block>(0);
    TEXPANDS(x, 1.0f);  // here: TEXPANDS works under the vector mask 0 0xff that .* left
}

extern "C" void mask_of_a_launch_never_set()
{
    cpu::checked::begin_kernel();
    set_ffts_base_addr(0);
    Block x = at<Block>(0);
    TEXPANDS(x, 1.0f);  // here: TEXPANDS works under the vector mask that the kernel before has left
}
