"""PTO instructions: form, pipe, legal dtypes per platform.

Sources: call forms and platform columns of the public PTO-ISA API (2026-08-21); legal dtypes from the static checks of
its A2/A3 headers. `cpu` is what the bundled headers take. What an instruction computes stands in `meaning.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FLOATS = frozenset({"fp32", "fp16"})
ARITH = FLOATS | {"int32", "int16"}
ANY = frozenset({"fp32", "fp16", "bf16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"})
CPU_ARITH = ANY
CPU_FLOATS = FLOATS | {"bf16"}

A2A3_CASTS = frozenset(
    {
        ("fp32", "fp32"), ("fp32", "fp16"), ("fp32", "bf16"), ("fp32", "int64"), ("fp32", "int32"), ("fp32", "int16"),
        ("fp16", "fp32"), ("fp16", "int32"), ("fp16", "int16"), ("fp16", "int8"), ("fp16", "uint8"),
        ("bf16", "fp32"), ("bf16", "int32"), ("uint8", "fp16"), ("int8", "fp16"), ("int16", "fp16"), ("int16", "fp32"),
        ("int32", "fp32"), ("int32", "int16"), ("int32", "int64"), ("int32", "fp16"),
        ("int64", "int32"), ("int64", "fp32"),
    }
)  # fmt: skip
"""(source, destination) pairs of one TCVT on A2/A3."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. ``form`` spells the operands (destination first); ``dtypes`` are those of the destination
    (stores and casts: of the source)."""

    name: str
    form: str
    dtypes: Mapping[str, frozenset[str]]
    doc: str


def _row(name: str, form: str, a2a3: frozenset[str], cpu: frozenset[str], doc: str) -> Instruction:
    return Instruction(name, form, {"a2a3": a2a3, "cpu": cpu}, doc)


_ACC = frozenset({"fp32", "int32"})
_EXPANDED = (("ADD", "+"), ("SUB", "-"), ("MUL", "*"), ("DIV", "/"), ("MAX", "max"), ("MIN", "min"))


def _rows(form: str, a2a3: frozenset[str], cpu: frozenset[str], meanings: Mapping[str, str]) -> tuple[Instruction, ...]:
    return tuple(_row(name, form, a2a3, cpu, doc) for name, doc in meanings.items())


_MOVES = (
    _row("TLOAD", "dst, gm", ANY, ANY, "GM to UB or L1 (cpu: also to L0A, L0B)"),
    _row("TSTORE", "gm, src", ANY, ANY, "UB or L0C to GM; an fp32 accumulator may be stored as bf16 or fp16"),
    _row("TEXTRACT", "dst, src, row, col", ANY, ANY, "part of an L1 tile to L0A or L0B; cpu: accumulator rows to UB"),
    _row("TMOV", "dst, src", ANY, ANY, "tile to tile: L1 to L0; UB to UB; cpu: L0C to UB, UB to L0A"),
    _row("TCVT", "dst, a, mode", ANY, ANY, "conversion with a round mode"),
    _row("TEXPANDS", "dst, scalar", ANY, ANY, "every element = scalar"),
)
_CUBE = (
    _row("TMATMUL", "acc, left, right", _ACC, _ACC, "acc = left @ right"),
    _row("TMATMUL_ACC", "acc, acc, left, right", _ACC, _ACC, "acc += left @ right"),
)
_ELEMENTWISE = (
    *_rows("dst, a, b", ARITH, CPU_ARITH, {"TADD": "a + b", "TSUB": "a - b", "TMUL": "a * b"}),
    *_rows("dst, a, b", ARITH, CPU_ARITH, {"TMAX": "the larger", "TMIN": "the smaller"}),
    *_rows("dst, a, b", FLOATS, CPU_FLOATS, {"TDIV": "a / b"}),
    *_rows("dst, a, scalar", ARITH, CPU_ARITH, {"TADDS": "a + s", "TSUBS": "a - s", "TMULS": "a * s"}),
    *_rows("dst, a, scalar", ARITH, CPU_ARITH, {"TMAXS": "the larger", "TMINS": "the smaller"}),
    *_rows("dst, a, scalar | dst, scalar, a", FLOATS, CPU_FLOATS, {"TDIVS": "a / s, or s / a"}),
    *_rows("dst, a", FLOATS, CPU_FLOATS, {"TEXP": "e^a", "TLOG": "ln a", "TSQRT": "root", "TRSQRT": "1 / root"}),
    *_rows("dst, a", FLOATS, CPU_FLOATS, {"TRECIP": "1 / a"}),
    *_rows("dst, a", FLOATS, CPU_ARITH, {"TABS": "|a|", "TNEG": "-a", "TRELU": "max(a, 0)"}),
)
_ROWS_AND_COLUMNS = (
    *_rows(
        "dst, a, tmp", FLOATS, CPU_ARITH, {"TROWSUM": "sum of a row", "TROWMAX": "its largest", "TROWMIN": "its least"}
    ),
    _row("TROWEXPAND", "dst, col", ARITH, CPU_ARITH, "a column copied to every column"),
    _row("TCOLEXPAND", "dst, row", ARITH, CPU_ARITH, "a row copied to every row"),
    *_rows("dst, a, col", FLOATS, CPU_FLOATS, {f"TROWEXPAND{n}": f"a {s} col, row by row" for n, s in _EXPANDED}),
    *_rows("dst, a, row", FLOATS, CPU_FLOATS, {f"TCOLEXPAND{n}": f"a {s} row, column by column" for n, s in _EXPANDED}),
)

INSTRUCTIONS: Mapping[str, Instruction] = {
    row.name: row for row in (*_MOVES, *_CUBE, *_ELEMENTWISE, *_ROWS_AND_COLUMNS)
}


def pipe_of(name: str, src_loc: str, dst_loc: str) -> str:
    """The pipe that runs an instruction, by where its operands live (facts: synchronisation)."""
    if name == "TLOAD":
        return "MTE2"
    if name == "TSTORE":
        return "FIX" if src_loc == "Acc" else "MTE3"
    if name in ("TMATMUL", "TMATMUL_ACC"):
        return "M"
    if name in ("TMOV", "TEXTRACT"):
        if src_loc == "Mat":
            return "MTE1"
        return "FIX" if src_loc == "Acc" else "V" if dst_loc == "Vec" else "MTE3"
    return "V"
