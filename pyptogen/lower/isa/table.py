"""The PTO instruction table: one row for every instruction, and what does not fit in a row.

Sources: call forms and platform columns of the public PTO-ISA API (2026-08-21); legal dtypes from the static checks
and pages of its A2/A3 and A5 headers. `cpu` is what the bundled headers take. What an instruction computes stands in
`meaning`; `tests/runtime/isa` prove that the headers agree with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa import rows_arithmetic, rows_cpu, rows_movement, rows_numbers, rows_system, rows_vector
from pyptogen.lower.isa.instruction import ALL, ANY, ARITH, CPU_ARITH, FLOATS, FP4, Instruction, by_name
from pyptogen.lower.isa.rows_numbers import CAST_FROM_ACC, REQUANTISED

FAMILIES: Mapping[str, tuple[Instruction, ...]] = {
    "arithmetic": rows_arithmetic.ROWS,
    "vector": rows_vector.ROWS,
    "movement": rows_movement.ROWS,
    "numbers": rows_numbers.ROWS,
    "system": rows_system.ROWS,
    "extensions": rows_cpu.ROWS,
}
"""Rows by family; ``extensions`` are not part of the public API."""

INSTRUCTIONS: Mapping[str, Instruction] = by_name(row for rows in FAMILIES.values() for row in rows)
"""Every instruction by name."""

ISA_PLATFORMS = ("a2a3", "a5", "cpu")
"""The platforms whose legality the rows state."""

A2A3_CASTS = frozenset(
    {
        ("fp32", "fp32"), ("fp32", "fp16"), ("fp32", "bf16"), ("fp32", "int64"), ("fp32", "int32"), ("fp32", "int16"),
        ("fp16", "fp32"), ("fp16", "int32"), ("fp16", "int16"), ("fp16", "int8"), ("fp16", "uint8"), ("fp16", "int4"),
        ("bf16", "fp32"), ("bf16", "int32"), ("uint8", "fp16"), ("int8", "fp16"), ("int4", "fp16"),
        ("int16", "fp16"), ("int16", "fp32"),
        ("int32", "fp32"), ("int32", "int16"), ("int32", "int64"), ("int32", "fp16"),
        ("int64", "int32"), ("int64", "fp32"),
    }
)  # fmt: skip
"""(source, destination) pairs of one TCVT on A2/A3."""

A5_CASTS = frozenset(
    {
        ("fp32", "fp32"), ("fp32", "fp16"), ("fp32", "bf16"), ("fp32", "int64"), ("fp32", "int32"), ("fp32", "int16"),
        ("fp32", "fp8_e4m3"), ("fp32", "fp8_e5m2"), ("fp32", "hif8"),
        ("fp16", "fp32"), ("fp16", "int32"), ("fp16", "int16"), ("fp16", "int8"), ("fp16", "uint8"), ("fp16", "hif8"),
        ("bf16", "fp32"), ("bf16", "int32"), ("bf16", "fp16"), ("bf16", "fp4_e1m2"), ("bf16", "fp4_e2m1"),
        ("int16", "uint8"), ("int16", "fp16"), ("int16", "fp32"), ("int16", "uint32"), ("int16", "int32"),
        ("int32", "fp32"), ("int32", "int16"), ("int32", "uint16"), ("int32", "int64"), ("int32", "uint8"),
        ("int64", "fp32"), ("int64", "int32"),
        ("uint8", "fp16"), ("uint8", "uint16"), ("int8", "fp16"), ("int8", "int16"), ("int8", "int32"),
        ("uint32", "uint8"), ("uint32", "uint16"), ("uint32", "int16"),
        ("fp8_e4m3", "fp32"), ("fp8_e5m2", "fp32"), ("hif8", "fp32"), ("fp4_e1m2", "bf16"), ("fp4_e2m1", "bf16"),
    }
)  # fmt: skip
"""(source, destination) pairs of one TCVT on A5."""

CPU_CASTS = frozenset(
    {(source, target) for source in ALL for target in ALL}
    | {(a, b) for small in ("fp8_e4m3", "fp8_e5m2", "hif8", "fp4_e2m1", "fp4_e1m2") for wide in ("fp32", "fp16", "bf16")
       for a, b in ((small, wide), (wide, small))}
    | {pair for wide in ALL - {"uint64"} for pair in ((wide, "int4"), ("int4", wide))}
)  # fmt: skip
"""(source, destination) pairs of one TCVT of the bundled headers."""

CASTS: Mapping[str, frozenset[tuple[str, str]]] = {"a2a3": A2A3_CASTS, "a5": A5_CASTS, "cpu": CPU_CASTS}

NARROWING = frozenset(
    {
        ("fp16", "int8"), ("fp16", "uint8"), ("fp16", "int16"), ("fp32", "int16"), ("int32", "int16"),
        ("int64", "int32"),
    }
)  # fmt: skip
"""(source, destination) pairs for which a TCVT without a SaturationMode keeps low bits, on every platform."""

_PLAIN = frozenset(
    {("int8", "int8", "int32"), ("fp16", "fp16", "fp32"), ("bf16", "bf16", "fp32"), ("fp32", "fp32", "fp32")}
)
_FP8_PAIRS = frozenset((a, b, "fp32") for a in ("fp8_e4m3", "fp8_e5m2") for b in ("fp8_e4m3", "fp8_e5m2"))
PRODUCTS: Mapping[str, frozenset[tuple[str, str, str]]] = {
    "a2a3": _PLAIN,
    "a5": _PLAIN | _FP8_PAIRS | {("hif8", "hif8", "fp32")},
    "cpu": _PLAIN | _FP8_PAIRS | {("hif8", "hif8", "fp32")},
}
"""(left, right, accumulator) of TMATMUL and TGEMV."""
MX_PRODUCTS = _FP8_PAIRS | frozenset((a, b, "fp32") for a in FP4 for b in FP4)
"""(left, right, accumulator) of TMATMUL_MX and TGEMV_MX, on A5 and the CPU."""


def pipe_of(name: str, src_loc: str, dst_loc: str) -> str:
    """The pipe that runs an instruction, by where its operands live (facts: synchronisation)."""
    pipe = INSTRUCTIONS[name].pipe
    if pipe == "V" and dst_loc == "Mat":
        return "MTE2"
    if pipe not in ("place", "source"):
        return pipe
    if src_loc == "Acc":
        return "FIX"
    if pipe == "source":
        return "MTE3"
    if src_loc == "Mat":
        return "FIX" if dst_loc == "Scaling" else "MTE1"
    return "V" if dst_loc == "Vec" else "MTE3"


__all__ = [
    "A2A3_CASTS", "A5_CASTS", "ANY", "ARITH", "CASTS", "CAST_FROM_ACC", "CPU_ARITH", "CPU_CASTS", "FAMILIES", "FLOATS",
    "INSTRUCTIONS", "ISA_PLATFORMS", "MX_PRODUCTS", "NARROWING", "PRODUCTS", "REQUANTISED", "Instruction", "pipe_of",
]  # fmt: skip
