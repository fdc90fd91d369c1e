"""Element types and sets of them as the bundled headers have them: `pto/cpu/isa/element_types.hpp`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyptogen.lower.isa.instruction import (
    ALL,
    ARITH,
    DTYPES,
    EVERY,
    FLOATS,
    FLOATS_3,
    INT_8_32,
    INT_16_32,
    INT_ANY,
    NONE,
    TWO_OR_4_BYTES,
    UP_TO_4_BYTES,
    Types,
)

CPP_TYPES: Mapping[str, str] = {
    "fp32": "float", "fp16": "half", "bf16": "bfloat16_t", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t",
    "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t", "int64": "int64_t", "uint64": "uint64_t",
    "fp8_e4m3": "float8_e4m3_t", "fp8_e5m2": "float8_e5m2_t", "hif8": "hifloat8_t", "fp8_e8m0": "float8_e8m0_t",
    "fp4_e2m1": "float4_e2m1x2_t", "fp4_e1m2": "float4_e1m2x2_t", "int4": "int4b_t",
}  # fmt: skip
"""Element type of a tile of each dtype."""

_NAMED: dict[Types, str] = {
    EVERY: "kEvery", NONE: "kNowhere", FLOATS: "kFloats", ARITH: "kArithmetic", FLOATS_3: "kFloats3",
    INT_16_32: "kInt16To32", INT_8_32: "kInt8To32", INT_ANY: "kIntegers", ALL: "kPlain", UP_TO_4_BYTES: "kUpTo4Bytes",
    TWO_OR_4_BYTES: "kTwoOr4Bytes",
}  # fmt: skip
_HEADER = """\
// Element types of tiles and sets of them, one bit for each type.
//
// {written}
#pragma once

#include <cstdint>

#include <pto/common/small_floats.hpp>
#include <pto/common/type.hpp>

namespace pto::cpu::isa {{

/// A set of element types.
using Types = uint32_t;
// clang-format off

"""


def constant(dtype: str) -> str:
    """The name of the set that has one type."""
    word = _short(dtype)
    return f"k{word[0].upper()}{word[1:]}"


def set_name(types: Types) -> str:
    """A name for a set: its own, or what it has, or what it lacks of the plain types or of all."""
    if types in _NAMED:
        return _NAMED[types]
    if types < ALL and len(ALL - types) <= 3:
        return f"kPlainBut{_listed(ALL - types)}"
    return f"kEveryBut{_listed(EVERY - types)}" if len(types) > 8 else f"k{_listed(types)}"


def spelled(types: Types) -> str:
    """A set for people, in the words of C++: ``fp32, half or integer``; nearly all types: ``no int4``."""
    lacking = EVERY - types
    if 0 < len(lacking) <= 3:
        return f"no {_joined([_spelled(d) for d in DTYPES if d in lacking])}"
    words = [_spelled(d) for d in DTYPES if d in types and not (d in INT_ANY and types >= INT_ANY)]
    words += ["integer"] if types >= INT_ANY else []
    return _joined(words)


def render(sets: Iterable[Types], written: str) -> str:
    """The header, with these sets; ``written`` says where it is from."""
    ordered = sorted({*sets, NONE, EVERY}, key=lambda types: (len(types), [d in types for d in DTYPES]))
    lines = [f"constexpr Types {constant(d)} = 1U << {bit};" for bit, d in enumerate(DTYPES)]
    lines += [
        _wrapped(f"constexpr Types {set_name(types)} =", [constant(d) for d in DTYPES if d in types])
        for types in ordered
        if len(types) != 1
    ]
    lines += [
        "",
        "/// The bit of an element type; none for a type that no device has.",
        "template <typename T>",
        "inline constexpr Types type_bit = 0;",
        *(f"template <> inline constexpr Types type_bit<{CPP_TYPES[d]}> = {constant(d)};" for d in DTYPES),
        "",
        "/// The name of an element type in messages.",
        "template <typename T>",
        'inline constexpr const char* type_name = "this type";',
        *(f'template <> inline constexpr const char* type_name<{CPP_TYPES[d]}> = "{_short(d)}";' for d in DTYPES),
        "",
        "// clang-format on",
        "}  // namespace pto::cpu::isa",
        "",
    ]
    return _HEADER.format(written=written) + "\n".join(lines)


def _joined(words: list[str]) -> str:
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def _short(dtype: str) -> str:
    return dtype.removeprefix("fp8_").removeprefix("fp4_")


def _spelled(dtype: str) -> str:
    """Words that messages of the headers have: whole numbers and fp32 as here, others as in C++."""
    return dtype if dtype in INT_ANY or dtype == "fp32" else CPP_TYPES[dtype]


def _listed(types: Types) -> str:
    return "".join(constant(d)[1:] for d in DTYPES if d in types)


def _wrapped(start: str, words: list[str]) -> str:
    """An or of constants, broken at 120 columns."""
    if not words:
        return f"{start} 0;"
    lines, line = [], start
    for number, word in enumerate(words):
        piece = f" {word}" + (" |" if number + 1 < len(words) else ";")
        if len(line) + len(piece) > 120:
            lines.append(line)
            line = "   "
        line += piece
    return "\n".join([*lines, line])
