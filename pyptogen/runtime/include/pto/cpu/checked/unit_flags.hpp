// Unit flags: each block of L0C has one. A product with a phase waits until those of its blocks are clear, a final one
// sets them; a final store waits until they are set, and clears them. So a product and a store of the same bytes take
// turns, and one whose turn never comes stops its core.
#pragma once

#include <pto/common/type.hpp>
#include <pto/cpu/checked/region.hpp>
#include <pto/cpu/checked/report.hpp>

namespace pto::cpu::checked {

/// What an instruction does to the unit flags of its accumulator.
enum class FlagAction : uint8_t {
    kNone,  // it has no phase
    kLook,  // waits until they are clear
    kSet,  // and sets them
    kAwait,  // waits until they are set
    kClear  // and clears them
};

template <typename T>
constexpr FlagAction action_of_mode(T)
{
    return FlagAction::kNone;
}
constexpr FlagAction action_of_mode(AccPhase phase)
{
    return phase == AccPhase::Final     ? FlagAction::kSet
           : phase == AccPhase::Partial ? FlagAction::kLook
                                        : FlagAction::kNone;
}
constexpr FlagAction action_of_mode(STPhase phase)
{
    return phase == STPhase::Final     ? FlagAction::kClear
           : phase == STPhase::Partial ? FlagAction::kAwait
                                       : FlagAction::kNone;
}
/// That of a call with these values among its explicit template arguments.
template <auto... V>
constexpr FlagAction action_of()
{
    FlagAction action = FlagAction::kNone;
    ((action = action_of_mode(V) != FlagAction::kNone ? action_of_mode(V) : action), ...);
    return action;
}

/// The accumulators of one core whose flags are set.
class UnitFlags {
public:
    /// An instruction acts on the flags of its bytes; `from` and `to`: its bytes as kernels count them.
    void take(
        FlagAction action, const Region& region, uintptr_t from, uintptr_t to, const char* name, const Place& place)
    {
        const bool stores = action == FlagAction::kAwait || action == FlagAction::kClear;
        Entry* found = nullptr;
        for (int i = 0; i < count_; ++i) {
            found = stores ? (set_[i].region == region ? &set_[i] : found)
                           : (overlap(set_[i].region, region) ? &set_[i] : found);
        }
        if (stores && found == nullptr) {
            report(
                place,
                "%s waits for the unit flags of L0C bytes %#zx to %#zx, which no final product has set: the core would "
                "stop here for good",
                name, static_cast<size_t>(from), static_cast<size_t>(to));
        } else if (!stores && found != nullptr) {
            report(
                place,
                "%s waits for the unit flags of L0C bytes %#zx to %#zx, which %s (%s:%d) has set and no final store has "
                "cleared: the core would stop here for good",
                name, static_cast<size_t>(from), static_cast<size_t>(to), found->name, found->place.file,
                found->place.line);
        } else if (action == FlagAction::kClear) {
            *found = set_[--count_];
        } else if (action == FlagAction::kSet && count_ < kMost) {
            set_[count_++] = {region, from, to, name, place};
        }
    }

    /// The end of a kernel.
    void finish()
    {
        for (int i = 0; i < count_; ++i) {
            report(
                set_[i].place, "%s leaves the unit flags of L0C bytes %#zx to %#zx set: no final store clears them",
                set_[i].name, static_cast<size_t>(set_[i].from), static_cast<size_t>(set_[i].to));
        }
        count_ = 0;
    }

private:
    static constexpr int kMost = 64;
    struct Entry {
        Region region;
        uintptr_t from, to;
        const char* name;
        Place place;
    };
    Entry set_[kMost];
    int count_ = 0;
};

}  // namespace pto::cpu::checked
