"""The instruction table as the checked mode of the bundled headers reads it, four files of `pto/cpu/checked/`.

`names.hpp` has what is asked of each instruction; `begin.hpp`, `end.hpp` and `sites.hpp` have a line for each name.
"""

from __future__ import annotations

from pyptogen.lower.isa.device_rules import FILLED_BY_NUMBERS, FILLED_FIRST, USED_UP
from pyptogen.lower.isa.element_types import constant, set_name
from pyptogen.lower.isa.extents import extents_of
from pyptogen.lower.isa.instruction import DTYPES, Instruction, Types
from pyptogen.lower.isa.table import A2A3_CASTS, A5_CASTS, INSTRUCTIONS

_UNCHECKED = frozenset({"TPRINT", "SET_QUANT_VECTOR"})
_BY_HAND = frozenset({"TASSIGN"})  # wrappers.hpp has a checked one, whose operands are no operands of an instruction
_PIPES = {"source": "cpu::checked::kBySource", "place": "cpu::checked::kByPlace"}
_HEADER = """\
// Every instruction that the checker sees.
//
// {written}
//
// X(name, effects, pipe, typed operand, element types on A2/A3, element types on A5, equal extents). Effects, one
// letter for each tile and GlobalTensor: w: written, r: read, u: read and written, t: scratch, -: untouched.
// The word with as many letters as a call has operands holds, else the first one, cut or with its last letter repeated.
// Pipe: that of the instruction, or where it depends on the memories of its operands; see calls.hpp.
// Equal extents: what the valid regions of operands have in common with that of the result; see extents.hpp.
#pragma once

#include <pto/cpu/isa/element_types.hpp>

namespace pto::cpu::checked {{

using namespace isa;
// clang-format off

"""


def checked_rows() -> tuple[Instruction, ...]:
    """Instructions that read or write tiles on this chip, by name."""
    return tuple(
        INSTRUCTIONS[name]
        for name in sorted(INSTRUCTIONS)
        if set(INSTRUCTIONS[name].effects) & set("wru") and not name.startswith("comm::") and name not in _UNCHECKED
    )


def _masks(casts: frozenset[tuple[str, str]], title: str) -> list[str]:
    lines = [f"/// Element types that a TCVT may write, by the type that it reads: {title}.", "template <Types Source>"]
    name = "casts_a2a3" if title == "A2/A3" else "casts_a5"
    lines.append(f"inline constexpr Types {name} = kNowhere;")
    for source in (d for d in DTYPES if any(a == d for a, _ in casts)):
        targets = " | ".join(constant(d) for d in DTYPES if (source, d) in casts)
        lines += ["template <>", f"inline constexpr Types {name}<{constant(source)}> = {targets};"]
    return lines


def wrapped_names() -> tuple[str, ...]:
    """Instructions that checked mode puts another of the same name in front of, in order."""
    return tuple(sorted({row.name for row in checked_rows()} | _BY_HAND))


def rendered_sets() -> set[Types]:
    """The sets of element types that the headers name."""
    return {row.dtypes[platform] for row in checked_rows() for platform in ("a2a3", "a5")}


def render(written: str) -> dict[str, str]:
    """The texts by name of file; ``written`` says where they are from."""
    return {
        "names.hpp": _names(written), "begin.hpp": _begin(written), "end.hpp": _end(written),
        "sites.hpp": _sites(written),
    }  # fmt: skip


def _begin(written: str) -> str:
    lines = [f"#define {name} {name}_unchecked\n" for name in wrapped_names()]
    title = "// From here on the instructions get the names that the checker calls them by.\n//\n"
    return "".join([title, f"// {written}\n", "#pragma once\n\n", *lines])


def _end(written: str) -> str:
    lines = [f"#undef {name}\n" for name in wrapped_names()]
    return "".join(["// The end of begin.hpp.\n//\n", f"// {written}\n", "#pragma once\n\n", *lines])


def _sites(written: str) -> str:
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
    return "".join([title, f"// {written}\n", "#pragma once\n\n", *lines])


def _names(written: str) -> str:
    rows = checked_rows()
    rows_of_names = FILLED_FIRST, FILLED_BY_NUMBERS, USED_UP
    filled, by_numbers, used_up = (", ".join(f'"{name}"' for name in names) for names in rows_of_names)
    lines = [
        "/// Instructions of A2/A3 that write their result before they have read all operands.",
        f"constexpr const char* kFilledFirst[] = {{{filled}}};",
        "/// The same, where the first operand is a number.",
        f"constexpr const char* kFilledByNumbers[] = {{{by_numbers}}};",
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
    calls = [f"    X({', '.join(_facts(row))})" for row in rows]
    return _HEADER.format(written=written) + "\n".join([*lines, " \\\n".join(calls), ""])


def _facts(row: Instruction) -> tuple[str, ...]:
    """What `names.hpp` says of an instruction."""
    extents = extents_of(row.name).title().replace("_", "")
    return (
        row.name, f'"{row.effects}"', _PIPES.get(row.pipe, f"PIPE_{row.pipe}"), f"k{row.typed.capitalize()}",
        set_name(row.dtypes["a2a3"]), set_name(row.dtypes["a5"]), f"k{extents}",
    )  # fmt: skip
