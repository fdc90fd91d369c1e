// TPUSH, TPOP, TFREE and TALLOC: the instructions of a TPipe.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/fixpipe.hpp>
#include <pto/cpu/moves/quant_registers.hpp>
#include <pto/cpu/fifo/push_pop.hpp>

namespace pto {

namespace cpu {

template <typename T>
inline constexpr bool is_wait_event = is_event<T>::value || is_same<T, RecordEvent>;
template <typename Pipe, typename... Events>
concept PipeAndEvents = is_pipe_v<Pipe> && (is_wait_event<Events> && ...);

/// The slot of a GlobalTensor: where the calling core's part of it begins.
template <typename Pipe, TileSplitAxis Split, typename Global>
PTO_INLINE typename Global::DType* global_part(Pipe& pipe, Global& tensor, int which, int index, int entry_offset)
{
    if (pipe.fifo.GM_SLOT_BUFFER == nullptr) {
        pipe_fault("a GlobalTensor needs a pipe with a fifo in global memory");
    }
    const int64_t subblock = vector_subblock(Split, static_cast<int32_t>(get_subblockid()));
    const SubblockPart part = subblock_part(Split, tensor.GetShape(3), tensor.GetShape(4), subblock);
    const int64_t last =
        (tensor.GetShape(3) - 1) * tensor.GetStride(3) + (tensor.GetShape(4) - 1) * tensor.GetStride(4);
    check_slot(pipe, (part.offset + last + 1) * int64_t(sizeof(typename Global::DType)), entry_offset);
    char* base = static_cast<char*>(pipe.fifo.GM_SLOT_BUFFER);
    constexpr int64_t kSlots = Pipe::RingFiFo::SLOT_NUM, kSize = Pipe::RingFiFo::SLOT_SIZE;
    base += static_cast<int64_t>(static_cast<uint32_t>(index) % kSlots) * kSize + entry_offset;
    if (Pipe::is_both && which == kFifoV2C) {
        base += kSlots * kSize;  // the V2C fifo follows the C2V fifo
    }
    return reinterpret_cast<typename Global::DType*>(base) + part.offset;
}

}  // namespace cpu

/// Puts a tile into the pipe: waits for a free slot, copies the valid region, and signals the consumer.
template <typename Pipe, typename TileProd, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && !is_global_data_v<TileProd>)
PTO_INST RecordEvent TPUSH(Pipe& pipe, TileProd& tile, const Events&... events)
{
    using T = typename TileProd::DType;
    TSYNC(events...);
    cpu::push_tile<Split, T>(pipe, tile, static_cast<int32_t>(get_subblockid()), cpu::CastValue<T, false>{});
    return {};
}

/// The same for the vector core `subBlockId`.
template <typename Pipe, typename TileProd, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...>)
PTO_INST RecordEvent TPUSH(Pipe& pipe, TileProd& tile, int32_t subBlockId, const Events&... events)
{
    using T = typename TileProd::DType;
    TSYNC(events...);
    cpu::push_tile<Split, T>(pipe, tile, subBlockId, cpu::CastValue<T, false>{});
    return {};
}

/// An unsplit tile.
template <typename TileProd, typename Pipe, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && is_tile_data_v<TileProd>)
PTO_INST RecordEvent TPUSH(TileProd& tile, Pipe& pipe, const Events&... events)
{
    return TPUSH<Pipe, TileProd, TILE_NO_SPLIT>(pipe, tile, events...);
}
template <typename Pipe, typename TileProd, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && is_tile_data_v<TileProd>)
PTO_INST RecordEvent TPUSH(Pipe& pipe, TileProd& tile, const Events&... events)
{
    return TPUSH<Pipe, TileProd, TILE_NO_SPLIT>(pipe, tile, events...);
}

