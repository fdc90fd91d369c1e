// Every call form of the public API beyond those that test_agreement.py compiles from the instruction table: explicit
// template arguments, optional operands, locations and layouts. Compiled, never run; see test_forms.py.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

template <typename T, int Rows = 32, int Cols = 64>
using Vec = Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor, -1, -1>;
template <typename T, int Rows = 32, int Cols = 64>
using VecNz = Tile<TileType::Vec, T, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;
template <typename T, int Rows = 32>
using Column = Tile<TileType::Vec, T, Rows, 1, BLayout::ColMajor, -1, 1>;
template <typename T, int Rows = 32, int Cols = 64>
using Mat = Tile<TileType::Mat, T, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;
template <typename T, int Cols = 64>
using MatRow = Tile<TileType::Mat, T, 1, Cols>;
template <typename T, int Cols = 64>
using Bias = Tile<TileType::Bias, T, 1, Cols>;
using Padded = Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, PadValue::Max>;
using Scales = Tile<TileType::Vec, uint8_t, 64, 32, BLayout::RowMajor, 64, 32, SLayout::RowMajor, 32>;
using Words = Tile<TileType::Scaling, uint64_t, 1, 64>;
template <typename T, Layout L = Layout::ND>
using Global = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, pto::Stride<1, 1, 1, -1, 1>, L>;

void precisions(Vec<float>& to, Vec<float>& a, Vec<float>& b, Vec<float>& tmp, Vec<float, 1>& row, Column<float>& col)
{
    TDIV<DivAlgorithm::HIGH_PRECISION>(to, a, b);
    TDIVS<DivAlgorithm::HIGH_PRECISION>(to, a, 2.0f);
    TDIVS<DivAlgorithm::HIGH_PRECISION>(to, 2.0f, a);
    TEXP<ExpAlgorithm::HIGH_PRECISION>(to, a);
    TFMOD<FmodAlgorithm::HIGH_PRECISION>(to, a, b);
    TFMODS<FmodSAlgorithm::HIGH_PRECISION>(to, a, 2.0f);
    TLOG<LogAlgorithm::HIGH_PRECISION>(to, a);
    TPOW<PowAlgorithm::HIGH_PRECISION>(to, a, b, tmp);
    TPOWS<PowAlgorithm::HIGH_PRECISION>(to, a, 2.0f, tmp);
    TRECIP<RecipAlgorithm::HIGH_PRECISION>(to, a);
    TREM<RemAlgorithm::HIGH_PRECISION>(to, a, b, tmp);
    TREMS<RemSAlgorithm::HIGH_PRECISION>(to, a, 2.0f, tmp);
    TRSQRT<RsqrtAlgorithm::HIGH_PRECISION>(to, a);
    TRSQRT<RsqrtAlgorithm::HIGH_PRECISION>(to, a, tmp);
    TSQRT<SqrtAlgorithm::HIGH_PRECISION>(to, a);
    TCOLEXPANDDIV<DivAlgorithm::HIGH_PRECISION>(to, a, row);
    TROWEXPANDDIV<DivAlgorithm::HIGH_PRECISION>(to, a, col);
    TROWEXPANDDIV<DivAlgorithm::HIGH_PRECISION>(to, a, col, tmp);
    TCOLSUM(row, a);
    TCOLSUM(row, a, tmp, true);
}

template <typename T, typename Acc>
void products(
    TileLeft<T, 32, 64>& a, TileRight<T, 64, 64>& b, TileAcc<Acc, 32, 64>& c, TileAcc<Acc, 32, 64>& d,
    Bias<Acc>& bias)
{
    TMATMUL(c, a, b);
    TMATMUL<AccPhase::Final>(c, a, b);
    TMATMUL_ACC(d, c, a, b);
    TMATMUL_ACC<AccPhase::Partial>(d, c, a, b);
    TMATMUL_ACC(c, a, b);
    TMATMUL_ACC<AccPhase::Partial>(c, a, b);
    TMATMUL_BIAS(c, a, b, bias);
    TMATMUL_BIAS<AccPhase::Unspecified>(c, a, b, bias);
    TGEMV(c, a, b);
    TGEMV<AccPhase::Final>(c, a, b);
    TGEMV_ACC(d, c, a, b);
    TGEMV_ACC<AccPhase::Final>(d, c, a, b);
    TGEMV_BIAS(c, a, b, bias);
    TGEMV_BIAS<AccPhase::Final>(c, a, b, bias);
    a.SetMadTF32Mode();
    a.SetMadTF32Mode(RoundMode::CAST_RINT);
    a.ResetMadMode();
}
template void products(
    TileLeft<float, 32, 64>&, TileRight<float, 64, 64>&, TileAcc<float, 32, 64>&, TileAcc<float, 32, 64>&,
    Bias<float>&);
