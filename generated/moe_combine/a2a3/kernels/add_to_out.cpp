// add_to_out: vector kernel of `moe_combine` for a2a3. Made by pyptogen; change the spec, not this file.
// stages add, out; tiles k 1, t 8; memory UB 164704 B
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using VecB16_8x1024 = Tile<TileType::Vec, bfloat16_t, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x8 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, DYNAMIC, 8>;
using VecF32_8x1024 = Tile<TileType::Vec, float, 8, 1024, BLayout::RowMajor, DYNAMIC, 1024>;
using VecF32_8x8_r1 = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 1, 8>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
using SharedGm = GlobalTensor<bfloat16_t, Shape<1, 1, 1, DYNAMIC, 1024>, Stride<1, 1, 1, 1024, 1>>;
using WeightGm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 8>, Stride<1, 1, 1, 8, 1>>;
using EGm = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
}  // namespace

extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *shared,
    __gm__ float *weight,
    __gm__ float *e,
    __gm__ bfloat16_t *picked,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk)
{
#if defined(__DAV_VEC__)
    const int32_t block = static_cast<int32_t>(get_block_idx());
    int32_t t0_slot = 0;  // which of 2 buffers this round of t0 uses
    int32_t k0_slot = 0;  // which of 2 buffers this round of k0 uses
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // copy 0 is free
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // copy 1 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // copy 0 is free
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // copy 1 is free
    for (int32_t t0 = t_begin + block * 8; t0 < t_end; t0 += nblk * 8, t0_slot ^= 1) {
        const int32_t t0_valid = t_end - t0 < 8 ? t_end - t0 : 8;
        // total: cast(shared, fp32)  [moe_combine.yaml:29]
        VecB16_8x1024 shared_tile(t0_valid); TASSIGN(shared_tile, 0x00000 + t0_slot * 0x04000);  // UB 0x00000..0x08000, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(6 + t0_slot));  // free again
        SharedGm shared_in(shared + int64_t(t0) * 1024, {t0_valid});
        TLOAD(shared_tile, shared_in);
        set_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_slot));
        // w: sum(weight * e[k], axis=-1, keepdim=true)  [moe_combine.yaml:31]
        VecF32_8x8 weight_tile(t0_valid); TASSIGN(weight_tile, 0x08000 + t0_slot * 0x00100);  // UB 0x08000..0x08200, 2 copies
        wait_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_slot));  // free again
        WeightGm weight_in(weight + int64_t(t0) * 8, {t0_valid});
        TLOAD(weight_tile, weight_in);
        // total: cast(shared, fp32)  [moe_combine.yaml:29]
        VecF32_8x1024 total(t0_valid); TASSIGN(total, 0x18240);  // UB 0x18240..0x20240
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE2, PIPE_V, event_t(4 + t0_slot));
        TCVT(total, shared_tile, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE2, event_t(6 + t0_slot));
        for (int32_t k0 = 0; k0 < 8; ++k0, k0_slot ^= 1) {
            // w: sum(weight * e[k], axis=-1, keepdim=true)  [moe_combine.yaml:31]
            VecF32_8x8_r1 e_tile; TASSIGN(e_tile, 0x08200 + k0_slot * 0x00020);  // UB 0x08200..0x08240, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(2 + k0_slot));  // free again
            EGm e_in(e + int64_t(k0) * 8);
            TLOAD(e_tile, e_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(2 + k0_slot));
            // total: total + cast(reshape(picked[k], [t, h]), fp32) * w  [moe_combine.yaml:33]
            VecB16_8x1024 picked_tile(t0_valid); TASSIGN(picked_tile, 0x08240 + k0_slot * 0x04000);  // UB 0x08240..0x10240, 2 copies
            wait_flag(PIPE_V, PIPE_MTE2, event_t(k0_slot));  // free again
            SharedGm picked_in(picked + int64_t(k0) * t * 1024 + int64_t(t0) * 1024, {t0_valid});
            TLOAD(picked_tile, picked_in);
            set_flag(PIPE_MTE2, PIPE_V, event_t(k0_slot));
            // w: sum(weight * e[k], axis=-1, keepdim=true)  [moe_combine.yaml:31]
            VecF32_8x8 w_1(t0_valid); TASSIGN(w_1, 0x20240);  // UB 0x20240..0x20340
            wait_flag(PIPE_MTE2, PIPE_V, event_t(2 + k0_slot));
            TCOLEXPANDMUL(w_1, weight_tile, e_tile);
            set_flag(PIPE_V, PIPE_MTE2, event_t(2 + k0_slot));
            VecF32_8x1 w(t0_valid); TASSIGN(w, 0x20340);  // UB 0x20340..0x20360
            VecF32_8x8 w_tmp(t0_valid); TASSIGN(w_tmp, 0x20360);  // UB 0x20360..0x20460
            pipe_barrier(PIPE_V);
            TROWSUM(w, w_1, w_tmp);
            // total: total + cast(reshape(picked[k], [t, h]), fp32) * w  [moe_combine.yaml:33]
            VecF32_8x1024 total_2(t0_valid); TASSIGN(total_2, 0x20360);  // UB 0x20360..0x28360
            pipe_barrier(PIPE_V);
            wait_flag(PIPE_MTE2, PIPE_V, event_t(k0_slot));
            TCVT(total_2, picked_tile, RoundMode::CAST_RINT);
            set_flag(PIPE_V, PIPE_MTE2, event_t(k0_slot));
            VecF32_8x1024 total_3(t0_valid); TASSIGN(total_3, 0x20360);  // UB 0x20360..0x28360
            pipe_barrier(PIPE_V);
            TROWEXPANDMUL(total_3, total_2, w);
            pipe_barrier(PIPE_V);
            TADD(total, total, total_3);
        }
        set_flag(PIPE_V, PIPE_MTE2, event_t(4 + t0_slot));
        // y: cast(total, bf16)  [moe_combine.yaml:35]
        VecB16_8x1024 y_tile(t0_valid); TASSIGN(y_tile, 0x10240 + t0_slot * 0x04000);  // UB 0x10240..0x18240, 2 copies
        pipe_barrier(PIPE_V);
        wait_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));  // free again
        TCVT(y_tile, total, RoundMode::CAST_RINT);
        set_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        wait_flag(PIPE_V, PIPE_MTE3, event_t(t0_slot));
        SharedGm y_out(y + int64_t(t0) * 1024, {t0_valid});
        TSTORE(y_out, y_tile);
        set_flag(PIPE_MTE3, PIPE_V, event_t(t0_slot));
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);  // of the last round of copy 0
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID4);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5);  // of the last round of copy 1
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID6);  // of the last round of copy 0
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID7);  // of the last round of copy 1
#endif
}
