"""Permutations that are views: the axes of a product's operand or result lie in GM in another order.

before: q_h = permute(q, [1, 0, 2]); s = batch_matmul(q_h, k); o = permute(s, [1, 0, 2])
after:  q_h = reorder(q, [1, 0, 2]); s = batch_matmul(q_h, k); o = reorder(s, [1, 0, 2])

A reorder costs nothing: products load and store rows wherever they lie. It keeps the last axis, so that rows stay runs.
Every other permutation is a copy.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import BINARY, PRODUCTS, UNARY, Op, Program, Value


_COMPUTED = PRODUCTS | UNARY | BINARY | {"cast", "where"}
"""What is stored where an output has it."""
_PARTS = frozenset({"transpose", "block", "slice", "reshape"})
"""Views of a permuted value that products read where it lies."""


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
    return axes[-1] == len(axes) - 1 and (_feeds_products(program, op) or is_order_of_output(program, op))


def _readers(program: Program, name: str) -> list[Op]:
    return [op for op in program.ops if any(isinstance(v, Value) and v.name == name for v in op.operands)]


def _is_output(program: Program, name: str) -> bool:
    return any(value.name == name for _, value in program.outputs)


def _feeds_products(program: Program, op: Op) -> bool:
    """Whether products are all that reads it; in a round of a loop, which has no copies, also what it is turned to."""
    readers = _readers(program, op.result.name)
    return not _is_output(program, op.result.name) and all(
        reader.kind in PRODUCTS or (reader.kind in _PARTS and _feeds_products(program, reader))
        for reader in readers
    )


def is_order_of_output(program: Program, op: Op) -> bool:
    """Whether it is only the order in which an output takes a computed value that nothing else reads: `op` and the
    reshapes around it."""
    made_by = {other.result.name: other for other in program.ops}
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
        if source.name not in made_by or len(_readers(program, source.name)) != 1 or _is_output(program, source.name):
            return False
        maker = made_by[source.name]
    outputs = [value for _, value in program.outputs if value.name == last.result.name]
    return maker.kind in _COMPUTED and not maker.loop and len(outputs) == 1


RULES: Mapping[str, Rule] = {"permute": permute}