template void products(
    TileLeft<half, 32, 64>&, TileRight<half, 64, 64>&, TileAcc<float, 32, 64>&, TileAcc<float, 32, 64>&,
    Bias<float>&);
template void products(
    TileLeft<bfloat16_t, 32, 64>&, TileRight<bfloat16_t, 64, 64>&, TileAcc<float, 32, 64>&,
    TileAcc<float, 32, 64>&, Bias<float>&);
template void products(
    TileLeft<int8_t, 32, 64>&, TileRight<int8_t, 64, 64>&, TileAcc<int32_t, 32, 64>&, TileAcc<int32_t, 32, 64>&,
    Bias<int32_t>&);

template <typename A, typename B>
void scaled_products(
    TileLeft<A, 32, 64>& a, TileLeftScale<float8_e8m0_t, 32, 2>& a_scale, TileRight<B, 64, 64>& b,
    TileRightScale<float8_e8m0_t, 2, 64>& b_scale, TileAcc<float, 32, 64>& c, TileAcc<float, 32, 64>& d,
    Bias<float>& bias)
{
    TMATMUL_MX(c, a, a_scale, b, b_scale);
    TMATMUL_MX<AccPhase::Final>(c, a, a_scale, b, b_scale);
    TMATMUL_MX(d, c, a, a_scale, b, b_scale);
    TMATMUL_MX<AccPhase::Final>(d, c, a, a_scale, b, b_scale);
    TMATMUL_MX(c, a, a_scale, b, b_scale, bias);
    TMATMUL_MX<AccPhase::Final>(c, a, a_scale, b, b_scale, bias);
    TGEMV_MX(c, a, a_scale, b, b_scale);
    TGEMV_MX<AccPhase::Final>(c, a, a_scale, b, b_scale);
    TGEMV_MX(d, c, a, a_scale, b, b_scale);
    TGEMV_MX<AccPhase::Final>(d, c, a, a_scale, b, b_scale);
    TGEMV_MX(c, a, a_scale, b, b_scale, bias);
    TGEMV_MX<AccPhase::Final>(c, a, a_scale, b, b_scale, bias);
    TGET_SCALE_ADDR(a_scale, a);
    TGET_SCALE_ADDR(b_scale, b);
}
#define SCALED(A, B) \
    template void scaled_products( \
        TileLeft<A, 32, 64>&, TileLeftScale<float8_e8m0_t, 32, 2>&, TileRight<B, 64, 64>&, \
        TileRightScale<float8_e8m0_t, 2, 64>&, TileAcc<float, 32, 64>&, TileAcc<float, 32, 64>&, Bias<float>&);
SCALED(float8_e4m3_t, float8_e5m2_t)
SCALED(float4_e2m1x2_t, float4_e1m2x2_t)

template <typename T>
void gathers(Vec<T>& tile, Global<T>& memory, Vec<int32_t>& at, Vec<T>& scratch)
{
    MGATHER(tile, memory, at);
    MGATHER<Coalesce::Row>(tile, memory, at);
    MGATHER<Coalesce::Elem, GatherOOB::Clamp>(tile, memory, at);
    MGATHER<Coalesce::Elem>(tile, memory, at, scratch);
    MGATHER<Coalesce::Row, GatherOOB::Zero>(tile, memory, at, scratch);
    MSCATTER(memory, tile, at);
    MSCATTER<Coalesce::Row>(memory, tile, at);
    MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(memory, tile, at);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Skip>(memory, tile, at);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Wrap, ScatterConflict::Last>(memory, tile, at);
    TGATHER(tile, tile, at, scratch);
    TGATHER<Vec<T>, Vec<T>, MaskPattern::P0101>(tile, scratch);
    TGATHER<Vec<T>, Vec<T>, MaskPattern::P1111, GatherAxis::GATHER_ROW>(tile, scratch);
    TSCATTER(tile, scratch, at);
    TSCATTER<MaskPattern::P1010>(tile, scratch);
    TSCATTER<MaskPattern::P1010, ScatterAxis::SCATTER_ROW>(tile, scratch);
}
template void gathers(Vec<float>&, Global<float>&, Vec<int32_t>&, Vec<float>&);
template void gathers(Vec<half>&, Global<half>&, Vec<int32_t>&, Vec<half>&);

