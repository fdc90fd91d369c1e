"""Refuses what a platform cannot keep in memory: dtypes that no transfer takes, and outputs in `nz` of which nothing
proves that they end at whole boxes."""

from __future__ import annotations

import sympy

from pyptogen.diagnostics import fault
from pyptogen.lower.expr import from_sympy
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.platforms import PLATFORMS, Platform
from pyptogen.lower.tensor.ir import DTYPES, Program, Value
from pyptogen.lower.tensor.legality import dim_table


def check(program: Program, platform: Platform) -> None:
    """Raises PTG303 for the first of them."""
    _check_dtypes(program, platform)
    for value in program.laid_out.values():
        if value.layout == "nz":
            _check_boxes(program, value, platform)


def _check_boxes(program: Program, value: Value, platform: Platform) -> None:
    """Rows of a size that only a call knows are whole boxes, and so are columns of one of several matrices."""
    dims = dim_table(program)
    multiples = {dim.name: dim.multiple_of for dim in program.dims}
    box = platform.box(DTYPES[value.dtype])
    checked = (-2, -1) if len(value.shape) > 2 else (-2,)
    for axis, step in zip(checked, box, strict=False):
        size = sympy.sympify(dims.resolve(value.shape[axis]))
        if not size.free_symbols or (size.is_polynomial() and from_sympy(size, {}).is_multiple_of(step, multiples)):
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
    """No value has a dtype that is not there at all; a bool is a byte in memory."""
    transfers = INSTRUCTIONS["TLOAD"].dtypes
    for value in (*program.inputs, *(op.result for op in program.ops)):
        if value.dtype == "bool" or value.dtype in transfers[platform.name]:
            continue
        others = [name for name in PLATFORMS if value.dtype in transfers[name]]
        raise fault(
            "PTG303",
            f"`{value.name}` is {value.dtype}, which {platform.name} does not have",
            value.span,
            expected=", ".join(sorted(transfers[platform.name])),
            fix=f"name the targets that have it: `targets: [{', '.join(others)}]`",
        )
