"""Names that a loop nest uses in bounds, offsets, strides and extents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.tile.ir import Loop, Node


def names_used(nodes: Sequence[Node]) -> set[str]:
    """Names in bounds, offsets, strides and extents."""
    return {name for poly in _polys(nodes) for name in poly.names()}


def _polys(nodes: Sequence[Node]) -> Iterator[Poly]:
    for node in nodes:
        if isinstance(node, Loop):
            yield from node.bounds()
            yield from _polys(node.body)
            continue
        yield node.index_offset
        yield node.row
        if node.gm is not None:
            gm = node.gm
            yield from (gm.offset, gm.row_stride, gm.col_stride, gm.k, gm.n, gm.matrix, gm.rows.poly(), gm.cols.poly())
