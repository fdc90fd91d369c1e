// What a call of an instruction is: the pipe that runs it, and what it does to each operand.
#pragma once

#include <pto/common/cpu_stub.hpp>
#include <pto/common/pto_tile.hpp>

namespace pto::cpu::checked {

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

template <typename T>
constexpr bool is_atomic_mode(T)
{
    return false;
}
constexpr bool is_atomic_mode(AtomicType mode) { return mode != AtomicType::AtomicNone; }
/// Whether one of a call's explicit template arguments says that it stores atomically.
template <auto... V>
constexpr bool is_atomic()
{
    return (false || ... || is_atomic_mode(V));
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

/// In place of an instruction's pipe: it is FIX from L0C and MTE3 from elsewhere; it depends on both operands of a move.
enum PipeRule { kBySource = -1, kByPlace = -2 };

/// The pipe that runs an instruction, by its pipe or rule, and by the locations of its operands (kNoTile for others).
constexpr int pipe_of_call(int pipe, const int* locations, int count)
{
    const auto is = [&](int operand, TileType loc) {
        return operand < count && locations[operand] == static_cast<int>(loc);
    };
    if (pipe == PIPE_V && is(0, TileType::Mat)) {
        return PIPE_MTE2;
    }
    if (pipe == kBySource) {
        return is(0, TileType::Acc) || is(1, TileType::Acc) ? PIPE_FIX : PIPE_MTE3;
    }
    if (pipe != kByPlace) {
        return pipe;
    }
    if (is(1, TileType::Mat)) {
        return is(0, TileType::Scaling) ? PIPE_FIX : PIPE_MTE1;
    }
    if (is(1, TileType::Acc)) {
        return PIPE_FIX;
    }
    return is(0, TileType::Vec) ? PIPE_V : PIPE_MTE3;
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

}  // namespace pto::cpu::checked
