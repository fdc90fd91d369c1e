"""The instruction table as the checked mode of the bundled headers reads it, four files of `pto/cpu/checked/`.

`names.hpp` has what is asked of each instruction; `begin.hpp`, `end.hpp` and `sites.hpp` have a line for each name.
Run as a module it writes all of them anew.
"""

from __future__ import annotations

from pathlib import Path

from pyptogen.lower.isa.device_rules import FILLED_FIRST, USED_UP
from pyptogen.lower.isa.extents import extents_of
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
    Instruction,
    Types,
)
from pyptogen.lower.isa.table import A2A3_CASTS, A5_CASTS, INSTRUCTIONS

FOLDER = Path(__file__).parents[2] / "runtime" / "include" / "pto" / "cpu" / "checked"

_UNCHECKED = frozenset({"TPRINT", "SET_QUANT_VECTOR"})
_BY_HAND = frozenset({"TASSIGN"})  # wrappers.hpp has a checked one, whose operands are no operands of an instruction
_WRITTEN = """\
// Written from the instruction table (pyptogen/lower/isa) by `python -m pyptogen.lower.isa.checked_header`; a test
// proves that it is up to date.
"""
_HEADER = """\
// Every instruction that the checker sees, written from the instruction table (pyptogen/lower/isa) by
// `python -m pyptogen.lower.isa.checked_header`; a test proves that it is up to date.
//
// X(name, effects, typed operand, element types on A2/A3, element types on A5, equal extents). Effects, one letter for
// each tile and GlobalTensor: w: written, r: read, u: read and written, t: scratch (may be overwritten), -: untouched.
// The word with as many letters as a call has operands holds, else the first one, cut or with its last letter repeated.
// Equal extents: what the valid regions of operands have in common with that of the result; see extents.hpp.
#pragma once

#include <cstdint>

namespace pto::cpu::checked {

/// Sets of element types, one bit for each.
using Types = uint32_t;
"""


def checked_rows() -> tuple[Instruction, ...]:
    """Instructions that read or write tiles on this chip, by name."""
    return tuple(
        INSTRUCTIONS[name]
        for name in sorted(INSTRUCTIONS)
        if set(INSTRUCTIONS[name].effects) & set("wru") and not name.startswith("comm::") and name not in _UNCHECKED
    )


def _constant(dtype: str) -> str:
    word = dtype.removeprefix("fp8_").removeprefix("fp4_")
    return f"k{word[0].upper()}{word[1:]}"


_NAMED: dict[Types, str] = {
    EVERY: "kEvery", NONE: "kNowhere", FLOATS: "kFloats", ARITH: "kArithmetic", FLOATS_3: "kFloats3",
    INT_16_32: "kInt16To32", INT_8_32: "kInt8To32", INT_ANY: "kIntegers", ALL: "kPlain", UP_TO_4_BYTES: "kUpTo4Bytes",
    TWO_OR_4_BYTES: "kTwoOr4Bytes",
}  # fmt: skip


def _listed(types: Types) -> str:
    return "".join(_constant(d)[1:] for d in DTYPES if d in types)


def _name(types: Types) -> str:
    """A name for a set: its own, or what it has, or what it lacks of the plain types or of all."""
    if types in _NAMED:
        return _NAMED[types]
    if types < ALL and len(ALL - types) <= 3:
        return f"kPlainBut{_listed(ALL - types)}"
    return f"kEveryBut{_listed(EVERY - types)}" if len(types) > 8 else f"k{_listed(types)}"


def _set_names(rows: tuple[Instruction, ...]) -> dict[Types, str]:
    """Names of all sets of the rows, small sets first."""
    found = {row.dtypes[platform] for row in rows for platform in ("a2a3", "a5")} | {NONE, EVERY}
    return {types: _name(types) for types in sorted(found, key=lambda t: (len(t), [d in t for d in DTYPES]))}


def _masks(casts: frozenset[tuple[str, str]], title: str) -> list[str]:
    lines = [f"/// Element types that a TCVT may write, by the type that it reads: {title}.", "template <Types Source>"]
    name = "casts_a2a3" if title == "A2/A3" else "casts_a5"
    lines.append(f"inline constexpr Types {name} = kNowhere;")
    for source in (d for d in DTYPES if any(a == d for a, _ in casts)):
        targets = " | ".join(_constant(d) for d in DTYPES if (source, d) in casts)
        lines += ["template <>", f"inline constexpr Types {name}<{_constant(source)}> = {targets};"]
    return lines


def wrapped_names() -> tuple[str, ...]:
    """Instructions that checked mode puts another of the same name in front of, in order."""
    return tuple(sorted({row.name for row in checked_rows()} | _BY_HAND))


def render() -> dict[str, str]:
    """The texts by name of file."""
    return {"names.hpp": _names(), "begin.hpp": _begin(), "end.hpp": _end(), "sites.hpp": _sites()}


def _begin() -> str:
    lines = [f"#define {name} {name}_unchecked\n" for name in wrapped_names()]
    title = "// From here on the instructions get the names that the checker calls them by.\n//\n"
    return "".join([title, _WRITTEN, "#pragma once\n\n", *lines])


def _end() -> str:
    lines = [f"#undef {name}\n" for name in wrapped_names()]
    return "".join(["// The end of begin.hpp.\n//\n", _WRITTEN, "#pragma once\n\n", *lines])


def _sites() -> str:
    shared = [name for name in wrapped_names() if f"comm::{name}" in INSTRUCTIONS]
    lines = [
        f"#define {name}(...) pto_site(__FILE__, __LINE__)->*{name}(__VA_ARGS__)\n"
        for name in wrapped_names()
        if name not in shared
    ]
    title = (
        "// Calls without explicit template arguments tell the checker their line of source.\n//\n"
        f"// {' and '.join(shared)} do not: pto::comm has instructions of these names.\n//\n"
    )
    return "".join([title, _WRITTEN, "#pragma once\n\n", *lines])


def _names() -> str:
    rows = checked_rows()
    names = _set_names(rows)
    lines = [_HEADER.rstrip(), "// clang-format off", ""]
    lines += [f"constexpr Types {_constant(d)} = 1U << {bit};" for bit, d in enumerate(DTYPES)]
    for types, name in names.items():
        if len(types) != 1:
            lines.append(_wrapped(f"constexpr Types {name} =", [_constant(d) for d in DTYPES if d in types]))
    filled, used_up = (", ".join(f'"{name}"' for name in row) for row in (FILLED_FIRST, USED_UP))
    lines += [
        "",
        "/// Instructions of A2/A3 that write their result before they have read all operands.",
        f"constexpr const char* kFilledFirst[] = {{{filled}}};",
        "/// Instructions of A2/A3 that work in their second operand: nothing is left of it.",
        f"constexpr const char* kUsedUp[] = {{{used_up}}};",
        "",
        *_masks(A2A3_CASTS, "A2/A3"),
        "",
        *_masks(A5_CASTS, "A5"),
        "",
        "}  // namespace pto::cpu::checked",
        "",
    ]
    lines.append("#define PTO_CHECKED_INSTRUCTIONS(X) \\")
    calls = [
        f'    X({row.name}, "{row.effects}", k{row.typed.capitalize()}, {names[row.dtypes["a2a3"]]},'
        f" {names[row.dtypes['a5']]}, k{extents_of(row.name).title().replace('_', '')})"
        for row in rows
    ]
    return "\n".join([*lines, " \\\n".join(calls), ""])


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


if __name__ == "__main__":
    for file, text in render().items():
        (FOLDER / file).write_text(text)
