"""Names that a loop nest uses in bounds, offsets, strides, extents and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.tile.ir import Loop, Node, ScalarArg


def names_used(nodes: Sequence[Node]) -> set[str]:
    """Names in bounds, offsets, strides and extents, and in the numbers that operations take."""
    return {name for poly in _polys(nodes) for name in poly.names()} | set(_in_numbers(nodes))


def _polys(nodes: Sequence[Node]) -> Iterator[Poly]:
    for node in nodes:
        if isinstance(node, Loop):
            yield from node.bounds()
            if node.only is not None:
                yield from node.only.polys()
            yield from _polys(node.body)
            continue
        yield from node.polys()


def _in_numbers(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Loop):
            yield from _in_numbers(node.body)
            continue
        for source in node.srcs:
            if isinstance(source, ScalarArg):
                yield from (symbol.name for symbol in getattr(source.expr, "free_symbols", ()))