/// An accumulator that is converted on its way (TConfig is a FixpipeParams); quantisation words come from
/// SET_QUANT_SCALAR or SET_QUANT_VECTOR. The slot holds rows, whatever the layout mode: the consumer's tile decides.
template <typename Pipe, typename TileProd, typename TConfig, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && is_tile_data_v<TileProd> && requires { TConfig::QuantPre; })
PTO_INST RecordEvent TPUSH(Pipe& pipe, TileProd& tile, const Events&... events)
{
    static_assert(TileProd::Loc == TileType::Acc, "TPUSH with FixpipeParams takes an Acc tile");
    static_assert(TConfig::AtomicT == AtomicType::AtomicNone, "TPUSH cannot add to a slot atomically");
    using T = FixpipeConsDType_t<TConfig::QuantPre, typename TileProd::DType>;
    constexpr bool kRelu = TConfig::ReluMode == ReluPreMode::NormalRelu;
    constexpr QuantMode_t kMode = TConfig::QuantPre;
    TSYNC(events...);
    const int32_t sub_block = static_cast<int32_t>(get_subblockid());
    if constexpr (kMode == NoQuant || kMode == F322F16 || kMode == F322BF16) {
        cpu::push_tile<TILE_NO_SPLIT, T>(pipe, tile, sub_block, cpu::CastValue<T, kRelu>{});
    } else if constexpr (is_vector_quant_v<kMode>) {
        cpu::push_tile<TILE_NO_SPLIT, T>(
            pipe, tile, sub_block, cpu::QuantiseByColumn<T, kRelu>{cpu::quantisation_words()});
    } else {
        cpu::push_tile<TILE_NO_SPLIT, T>(
            pipe, tile, sub_block, cpu::QuantiseByScalar<T, kRelu>{cpu::quantisation_word()});
    }
    return {};
}

/// Waits for a free slot and lets the GlobalTensor stand for it; TPUSH of that tensor signals the consumer.
template <typename Pipe, typename GlobalData, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && is_global_data_v<GlobalData>)
PTO_INST RecordEvent TALLOC(Pipe& pipe, GlobalData& gmTensor, const Events&... events)
{
    TSYNC(events...);
    const int index = cpu::fifo_of<Pipe, GlobalData, true>();
    const bool from_vector = index == cpu::kFifoV2C;
    const uint32_t subblock = from_vector ? cpu::vector_subblock(Split, static_cast<int32_t>(get_subblockid())) : 0;
    auto& state = Pipe::GetSharedState();
    if (pipe.prod.isAllocate) {
        pipe.prod.tileIndex = static_cast<int>(cpu::claim_slot(
            state, state.fifos[index], subblock, from_vector && Split != TILE_NO_SPLIT ? 3 : 1,
            Pipe::RingFiFo::SLOT_NUM));
    }
    constexpr TileSplitAxis kWhole = TILE_NO_SPLIT;
    gmTensor.SetAddr(
        from_vector
            ? cpu::global_part<Pipe, Split>(pipe, gmTensor, index, pipe.prod.tileIndex, pipe.prod.entryOffset)
            : cpu::global_part<Pipe, kWhole>(pipe, gmTensor, index, pipe.prod.tileIndex, pipe.prod.entryOffset));
    return {};
}

/// Signals the consumer that the slot which TALLOC gave is filled.
template <typename Pipe, typename GlobalData, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && is_global_data_v<GlobalData>)
PTO_INST RecordEvent TPUSH(Pipe& pipe, GlobalData&, const Events&... events)
{
    TSYNC(events...);
    const int index = cpu::fifo_of<Pipe, GlobalData, true>();
    const bool from_vector = index == cpu::kFifoV2C;
    const uint32_t subblock = from_vector ? cpu::vector_subblock(Split, static_cast<int32_t>(get_subblockid())) : 0;
    const uint32_t subblocks = from_vector && Split != TILE_NO_SPLIT ? 3 : 1;
    auto& state = Pipe::GetSharedState();
    cpu::PipeFifo& fifo = state.fifos[index];
    if (!from_vector && Split != TILE_NO_SPLIT) {
        __atomic_fetch_or(&fifo.consumers, 3U, __ATOMIC_ACQ_REL);
    }
    fifo.advance(fifo.pushed, subblock);
    state.note_pushed(static_cast<uint32_t>(pipe.prod.tileIndex) % Pipe::RingFiFo::SLOT_NUM, subblock, subblocks);
    return {};
}

