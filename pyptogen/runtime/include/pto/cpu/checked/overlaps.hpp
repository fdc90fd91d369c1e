// Bytes that an instruction both writes and reads, other than in place, and rows of one store that share bytes.
#pragma once

#include <pto/cpu/checked/calls.hpp>
#include <pto/cpu/checked/engine.hpp>
#include <pto/cpu/checked/names.hpp>
#include <pto/cpu/checked/platform.hpp>
#include <pto/cpu/checked/region.hpp>
#include <pto/cpu/checked/report.hpp>

namespace pto::cpu::checked {

/// Instructions that access parts of their operands that the call tells or the data, or that are made for work in
/// place.
constexpr bool chooses_its_bytes(const char* name)
{
    constexpr const char* kStarts[] = {"MGATHER", "MSCATTER", "TCONCAT", "TEXTRACT", "TFILLPAD",
                                       "TGATHER", "TINSERT",  "TPOP",    "TPUSH",    "TSCATTER"};
    for (const char* start : kStarts) {
        if (starts_with(name, start)) {
            return true;
        }
    }
    return false;
}

/// Whether an instruction has read one of its vector tiles, by their places among them, before it writes another.
constexpr bool reads_first(const char* name, int read, int written)
{
    const bool merges =
        starts_with(name, "TMRGSORT") && read >= 2 && written == 0;  // lists, by way of the scratch tile
    return merges || (read == 2 && starts_with(name, "TROWCUM"));  // the last column so far may be that of the result
}

template <int N>
constexpr bool one_of_those(const char* name, const char* const (&names)[N])
{
    for (const char* one : names) {
        if (same_text(name, one)) {
            return true;
        }
    }
    return false;
}

/// Whether an instruction may write its result over an operand. `number_first`: its first operand is a number.
constexpr bool works_in_place(const char* name, bool number_first)
{
    return !kMadeOfOthers ||
           !(one_of_those(name, kFilledFirst) || (number_first && one_of_those(name, kFilledByNumbers)));
}

/// Whether what comes behind the result in a call is a number.
template <typename Result, typename First, typename... Rest>
constexpr bool number_first_v = !is_tile_data_v<First>;

/// What is in an operand that the platform works in is no value any more: the second of the call.
template <typename... A>
inline void forget_used_up(const char* name, const A&... operands)
{
    if constexpr (kMadeOfOthers && (0 + ... + (is_tile_data_v<A> ? 1 : 0)) >= 2) {
        int index = 0;
        const auto forget = [&](const auto& operand) {
            using T = bare_t<decltype(operand)>;
            if constexpr (is_tile_data_v<T>) {
                if (index++ == 1) {
                    engine().mark_unwritten(region_of_tile(operand));
                }
            }
        };
        if (one_of_those(name, kUsedUp)) {
            (forget(operands), ...);
        }
    }
}

/// The bytes of a call's vector tiles, with what the instruction does to them.
template <int N>
struct AccessedBytes {
    const char* effects;
    int index = 0, count = 0;
    Region regions[N + 1] = {};
    char effect[N + 1] = {};

    template <typename Operand>
    void take(const Operand& operand)
    {
        if constexpr (is_tile_data_v<Operand> || is_global_data_v<Operand>) {
            [[maybe_unused]] const char what = effect_of(effects, N, index++);
            if constexpr (is_tile_data_v<Operand>) {
                if constexpr (is_plain_vec<Operand>) {
                    regions[count] = region_of_tile(operand);
                    effect[count++] = what;
                }
            }
        }
    }
};

/// An operand may be overwritten in place: from its first byte on, and no further than it goes. Other tiles that an
/// instruction writes share no bytes with those that it reads: some of these it would overwrite before it reads them.
template <typename... A>
inline void check_overlaps(const Place& place, const char* name, const char* effects, const A&... operands)
{
    if constexpr ((0 + ... + (is_tile_data_v<A> ? 1 : 0)) >= 2) {
        constexpr int kOperands = (0 + ... + (is_tile_data_v<A> || is_global_data_v<A> ? 1 : 0));
        AccessedBytes<kOperands> accessed{effects};
        (accessed.take(operands), ...);
        for (int i = 0; i < accessed.count && !chooses_its_bytes(name); ++i) {
            for (int j = 0; j < accessed.count; ++j) {
                const Region &written = accessed.regions[i], &read = accessed.regions[j];
                const bool both = accessed.effect[i] != 'r' && accessed.effect[i] != '-' && accessed.effect[j] == 'r';
                const bool in_place = written.begin == read.begin && written.end() <= read.end() &&
                                      works_in_place(name, number_first_v<A...>);
                if (both && !in_place && !reads_first(name, j, i) && overlap(written, read)) {
                    const auto from = named_offset(TileType::Vec, read), to = named_offset(TileType::Vec, written);
                    report(
                        place,
                        "%s writes UB bytes %#zx to %#zx and reads bytes %#zx to %#zx: some of them are "
                        "overwritten before they are read",
                        name, static_cast<size_t>(to), static_cast<size_t>(to + (written.end() - written.begin)),
                        static_cast<size_t>(from), static_cast<size_t>(from + (read.end() - read.begin)));
                    return;
                }
            }
        }
    }
}

/// Reports two elements of what a tile of rows x cols covers of a GlobalTensor that lie in one place.
template <typename Global>
inline void check_apart(const Place& place, const char* name, const Global& tensor, int64_t rows, int64_t cols)
{
    if constexpr (Global::layout == Layout::ND || Global::layout == Layout::DN) {
        const bool flat = tensor.GetShape(0) * tensor.GetShape(1) * tensor.GetShape(2) == 1;
        int64_t extents[5] = {1, 1, 1, rows, cols};
        for (int dim = 0; dim < 5 && !flat; ++dim) {
            extents[dim] = tensor.GetShape(dim);
        }
        for (int a = 0; a < 5; ++a) {
            if (tensor.GetStride(a) == 0 && extents[a] > 1) {
                report(
                    place,
                    "%s: elements of one store lie in one place: dimension %d has %lld elements with a stride "
                    "of 0",
                    name, a, static_cast<long long>(extents[a]));
                return;
            }
            for (int b = a + 1; b < 5; ++b) {
                const int64_t far = tensor.GetStride(a), near = tensor.GetStride(b);
                // The first place that both dimensions come to, each with steps of its own.
                int64_t common = far, rest = near;
                while (rest != 0) {
                    const int64_t left = common % rest;
                    common = rest;
                    rest = left;
                }
                if (far > 0 && near > 0 && near / common < extents[a] && far / common < extents[b]) {
                    report(
                        place,
                        "%s: elements of one store lie in one place: dimension %d has a stride of %lld, and "
                        "dimension %d has %lld elements with a stride of %lld",
                        name, a, static_cast<long long>(far), b, static_cast<long long>(extents[b]),
                        static_cast<long long>(near));
                    return;
                }
            }
        }
    }
}

}  // namespace pto::cpu::checked
