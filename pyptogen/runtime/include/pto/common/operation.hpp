// Op: what an Event stands between, and the pipe that runs it.
//
// Written from the instruction table (pyptogen/lower/isa) by `python -m pyptogen.lower.isa.write_headers`; a test proves
// that it is up to date.
#pragma once

#include <pto/common/cpu_stub.hpp>

namespace pto {

// clang-format off: one line each would be two pages
// A suffix tells locations of source and destination apart: V Vec, M Mat, A Acc, B Bias, L Left, R Right, S Scaling.
enum class Op : uint16_t {
    TLOAD, TSTORE_VEC, SCALAR, TRESHAPE, VECTOR, TADD, TADDS, TAXPY, TSUB, TMUL, TMULS, TDIV, TDIVS, TMIN, TMINS, TMAX,
    TAND, TOR, TSEL, TSHL, TSHR, TEXP, TSELS, TSQRT, TRSQRT, TEXPANDS, TEXPANDS_MAT, TPARTADD, TPARTMUL, TPARTMAX,
    TPARTMIN, TPOW, TPOWS, TCMPS, TMRGSORT, TSORT32, TCI, TGATHER, TGATHERB, TCVT, TROWSUM, TROWPROD, TROWMAX, TROWMIN,
    TROWEXPAND, TRANDOM, TCOLSUM, TCOLPROD, TCOLMAX, TCOLMIN, TTRANS, TTRI, TREM, TFMOD, TREMS, TFMODS, TSUBS, TMAXS,
    TLRELU, TPRELU, TMOV_V2V, TMOV_V2M, TEXTRACT_V2M, TMOV_M2B, TMOV_M2L, TMOV_M2R, TMOV_M2S, TMOV_A2V, TMOV_A2M,
    TSTORE_ACC, TSTORE_MAT, TMATMUL, TGEMV, TEXTRACT_M2LR, TANDS, TORS, TSHLS, TSHRS, TXOR, TXORS, TEXTRACT_A2M,
    TINSERT_A2M, TIMG2COL, SETFMATRIX, SET_IMG2COL_RPT, SET_IMG2COL_PADDING, TCONCAT, TDEQUANT, TADDDEQRELU, TABS, TNEG,
    TRELU, TNOT, TLOG, TRECIP, TCMP, TSCATTER, TCOLEXPAND, TCOLEXPANDDIV, TCOLEXPANDMUL, TCOLEXPANDADD, TCOLEXPANDMAX,
    TCOLEXPANDMIN, TCOLEXPANDSUB, TCOLEXPANDEXPDIF, TROWEXPANDDIV, TROWEXPANDMUL, TROWEXPANDSUB, TROWEXPANDADD,
    TROWEXPANDMAX, TROWEXPANDMIN, TROWEXPANDEXPDIF, TPAIRREDUCESUM, TSUBRELUCONV, TADDRELUCONV, TFUSEDMULADD,
    TMULADDDST, TSUBRELU, TFUSEDMULADDRELU, TPARTARGMAX, TPARTARGMIN, TCOLARGMAX, TCOLARGMIN, TROWARGMAX, TROWARGMIN,
    TPREFETCH, TFILLPAD_VEC, TFILLPAD_MAT, MGATHER_VEC, MGATHER_MAT, MSCATTER, TQUANT, THISTOGRAM, TINTERLEAVE,
    TDEINTERLEAVE,
    OP_COUNT,
};
// clang-format on

namespace cpu {

constexpr pipe_t pipe_of(Op op)
{
    switch (op) {
        case Op::TLOAD:
        case Op::TEXPANDS_MAT:
        case Op::TPREFETCH:
        case Op::TFILLPAD_MAT:
        case Op::MGATHER_MAT: return PIPE_MTE2;
        case Op::TSTORE_VEC:
        case Op::TSTORE_MAT: return PIPE_MTE3;
        case Op::SCALAR:
        case Op::TRESHAPE:
        case Op::TCI:
        case Op::SETFMATRIX:
        case Op::SET_IMG2COL_RPT:
        case Op::SET_IMG2COL_PADDING: return PIPE_S;
        case Op::TMOV_V2M:
        case Op::TEXTRACT_V2M:
        case Op::TMOV_M2S:
        case Op::TMOV_A2V:
        case Op::TMOV_A2M:
        case Op::TSTORE_ACC:
        case Op::TEXTRACT_A2M:
        case Op::TINSERT_A2M: return PIPE_FIX;
        case Op::TMOV_M2B:
        case Op::TMOV_M2L:
        case Op::TMOV_M2R:
        case Op::TEXTRACT_M2LR:
        case Op::TIMG2COL: return PIPE_MTE1;
        case Op::TMATMUL:
        case Op::TGEMV: return PIPE_M;
        case Op::OP_COUNT: return PIPE_ALL;
        default: return PIPE_V;
    }
}

}  // namespace cpu

template <Op op>
struct OpPipeEntry {
    static constexpr pipe_t pipe = cpu::pipe_of(op);
};

}  // namespace pto