void matches(
    Vec<int32_t>& to, Vec<float>& from, Column<float>& k, Vec<int32_t>& counts, Vec<uint8_t>& tmp,
    Vec<uint32_t>& at)
{
    using To = Vec<int32_t>;
    TGATHER<To, Vec<float>, Column<float>, To, Vec<uint8_t>, CmpMode::GT>(to, from, k, counts, tmp, 3);
    TGATHERB(to, to, at);
}

template <typename T>
void stores(Global<T>& memory, Vec<T>& tile, Mat<T>& mat, Global<T>& other, PrefetchAsyncContext& context)
{
    using V = Vec<T>;
    using G = Global<T>;
    TLOAD(tile, memory);
    TLOAD(mat, memory);
    TPREFETCH(tile, memory);
    TPREFETCH_ASYNC(other, context);
    TSTORE(memory, tile);
    TSTORE(memory, mat);
    TSTORE<STPhase::Final>(memory, tile);
    TSTORE<V, G, AtomicType::AtomicAdd>(memory, tile);
    TSTORE<STPhase::Partial, V, G, AtomicType::AtomicNone>(memory, tile);
}
template void stores(Global<float>&, Vec<float>&, Mat<float>&, Global<float>&, PrefetchAsyncContext&);
template void stores(Global<half>&, Vec<half>&, Mat<half>&, Global<half>&, PrefetchAsyncContext&);
template void stores(
    Global<bfloat16_t>&, Vec<bfloat16_t>&, Mat<bfloat16_t>&, Global<bfloat16_t>&, PrefetchAsyncContext&);
template void stores(Global<int32_t>&, Vec<int32_t>&, Mat<int32_t>&, Global<int32_t>&, PrefetchAsyncContext&);

template <typename To, typename From>
void quantised_stores(Global<To>& memory, TileAcc<From, 32, 64>& acc, Words& words)
{
    using A = TileAcc<From, 32, 64>;
    using G = Global<To>;
    constexpr AtomicType kNone = AtomicType::AtomicNone;
    constexpr ReluPreMode kRelu = ReluPreMode::NormalRelu;
    TSTORE<A, G, kNone, kRelu>(memory, acc, uint64_t(1));
    TSTORE(memory, acc, uint64_t(1));
    TSTORE<A, G>(memory, acc, uint64_t(1));
    TSTORE<A, G, kNone>(memory, acc, uint64_t(1));
    TSTORE<STPhase::Final, A, G, kNone, kRelu>(memory, acc, uint64_t(1));
    TSTORE<STPhase::Final, A, G>(memory, acc, uint64_t(1));
    TSTORE_FP<A, G, Words>(memory, acc, words);
    TSTORE_FP<A, G, Words, kNone>(memory, acc, words);
    TSTORE_FP<A, G, Words, kNone, kRelu>(memory, acc, words);
    TSTORE_FP(memory, acc, words);
}
template void quantised_stores(Global<int8_t>&, TileAcc<int32_t, 32, 64>&, Words&);
template void quantised_stores(Global<uint8_t>&, TileAcc<float, 32, 64>&, Words&);
template void quantised_stores(Global<half>&, TileAcc<int32_t, 32, 64>&, Words&);

void plain_stores(Global<float>& memory, TileAcc<float, 32, 64>& acc, Global<bfloat16_t>& narrow)
{
    using A = TileAcc<float, 32, 64>;
    using G = Global<float>;
    TSTORE(memory, acc);
    TSTORE(narrow, acc);
    TSTORE<STPhase::Final>(memory, acc);
    TSTORE<A, G, AtomicType::AtomicAdd>(memory, acc);
    TSTORE<A, G, AtomicType::AtomicAdd, ReluPreMode::NormalRelu>(memory, acc);
    TSTORE<STPhase::Final, A, G, AtomicType::AtomicAdd>(memory, acc);
    TSTORE<STPhase::Final, A, G, AtomicType::AtomicAdd, ReluPreMode::NormalRelu>(memory, acc);
}

