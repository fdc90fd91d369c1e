"""Refuses dtypes that a platform does not have at all: no transfer takes them."""

from __future__ import annotations

from pyptogen.diagnostics import fault
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.platforms import PLATFORMS, Platform
from pyptogen.lower.tensor.ir import Program


def check(program: Program, platform: Platform) -> None:
    """Raises PTG303 for the first value of such a dtype; a bool is a byte in memory."""
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
