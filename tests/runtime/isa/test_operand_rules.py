"""Every instruction that states rules of its operands refuses each operand that breaks one, and says which: those that
are neither cases of test_refusals.py nor of test_operand_rules_of_moves.py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pyptogen.lower.isa.operand_rules import row_of, ruled_names

from .agreement.cases import CASES
from .agreement.source import HEADER
from .test_operand_rules_of_moves import CALLS as MOVES
from .test_refusals import COLS, EXPLICIT, first_errors, tile

CALLS: Mapping[str, Mapping[str, str]] = {
    "TCVT(dst, a, RoundMode::CAST_RINT)": {"dst": "fp16", "a": "fp32"},
    "TRANDOM(dst, key, counter)": {"dst": "uint32"},
    "TCI<D, int32_t, 0>(dst, int32_t(0))": {"dst": "int32"},
    "TTRI<D, 0>(dst, 0)": {"dst": "int32"},
    "TCONCAT(dst, a, b)": {"dst": "fp32", "a": "fp32", "b": "fp32"},
    "TCONCAT(dst, a, b, ai, bi)": {"dst": "fp32", "a": "fp32", "b": "fp32", "ai": "int32", "bi": "int32"},
    "TCONCAT(dst, a, b, idx, ai, bi)": {
        "dst": "fp32", "a": "fp32", "b": "fp32", "idx": "int32", "ai": "int32", "bi": "int32",
    },
    "TDEINTERLEAVE(dst, dst, a)": {"dst": "fp32", "a": "fp32"},
    "TDEINTERLEAVE(dst, dst, a, a)": {"dst": "fp32", "a": "fp32"},
    "TINTERLEAVE(dst, dst, a, a)": {"dst": "fp32", "a": "fp32"},
    "TGATHERB(dst, a, offset)": {"dst": "fp32", "a": "fp32", "offset": "uint32"},
    "TSORT32(dst, a, places)": {"dst": "fp32", "a": "fp32", "places": "uint32"},
    "THISTOGRAM<HistByte::BYTE_0>(dst, a, filter)": {"dst": "uint32", "a": "uint16", "filter": "uint8"},
    "TQUANT<QuantType::INT8_SYM>(dst, a, scale)": {"dst": "int8", "a": "fp32", "scale": "fp32"},
    "TQUANT<QuantType::MXFP8>(dst, a, &exp, &max, &max)": {"dst": "int8", "a": "fp32", "exp": "uint8", "max": "fp32"},
    "TDEQUANT(dst, a, scale, scale)": {"dst": "fp32", "a": "int8", "scale": "fp32"},
    "TADDDEQRELU(dst, a, b, 1.0f, a)": {"dst": "fp16", "a": "int32", "b": "int32"},
    "TADDRELUCONV(dst, a, b)": {"dst": "int8", "a": "int16", "b": "int16"},
    "TSUBRELUCONV(dst, a, b)": {"dst": "int8", "a": "int16", "b": "int16"},
    "TTOPK(dst, gm, tmp)": {"dst": "int32", "tmp": "int32"},
    "TBOTTOMK(dst, gm, tmp)": {"dst": "int32", "tmp": "int32"},
    "TROWCUMSUM(dst, a, before)": {"dst": "fp32", "a": "fp32", "before": "fp32"},
    "TROWCUMPROD(dst, a, before)": {"dst": "fp32", "a": "fp32", "before": "fp32"},
}  # fmt: skip
"""Calls, and the element types of their tiles."""
OTHERS = "TRandomKey& key, TRandomCounter& counter, Gm& gm"
ANYWHERE = {"ai", "bi", "idx", "offset", "filter", "scale", "exp", "max"}
"""Operands that may lie anywhere, in any order."""
ANY_ORDER = {("THISTOGRAM", "dst"), ("THISTOGRAM", "a"), ("TGATHERB", "a")}
ANY_TYPE = {("TGATHERB", "dst"), ("TGATHERB", "a"), ("TQUANT", "max"), ("TTRI", "dst"), ("TCVT", "dst"), ("TCVT", "a")}
"""Those that may be of other types than the one here, too."""


def name_of(call: str) -> str:
    return call.partition("(")[0].partition("<")[0]


def wrongs(name: str, operand: str) -> Iterator[str]:
    """What an operand may not be; nothing wrong first."""
    yield ""
    if (name, operand) not in ANY_TYPE:
        yield "element type"
    if operand not in ANYWHERE:
        yield "location"
        yield "boxes"
        if (name, operand) not in ANY_ORDER:
            yield "layout"


def declared(dtypes: Mapping[str, str], number: int, name: str, bad: str, wrong: str) -> dict[str, str]:
    """The types of the tiles of a call, of a shape of its own: what failed before is not said again."""
    one_row = name == "TCI" and not wrong
    rows, cols = (1, COLS + 32 * number) if one_row else (32 * (number + 2), COLS)
    return {
        key: tile("full", dtype, rows, wrong if key == bad else "").replace(f" {COLS},", f" {cols},")
        for key, dtype in dtypes.items()
    }


def test_a_wrong_operand_is_named_with_its_rule() -> None:
    gm = "using Gm = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>>;"
    lines = [*HEADER.partition("namespace {")[0].splitlines(), gm]
    calls: dict[int, tuple[str, str, str]] = {}
    for call, dtypes in CALLS.items():
        name = name_of(call)
        for operand, wrong in [(key, wrong) for key in dtypes for wrong in wrongs(name, key)]:
            tiles = declared(dtypes, len(calls), name, operand, wrong)
            operands = ", ".join(f"{kind}& {key}" for key, kind in tiles.items())
            body = f"using D = {tiles['dst']}; void f({operands}, {OTHERS}) {{ {call}; }}"
            lines.append(f"namespace n{len(calls)} {{ {body} }}")
            calls[len(lines)] = (call, operand, wrong)
    errors = first_errors("\n".join(lines) + "\n")
    unclear = {
        said: errors.get(line, "accepted")
        for line, said in calls.items()
        if said[2]
        and not re.match(
            rf"static assertion failed: {name_of(said[0])}: [a-z]\w* (must|needs)\b", errors.get(line, "accepted")
        )
    }
    assert unclear == {}
    assert {said: errors[line] for line, said in calls.items() if not said[2] and line in errors} == {}


def test_every_instruction_with_rules_is_called() -> None:
    names = {name_of(call) for call in (*CALLS, *MOVES)} | ({case.row.name for case in CASES} - EXPLICIT)
    assert {row_of(name).name for name in ruled_names()} == names
