// cross_entropy_vec1: vector kernel of `cross_entropy` for cpu. Made by pyptogen; change the spec, not this file.
// stages cross_entropy; tiles rows 1; memory UB 16576 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecI64_1x4_c1 = Tile<TileType::Vec, int64_t, 1, 4, BLayout::RowMajor, 1, 1>;
using VecU8_1x32_c1 = Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 1>;
using VecF16_1x16_c1 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 1>;
using VecF16_1x16 = Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 16>;
using VecI64_1x4 = Tile<TileType::Vec, int64_t, 1, 4, BLayout::RowMajor, 1, 4>;
using VecF32_8x4096_r1 = Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, 1, 4096>;
using VecF32_8x1_r1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 1, 1>;
using VecF32_1x8_c1 = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;
using LabelsGm = GlobalTensor<int64_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
using LogitsGm = GlobalTensor<float, Shape<1, 1, 1, 1, 4096>, Stride<1, 1, 1, 4096, 1>>;
using CountsGm = GlobalTensor<half, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
using TotalGm = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 0, 1>>;
}  // namespace

extern "C" __global__ AICORE void cross_entropy_vec1(
    __gm__ half *counts,
    __gm__ int64_t *label,
    __gm__ float *total,
    __gm__ int64_t *counted_1,
    __gm__ int64_t *labels,
    __gm__ float *logits,
    int64_t ignore_index,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    for (int32_t rows0 = rows_begin + block; rows0 < rows_end; rows0 += nblk) {
        // counts: ne(labels, ignore_index)
        VecI64_1x4_c1 labels_tile; TASSIGN(labels_tile, 0x00000);  // UB 0x00000..0x00020
        LabelsGm labels_in(labels + int64_t(rows0));
        TLOAD(labels_tile, labels_in);
        VecU8_1x32_c1 counts_tile_bits; TASSIGN(counts_tile_bits, 0x00040);  // UB 0x00040..0x00060
        TCMPS(counts_tile_bits, labels_tile, ignore_index, CmpMode::NE);
        VecF16_1x16_c1 counts_tile; TASSIGN(counts_tile, 0x00080);  // UB 0x00080..0x000a0
        TEXPANDS(counts_tile, 1.0f);
        VecF16_1x16 counts_tile_tmp; TASSIGN(counts_tile_tmp, 0x000c0);  // UB 0x000c0..0x000e0
        TSELS(counts_tile, counts_tile_bits, counts_tile, counts_tile_tmp, 0.0f);
        // label: where(counts, labels, 0)
        VecI64_1x4_c1 label_tile; TASSIGN(label_tile, 0x000c0);  // UB 0x000c0..0x000e0
        VecI64_1x4 label_tile_tmp; TASSIGN(label_tile_tmp, 0x00100);  // UB 0x00100..0x00120
        TSELS(label_tile, counts_tile_bits, labels_tile, label_tile_tmp, 0);
        // counted: sum(cast(counts, int64), keepdim=true)
        VecI64_1x4_c1 counted_1_tile; TASSIGN(counted_1_tile, 0x00000);  // UB 0x00000..0x00020
        TCVT(counted_1_tile, counts_tile, RoundMode::CAST_RINT);
        // label: where(counts, labels, 0)
        LabelsGm label_out(label + int64_t(rows0));
        TSTORE(label_out, label_tile);
        // counted: sum(cast(counts, int64), keepdim=true)
        LabelsGm counted_1_out(counted_1 + int64_t(rows0));
        TSTORE(counted_1_out, counted_1_tile);
        VecF32_8x4096_r1 logits_tile; TASSIGN(logits_tile, 0x000c0);  // UB 0x000c0..0x040c0
        VecF32_8x1_r1 peak; TASSIGN(peak, 0x00000);  // UB 0x00000..0x00020
        LogitsGm logits_in(logits + int64_t(rows0) * 4096);
        TPASS(1, 4096, [&](auto at, auto &peak_max) {
            // peak: amax(logits, axis=-1, keepdim=true)
            const auto logits_tile_v = at.load(logits_in);
            at.store(logits_tile, logits_tile_v);
            peak_max.take(at, logits_tile_v);
        }, RowMax(peak));
        // counts: ne(labels, ignore_index)
        CountsGm counts_out(counts + int64_t(rows0));
        TSTORE(counts_out, counts_tile);
        VecF32_8x1_r1 total_3; TASSIGN(total_3, 0x00040);  // UB 0x00040..0x00060
        TPASS(1, 4096, [&](auto at, auto &total_3_sum) {
            // total: log(sum(exp(logits - peak), axis=-1, keepdim=true)) + peak
            at.ask_for(logits_in, nblk);  // the next iteration's
            const auto logits_tile_v = at.load(logits_tile);
            const auto total_1 = logits_tile_v - at.column(peak);
            const auto total_2 = at.exp(total_1);
            total_3_sum.take(at, total_2);
        }, RowSum(total_3));
        VecF32_1x8_c1 total_4_row; TASSIGN(total_4_row, 0x00080);  // as a row, same bytes as total_4
        VecF32_1x8_c1 total_3_row; TASSIGN(total_3_row, 0x00040);  // as a row, same bytes as total_3
        TLOG(total_4_row, total_3_row);
        VecF32_1x8_c1 total_tile_row; TASSIGN(total_tile_row, 0x00040);  // as a row, same bytes as total_tile
        VecF32_1x8_c1 peak_row; TASSIGN(peak_row, 0x00000);  // as a row, same bytes as peak
        TADD(total_tile_row, total_4_row, peak_row);
        TotalGm total_out(total + int64_t(rows0));
        TSTORE(total_out, total_tile_row);
    }
#endif
}