/// TMOV, TEXTRACT and TINSERT with the same template arguments.
template <typename Dst, typename Src>
void moves_of_accumulators(Dst& to, Src& acc, Words& words)
{
    constexpr ReluPreMode kRelu = ReluPreMode::NormalRelu;
    constexpr AccToVecMode kMode = AccToVecMode::SingleModeVec0;
    TMOV<Dst, Src, kRelu>(to, acc, uint64_t(1));
    TMOV<Dst, Src>(to, acc, uint64_t(1));
    TMOV<STPhase::Final, Dst, Src, kRelu>(to, acc, uint64_t(1));
    TMOV_FP<Dst, Src, Words>(to, acc, words);
    TMOV_FP<Dst, Src, Words, kRelu>(to, acc, words);
    TMOV_FP<STPhase::Final, Dst, Src, Words, kRelu>(to, acc, words);
    TEXTRACT<Dst, Src, kRelu>(to, acc, uint64_t(1), 0, 0);
    TEXTRACT<Dst, Src>(to, acc, uint64_t(1), 0, 0);
    TEXTRACT_FP<Dst, Src, Words>(to, acc, words, 0, 0);
    TEXTRACT_FP<Dst, Src, Words, kRelu>(to, acc, words, 0, 0);
    TINSERT<Dst, Src, kRelu>(to, acc, uint64_t(1), 0, 0);
    TINSERT<Dst, Src>(to, acc, uint64_t(1), 0, 0);
    TINSERT_FP<Dst, Src, Words>(to, acc, words, 0, 0);
    TINSERT_FP<Dst, Src, Words, kRelu>(to, acc, words, 0, 0);
    if constexpr (Dst::Loc == TileType::Vec) {
        TMOV<Dst, Src, kMode>(to, acc, uint64_t(1));
        TMOV<Dst, Src, kMode, kRelu>(to, acc, uint64_t(1));
        TMOV<STPhase::Final, Dst, Src, kMode, kRelu>(to, acc, uint64_t(1));
        TMOV<Dst, Src, Words, kMode>(to, acc, words);
        TMOV<Dst, Src, Words, kMode, kRelu>(to, acc, words);
        TMOV<STPhase::Final, Dst, Src, Words, kMode, kRelu>(to, acc, words);
        TEXTRACT<Dst, Src, kMode, kRelu>(to, acc, uint64_t(1), 0, 0);
        TEXTRACT<Dst, Src, Words, kMode, kRelu>(to, acc, words, 0, 0);
        TINSERT<Dst, Src, kMode, kRelu>(to, acc, uint64_t(1), 0, 0);
        TINSERT<Dst, Src, Words, kMode, kRelu>(to, acc, words, 0, 0);
    }
}
template void moves_of_accumulators(Vec<int8_t>&, TileAcc<int32_t, 32, 64>&, Words&);
template void moves_of_accumulators(Mat<int8_t>&, TileAcc<float, 32, 64>&, Words&);
template void moves_of_accumulators(Mat<half>&, TileAcc<int32_t, 32, 64>&, Words&);

template <typename Dst, typename Src>
void plain_moves(Dst& to, Src& acc)
{
    constexpr ReluPreMode kRelu = ReluPreMode::NormalRelu;
    constexpr AccToVecMode kMode = AccToVecMode::SingleModeVec1;
    TMOV(to, acc);
    TMOV<STPhase::Final>(to, acc);
    TMOV<Dst, Src, kRelu>(to, acc);
    TMOV<STPhase::Final, Dst, Src, kRelu>(to, acc);
    TEXTRACT(to, acc);
    TEXTRACT(to, acc, 16);
    TEXTRACT(to, acc, 16, 0);
    TEXTRACT<Dst, Src, kRelu>(to, acc, 0, 0);
    TINSERT(to, acc, 0, 0);
    TINSERT<Dst, Src, kRelu>(to, acc, 0, 0);
    if constexpr (Dst::Loc == TileType::Vec) {
        TMOV<Dst, Src, kMode>(to, acc);
        TMOV<Dst, Src, kMode, kRelu>(to, acc);
        TMOV<STPhase::Final, Dst, Src, kMode, kRelu>(to, acc);
        TEXTRACT<Dst, Src, kMode>(to, acc, 0, 0);
        TEXTRACT<Dst, Src, kMode, kRelu>(to, acc, 0, 0);
        TINSERT<Dst, Src, kMode>(to, acc, 0, 0);
        TINSERT<Dst, Src, kMode, kRelu>(to, acc, 0, 0);
    }
}
template void plain_moves(Vec<float>&, TileAcc<float, 32, 64>&);
template void plain_moves(Vec<half>&, TileAcc<float, 32, 64>&);
template void plain_moves(Mat<bfloat16_t>&, TileAcc<float, 32, 64>&);

