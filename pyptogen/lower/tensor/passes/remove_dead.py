"""Pass: drops operations that no output needs.

before: ``a = exp(x); b = abs(x); y = a + x``    with the output ``y``
after:  ``a = exp(x); y = a + x``

Afterwards every operation is needed by an output; order, names and stages are as before. What a kernel by hand stores
stays as a whole.
"""

from __future__ import annotations

from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.records import replace


def run(program: Program) -> Program:
    """The program without dead operations. A value that a loop carries needs its next one, so a loop is looked at again
    until nothing more is needed."""
    needed = {value.name for _, value in program.outputs}
    following = dict(pair for loop in program.loops for pair in loop.carried)
    carries = {loop.name: {carry for carry, _ in loop.carried} for loop in program.loops}
    kernels: set[str] = set()
    kept: list[Op] = []
    while True:
        before = len(needed)
        kept = []
        for op in reversed(program.ops):
            decides = op.kind == "only" and not needed.isdisjoint(carries[op.loop])
            if op.result.name in needed or op.attrs.get("kernel") in kernels or decides:
                needed |= {operand.name for operand in op.operands if isinstance(operand, Value)}
                needed |= {following[op.result.name]} if op.result.name in following else set()
                kept.append(op)
                if op.kind == "by_hand":
                    kernels.add(op.attrs["kernel"])
        if not program.loops or len(needed) == before:
            break
    loops = tuple(
        replace(loop, carried=tuple(pair for pair in loop.carried if pair[0] in needed)) for loop in program.loops
    )
    there = {op.loop for op in kept}
    return replace(program, ops=tuple(reversed(kept)), loops=tuple(loop for loop in loops if loop.name in there))
