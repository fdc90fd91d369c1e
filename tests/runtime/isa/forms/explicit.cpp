// Calls that give all template arguments, values before types where the API has them so, and events last.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/comm/async/sdma/sdma_workspace_manager.hpp>

using namespace pto;

namespace {

using Vec = Tile<TileType::Vec, float, 32, 64>;
using Column = Tile<TileType::Vec, float, 32, 1, BLayout::ColMajor>;
using Indices = Tile<TileType::Vec, int32_t, 32, 64>;
using Memory = GlobalTensor<float, Shape<1, 1, 1, 32, 64>, pto::Stride<1, 1, 1, 64, 1>>;
using MemoryOfIndices = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 32>, pto::Stride<1, 1, 1, 32, 1>>;

void products(
    TileAcc<float, 32, 64>& c, TileLeft<float, 32, 64>& a, TileRight<float, 64, 64>& b,
    Tile<TileType::Bias, float, 1, 64>& bias, RecordEvent& event)
{
    using C = TileAcc<float, 32, 64>;
    using A = TileLeft<float, 32, 64>;
    using B = TileRight<float, 64, 64>;
    using Bias = Tile<TileType::Bias, float, 1, 64>;
    TMATMUL<AccPhase::Final, C, A, B>(c, a, b, event);
    TMATMUL_ACC<C, A, B>(c, c, a, b);
    TMATMUL_ACC<AccPhase::Final, C, A, B>(c, c, a, b, event);
    TMATMUL_ACC<AccPhase::Final, C, A, B>(c, a, b, event);
    TMATMUL_ACC(c, a, b, event);
    TMATMUL_BIAS<AccPhase::Final, C, A, B, Bias>(c, a, b, bias, event);
    TGEMV_ACC<C, A, B>(c, c, a, b, event);
    TGEMV_ACC<AccPhase::Final, C, A, B>(c, c, a, b);
    TGEMV_BIAS<AccPhase::Final, C, A, B, Bias>(c, a, b, bias, event);
}

using A8 = TileLeft<float8_e4m3_t, 32, 64>;
using B8 = TileRight<float8_e4m3_t, 64, 64>;
using AScale = TileLeftScale<float8_e8m0_t, 32, 2>;
using BScale = TileRightScale<float8_e8m0_t, 2, 64>;
void scaled_products(
    TileAcc<float, 32, 64>& c, A8& a, AScale& a_scale, B8& b, BScale& b_scale,
    Tile<TileType::Bias, float, 1, 64>& bias, RecordEvent& event)
{
    using C = TileAcc<float, 32, 64>;
    using Bias = Tile<TileType::Bias, float, 1, 64>;
    TMATMUL_MX<C, A8, AScale, B8, BScale>(c, c, a, a_scale, b, b_scale);
    TMATMUL_MX<AccPhase::Final, C, A8, AScale, B8, BScale>(c, c, a, a_scale, b, b_scale, event);
    TMATMUL_MX<AccPhase::Final, C, A8, AScale, B8, BScale, Bias>(c, a, a_scale, b, b_scale, bias);
    TGEMV_MX<C, A8, AScale, B8, BScale>(c, c, a, a_scale, b, b_scale, event);
    TGEMV_MX<AccPhase::Final, C, A8, AScale, B8, BScale>(c, a, a_scale, b, b_scale);
}

void gathers(Vec& tile, Memory& memory, Indices& at, MemoryOfIndices& rows, Memory& scratch, RecordEvent& event)
{
    MGATHER<Coalesce::Elem, Vec, Memory, Indices>(tile, memory, at, event);
    MGATHER<Coalesce::Elem, GatherOOB::Zero, Vec, Memory, Indices>(tile, memory, at, event);
    MGATHER<Coalesce::Row, Vec, Memory, MemoryOfIndices, Memory>(tile, memory, rows, scratch);
    MGATHER<Coalesce::Row, GatherOOB::Zero, Vec, Memory, MemoryOfIndices, Memory>(tile, memory, rows, scratch);
    MGATHER<Coalesce::Row, GatherOOB::Zero, GatherExec::Scalar, Vec, Memory, MemoryOfIndices, Memory>(
        tile, memory, rows, scratch);
    MSCATTER<Coalesce::Elem, Memory, Vec, Indices>(memory, tile, at, event);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add, Memory, Vec, Indices>(memory, tile, at, event);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add, ScatterOOB::Skip, Memory, Vec, Indices>(memory, tile, at);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Skip, ScatterConflict::Last, Memory, Vec, Indices>(
        memory, tile, at, event);
    TSCATTER<MaskPattern::P0101, ScatterAxis::SCATTER_ROW, Vec, Vec>(tile, tile);
}

using Bytes = Tile<TileType::Vec, int8_t, 32, 64>;
using Whole = Tile<TileType::Vec, uint8_t, 32, 64>;
using Narrow = Tile<TileType::Vec, float8_e4m3_t, 32, 64>;
using Exponents = Tile<TileType::Vec, uint8_t, 1, 64>;
using Line = Tile<TileType::Vec, float, 1, 64>;
void quantisations(
    Bytes& bytes, Whole& whole, Vec& from, Column& scale, Narrow& narrow, Exponents& exp, Line& line,
    Tile<TileType::Scaling, uint64_t, 1, 64>& words, RecordEvent& event)
{
    TQUANT<QuantType::INT8_SYM, Bytes, Vec, Column>(bytes, from, scale, nullptr, event);
    TQUANT<QuantType::INT8_SYM, Bytes, Vec, Column, Vec>(bytes, from, scale, from);
    TQUANT<QuantType::INT8_ASYM, Whole, Vec, Column, Vec>(whole, from, scale, from, &scale, event);
    TQUANT<QuantType::MXFP8, Narrow, Vec, Exponents, Line, Line, QuantScaleAlg::NV>(
        narrow, from, &exp, &line, &line, event);
    TQUANT<QuantType::MXFP8, VecStoreMode::NZ, Narrow, Vec, Exponents, Line, Line>(
        narrow, from, &exp, &line, &line, &exp, event);
    TQUANT<1, MxQuantAlg::OcpMxFp8E4M3, Narrow, Vec, Exponents, Line, Line>(narrow, from, &exp, &line, &line);
    TQUANT<0, MxQuantAlg::OcpMxFp8E4M3, true, Narrow, Vec, Exponents, Line, Line>(
        narrow, from, &exp, &line, &line, event);
    SET_QUANT_SCALAR<int8_t>(0.5f, event);
    SET_QUANT_VECTOR(words, event);
}

void others(Vec& tile, Memory& memory, Tile<TileType::Vec, uint32_t, 32, 64>& bits, RecordEvent& event)
{
    TRandomKey key = {};
    TRandomCounter counter = {};
    PrefetchAsyncContext context;
    TRANDOM<10, Tile<TileType::Vec, uint32_t, 32, 64>>(bits, key, counter);
    TPREFETCH_ASYNC(memory, context, event);
    TCVT<true, Vec, Vec, Vec>(tile, tile, tile, RoundMode::CAST_RINT, event);
}

// Names that tests for devices use of their headers, and views of bytes as another type.
void as_on_devices(Vec& tile, Memory& memory, Tile<TileType::Vec, int8_t, 32, 64>& bytes)
{
    comm::sdma::SdmaWorkspaceManager manager;
    comm::AsyncSession shared;
    PrefetchAsyncContext context(
        manager.Init() ? static_cast<uint8_t*>(manager.GetWorkspaceAddr()) : nullptr, &shared);
    TASSIGN(context.scratchTile, 0);
    comm::BuildAsyncSession(context.scratchTile, context.workspace, shared);
    TPREFETCH_ASYNC(memory, context).Wait(context.GetSession());
    manager.Finalize();
    aclrtStream stream = nullptr;
    aclrtCmoAsync(&memory, 64, ACL_RT_CMO_TYPE_INVALID, stream);
    TCOLEXPAND_IMPL(tile, tile);
    Tile<TileType::Vec, float8_e4m3_t, 32, 64> floats;
    Tile<TileType::Vec, float4_e2m1x2_t, 32, 64> pairs;
    TSUBVIEW(floats, bytes, 0, 0);
    TSUBVIEW(pairs, bytes, 0, 0);
}

}  // namespace
