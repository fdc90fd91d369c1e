// One instruction under the checker: its pipe, its operands, then the instruction itself.
#pragma once

#include <pto/cpu/checked/cores.hpp>
#include <pto/cpu/checked/engine.hpp>
#include <pto/cpu/checked/extents.hpp>
#include <pto/cpu/checked/names.hpp>

namespace pto::cpu::checked {

template <typename T>
struct Bare {
    using type = T;
};
template <typename T>
struct Bare<T&> {
    using type = T;
};
template <typename T>
struct Bare<const T> {
    using type = T;
};
template <typename T>
struct Bare<const T&> {
    using type = T;
};
template <typename T>
using bare_t = typename Bare<T>::type;

constexpr bool same_text(const char* a, const char* b)
{
    while (*a != 0 && *a == *b) {
        ++a, ++b;
    }
    return *a == *b;
}
constexpr bool starts_with(const char* text, const char* start)
{
    while (*start != 0 && *text == *start) {
        ++text, ++start;
    }
    return *start == 0;
}

constexpr int kNoTile = -1;

template <typename T>
constexpr int location_of()
{
    if constexpr (is_tile_data_v<T>) {
        return static_cast<int>(T::Loc);
    } else {
        return kNoTile;
    }
}

/// The pipe that runs an instruction whose operands lie in these locations (kNoTile for other operands).
constexpr int pipe_of_call(const char* name, const int* locations, int count)
{
    const auto is = [&](int operand, TileType loc) {
        return operand < count && locations[operand] == static_cast<int>(loc);
    };
    if (starts_with(name, "TLOAD") || starts_with(name, "TPREFETCH") || same_text(name, "TPOP")) {
        return PIPE_MTE2;
    }
    if (starts_with(name, "TSTORE")) {
        return is(1, TileType::Acc) ? PIPE_FIX : PIPE_MTE3;
    }
    if (starts_with(name, "TMATMUL") || starts_with(name, "TGEMV")) {
        return PIPE_M;
    }
    if (same_text(name, "TPUSH")) {
        return is(0, TileType::Acc) || is(1, TileType::Acc) ? PIPE_FIX : PIPE_MTE3;
    }
    if (same_text(name, "TIMG2COL")) {
        return PIPE_MTE1;
    }
    if (same_text(name, "TCI")) {
        return PIPE_S;
    }
    if (starts_with(name, "TMOV") || starts_with(name, "TEXTRACT") || starts_with(name, "TINSERT")) {
        if (is(1, TileType::Mat)) {
            return is(0, TileType::Scaling) ? PIPE_FIX : PIPE_MTE1;
        }
        if (is(1, TileType::Acc)) {
            return PIPE_FIX;
        }
        return is(0, TileType::Vec) ? PIPE_V : PIPE_MTE3;
    }
    return is(0, TileType::Mat) ? PIPE_MTE2 : PIPE_V;
}

/// The effects of one operand of a call: of the word with a letter for each operand, else of the first one, whose last
/// letter holds for all further operands; see names.hpp.
constexpr char effect_of(const char* words, int operands, int index)
{
    const char* word = words;
    for (const char* at = words;; ++at) {
        int length = 0;
        for (; at[length] != 0 && at[length] != '|'; ++length) {
        }
        if (length == operands) {
            word = at;
            break;
        }
        at += length;
        if (*at == 0) {
            break;
        }
    }
    char effect = '-';
    for (int i = 0; i <= index && word[i] != 0 && word[i] != '|'; ++i) {
        effect = word[i];
    }
    return effect;
}

struct Call {
    const char* name;
    const char* effects;
    int operands;  // tiles and GlobalTensors
    int pipe;
    uint32_t time;
    int64_t rows = -1;  // what the call's tile covers of a GlobalTensor
    int64_t cols = -1;
    bool safe = true;   // to run: no operand leaves its memory
};

template <typename Tile>
inline bool check_tile(const Call& call, const Tile& tile)
{
    Engine& core = engine();
    const auto rows = static_cast<int64_t>(tile.GetValidRow()), cols = static_cast<int64_t>(tile.GetValidCol());
    if (rows < 0 || rows > Tile::Rows || cols < 0 || cols > Tile::Cols) {
        report(core.place, "%s: the valid region of %lld x %lld leaves its tile of %d x %d", call.name,
               static_cast<long long>(rows), static_cast<long long>(cols), Tile::Rows, Tile::Cols);
        return false;
    }
    if (tile.data() == nullptr) {
        report(core.place, "%s: a %s tile has no address; TASSIGN it first", call.name, memory_name(Tile::Loc));
        return false;
    }
    if constexpr (is_plain_vec<Tile>) {
        const Region region = region_of_tile(tile);
        const auto base = reinterpret_cast<uintptr_t>(pool_address(Tile::Loc, 0));
        if (!region.empty() && (region.begin < base || region.end() > base + capacity(Tile::Loc))) {
            report(core.place, "%s: a tile reaches outside of %s of %s", call.name, memory_name(Tile::Loc), kPlatform);
            return false;
        }
    }
    return true;
}

/// Where a region of a tile begins, as kernels count: memories of the matrix unit have more bytes here than there.
template <typename Tile>
inline uintptr_t named_offset(const Region& region)
{
    const auto base = reinterpret_cast<uintptr_t>(pool_address(Tile::Loc, 0));
    return (region.begin - base) / CorePools::spread(Tile::Loc);
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
        report(engine().place, "%s reads byte %#zx of %s, which nothing has written", call.name,
               static_cast<size_t>(named_offset<Tile>(region) + static_cast<uintptr_t>(hole)), memory_name(Tile::Loc));
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
        Access access{{}, call.name, "global memory", 0, 0, engine().place, call.time, call.pipe, !reads, false};
        if constexpr (is_global_data_v<T>) {
            if (starts_with(call.name, "TLOAD") || starts_with(call.name, "TSTORE")) {
                call.safe = tensor_holds(engine().place, call.name, operand, call.rows, call.cols) && call.safe;
            }
            access.region = region_of_global(operand, call.rows, call.cols);
            access.from = access.region.begin;
            access.to = access.region.end();
            share(access);
        } else {
            if (!call.safe || !check_tile(call, operand)) {
                call.safe = false;
                return;
            }
            access.region = region_of_tile(operand);
            access.memory = memory_name(T::Loc);
            access.from = named_offset<T>(access.region);
            access.to = access.from + (is_plain_vec<T> ? access.region.end() - access.region.begin : T::GetSizeInBytes());
            if (reads) {
                check_reads(call, operand, access.region);
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

/// What is asked of one call: an instruction's name, effects and element types.
struct Rule {
    const char* name;
    const char* effects;
    TypedOperand typed;
    Types types;
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
            report(engine().place, "%s does not take %s on %s", rule.name, type_name<T>, kPlatform);
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
                engine().place, "TCVT does not convert %s to %s on %s", type_name<Source>, type_name<Wide>, kPlatform);
        }
    }
}

/// Checks a call's operands; runs the instruction unless it would touch memory outside of its tiles.
template <typename Run, typename... A>
inline auto run(const Rule& rule, Run instruction, A&... operands)
{
    (wait_for(operands), ...);
    constexpr int kOperands = (0 + ... + (is_tile_data_v<bare_t<A>> || is_global_data_v<bare_t<A>> ? 1 : 0));
    constexpr int kLocations[sizeof...(A) + 1] = {location_of<bare_t<A>>()..., kNoTile};
    Call call{rule.name, rule.effects, kOperands, pipe_of_call(rule.name, kLocations, sizeof...(A)), 0};
    int typed = 0;
    (check_type<bare_t<A>>(rule, kOperands, typed), ...);
    if constexpr (sizeof...(A) >= 2) {
        check_cast<bare_t<A>...>(rule);
    }
    call.time = engine().begin_instruction(call.pipe);
    (note_extent(call, operands), ...);
    const bool extracts = starts_with(rule.name, "TEXTRACT");
    if (extracts || starts_with(rule.name, "TINSERT")) {
        call.safe = window_fits(engine().place, rule.name, extracts, operands...);
    }
    int index = 0;
    (check_operand(call, index, operands, true), ...);
    index = 0;
    (check_operand(call, index, operands, false), ...);
    engine().place.exact = false;
    return call.safe ? instruction() : decltype(instruction()){};
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
    if (offset + bytes > capacity(Tile::Loc)) {
        report(engine().place, "TASSIGN: a tile of %zu bytes at %#zx leaves %s of %s, which has %zu bytes", bytes,
               offset, memory_name(Tile::Loc), kPlatform, capacity(Tile::Loc));
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
inline event_t next_event_id(pipe_t source, pipe_t destination) { return engine().next_event(source, destination); }

/// Ends a kernel on the calling core: looks for flags that are left over, and forgets what was written.
inline void finish_kernel() { engine().finish(); }

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
