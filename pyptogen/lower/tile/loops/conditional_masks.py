"""Masks are computed only in the iterations whose block reaches beyond the causal bound of a row of the tile.

before: for kv0 … before sq0 + sq0_valid + A:
          far = positions kv0; s = mul qk, scale; b = sub limit, far; y = minimum s, b mask; m = amax y
after:  for kv0 … before sq0 + sq0_valid + A:
          s = mul qk, scale
          for kv1 in kv0..kv after sq0 + 1 + A once: far = positions kv0; b = sub limit, far; s = minimum s, b
          m = amax s

Elements ahead of sq0 + 1 + A are within the causal bound of the tile's first row, sq0 (`Loop.causal_bound` of the
Tensor level), so within that of every row. In causal attention that holds for all blocks but the last one or two.
Where one core does matrix and vector work (`cpu`), `split_index_sets` separates the rows instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.tensor.program_names import loop_variable
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp, walk, walk_loops
from pyptogen.lower.tile.ops import Binary, Cast, Fill, Iota, Unary
from pyptogen.lower.tile.renamed import renamed_node
from pyptogen.records import replace

MADE_LATER = (Binary, Cast, Fill, Iota, Unary)
"""What makes a mask and may be computed later in its iteration, or not at all."""


def run(kernel: TileKernel) -> TileKernel:
    """One kernel; as it was where no iteration has a mask."""
    if not any(map(_is_mask, walk(kernel.body))):
        return kernel
    return _Guard(kernel).run()


def _is_mask(op: TileOp) -> bool:
    return isinstance(op, Binary) and op.mask


class _Guard:
    def __init__(self, kernel: TileKernel) -> None:
        self.kernel = kernel
        self.tiles = {tile.name: tile for tile in kernel.tiles}
        self.uses = Counter(name for op in walk(kernel.body) for name in op.tiles)
        self.taken = {*kernel.arguments, *self.tiles, *(loop.var for loop in walk_loops(kernel.body))}
        self.in_place: dict[str, str] = {}
        """Masked scores, and the scores whose place they take."""

    def run(self) -> TileKernel:
        body = self._nodes(self.kernel.body, (), None)
        body = tuple(renamed_node(node, {}, self.in_place) for node in body)
        tiles = tuple(tile for tile in self.kernel.tiles if tile.name not in self.in_place)
        return replace(self.kernel, body=body, tiles=tiles)

    def _nodes(self, nodes: Sequence[Node], around: tuple[Loop, ...], iteration: Loop | None) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                inside = node if node.role == "sequential" and node.before is not None else iteration
                node = replace(node, body=self._nodes(node.body, (*around, node), inside))
            elif iteration is not None and _is_mask(node):
                first = _first_bound(iteration, around)
                if first is not None and self._goes_in_place(node):
                    node = self._guarded(node, result, iteration, first)
            result.append(node)
        return tuple(result)

    def _goes_in_place(self, mask: TileOp) -> bool:
        """Whether the masked scores can take the place of the scores, which nothing else reads."""
        scores, masked = self.tiles[str(mask.srcs[0])], self.tiles[str(mask.dst)]
        alike = scores == replace(masked, name=scores.name, span=scores.span)
        windows = {tile.parent for tile in self.tiles.values()}
        return alike and self.uses[scores.name] == 2 and not {scores.name, masked.name} & windows

    def _guarded(self, mask: TileOp, ahead: list[Node], iteration: Loop, first: Poly) -> Loop:
        """The mask as a condition; what it alone needs goes there from the nodes ``ahead`` of it."""
        scores = str(mask.srcs[0])
        self.in_place[str(mask.dst)] = scores
        body: list[Node] = [mask]
        staying: list[Node] = []
        for node in reversed(ahead):
            if not (isinstance(node, TileOp) and node.dst == scores) and self._belongs_to(node, body, staying):
                body.insert(0, node)
            else:
                staying.insert(0, node)
        ahead[:] = staying
        var = loop_variable(iteration.var.rstrip("0123456789") + "1", self.taken)
        self.taken.add(var)
        start, stop, tile = Poly.of(iteration.var), iteration.stop, iteration.tile
        once = Loop(var, iteration.dim, start, stop, tile, None, "sub", False, tuple(body), mask.span, once=True)
        return replace(once, after=first, index_set="masked")

    def _belongs_to(self, node: Node, readers: Sequence[Node], between: Sequence[Node]) -> bool:
        """Whether a node makes a tile that these ``readers`` alone read, from what nothing ``between`` overwrites."""
        if not isinstance(node, MADE_LATER):
            return False
        made = str(node.dst)
        reads = sum(op.tiles.count(made) for op in walk(readers))
        own = self.tiles[made].parent is None and reads > 0 and self.uses[made] == reads + 1
        return own and not any(name in node.operands for op in walk(between) for name in op.written)


def _first_bound(iteration: Loop, around: Sequence[Loop]) -> Poly | None:
    """The causal bound of the first row of a tile; None where iterations do not end by the rows.

    Iterations end ``before`` the causal bound of the last row: the number of the row and one more.
    """
    assert iteration.before is not None
    for rows in around:
        extent = Poly.of(rows.tile if rows.valid is None else rows.valid)
        if rows is not iteration and rows.var in iteration.before.names():
            return iteration.before - extent + 1
    return None
