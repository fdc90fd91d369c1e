// One instruction under the checker: its pipe, its operands, then the instruction itself.
#pragma once

#include <pto/cpu/checked/arrays.hpp>
#include <pto/cpu/checked/calls.hpp>
#include <pto/cpu/checked/cores.hpp>
#include <pto/cpu/checked/engine.hpp>
#include <pto/cpu/checked/extents.hpp>
#include <pto/cpu/checked/fractals.hpp>
#include <pto/cpu/checked/names.hpp>
#include <pto/cpu/checked/overlaps.hpp>
#include <pto/cpu/checked/pipes.hpp>
#include <pto/cpu/checked/registers.hpp>
#include <pto/cpu/checked/scalar.hpp>

namespace pto::cpu::checked {

struct Call {
    const char* name;
    const char* effects;
    int operands;  // tiles and GlobalTensors
    int pipe;
    bool atomic;
    FlagAction action;
    uint32_t time;
    int64_t rows = -1;  // what the call's tile covers of a GlobalTensor
    int64_t cols = -1;
    bool handed = false;  // its accumulator was looked at: one that is added to is two operands
    bool safe = true;     // to run: no operand leaves its memory
};

template <typename Tile>
inline bool check_tile(const Call& call, const Tile& tile)
{
    Engine& core = engine();
    const auto rows = static_cast<int64_t>(tile.GetValidRow()), cols = static_cast<int64_t>(tile.GetValidCol());
    if (rows < 0 || rows > Tile::Rows || cols < 0 || cols > Tile::Cols) {
        report(
            core.place, "%s: the valid region of %lld x %lld leaves its tile of %d x %d", call.name,
            static_cast<long long>(rows), static_cast<long long>(cols), Tile::Rows, Tile::Cols);
        return false;
    }
    if (tile.data() == nullptr) {
        report(core.place, "%s: a %s tile has no address; TASSIGN it first", call.name, memory_name(Tile::Loc));
        return false;
    }
    if (const auto offset =
            reinterpret_cast<uintptr_t>(tile.data()) - reinterpret_cast<uintptr_t>(pool_address(Tile::Loc, 0));
        kDevice && call.pipe != PIPE_S && offset % 32 != 0) {
        report(core.place, "%s: %s address %#zx is no multiple of 32 bytes", call.name, memory_name(Tile::Loc), offset);
    }
    if constexpr (is_plain_vec<Tile>) {
        const Region region = region_of_tile(tile);
        const auto base = reinterpret_cast<uintptr_t>(pool_address(Tile::Loc, 0));
        if (!region.empty() && (region.begin < base || region.end() > base + kPlatform.memory(Tile::Loc))) {
            report(
                core.place, "%s: a tile reaches outside of %s of %s", call.name, memory_name(Tile::Loc),
                kPlatform.name);
            return false;
        }
    }
    return true;
}

template <typename Tile>
inline void check_reads(const Call& call, const Tile& tile, const Region& region)
{
    if constexpr (Tile::Loc == TileType::Right) {
        if (tile.operand != reinterpret_cast<const char*>(tile.data())) {
            return;  // bound to global memory
        }
    }
    const int64_t hole = region.empty() ? -1 : engine().first_unwritten(region, is_plain_vec<Tile>);
    if (hole >= 0) {
        report(
            engine().place, "%s reads byte %#zx of %s, which nothing has written", call.name,
            static_cast<size_t>(named_offset(Tile::Loc, region) + static_cast<uintptr_t>(hole)),
            memory_name(Tile::Loc));
    }
}

template <typename Operand>
inline void check_operand(Call& call, int& index, const Operand& operand, bool reads)
{
    using T = bare_t<Operand>;
    if constexpr (is_tile_data_v<T> || is_global_data_v<T>) {
        const char effect = effect_of(call.effects, call.operands, index);
        ++index;
        const bool is_read = effect == 'r' || effect == 'u', is_written = effect != 'r' && effect != '-';
        if (effect == '-' || (reads && !is_read) || (!reads && !is_written)) {
            return;
        }
        const bool atomic = call.atomic && !reads;
        Access access{{}, call.name, "global memory", 0, 0, engine().place, call.time, call.pipe, !reads, atomic};
        if constexpr (is_global_data_v<T>) {
            if (starts_with(call.name, "MGATHER") || starts_with(call.name, "MSCATTER")) {
                note_unseen(operand.data());
                return;  // the indices tell which bytes
            }
            if (starts_with(call.name, "TLOAD") || starts_with(call.name, "TSTORE")) {
                call.safe = tensor_holds(engine().place, call.name, operand, call.rows, call.cols) && call.safe;
            }
            if (!reads && !call.atomic) {
                check_apart(engine().place, call.name, operand, call.rows, call.cols);
            }
            if (starts_with(call.name, "TLOAD") || starts_with(call.name, "TSTORE")) {
                const Place& place = engine().place;
                call.safe = call.safe && note_access(place, call.name, operand, call.rows, call.cols, !reads);
            } else {
                note_unseen(operand.data());
            }
            access.region = region_of_global(operand, call.rows, call.cols);
            access.from = access.region.begin;
            access.to = access.region.end();
            access.global = true;
            share(access);
        } else {
            if (!call.safe || !check_tile(call, operand)) {
                call.safe = false;
                return;
            }
            access.region = region_of_tile(operand);
            access.memory = memory_name(T::Loc);
            access.handed = T::Loc == TileType::Acc && call.action != FlagAction::kNone;
            access.from = named_offset(T::Loc, access.region);
            access.to =
                access.from + (is_plain_vec<T> ? access.region.end() - access.region.begin : T::GetSizeInBytes());
            if (reads) {
                check_reads(call, operand, access.region);
            }
            if (access.handed && !call.handed) {
                engine().unit_flags.take(call.action, access.region, access.from, access.to, call.name, engine().place);
                call.handed = true;
            }
        }
        engine().access(access);
        if constexpr (is_tile_data_v<T>) {
            if (!reads) {
                engine().mark_written(access.region);
            }
        }
    }
}

template <typename Operand>
inline void note_extent(Call& call, const Operand& operand)
{
    if constexpr (is_tile_data_v<bare_t<Operand>>) {
        if (call.rows < 0) {
            call.rows = static_cast<int64_t>(operand.GetValidRow());
            call.cols = static_cast<int64_t>(operand.GetValidCol());
        }
    }
}

template <typename Operand>
inline void wait_for(const Operand& operand)
{
    if constexpr (is_event<bare_t<Operand>>::value) {
        operand.Wait();
    }
}

template <typename T>
struct ElementOf {
    using type = void;
};
template <typename T>
    requires is_tile_data_v<T>
struct ElementOf<T> {
    using type = typename T::DType;
};
template <typename T>
    requires is_global_data_v<T>
struct ElementOf<T> {
    using type = typename T::RawDType;
};

/// What is asked of one call: an instruction's name, effects, pipe, element types and equal extents.
struct Rule {
    const char* name;
    const char* effects;
    int pipe;  // or a PipeRule
    TypedOperand typed;
    Types types;
    EqualExtents extents;
};

/// Reports the element type of operand `index` if the rule is about it and does not have it.
template <typename Operand>
inline void check_type(const Rule& rule, int operands, int& index)
{
    using T = typename ElementOf<Operand>::type;
    if constexpr (!is_same<T, void>) {
        int typed = 0;
        while (rule.typed == kRead && typed < operands && effect_of(rule.effects, operands, typed) != 'r') {
            ++typed;
        }
        if (index++ == typed && rule.types != kEvery && (rule.types & type_bit<T>) == 0) {
            report(engine().place, "%s does not take %s on %s", rule.name, type_name<T>, kPlatform.name);
        }
    }
}

/// TCVT has pairs of types.
template <typename To, typename From, typename... Rest>
inline void check_cast(const Rule& rule)
{
    if constexpr (is_tile_data_v<To> && is_tile_data_v<From>) {
        using Wide = typename To::DType;
        using Source = typename From::DType;
        if (same_text(rule.name, "TCVT") && on_platform(kNowhere, kNowhere) != kEvery && !converts<Wide, Source>()) {
            report(
                engine().place, "TCVT does not convert %s to %s on %s", type_name<Source>, type_name<Wide>,
                kPlatform.name);
        }
    }
}

/// Whether the platform's TLOAD fills a tile in L1 from memory of such a layout (static checks of the public headers).
template <typename Tile, typename Global>
constexpr bool fills()
{
    constexpr Layout kFrom = Global::layout;
    if constexpr (Tile::Loc != TileType::Mat || (kFrom != Layout::ND && kFrom != Layout::DN && kFrom != Layout::NZ)) {
        return true;
    } else if constexpr (!Tile::isBoxedLayout) {
        return kFrom == (Tile::isRowMajor ? Layout::ND : Layout::DN);
    } else if constexpr (Tile::isRowMajor) {
        return kFrom == Layout::DN && Tile::SFractal == SLayout::ColMajor;
    } else {
        return Tile::SFractal == SLayout::RowMajor && (kFrom != Layout::DN || kPlatform.transposes_on_load);
    }
}

/// TLOAD has pairs of layouts.
template <typename To, typename From, typename... Rest>
inline void check_load(const Rule& rule)
{
    if constexpr (kDevice && is_tile_data_v<To> && is_global_data_v<From>) {
        if (same_text(rule.name, "TLOAD") && !fills<To, From>()) {
            report(
                engine().place, "TLOAD does not fill this tile in L1 from %s on %s: %s",
                From::layout == Layout::DN   ? "columns (DN)"
                : From::layout == Layout::NZ ? "fractals (NZ)"
                                             : "rows (ND)",
                kPlatform.name, "rows become fractals of rows (Nz), columns such of columns (Zn)");
        }
    }
}

/// An instruction at work, which may wait for its events once more.
class Inside {
public:
    Inside() { engine().inside = true; }
    ~Inside() { engine().inside = false; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

/// A push acts on the unit flags as its TPipe says.
template <typename Operand>
constexpr bool is_pipe_with_unit_flags()
{
    if constexpr (requires { Operand::has_unit_flags; }) {
        return Operand::has_unit_flags;
    } else {
        return false;
    }
}

/// Checks a call's operands; runs the instruction unless it would access memory outside of its tiles. `atomic`: what it
/// stores is added to what is there, or the like; `action`: what its phase says.
template <typename Run, typename... A>
inline auto run(const Rule& rule, bool atomic, FlagAction action, Run instruction, A&... operands)
{
    (wait_for(operands), ...);
    constexpr int kOperands = (0 + ... + (is_tile_data_v<bare_t<A>> || is_global_data_v<bare_t<A>> ? 1 : 0));
    constexpr int kLocations[sizeof...(A) + 1] = {location_of<bare_t<A>>()..., kNoTile};
    action = (false || ... || is_pipe_with_unit_flags<bare_t<A>>()) ? FlagAction::kClear : action;
    Call call{rule.name, rule.effects, kOperands, pipe_of_call(rule.pipe, kLocations, sizeof...(A)), atomic, action, 0};
    int typed = 0;
    (check_type<bare_t<A>>(rule, kOperands, typed), ...);
    if constexpr (sizeof...(A) >= 2) {
        check_cast<bare_t<A>...>(rule);
        check_load<bare_t<A>...>(rule);
    }
    check_mask(engine().place, rule.name, call.pipe);
    check_base(engine().place, rule.name);
    call.time = engine().begin_instruction(call.pipe);
    (note_extent(call, operands), ...);
    const bool extracts = starts_with(rule.name, "TEXTRACT");
    if (extracts || starts_with(rule.name, "TINSERT")) {
        call.safe = window_fits(engine().place, rule.name, extracts, operands...);
    }
    if (same_text(rule.name, "TTRANS")) {
        call.safe = transposed_fits(engine().place, rule.name, operands...);
    }
    if (kDevice) {
        check_equal_extents(engine().place, rule.name, rule.extents, rule.effects, kOperands, operands...);
    }
    check_overlaps(engine().place, rule.name, rule.effects, operands...);
    int index = 0;
    (check_operand(call, index, operands, true), ...);
    index = 0;
    (check_operand(call, index, operands, false), ...);
    forget_used_up(rule.name, operands...);
    if (call.safe) {
        check_fractals(engine().place, rule.name, operands...);
    }
    engine().place.exact = false;
    if (!call.safe) {
        return decltype(instruction()){};
    }
    const Inside inside;
    return instruction();
}

/// Checks a TASSIGN of a tile: alignment, and that the valid region stays in the memory of the platform. Only the valid
/// region counts, because a kernel may give a tile more rows than it uses to satisfy an alignment.
template <typename Tile>
inline void check_assignment(const Tile& tile, size_t offset)
{
    if (offset >= CorePools::kBytes) {  // another tile's data()
        offset -= reinterpret_cast<uintptr_t>(pool_address(Tile::Loc, 0));
    }
    if (offset % 32 != 0) {
        report(engine().place, "TASSIGN: %s address %#zx is no multiple of 32 bytes", memory_name(Tile::Loc), offset);
    }
    size_t bytes = Tile::GetSizeInBytes();
    if constexpr (is_plain_vec<Tile>) {
        const Region region = region_of_tile(tile);
        bytes = region.empty() ? 0 : region.end() - region.begin;
    }
    if (offset + bytes > kPlatform.memory(Tile::Loc)) {
        report(
            engine().place, "TASSIGN: a tile of %zu bytes at %#zx leaves %s of %s, which has %zu bytes", bytes, offset,
            memory_name(Tile::Loc), kPlatform.name, kPlatform.memory(Tile::Loc));
    }
}

inline void on_set_flag(pipe_t source, pipe_t destination, event_t id, const char* file, int line)
{
    engine().place = {file, line, true};
    engine().set_flag(source, destination, id);
    engine().place.exact = false;
}
inline void on_wait_flag(pipe_t source, pipe_t destination, event_t id, const char* file, int line)
{
    engine().place = {file, line, true};
    engine().wait_flag(source, destination, id);
    engine().place.exact = false;
}
inline void on_barrier(pipe_t pipe, const char* file, int line)
{
    engine().place = {file, line, true};
    engine().barrier(pipe);
    engine().place.exact = false;
}
/// An Event sets or waits for its flag, on the line of the call that takes it or gives it.
inline void on_event(pipe_t source, pipe_t destination, event_t id, bool waits)
{
    if (engine().inside) {
        return;
    }
    if (!waits) {
        engine().set_flag(source, destination, id);
    } else if (source == destination) {
        engine().barrier(source);
    } else {
        engine().wait_flag(source, destination, id);
    }
}
inline event_t next_event_id(pipe_t source, pipe_t destination) { return engine().next_event(source, destination); }

/// Ends a kernel on the calling core: looks for flags that are left over, and forgets what was written.
inline void finish_kernel()
{
    engine().finish();
    fractals().forget();
}

}  // namespace pto::cpu::checked

namespace pto {

struct pto_site_t {
    template <typename Result>
    Result operator->*(Result result) const
    {
        return result;
    }
};
/// Remembers where the next instruction stands.
inline pto_site_t pto_site(const char* file, int line)
{
    cpu::checked::engine().place = {file, line, true};
    return {};
}

}  // namespace pto
using pto::pto_site;
