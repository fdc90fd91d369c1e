// As tiles.cpp: orders, quantisation, queues, groups of ranks.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

template <typename T, int Rows = 32, int Cols = 64>
using Vec = Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor, -1, -1>;
template <typename T, int Rows = 32>
using Column = Tile<TileType::Vec, T, Rows, 1, BLayout::ColMajor, -1, 1>;
template <typename T, Layout L = Layout::ND>
using Global = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, pto::Stride<1, 1, 1, -1, 1>, L>;

void orders(
    Vec<float, 1, 512>& to, Vec<float, 1, 128>& a, Vec<float, 1, 128>& b, Vec<float, 1, 128>& c,
    Vec<float, 1, 128>& d,
    Vec<float, 1, 512>& tmp, Vec<float, 1, 256>& pairs, Vec<uint32_t, 1, 128>& at, Vec<int32_t, 1>& numbers,
    Vec<float>& full)
{
    using To = Vec<float, 1, 512>;
    using From = Vec<float, 1, 128>;
    MrgSortExecutedNumList counts;
    TMRGSORT<To, To, From, From, From, From, true>(to, counts, tmp, a, b, c, d);
    TMRGSORT<To, To, From, From, From, false>(to, counts, tmp, a, b, c);
    TMRGSORT<To, To, From, From, false>(to, counts, tmp, a, b);
    TMRGSORT(to, tmp, 64);
    TSORT32(pairs, a, at);
    TSORT32(pairs, a, at, tmp);
    TCI<Vec<int32_t, 1>, int32_t, 0>(numbers, 5);
    TCI<Vec<int32_t, 1>, int32_t, 1>(numbers, 5);
    TCI<Vec<int32_t, 1>, Vec<int32_t, 1>, int32_t, 0>(numbers, 5, numbers);
    TTRI<Vec<float>, 0>(full, 1);
    TTRI<Vec<float>, 1>(full, -1);
}

void random_numbers(
    Vec<uint32_t>& to, TRandomKey& key, TRandomCounter& counter, Vec<uint32_t, 1, 256>& counts,
    Vec<uint16_t>& from, Column<uint8_t>& at)
{
    TRANDOM(to, key, counter);
    TRANDOM<7>(to, key, counter);
    THISTOGRAM<HistByte::BYTE_1>(counts, from, at);
}

void quantisations(
    Vec<int8_t>& to, Vec<uint8_t>& up, Vec<float>& from, Column<float>& scale, Column<float>& offset,
    Vec<float>& tmp, Vec<int32_t>& wide,
    Vec<half>& narrow, Tile<TileType::Scaling, uint64_t, 1, 64>& words)
{
    TQUANT<QuantType::INT8_SYM>(to, from, scale);
    TQUANT<QuantType::INT8_ASYM>(up, from, scale, &offset);
    TQUANT<QuantType::INT8_SYM>(to, from, scale, tmp);
    TQUANT<QuantType::INT8_ASYM>(up, from, scale, tmp, &offset);
    TDEQUANT(from, to, scale, offset);
    TADDDEQRELU(narrow, wide, wide, 0.5f, tmp);
    SET_QUANT_SCALAR(0.5f);
    SET_QUANT_SCALAR<int8_t>(0.5f);
    SET_QUANT_VECTOR(words);
}

void scaled_quantisations(
    Vec<float8_e4m3_t>& to, Vec<float>& from, Vec<uint8_t, 1, 64>& exp, Vec<float, 1, 64>& max,
    Vec<float, 1, 64>& scaling, Vec<uint8_t, 1, 64>& zz)
{
    using To = Vec<float8_e4m3_t>;
    using From = Vec<float>;
    using Exp = Vec<uint8_t, 1, 64>;
    using Max = Vec<float, 1, 64>;
    TQUANT<QuantType::MXFP8, To, From, Exp, Max, Max>(to, from, &exp, &max, &scaling);
    TQUANT<QuantType::MXFP8, To, From, Exp, Max, Max, QuantScaleAlg::NV>(to, from, &exp, &max, &scaling);
    TQUANT<QuantType::MXFP8>(to, from, &exp, &max, &scaling);
    TQUANT<QuantType::MXFP8, VecStoreMode::NZ>(to, from, &exp, &max, &scaling, &zz);
    TQUANT<1, MxQuantAlg::OcpMxFp8E4M3>(to, from, &exp, &max, &scaling);
    TQUANT<0, MxQuantAlg::NvMxFp8E4M3>(to, from, &exp, &max, &scaling);
    TQUANT<0, MxQuantAlg::OcpMxFp8E4M3, true>(to, from, &exp, &max, &scaling);
}

