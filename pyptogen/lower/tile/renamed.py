"""Copies of nodes and tiles in which loop variables, extents and tiles have other names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pyptogen.lower.expr import Poly
from pyptogen.lower.tile.ir import Loop, Node, TileVal
from pyptogen.records import replace

Names = Mapping[str, str]
_NONE: Names = MappingProxyType({})


def renamed_tile(tile: TileVal, names: Names) -> TileVal:
    """The tile with other names of loop variables and extents."""

    def renamed(poly: Poly) -> Poly:
        return _poly(poly, names)

    rows, cols = tile.rows.renamed(renamed), tile.cols.renamed(renamed)
    return replace(tile, rows=rows, cols=cols, row_offset=renamed(tile.row_offset))


def renamed_node(node: Node, names: Names, tiles: Names = _NONE) -> Node:
    """The node with other names of loop variables and extents, and of ``tiles``."""
    if isinstance(node, Loop):
        after, before = (p if p is None else _poly(p, names) for p in (node.after, node.before))
        body = tuple(renamed_node(inner, names, tiles) for inner in node.body)
        start, stop = _poly(node.start, names), _poly(node.stop, names)
        return replace(node, start=start, stop=stop, after=after, before=before, body=body)
    return node.renamed(
        lambda poly: _poly(poly, names), lambda loop: names.get(loop, loop), lambda tile: tiles.get(tile, tile)
    )


def _poly(poly: Poly, names: Names) -> Poly:
    return poly.renamed(lambda name: names.get(name, name))