void other_moves(
    Vec<float>& to, Vec<float>& a, VecNz<half>& nz, VecNz<half>& next, Vec<half>& nd, Mat<half>& mat,
    TileLeft<half, 32, 64>& left,
    TileRight<half, 32, 64>& right, Bias<float>& bias, MatRow<float>& row, Words& words,
    MatRow<uint64_t>& word_row, Vec<float>& tmp, Padded& padded, Mat<half>& mat_padded,
    Scales& scales, Vec<uint8_t>& groups)
{
    TMOV(to, a, tmp);
    TMOV<1>(to, a, tmp);
    TMOV<0>(scales, groups, groups);
    TFILLPAD<Mat<half>, PadValue::Zero>(mat_padded, mat);
    TMOV(left, mat);
    TMOV(right, mat);
    TMOV(bias, row);
    TMOV(words, word_row);
    TMOV(mat, nz);
    TEXTRACT(left, mat, 0, 16);
    TEXTRACT(right, mat, 16, 0);
    TINSERT(mat, nz, 0, 0);
    TINSERT<TInsertMode::SPLIT2>(mat, nz);
    TINSERT<TInsertMode::SPLIT4>(mat, nz, 0, 0);
    TEXTRACT(nz, next, nd);
    TEXTRACT(nz, next, nd, 0, 0, 16, 16);
    TRESHAPE(nz, next);
    TSUBVIEW(to, a, 8, 0);
    TTRANS(to, a, tmp);
    TFILLPAD(padded, a);
    TFILLPAD<TFillPadMode::Normal>(padded, a);
    TFILLPAD<TFillPadMode::InPlace>(padded, padded);
    TFILLPAD<TFillPadMode::Expand>(padded, a);
    TFILLPAD_EXPAND(padded, a);
    TFILLPAD_INPLACE(padded, padded);
    TASSIGN(to, 0);
    TASSIGN<0x100>(to);
    TPRINT(to);
    TPRINT<PrintFormat::Width10_Precision6>(to);
    TPRINT(to, a);
}

template <typename To, typename From>
void casts(Vec<To>& to, Vec<From>& from, Vec<uint8_t>& tmp)
{
    TCVT(to, from, RoundMode::CAST_RINT);
    TCVT<false>(to, from, RoundMode::CAST_RINT);
    TCVT<true>(to, from, RoundMode::CAST_RINT, SaturationMode::ON);
    TCVT(to, from, tmp, RoundMode::CAST_RINT);
    TCVT<true>(to, from, tmp, RoundMode::CAST_RINT, SaturationMode::OFF);
}
template void casts(Vec<half>&, Vec<float>&, Vec<uint8_t>&);
template void casts(Vec<float>&, Vec<half>&, Vec<uint8_t>&);

void convolutions(
    TileLeft<half, 32, 64>& left,
    ConvTile<TileType::Mat, half, 8192, Layout::NC1HWC0, ConvTileShape<1, 1, 16, 16, 16>>& image)
{
    using Image = ConvTile<TileType::Mat, half, 8192, Layout::NC1HWC0, ConvTileShape<1, 1, 16, 16, 16>>;
    TIMG2COL(left, image);
    TIMG2COL(left, image, 16);
    TIMG2COL<TileLeft<half, 32, 64>, Image, SetFmatrixMode::FMATRIX_A_AUTO>(left, image, 0, 0);
    SETFMATRIX(image);
    SETFMATRIX<Image, SetFmatrixMode::FMATRIX_B_MANUAL>(image);
    SET_IMG2COL_PADDING(image);
    SET_IMG2COL_PADDING<Image, SetFmatrixMode::FMATRIX_B_MANUAL>(image);
    SET_IMG2COL_RPT(image);
    SET_IMG2COL_RPT<Image, SetFmatrixMode::FMATRIX_B_MANUAL>(image);
}
}  // namespace
