"""Chains of views: the value with data of its own behind one, and the indices that lead to what it shows."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.ir import VIEWS, Op, Value


def value_views(ops: Mapping[str, Op], name: str) -> list[Op]:
    """The chain of views from the root of ``name`` to it, outermost last."""
    chain: list[Op] = []
    while name in ops and ops[name].kind in VIEWS:
        chain.append(ops[name])
        operand = ops[name].operands[0]
        assert isinstance(operand, Value)
        name = operand.name
    return chain[::-1]


def root(name: str, defining: Mapping[str, Op]) -> str:
    """The value with data of its own behind a chain of views."""
    while name in defining and defining[name].kind in VIEWS:
        operand = defining[name].operands[0]
        assert isinstance(operand, Value)
        name = operand.name
    return name


def indices_of(name: str, defining: Mapping[str, Op]) -> list[str]:
    """The indices that lead to what a chain of views shows, and those that lead to these."""
    gathered = [view.operands[1] for view in value_views(defining, name) if view.kind == "gathered"]
    names = [index.name for index in gathered if isinstance(index, Value)]
    return names + [further for index in names for further in indices_of(index, defining)]


def read_with(name: str, defining: Mapping[str, Op]) -> set[str]:
    """The values with data of their own that are read with ``name``: its root, and those of its indices."""
    return {root(read, defining) for read in (name, *indices_of(name, defining))}


def shown_part(name: str, defining: Mapping[str, Op]) -> tuple[str, list[Op]]:
    """The value that ``name`` is a part of, and the views that lead to the part, outermost last: slices, other shapes,
    other orders of axes. Blocks of a loop are all of what they are taken from; where a block is cut further the way
    ends at it."""
    chain: list[Op] = []
    while name in defining:
        op = defining[name]
        if op.kind == "block" and not any(view.kind == "slice" for view in chain):
            chain = []
        elif op.kind in ("reshape", "transpose", "permute", "reorder", "slice"):
            chain.append(op)
        else:
            break
        operand = op.operands[0]
        assert isinstance(operand, Value)
        name = operand.name
    return name, chain[::-1]


def input_part(name: str, defining: Mapping[str, Op]) -> tuple[str, list[Op]] | None:
    """The input that a value is a part of as a call gives it, and the views that lead to the part. None for what is
    computed, and for a part of a block."""
    whole, views = shown_part(name, defining)
    return None if whole in defining else (whole, views)
