"""What a loop will load next comes into L1 while a pass computes.

before: for rows0 …: pass(load x; max), pass(exp; sum), pass(divide; store)
after:  the second pass asks for the rows of x of the next iteration, a line for each of its vectors

A pass that moves nothing to or from GM keeps the arithmetic units busy and leaves memory idle: that is where the next
iteration's rows are asked for, if such a pass walks over as many rows and columns as the load did. With exponentials
and logarithms it always takes long enough to hide it (softmax: 9 % less time); else where the pass that loads moves
nothing else (layer_norm: 15 % less on Zen 5; 8 % more where it also loads a residual and stores the sum, which memory
is still busy with), as far as the machine gains by it (`ask_between`: not one with a matrix unit). In passes that
store, asking gains nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import For, GmWindow, Node, Pass
from pyptogen.records import replace

SLOW = frozenset({"TEXP", "TLOG"})


def run(body: Sequence[Node]) -> tuple[Node, ...]:
    """The same nodes, with `ahead` of the passes that ask for something."""
    return tuple(replace(node, body=_in_loop(node)) if isinstance(node, For) else node for node in body)


def _in_loop(loop: For) -> tuple[Node, ...]:
    body = list(run(loop.body))
    loads = [
        (window, node)
        for node in body
        if isinstance(node, Pass)
        for member in node.members
        for window in member.operands
        if member.name == "TLOAD" and isinstance(window, GmWindow) and _advances(window, loop)
    ]
    for i, node in enumerate(body):
        if not isinstance(node, Pass) or _windows(node):
            continue
        slow = any(member.name in SLOW for member in node.members)
        found = next(
            (w for w, at in loads if (at.rows, at.cols) == (node.rows, node.cols) and (slow or _windows(at) == 1)), None
        )
        if found is not None:
            rows = Poly.of("nblk") * loop.step if loop.parallel else Poly.of(loop.advance)
            body[i] = replace(node, ahead=((found, rows),))
            break
    return tuple(body)


def _advances(window: GmWindow, loop: For) -> bool:
    """Whether the next iteration's window is as many rows further on as the loop advances."""
    moved = {mono: coefficient for mono, coefficient in window.offset.terms if loop.var in mono}
    return moved == dict((Poly.of(loop.var) * window.row_stride).terms)


def _windows(node: Pass) -> int:
    """How many windows of global memory a pass moves."""
    return sum(isinstance(operand, GmWindow) for member in node.members for operand in member.operands)
