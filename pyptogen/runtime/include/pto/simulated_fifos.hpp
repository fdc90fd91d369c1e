// The fifos of mixed kernels in the simulator of a public PTO-ISA installation, as A2/A3 has them. That simulator
// (2026-08-21)
// - keeps the state of a fifo by its type, for all blocks together: here each cube core with its vector cores has its
// own;
// - names what pops and frees a slot otherwise than the instructions call it;
// - lets the two vector cores of a fifo that both read take turns at whole slots, where each is to see all of them;
// - stores the capacity of a tile that two vector cores push their halves of, where A2/A3 stores what is valid;
// - has no set_ffts_base_addr;
// - has one name for fifos to the vector cores, where A5 has a second one for those in global memory. All lie there.
// In the precompiled header of mixed kernels, behind <pto/pto-inst.hpp>; the bundled headers need none of this.
#ifndef PTO_SIMULATED_FIFOS_HPP
#define PTO_SIMULATED_FIFOS_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include <pto/pto-inst.hpp>

// Enumerators cannot be added, and the simulator's own have no names of this kind.
#define DIR_C2V_GM DIR_C2V
#define DIR_V2C_GM DIR_V2C

// A template, so that the simulator's own function goes first once it has one.
template <typename Address>
inline void set_ffts_base_addr(Address)
{
}

namespace pto_rt::simulated {

// Zeroed memory for the state of a fifo of the cores that share the calling thread's cookie; they run one block at a
// time, and leave their fifos empty.
inline void* state_of_fifo(uint64_t fifo, size_t bytes)
{
    static std::mutex guard;
    static std::map<std::pair<uint64_t, uint64_t>, void*> states;
    const std::lock_guard<std::mutex> locked(guard);
    void*& state = states[{fifo, get_task_cookie()}];
    if (state == nullptr) {
        const size_t whole = (bytes + 63) / 64 * 64;
        state = std::aligned_alloc(64, whole);
        if (state == nullptr) throw std::bad_alloc();
        __builtin_memset(state, 0, whole);
    }
    return state;
}
inline const bool own_states = (pto::cpu_sim::injected_pipe_shared_state_hook = &state_of_fifo) != nullptr;

// The tile that would be popped: it tells the simulator which cores read a fifo.
template <typename Pipe, typename T>
using Popped =
    pto::Tile<Pipe::is_c2v ? pto::TileType::Vec : pto::TileType::Mat, T, 1, 32, pto::BLayout::RowMajor, 1, 32>;

}  // namespace pto_rt::simulated

namespace pto {

template <typename Pipe, typename Slot, TileSplitAxis Split>
    requires is_global_data_v<Slot>
void TPOP_IMPL(Pipe& pipe, Slot& slot)
{
    if (pipe.cons.getWaitStatus()) {
        pipe.cons.template wait<pto_rt::simulated::Popped<Pipe, typename Slot::RawDType>, Split>();
    }
    const auto place = static_cast<size_t>(pipe.cons.getTileId()) % Pipe::RingFiFo::SLOT_NUM;
    auto* begin =
        static_cast<char*>(pipe.fifo.GM_SLOT_BUFFER) + place * Pipe::RingFiFo::SLOT_SIZE + pipe.cons.entryOffset;
    TASSIGN_IMPL(slot, reinterpret_cast<typename Slot::DType*>(begin));
}

template <typename Pipe, typename Slot, TileSplitAxis Split>
    requires is_global_data_v<Slot>
void TFREE_IMPL(Pipe& pipe, Slot& slot)
{
    TFREE_GLOBAL_IMPL<Pipe, Slot, Split>(pipe, slot);
}

template <typename Pipe, typename Half, TileSplitAxis Split>
    requires(Pipe::is_v2c && !Pipe::is_c2v && Half::Loc == TileType::Vec && Split == TileSplitAxis::TILE_UP_DOWN)
void TPUSH_IMPL(Pipe& pipe, Half& tile)
{
    using T = typename Half::DType;
    if (pipe.prod.getAllocateStatus()) {
        pipe.prod.template allocate<Half, Split>();
    }
    const int rows = tile.GetValidRow(), cols = tile.GetValidCol();
    const auto place = static_cast<size_t>(pipe.prod.getTileId()) % Pipe::RingFiFo::SLOT_NUM;
    auto* begin =
        static_cast<char*>(pipe.fifo.GM_SLOT_BUFFER) + place * Pipe::RingFiFo::SLOT_SIZE + pipe.prod.entryOffset;
    auto* mine = reinterpret_cast<__gm__ T*>(begin) + static_cast<size_t>(get_subblockid()) * rows * cols;
    using Part = GlobalTensor<T, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
    Part part(mine, typename Part::Shape(rows, cols), typename Part::Stride(cols));
    TSTORE(part, tile);
    if (pipe.prod.getRecordStatus()) {
        pipe.prod.template record<Half, Split>();
    }
}

}  // namespace pto

#endif
