"""Refuses what a platform cannot keep in memory: dtypes that no transfer takes, and outputs in `nz` of which nothing
proves that they end at whole fractals."""

from __future__ import annotations

from pyptogen.diagnostics import fault
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.platforms import PLATFORMS, Platform
from pyptogen.lower.tensor.ir import DTYPES, PACKED, Program, Value
from pyptogen.lower.tensor.legality import dim_table

_INSTEAD = {"int4": "; or keep two in a byte, `uint8`, and take them apart with `& 15` and `>> 4`"}
"""By dtype what a platform without it can do."""


def check(program: Program, platform: Platform) -> None:
    """Raises PTG303 for the first of them, PTG206 for a transpose of what shares bytes."""
    _check_dtypes(program, platform)
    for value in program.laid_out.values():
        if value.layout == "nz":
            _check_fractals(program, value, platform)


def _check_fractals(program: Program, value: Value, platform: Platform) -> None:
    """Rows of a size that only a call knows are whole fractals, and so are columns of one of several matrices."""
    dims = dim_table(program)
    fractal = platform.fractal(DTYPES[value.dtype])
    checked = (-2, -1) if len(value.shape) > 2 else (-2,)
    for axis, step in zip(checked, fractal, strict=False):
        if dims.number(value.shape[axis]) is not None or dims.is_multiple(value.shape[axis], step):
            continue
        raise fault(
            "PTG303",
            f"`{value.name}` is {value.dtype} @ nz, with {'rows' if axis == -2 else 'columns'} of a size that a call"
            f" gives: nothing proves that they are a multiple of {step}, as {platform.name} has them in memory",
            value.span,
            expected=f"a number, or a multiple of {step}",
            fix=f"say `multiple_of: {step}` of the dim, or leave `@ nz` out",
        )


def _check_dtypes(program: Program, platform: Platform) -> None:
    """No value has a dtype that is not there at all; a bool is a byte in memory, and what two share a byte of moves as
    bytes, which nothing but a cast looks into."""
    op = next((op for op in program.ops if op.kind == "transpose" and op.result.dtype in PACKED), None)
    if op is not None:
        raise fault(
            "PTG206",
            f"`transpose` has no meaning for {op.result.dtype}, of which two share a byte, without a cast behind",
            op.span,
            fix="cast it: `cast(…, bf16)`",
        )
    transfers, casts = INSTRUCTIONS["TLOAD"].dtypes, INSTRUCTIONS["TCVT"].dtypes
    for value in (*program.inputs, *(op.result for op in program.ops)):
        having = casts if value.dtype in PACKED else transfers
        if value.dtype == "bool" or value.dtype in having[platform.name]:
            continue
        others = [name for name in PLATFORMS if value.dtype in having[name]]
        raise fault(
            "PTG303",
            f"`{value.name}` is {value.dtype}, which {platform.name} does not have",
            value.span,
            expected=", ".join(sorted(transfers[platform.name] & DTYPES.keys())),
            fix=f"name the targets that have it: `targets: [{', '.join(others)}]`{_INSTEAD.get(value.dtype, '')}",
        )
