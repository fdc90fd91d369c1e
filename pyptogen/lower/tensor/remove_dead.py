"""Pass: drops operations that no output needs.

before: ``a = exp(x); b = abs(x); y = a + x``    with the output ``y``
after:  ``a = exp(x); y = a + x``

Afterwards every operation is needed by an output; order, names and stages are as before. What a kernel by hand stores
stays as a whole.
"""

from __future__ import annotations

from dataclasses import replace

from pyptogen.lower.tensor.ir import Program, Value


def run(program: Program) -> Program:
    """The program without dead operations."""
    needed = {value.name for _, value in program.outputs}
    kept = []
    kernels: set[str] = set()
    for op in reversed(program.ops):
        if op.result.name in needed or op.attrs.get("kernel") in kernels:
            needed |= {operand.name for operand in op.operands if isinstance(operand, Value)}
            kept.append(op)
            if op.kind == "by_hand":
                kernels.add(op.attrs["kernel"])
    return replace(program, ops=tuple(reversed(kept)))
