// What TPUSH, TPOP and TFREE do with tiles; the instructions themselves are in fifo_instructions.hpp.
#pragma once

#include <pto/cpu/isa/operands.hpp>
#include <pto/cpu/moves/assign.hpp>
#include <pto/cpu/moves/requantise.hpp>
#include <pto/cpu/fifo/pipe.hpp>

namespace pto {

namespace cpu {

template <typename Tile>
constexpr bool is_cube_tile()
{
    if constexpr (is_global_data_v<Tile>) {
        return false;
    } else {
        return Tile::Loc == TileType::Acc || Tile::Loc == TileType::Mat;
    }
}

/// The fifo that a producer (or consumer) of this tile uses. A GlobalTensor in a pipe of both directions belongs to the
/// side that calls: the threads of vector cores are those with sub-blocks.
template <typename Pipe, typename Tile, bool Producer>
PTO_INLINE int fifo_of()
{
    if constexpr (!Pipe::is_both) {
        return Pipe::is_c2v ? kFifoC2V : kFifoV2C;
    } else if constexpr (is_global_data_v<Tile>) {
        const bool vector_side = get_subblockdim() > 1;
        return vector_side == Producer ? kFifoV2C : kFifoC2V;
    } else {
        return is_cube_tile<Tile>() == Producer ? kFifoC2V : kFifoV2C;
    }
}

/// Where a vector core's part of a tile begins in a slot, in elements, and how far apart the rows are.
struct SubblockPart {
    int64_t offset;
    int64_t pitch;
};
PTO_INLINE SubblockPart subblock_part(TileSplitAxis split, int64_t rows, int64_t cols, int64_t subblock)
{
    switch (split) {
        case TILE_UP_DOWN: return {subblock * rows * cols, cols};
        case TILE_LEFT_RIGHT: return {subblock * cols, 2 * cols};
        case TILE_UP_DOWN_ODD: return {subblock * (rows + 1) * cols, cols};
        case TILE_LEFT_RIGHT_ODD: return {subblock * (cols + 1), 2 * cols + 2 * subblock - 1};
        default: return {0, cols};
    }
}

template <typename Pipe>
PTO_INLINE void check_slot(const Pipe& pipe, int64_t end, int64_t entry_offset)
{
    const int64_t room =
        static_cast<int64_t>(Pipe::RingFiFo::SLOT_SIZE) * (pipe.fifo.GM_SLOT_BUFFER == nullptr ? 2 : 1);
    if (__builtin_expect(end > room + (entry_offset != 0 ? room : 0), 0)) {
        pipe_fault("the tile does not fit the slot");
    }
}

/// Writes the valid region of a tile to rows of `to`, converted by convert(value, column).
template <typename To, typename Tile, typename Convert>
PTO_INLINE void tile_to_rows(To* to, int64_t pitch, Tile& tile, Convert convert)
{
    const int64_t rows = tile.GetValidRow(), cols = tile.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        if constexpr (
            is_same<To, typename Tile::DType> && Tile::Loc == TileType::Vec && Tile::isRowMajor &&
            !Tile::isBoxedLayout && is_same<Convert, CastValue<To, false>>) {
            copy_bytes(to + r * pitch, tile.data() + r * Tile::RowStride, cols * static_cast<int64_t>(sizeof(To)));
        } else {
            for (int64_t c = 0; c < cols; ++c) {
                to[r * pitch + c] = convert(*element_address(tile, r, c), c);
            }
        }
    }
}

template <typename Tile, typename From>
PTO_INLINE void rows_to_tile(Tile& tile, const From* from, int64_t pitch)
{
    const int64_t rows = tile.GetValidRow(), cols = tile.GetValidCol();
    for (int64_t r = 0; r < rows; ++r) {
        if constexpr (Tile::Loc == TileType::Vec && Tile::isRowMajor && !Tile::isBoxedLayout) {
            copy_bytes(tile.data() + r * Tile::RowStride, from + r * pitch, cols * static_cast<int64_t>(sizeof(From)));
        } else {
            for (int64_t c = 0; c < cols; ++c) {
                *element_address(tile, r, c) = from[r * pitch + c];
            }
        }
    }
}

template <TileSplitAxis Split, typename To, typename Pipe, typename Tile, typename Convert>
inline void push_tile(Pipe& pipe, Tile& tile, int32_t sub_block, Convert convert)
{
    PTO_OPERANDS(TPUSH, tile);
    const int fifo_index = fifo_of<Pipe, Tile, true>();
    const bool from_vector = fifo_index == kFifoV2C;
    if (Tile::Loc == TileType::Vec && Split == TILE_NO_SPLIT && sub_block != 0) {
        return;  // an unsplit tile comes from the first vector core
    }
    const uint32_t subblock = from_vector ? vector_subblock(Split, sub_block) : 0;
    const uint32_t subblocks = from_vector && Split != TILE_NO_SPLIT ? 3 : 1;
    auto& state = Pipe::GetSharedState();
    PipeFifo& fifo = state.fifos[fifo_index];
    if (!from_vector && Split != TILE_NO_SPLIT) {
        __atomic_fetch_or(&fifo.consumers, 3U, __ATOMIC_ACQ_REL);
    }
    if (pipe.prod.isAllocate) {
        pipe.prod.tileIndex = static_cast<int>(claim_slot(state, fifo, subblock, subblocks, Pipe::RingFiFo::SLOT_NUM));
        pipe.prod.subTileIndex = static_cast<int>(subblock);
    }
    const SubblockPart part =
        subblock_part(from_vector ? Split : TILE_NO_SPLIT, tile.GetValidRow(), tile.GetValidCol(), subblock);
    check_slot(
        pipe, (part.offset + (tile.GetValidRow() - 1) * part.pitch + tile.GetValidCol()) * int64_t(sizeof(To)),
        pipe.prod.entryOffset);
    unsigned char* slot = pipe.slot(state, fifo_index, static_cast<uint32_t>(pipe.prod.tileIndex));
    tile_to_rows(reinterpret_cast<To*>(slot + pipe.prod.entryOffset) + part.offset, part.pitch, tile, convert);
    if (pipe.prod.isRecord) {
        fifo.advance(fifo.pushed, subblock);
        state.note_pushed(static_cast<uint32_t>(pipe.prod.tileIndex) % Pipe::RingFiFo::SLOT_NUM, subblock, subblocks);
    }
}

/// Gives a tile the consumer's memory, unless the kernel has put it elsewhere.
template <typename Pipe, typename Tile>
PTO_INLINE void place_popped(Pipe& pipe, Tile& tile, uint32_t index)
{
    const uint32_t base = Tile::Loc == TileType::Vec ? pipe.fifo.C2V_CONSUMER_BUF : pipe.fifo.V2C_CONSUMER_BUF;
    constexpr uint32_t kLocal = Pipe::RingFiFo::LOCAL_SLOT_NUM != 0 ? Pipe::RingFiFo::LOCAL_SLOT_NUM : 1;
    const char* at = reinterpret_cast<const char*>(tile.data());
    const char* begin = pool_address(Tile::Loc, base);
    if (at == nullptr || (at > begin && at < begin + size_t(kLocal) * Pipe::RingFiFo::SLOT_SIZE)) {
        TASSIGN(tile, base + index % kLocal * Pipe::RingFiFo::SLOT_SIZE);
    }
}

template <typename Tile>
inline void clear_tile(Tile& tile)
{
    for (int64_t r = 0; r < static_cast<int64_t>(tile.GetValidRow()); ++r) {
        for (int64_t c = 0; c < static_cast<int64_t>(tile.GetValidCol()); ++c) {
            *element_address(tile, r, c) = typename Tile::DType{};
        }
    }
}

/// Whether the second vector core pops unsplit tiles as well, on the calling thread's launch.
template <typename Pipe, TileSplitAxis Split>
PTO_INLINE bool both_subblocks_pop()
{
    return Split == TILE_NO_SPLIT && Pipe::is_c2v && Pipe::is_no_split && get_subblockdim() >= 2;
}

template <TileSplitAxis Split, typename Pipe, typename Tile>
inline void pop_tile(Pipe& pipe, Tile& tile, int32_t sub_block)
{
    PTO_OPERANDS(TPOP, tile);
    using T = typename Tile::DType;
    const int fifo_index = fifo_of<Pipe, Tile, false>();
    const bool to_vector = fifo_index == kFifoC2V;
    const bool second = to_vector && Split == TILE_NO_SPLIT && sub_block != 0;
    if (second && !both_subblocks_pop<Pipe, Split>()) {
        place_popped(pipe, tile, 0);
        clear_tile(tile);
        return;
    }
    const uint32_t subblock = second ? 1 : to_vector ? vector_subblock(Split, sub_block) : 0;
    const uint32_t subblocks = to_vector && (Split != TILE_NO_SPLIT || both_subblocks_pop<Pipe, Split>()) ? 3 : 1;
    auto& state = Pipe::GetSharedState();
    PipeFifo& fifo = state.fifos[fifo_index];
    pipe.cons.fifo = fifo_index;
    if (pipe.cons.isWait) {
        pipe.cons.tileIndex = static_cast<int>(await_slot(state, fifo, subblock, subblocks, Pipe::RingFiFo::SLOT_NUM));
        pipe.cons.subTileIndex = static_cast<int>(subblock);
    }
    place_popped(pipe, tile, static_cast<uint32_t>(pipe.cons.tileIndex));
    if (second) {
        clear_tile(tile);
        return;
    }
    const SubblockPart part =
        subblock_part(to_vector ? Split : TILE_NO_SPLIT, tile.GetValidRow(), tile.GetValidCol(), subblock);
    const unsigned char* slot = pipe.slot(state, fifo_index, static_cast<uint32_t>(pipe.cons.tileIndex));
    check_slot(
        pipe, (part.offset + (tile.GetValidRow() - 1) * part.pitch + tile.GetValidCol()) * int64_t(sizeof(T)),
        pipe.cons.entryOffset);
    rows_to_tile(tile, reinterpret_cast<const T*>(slot + pipe.cons.entryOffset) + part.offset, part.pitch);
}

template <TileSplitAxis Split, typename Pipe>
inline void free_slot(Pipe& pipe, int fifo_index)
{
    const bool to_vector = fifo_index == kFifoC2V;
    const bool second = to_vector && Split == TILE_NO_SPLIT && get_subblockid() != 0;
    if (!pipe.cons.isFree || (second && !both_subblocks_pop<Pipe, Split>())) {
        return;
    }
    const uint32_t subblock = second      ? 1
                              : to_vector ? vector_subblock(Split, static_cast<int32_t>(get_subblockid()))
                                          : 0;
    auto& state = Pipe::GetSharedState();
    release_slot(state, state.fifos[fifo_index], subblock);
}

}  // namespace cpu

}  // namespace pto