using Pipe = TPipe<1, Direction::DIR_V2C, 32 * 64 * 4, 2>;
using Slot = Global<float>;
void queues(Pipe& pipe, Vec<float>& tile, Slot& slot)
{
    constexpr TileSplitAxis kAxis = TileSplitAxis::TILE_UP_DOWN;
    using V = Vec<float>;
    TALLOC<Pipe, Slot, kAxis>(pipe, slot);
    TPUSH(tile, pipe);
    TPUSH(pipe, tile);
    TPUSH<Pipe, V, kAxis>(pipe, tile);
    TPUSH<Pipe, V, kAxis>(pipe, tile, 1);
    TPUSH<Pipe, Slot, kAxis>(pipe, slot);
    TPOP(tile, pipe);
    TPOP<Pipe, V, kAxis>(pipe, tile);
    TPOP<Pipe, V, kAxis>(pipe, tile, 1);
    TPOP<Pipe, Slot, kAxis>(pipe, slot);
    TFREE(pipe);
    TFREE<Pipe, kAxis>(pipe);
    TFREE<Pipe, Slot, kAxis>(pipe, slot);
}

void waits(Vec<float>& tile, Global<int32_t>& workspace)
{
    RecordEvent first = TEXP(tile, tile);
    Event<Op::TEXP, Op::TADD> event = TEXP(tile, tile);
    TADD(tile, tile, tile, event);
    TSYNC(event);
    TSYNC<Op::TADD>();
    SYNCALL();
    SYNCALL<SyncCoreType::Mix>();
    SYNCALL<SyncAllMode::Hard>(workspace);
    SYNCALL<SyncAllMode::Soft, SyncCoreType::AICOnly>(workspace, 4);
    (void)first;
}

using comm::CollEngine;
using comm::DmaEngine;
template <typename T>
void groups(
    comm::ParallelGroup<Global<T>>& group, Global<T>& memory, Global<T>& other, Vec<T>& ping, Vec<T>& pong,
    comm::AsyncSession& session)
{
    comm::TBROADCAST(group, memory, ping);
    comm::TBROADCAST<CollEngine::AIV>(group, memory, ping, pong);
    comm::TGATHER(group, memory, ping);
    comm::TGATHER<CollEngine::AIV>(group, memory, ping, pong);
    comm::TSCATTER(group, memory, ping);
    comm::TSCATTER<CollEngine::AIV>(group, memory, ping, pong);
    comm::TREDUCE(group, memory, ping, pong, comm::ReduceOp::Sum);
    comm::TREDUCE<CollEngine::AIV>(group, memory, ping, pong, pong, comm::ReduceOp::Max);
    comm::TGET(memory, other, ping);
    comm::TGET(memory, other, ping, pong);
    comm::TPUT(memory, other, ping);
    comm::TPUT<AtomicType::AtomicAdd>(memory, other, ping);
    comm::TPUT<AtomicType::AtomicAdd>(memory, other, ping, pong);
    comm::TPUT(memory, other, ping, AtomicType::AtomicAdd);
    comm::TGET_ASYNC(memory, other, session);
    comm::TGET_ASYNC<DmaEngine::URMA>(memory, other, session, 1U);
    comm::TPUT_ASYNC(memory, other, session);
    comm::TPUT_ASYNC<DmaEngine::RDMA>(memory, other, session, 1U);
}
template void groups(
    comm::ParallelGroup<Global<float>>&, Global<float>&, Global<float>&, Vec<float>&, Vec<float>&,
    comm::AsyncSession&);
template void groups(
    comm::ParallelGroup<Global<half>>&, Global<half>&, Global<half>&, Vec<half>&, Vec<half>&, comm::AsyncSession&);

void signals(comm::Signal& signal)
{
    comm::TNOTIFY(signal, 1, comm::NotifyOp::AtomicAdd);
    comm::TWAIT(signal, 1, comm::WaitCmp::GE);
    (void)comm::TTEST(signal, 1, comm::WaitCmp::EQ);
}

void rest(
    Vec<float>& to, Vec<float>& a, Vec<float>& b, Vec<uint8_t, 32, 32>& bits, Vec<float>& tmp, Vec<half>& narrow,
    Vec<int32_t>& at, Vec<int32_t>& at0, Vec<int32_t>& at1)
{
    TCMP(bits, a, b, CmpMode::LE);
    TCMPS(bits, a, 2.0f, CmpMode::LE);
    TSEL(to, bits, a, b, tmp);
    TSELS(to, bits, a, tmp, 2.0f);
    TCONCAT(to, a, b);
    TCONCAT(to, a, b, at0, at1);
    TCONCAT(to, a, b, at, at0, at1);
    TINTERLEAVE(to, tmp, a, b);
    TDEINTERLEAVE(to, tmp, a, b);
    TDEINTERLEAVE(to, tmp, a);
    TPARTARGMAX(to, a, b, at, at0, at1);
    TPARTARGMIN(to, a, b, at, at0, at1);
    TADDRELUCONV(narrow, a, b);
    TSUBRELUCONV(narrow, a, b);
}

}  // namespace