/// Takes the next tile (or the calling vector core's part of it) out of the pipe, into the consumer's memory.
template <typename Pipe, typename TileCons, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && !is_global_data_v<TileCons>)
PTO_INST RecordEvent TPOP(Pipe& pipe, TileCons& tile, const Events&... events)
{
    TSYNC(events...);
    cpu::pop_tile<Split>(pipe, tile, static_cast<int32_t>(get_subblockid()));
    return {};
}
template <typename Pipe, typename TileCons, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...>)
PTO_INST RecordEvent TPOP(Pipe& pipe, TileCons& tile, int32_t subBlockId, const Events&... events)
{
    TSYNC(events...);
    cpu::pop_tile<Split>(pipe, tile, subBlockId);
    return {};
}
template <typename TileCons, typename Pipe, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && is_tile_data_v<TileCons>)
PTO_INST RecordEvent TPOP(TileCons& tile, Pipe& pipe, const Events&... events)
{
    return TPOP<Pipe, TileCons, TILE_NO_SPLIT>(pipe, tile, events...);
}

/// Lets a GlobalTensor stand for the next filled slot, without a copy; for both vector cores where they pop unsplit
/// tiles.
template <typename Pipe, typename GlobalData, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && is_global_data_v<GlobalData>)
PTO_INST RecordEvent TPOP(Pipe& pipe, GlobalData& gmTensor, const Events&... events)
{
    TSYNC(events...);
    const int index = cpu::fifo_of<Pipe, GlobalData, false>();
    const bool to_vector = index == cpu::kFifoC2V;
    const bool both = to_vector && (Split != TILE_NO_SPLIT || cpu::both_subblocks_pop<Pipe, Split>());
    const uint32_t subblock = both && get_subblockid() != 0 ? 1 : 0;
    auto& state = Pipe::GetSharedState();
    pipe.cons.fifo = index;
    if (pipe.cons.isWait) {
        pipe.cons.tileIndex = static_cast<int>(
            cpu::await_slot(state, state.fifos[index], subblock, both ? 3 : 1, Pipe::RingFiFo::SLOT_NUM));
    }
    constexpr TileSplitAxis kWhole = TILE_NO_SPLIT;
    gmTensor.SetAddr(
        to_vector ? cpu::global_part<Pipe, Split>(pipe, gmTensor, index, pipe.cons.tileIndex, pipe.cons.entryOffset)
                  : cpu::global_part<Pipe, kWhole>(pipe, gmTensor, index, pipe.cons.tileIndex, pipe.cons.entryOffset));
    return {};
}

/// Gives the oldest popped slot back to the producer.
template <typename Pipe, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...>)
PTO_INST RecordEvent TFREE(Pipe& pipe, const Events&... events)
{
    TSYNC(events...);
    cpu::free_slot<Split>(pipe, pipe.cons.fifo);
    return {};
}
template <typename Pipe, typename GlobalData, TileSplitAxis Split, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...> && is_global_data_v<GlobalData>)
PTO_INST RecordEvent TFREE(Pipe& pipe, GlobalData&, const Events&... events)
{
    TSYNC(events...);
    cpu::free_slot<Split>(pipe, pipe.cons.fifo);
    return {};
}
template <typename Pipe, typename... Events>
    requires(cpu::PipeAndEvents<Pipe, Events...>)
PTO_INST RecordEvent TFREE(Pipe& pipe, const Events&... events)
{
    return TFREE<Pipe, TILE_NO_SPLIT>(pipe, events...);
}

}  // namespace pto
