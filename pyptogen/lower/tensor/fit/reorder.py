"""Permutations that are views: the axes of an operand or a result lie in GM in another order.

before: q_h = permute(q, [1, 0, 2]); s = batch_matmul(q_h, k); o = permute(s, [1, 0, 2])
after:  q_h = reorder(q, [1, 0, 2]); s = batch_matmul(q_h, k); o = reorder(s, [1, 0, 2])

A reorder costs nothing: tiles are loaded and stored row by row, wherever the rows lie. It keeps the last axis, so that
rows stay runs. Every other permutation is a copy, and so is one of which an output, or what only copies, wants the
elements in their order.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import BINARY, COMPARE, PRODUCTS, REDUCE, ROUNDING, UNARY, Op, Program, Value

_COMPUTED = PRODUCTS | UNARY | BINARY | {"cast", "where"}
"""What an output takes in another order."""
_READING = _COMPUTED | REDUCE | ROUNDING | COMPARE | {"concat"}
"""What reads tiles, of which each row may lie somewhere else."""
_PARTS = frozenset({"transpose", "block", "slice", "reshape"})


def permute(f: Fitter, op: Op) -> Value:
    """A view where it can be one."""
    free = is_free(f.program, op)
    operands = [f.operand(operand) for operand in op.operands]
    return f.emit("reorder" if free else "permute", operands, op.result.dtype, op.result.shape, attrs=op.attrs)


def is_free(program: Program, op: Op) -> bool:
    """Whether it is a permutation that is a view."""
    if op.kind != "permute":
        return False
    axes = tuple(op.attrs["axes"])
    return axes[-1] == len(axes) - 1 and (_is_read_in_place(program, op) or is_order_of_output(program, op))


def _readers(program: Program, name: str) -> list[Op]:
    return [op for op in program.ops if any(isinstance(v, Value) and v.name == name for v in op.operands)]


def _is_output(program: Program, name: str) -> bool:
    return any(value.name == name for _, value in program.outputs)


def _is_read_in_place(program: Program, op: Op) -> bool:
    """Whether all that reads it, or parts of it, reads tiles."""
    return not _is_output(program, op.result.name) and all(
        reader.kind in _READING or (reader.kind in _PARTS and _is_read_in_place(program, reader))
        for reader in _readers(program, op.result.name)
    )


def is_order_of_output(program: Program, op: Op) -> bool:
    """Whether it is only the order in which an output takes a computed value that nothing else reads: `op` and the
    reshapes around it."""
    defining = {other.result.name: other for other in program.ops}
    last = op
    while not _is_output(program, last.result.name):
        readers = _readers(program, last.result.name)
        if len(readers) != 1 or readers[0].kind != "reshape":
            return False
        last = readers[0]
    if _readers(program, last.result.name) or last.result.name in program.inplace.values():
        return False
    maker = op
    while maker is op or maker.kind == "reshape":
        (source,) = maker.operands
        assert isinstance(source, Value)
        if source.name not in defining or len(_readers(program, source.name)) != 1 or _is_output(program, source.name):
            return False
        maker = defining[source.name]
    outputs = [value for _, value in program.outputs if value.name == last.result.name]
    return maker.kind in _COMPUTED and not maker.loop and len(outputs) == 1


RULES: Mapping[str, Rule] = {"permute": permute}
