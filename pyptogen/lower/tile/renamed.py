"""Copies of nodes and tiles in which loop variables, extents and tiles have other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from pyptogen.lower.expr import Poly
from pyptogen.lower.tile.ir import Extent, GmRef, Loop, Node, TileVal

Names = Mapping[str, str]
_NONE: Names = MappingProxyType({})


def renamed_tile(tile: TileVal, names: Names) -> TileVal:
    """The tile with other names of loop variables and extents."""
    offset = _poly(tile.row_offset, names)
    return replace(tile, rows=_extent(tile.rows, names), cols=_extent(tile.cols, names), row_offset=offset)


def renamed_node(node: Node, names: Names, tiles: Names = _NONE) -> Node:
    """The node with other names of loop variables and extents, and of ``tiles``."""
    if isinstance(node, Loop):
        after, before = (p if p is None else _poly(p, names) for p in (node.after, node.before))
        body = tuple(renamed_node(inner, names, tiles) for inner in node.body)
        start, stop = _poly(node.start, names), _poly(node.stop, names)
        return replace(node, start=start, stop=stop, after=after, before=before, body=body)
    gm = node.gm if node.gm is None else _window(node.gm, names)
    first = node.first if node.first is None else " + ".join(names.get(n, n) for n in node.first.split(" + "))
    index, step = _poly(node.index_offset, names), _poly(node.index_step, names)
    srcs = tuple(tiles.get(s, s) if isinstance(s, str) else s for s in node.srcs)
    dst, scratch = (name if name is None else tiles.get(name, name) for name in (node.dst, node.scratch))
    row = _poly(node.row, names)
    return replace(
        node, dst=dst, srcs=srcs, scratch=scratch, gm=gm, first=first, row=row, index_offset=index, index_step=step
    )


def _poly(poly: Poly, names: Names) -> Poly:
    return poly.renamed(lambda name: names.get(name, name))


def _extent(extent: Extent, names: Names) -> Extent:
    return extent if extent.valid is None else Extent(extent.size, _poly(extent.valid, names))


def _window(ref: GmRef, names: Names) -> GmRef:
    offset, rows, cols = _poly(ref.offset, names), _poly(ref.row_stride, names), _poly(ref.col_stride, names)
    k, n, matrix = _poly(ref.k, names), _poly(ref.n, names), _poly(ref.matrix, names)
    moved = replace(ref, offset=offset, row_stride=rows, col_stride=cols, k=k, n=n, matrix=matrix)
    return replace(moved, rows=_extent(ref.rows, names), cols=_extent(ref.cols, names))
