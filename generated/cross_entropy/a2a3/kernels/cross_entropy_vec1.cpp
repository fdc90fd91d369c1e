// cross_entropy_vec1: vector kernel of `cross_entropy` for a2a3. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 4; memory UB 133792 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI32_1x8 = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using VecF32_8x4096 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>;
using VecI32_1x8m = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>;
using VecU8_1x32_c1 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 1>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, DYNAMIC>;
using VecF16_1x16m = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using VecF32_8x128 = Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, DYNAMIC, 128>;
using VecF32_8x4096_c2048 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 2048>;
using VecF32_8x4096_c1024 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x4096_c512 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 512>;
using VecF32_8x4096_c256 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 256>;
using VecF32_1x8 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, DYNAMIC>;
using LabelsHalvesGm = GlobalTensor<int32_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using LogitsGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 4096>, Stride<1, 1, 1, 4096, 1>>;
using CountsGm = GlobalTensor<half, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using TotalGm = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 0, 1>>;

AICORE inline void run_block(
    __gm__ half *counts,
    __gm__ float *total,
    __gm__ int32_t *label_int32,
    __gm__ int32_t *counted_part,
    __gm__ int32_t *counted_part_2,
    __gm__ int32_t *counted_part_3,
    __gm__ int32_t *counted_part_4,
    __gm__ int32_t *counted_word,
    __gm__ int32_t *labels_halves,
    __gm__ float *logits,
    int32_t counts_number_low_number,
    int32_t counts_number_high_number,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk,
    int32_t block)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);  // the kernel before may have left another one
    int32_t rows0_buffer = 0;  // which of 2 buffers this iteration of rows0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // 2 buffers are free at first
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID6); set_flag(PIPE_MTE3, PIPE_V, EVENT_ID7);  // 2 buffers are free at first
    for (int32_t rows0 = rows_begin + block * 4; rows0 < rows_end; rows0 += nblk * 4, rows0_buffer ^= 1) {
        const int32_t rows0_valid = rows_end - rows0 < 4 ? rows_end - rows0 : 4;
        // counts: ne(labels, ignore_index)
        VecI32_1x8 labels_halves_tile_between(rows0_valid * 2); TASSIGN(labels_halves_tile_between, 0x20200 + rows0_buffer * 0x00020);  // UB 0x20200..0x20240, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + rows0_buffer));  // free again
        LabelsHalvesGm labels_halves_in(labels_halves + int64_t(rows0) * 2, {rows0_valid * 2});
        TLOAD(labels_halves_tile_between, labels_halves_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        // peak: amax(logits, axis=-1, keepdim=true)
        VecF32_8x4096 logits_tile(rows0_valid); TASSIGN(logits_tile, 0x00040 + rows0_buffer * 0x10000);  // UB 0x00040..0x20040, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));  // free again
        LogitsGm logits_in(logits + int64_t(rows0) * 4096, {rows0_valid});
        TLOAD(logits_tile, logits_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        // counts: ne(labels, ignore_index)
        VecI32_1x8 counts_number_low(rows0_valid); TASSIGN<0x20240>(counts_number_low);  // UB 0x20240..0x20260
        pipe_barrier(PIPE_V);
        TEXPANDS(counts_number_low, counts_number_low_number);
        VecI32_1x8 counts_number_high(rows0_valid); TASSIGN<0x20260>(counts_number_high);  // UB 0x20260..0x20280
        TEXPANDS(counts_number_high, counts_number_high_number);
        VecI32_1x8m labels_halves_tile_whole; TASSIGN<0x20280>(labels_halves_tile_whole);  // same bytes as labels_halves_tile
        wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + rows0_buffer));
        TGATHER<VecI32_1x8m, VecI32_1x8, MaskPattern::P0101>(labels_halves_tile_whole, labels_halves_tile_between);
        VecI32_1x8 counts_low(rows0_valid); TASSIGN<0x20240>(counts_low);  // UB 0x20240..0x20260
        VecI32_1x8 labels_halves_tile(rows0_valid); TASSIGN<0x20280>(labels_halves_tile);  // UB 0x20280..0x202a0
        pipe_barrier(PIPE_V);
        TSUB(counts_low, labels_halves_tile, counts_number_low);
        VecI32_1x8m labels_halves_tile_2_whole; TASSIGN<0x202a0>(labels_halves_tile_2_whole);  // same bytes as labels_halves_tile_2
        TGATHER<VecI32_1x8m, VecI32_1x8, MaskPattern::P1010>(labels_halves_tile_2_whole, labels_halves_tile_between);
        set_flag(PIPE_V, PIPE_MTE2, event_t(2 + rows0_buffer));
        VecI32_1x8 counts_high(rows0_valid); TASSIGN<0x20260>(counts_high);  // UB 0x20260..0x20280
        VecI32_1x8 labels_halves_tile_2(rows0_valid); TASSIGN<0x202a0>(labels_halves_tile_2);  // UB 0x202a0..0x202c0
        pipe_barrier(PIPE_V);
        TSUB(counts_high, labels_halves_tile_2, counts_number_high);
        VecI32_1x8 counts_apart(rows0_valid); TASSIGN<0x202c0>(counts_apart);  // UB 0x202c0..0x202e0
        pipe_barrier(PIPE_V);
        TOR(counts_apart, counts_low, counts_high);
        VecU8_1x32_c1 counts_equal_bits; TASSIGN<0x20240>(counts_equal_bits);  // UB 0x20240..0x20260
        pipe_barrier(PIPE_V);
        TCMPS(counts_equal_bits, counts_apart, 0, CmpMode::EQ);
        VecF16_1x16 counts_equal(rows0_valid); TASSIGN(counts_equal, 0x00000 + rows0_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
        wait_flag(PIPE_MTE3, PIPE_V, event_t(6 + rows0_buffer));  // free again
        TEXPANDS(counts_equal, 1.0f);
        VecF16_1x16m counts_equal_tmp; TASSIGN<0x20260>(counts_equal_tmp);  // UB 0x20260..0x20280
        pipe_barrier(PIPE_V);
        TSELS(counts_equal, counts_equal_bits, counts_equal, counts_equal_tmp, 0.0f);
        VecF16_1x16 counts_tile(rows0_valid); TASSIGN(counts_tile, 0x00000 + rows0_buffer * 0x00020);  // UB 0x00000..0x00040, 2 copies
        pipe_barrier(PIPE_V);
        TNEG(counts_tile, counts_equal);
        pipe_barrier(PIPE_V);
        TADDS(counts_tile, counts_tile, 1.0f);
        set_flag(PIPE_V, PIPE_MTE3, event_t(6 + rows0_buffer));
        // label: where(counts, labels, 0)
        VecU8_1x32_c1 label_low_bits; TASSIGN<0x20240>(label_low_bits);  // UB 0x20240..0x20260
        pipe_barrier(PIPE_V);
        TCMPS(label_low_bits, counts_tile, 0.0f, CmpMode::NE);
        VecI32_1x8 label_low(rows0_valid); TASSIGN<0x20260>(label_low);  // UB 0x20260..0x20280
        VecI32_1x8m label_low_tmp; TASSIGN<0x202c0>(label_low_tmp);  // UB 0x202c0..0x202e0
        pipe_barrier(PIPE_V);
        TSELS(label_low, label_low_bits, labels_halves_tile, label_low_tmp, 0);
        VecU8_1x32_c1 label_high_bits; TASSIGN<0x20240>(label_high_bits);  // UB 0x20240..0x20260
        pipe_barrier(PIPE_V);
        TCMPS(label_high_bits, counts_tile, 0.0f, CmpMode::NE);
        VecI32_1x8 label_high(rows0_valid); TASSIGN<0x20280>(label_high);  // UB 0x20280..0x202a0
        VecI32_1x8m label_high_tmp; TASSIGN<0x202c0>(label_high_tmp);  // UB 0x202c0..0x202e0
        pipe_barrier(PIPE_V);
        TSELS(label_high, label_high_bits, labels_halves_tile_2, label_high_tmp, 0);
        // peak: amax(logits, axis=-1, keepdim=true)
        VecF32_8x1 peak(rows0_valid); TASSIGN(peak, 0x20040 + rows0_buffer * 0x00020);  // UB 0x20040..0x20080, 2 copies
        VecF32_8x128 peak_tmp(rows0_valid); TASSIGN<0x202a0>(peak_tmp);  // UB 0x202a0..0x20aa0
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(rows0_buffer));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(4 + rows0_buffer));  // free again
        TROWMAX(peak, logits_tile, peak_tmp);
        // total: log(sum(exp(logits - peak), axis=-1, keepdim=true)) + peak
        VecF32_8x4096 total_1(rows0_valid); TASSIGN(total_1, 0x00040 + rows0_buffer * 0x10000);  // UB 0x00040..0x20040, 2 copies
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(total_1, logits_tile, peak);
        VecF32_8x4096 total_2(rows0_valid); TASSIGN(total_2, 0x00040 + rows0_buffer * 0x10000);  // UB 0x00040..0x20040, 2 copies
        pipe_barrier(PIPE_V);
        TEXP(total_2, total_1);
        VecF32_8x4096_c2048 total_2_2048(rows0_valid); TASSIGN(total_2_2048, 0x00040 + rows0_buffer * 0x10000);  // columns 0.. of total_2
        VecF32_8x4096_c2048 total_2_from_2048(rows0_valid); TASSIGN(total_2_from_2048, 0x02040 + rows0_buffer * 0x10000);  // columns 2048.. of total_2
        pipe_barrier(PIPE_V);
        TADD(total_2_2048, total_2_2048, total_2_from_2048);
        VecF32_8x4096_c1024 total_2_1024(rows0_valid); TASSIGN(total_2_1024, 0x00040 + rows0_buffer * 0x10000);  // columns 0.. of total_2
        VecF32_8x4096_c1024 total_2_from_1024(rows0_valid); TASSIGN(total_2_from_1024, 0x01040 + rows0_buffer * 0x10000);  // columns 1024.. of total_2
        pipe_barrier(PIPE_V);
        TADD(total_2_1024, total_2_1024, total_2_from_1024);
        VecF32_8x4096_c512 total_2_512(rows0_valid); TASSIGN(total_2_512, 0x00040 + rows0_buffer * 0x10000);  // columns 0.. of total_2
        VecF32_8x4096_c512 total_2_from_512(rows0_valid); TASSIGN(total_2_from_512, 0x00840 + rows0_buffer * 0x10000);  // columns 512.. of total_2
        pipe_barrier(PIPE_V);
        TADD(total_2_512, total_2_512, total_2_from_512);
        VecF32_8x4096_c256 total_2_256(rows0_valid); TASSIGN(total_2_256, 0x00040 + rows0_buffer * 0x10000);  // columns 0.. of total_2
        VecF32_8x4096_c256 total_2_from_256(rows0_valid); TASSIGN(total_2_from_256, 0x00440 + rows0_buffer * 0x10000);  // columns 256.. of total_2
        pipe_barrier(PIPE_V);
        TADD(total_2_256, total_2_256, total_2_from_256);
        VecF32_8x1 total_3(rows0_valid); TASSIGN<0x20240>(total_3);  // UB 0x20240..0x20260
        VecF32_8x128 total_3_tmp(rows0_valid); TASSIGN<0x202a0>(total_3_tmp);  // UB 0x202a0..0x20aa0
        pipe_barrier(PIPE_V);
        TROWSUM(total_3, total_2_256, total_3_tmp);
        set_flag(PIPE_V, PIPE_MTE2, event_t(rows0_buffer));
        VecF32_1x8 total_4_row(rows0_valid); TASSIGN<0x20240>(total_4_row);  // as a row, same bytes as total_4
        VecF32_1x8 total_3_row(rows0_valid); TASSIGN<0x20240>(total_3_row);  // as a row, same bytes as total_3
        pipe_barrier(PIPE_V);
        TLOG(total_4_row, total_3_row);
        VecF32_1x8 total_tile_row(rows0_valid); TASSIGN(total_tile_row, 0x20040 + rows0_buffer * 0x00020);  // as a row, same bytes as total_tile
        VecF32_1x8 peak_row(rows0_valid); TASSIGN(peak_row, 0x20040 + rows0_buffer * 0x00020);  // as a row, same bytes as peak
        pipe_barrier(PIPE_V);
        TADD(total_tile_row, total_4_row, peak_row);
        set_flag(PIPE_V, PIPE_MTE3, event_t(4 + rows0_buffer));
        // named: gather(logits, 1, label[:, None])
        VecI32_1x8 label_down(rows0_valid); TASSIGN<0x20240>(label_down);  // UB 0x20240..0x20260
        pipe_barrier(PIPE_V);
        TSHRS(label_down, label_low, 31);
        VecI32_1x8 label_down_2(rows0_valid); TASSIGN<0x202a0>(label_down_2);  // UB 0x202a0..0x202c0
        TSHRS(label_down_2, label_high, 31);
        VecI32_1x8 label_beyond_negated(rows0_valid); TASSIGN<0x202a0>(label_beyond_negated);  // UB 0x202a0..0x202c0
        pipe_barrier(PIPE_V);
        TMULS(label_beyond_negated, label_down_2, -1);
        VecI32_1x8 label_beyond(rows0_valid); TASSIGN<0x202a0>(label_beyond);  // UB 0x202a0..0x202c0
        pipe_barrier(PIPE_V);
        TADDS(label_beyond, label_beyond_negated, 2147483647);
        VecU8_1x32_c1 label_fits_bits; TASSIGN<0x202c0>(label_fits_bits);  // UB 0x202c0..0x202e0
        TCMP(label_fits_bits, label_high, label_down, CmpMode::EQ);
        VecI32_1x8 label_int32_tile(rows0_valid); TASSIGN(label_int32_tile, 0x20080 + rows0_buffer * 0x00020);  // UB 0x20080..0x200c0, 2 copies
        VecI32_1x8m label_int32_tile_tmp; TASSIGN<0x20240>(label_int32_tile_tmp);  // UB 0x20240..0x20260
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));  // free again
        TSEL(label_int32_tile, label_fits_bits, label_low, label_beyond, label_int32_tile_tmp);
        // counted: sum(cast(counts, int64), keepdim=true)
        VecI32_1x8 counted_1_low(rows0_valid); TASSIGN<0x20240>(counted_1_low);  // UB 0x20240..0x20260
        pipe_barrier(PIPE_V);
        TCVT(counted_1_low, counts_tile, RoundMode::CAST_RINT, SaturationMode::ON);
        VecI32_1x8 counted_part_tile(rows0_valid); TASSIGN(counted_part_tile, 0x200c0 + rows0_buffer * 0x00020);  // UB 0x200c0..0x20100, 2 copies
        pipe_barrier(PIPE_V);
        TANDS(counted_part_tile, counted_1_low, 255);
        set_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        VecI32_1x8 counted_down(rows0_valid); TASSIGN<0x20260>(counted_down);  // UB 0x20260..0x20280
        TSHRS(counted_down, counted_1_low, 8);
        VecI32_1x8 counted_down_2(rows0_valid); TASSIGN<0x20280>(counted_down_2);  // UB 0x20280..0x202a0
        pipe_barrier(PIPE_V);
        TANDS(counted_down_2, counted_down, 16777215);
        VecI32_1x8 counted_part_2_tile(rows0_valid); TASSIGN(counted_part_2_tile, 0x20100 + rows0_buffer * 0x00020);  // UB 0x20100..0x20140, 2 copies
        pipe_barrier(PIPE_V);
        TANDS(counted_part_2_tile, counted_down_2, 255);
        VecI32_1x8 counted_down_3(rows0_valid); TASSIGN<0x20260>(counted_down_3);  // UB 0x20260..0x20280
        TSHRS(counted_down_3, counted_1_low, 16);
        VecI32_1x8 counted_down_4(rows0_valid); TASSIGN<0x20280>(counted_down_4);  // UB 0x20280..0x202a0
        pipe_barrier(PIPE_V);
        TANDS(counted_down_4, counted_down_3, 65535);
        VecI32_1x8 counted_part_3_tile(rows0_valid); TASSIGN(counted_part_3_tile, 0x20140 + rows0_buffer * 0x00020);  // UB 0x20140..0x20180, 2 copies
        pipe_barrier(PIPE_V);
        TANDS(counted_part_3_tile, counted_down_4, 255);
        VecI32_1x8 counted_down_5(rows0_valid); TASSIGN<0x20260>(counted_down_5);  // UB 0x20260..0x20280
        TSHRS(counted_down_5, counted_1_low, 24);
        VecI32_1x8 counted_down_6(rows0_valid); TASSIGN<0x20240>(counted_down_6);  // UB 0x20240..0x20260
        pipe_barrier(PIPE_V);
        TANDS(counted_down_6, counted_down_5, 255);
        VecI32_1x8 counted_part_4_tile(rows0_valid); TASSIGN(counted_part_4_tile, 0x20180 + rows0_buffer * 0x00020);  // UB 0x20180..0x201c0, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));  // free again
        TANDS(counted_part_4_tile, counted_down_6, 255);
        VecI32_1x8 counted_word_tile(rows0_valid); TASSIGN(counted_word_tile, 0x201c0 + rows0_buffer * 0x00020);  // UB 0x201c0..0x20200, 2 copies
        TEXPANDS(counted_word_tile, 0);
        set_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(6 + rows0_buffer));
        // counts: ne(labels, ignore_index)
        CountsGm counts_out(counts + int64_t(rows0), {rows0_valid});
        TSTORE(counts_out, counts_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(6 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(4 + rows0_buffer));
        // total: log(sum(exp(logits - peak), axis=-1, keepdim=true)) + peak
        TotalGm total_out(total + int64_t(rows0), {rows0_valid});
        TSTORE(total_out, total_tile_row);
        set_flag(PIPE_MTE3, PIPE_V, event_t(4 + rows0_buffer));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(2 + rows0_buffer));
        // named: gather(logits, 1, label[:, None])
        LabelsHalvesGm label_int32_out(label_int32 + int64_t(rows0), {rows0_valid});
        TSTORE(label_int32_out, label_int32_tile);
        // counted: sum(cast(counts, int64), keepdim=true)
        LabelsHalvesGm counted_part_out(counted_part + int64_t(rows0), {rows0_valid});
        TSTORE(counted_part_out, counted_part_tile);
        wait_flag(PIPE_V, PIPE_MTE3, event_t(rows0_buffer));
        LabelsHalvesGm counted_part_2_out(counted_part_2 + int64_t(rows0), {rows0_valid});
        TSTORE(counted_part_2_out, counted_part_2_tile);
        LabelsHalvesGm counted_part_3_out(counted_part_3 + int64_t(rows0), {rows0_valid});
        TSTORE(counted_part_3_out, counted_part_3_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(2 + rows0_buffer));
        LabelsHalvesGm counted_part_4_out(counted_part_4 + int64_t(rows0), {rows0_valid});
        TSTORE(counted_part_4_out, counted_part_4_tile);
        LabelsHalvesGm counted_word_out(counted_word + int64_t(rows0), {rows0_valid});
        TSTORE(counted_word_out, counted_word_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(rows0_buffer));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID3);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID4); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);  // drain: the last use of each of 2 buffers
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID6); wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID7);  // drain: the last use of each of 2 buffers
#endif
}

}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec1(
    __gm__ half *counts, __gm__ float *total, __gm__ int32_t *label_int32, __gm__ int32_t *counted_part,
    __gm__ int32_t *counted_part_2, __gm__ int32_t *counted_part_3, __gm__ int32_t *counted_part_4,
    __gm__ int32_t *counted_word, __gm__ int32_t *labels_halves, __gm__ float *logits,
    int32_t counts_number_low_number, int32_t counts_number_high_number, int32_t rows_begin, int32_t rows_end,
    int32_t nblk)
{
    run_block(
        counts, total, label_int32, counted_part, counted_part_2, counted_part_3, counted_part_4, counted_word,
        labels_halves, logits, counts_number_low_number, counts_number_high_number, rows_begin, rows_end, nblk,
        static_cast<int32_t>(get_block_idx()));
}
