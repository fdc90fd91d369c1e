"""Index-set splitting: rows whose causal bound lies behind the block need no mask, the others not all of its columns.

before: for kv0 …: for sq1 … after A: s = matmul q, k; y = minimum s, bound mask; m = amax y
after:  for kv0 …: for sq1 … after A before A + 255:                               the bound lies inside the block
                     for kv1 in kv0..sq1 + sq1_valid + kv0 - A once: the same with the columns up to kv1_valid
                   for sq2 … after A + 382: s = matmul q, k; m = amax s            the bound lies behind the block

The causal bound of row i is element i + kv0 - A (`Loop.causal_bound` of the Tensor level). All columns are kept where
every block is as long as its tile, and where iterations leave something in GM.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.tensor.program_names import loop_variable
from pyptogen.lower.tile.ir import Extent, Loop, Node, TileKernel, TileOp, TileVal, rewrite, walk, walk_loops
from pyptogen.lower.tile.ops import Binary, FifoOp, Load, Matmul, ScatterRows, Store
from pyptogen.lower.tile.renamed import renamed_node, renamed_tile
from pyptogen.records import replace


def run(kernel: TileKernel) -> TileKernel:
    """One kernel; as it was where no loop over rows has a mask."""
    if not any(map(_is_mask, walk(kernel.body))):
        return kernel
    return _Splitter(kernel).run()


class _Splitter:
    def __init__(self, kernel: TileKernel) -> None:
        self.kernel = kernel
        self.tiles = {tile.name: tile for tile in kernel.tiles}
        self.taken = {*kernel.arguments, *self.tiles, *(loop.var for loop in walk_loops(kernel.body))}

    def run(self) -> TileKernel:
        body = self._nodes(self.kernel.body, None)
        used = _mentioned(body)
        owners = {tile.parent for name, tile in self.tiles.items() if name in used}
        kept = tuple(tile for name, tile in self.tiles.items() if name in used or name in owners)
        return replace(self.kernel, body=body, tiles=kept)

    def _nodes(self, nodes: Sequence[Node], blocks: Loop | None) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if not isinstance(node, Loop):
                result.append(node)
            elif blocks is not None and node.after is not None and any(map(_is_mask, walk(node.body))):
                result += self._split(node, node.after, blocks)
            else:
                around = node if node.role == "sequential" else blocks
                result.append(replace(node, body=self._nodes(node.body, around)))
        return tuple(result)

    def _split(self, loop: Loop, after: Poly, blocks: Loop) -> tuple[Loop, Loop]:
        """Rows whose causal bound lies inside of the block of ``blocks``, and those whose bound lies behind it."""
        own = self._own(loop)
        copies = {name: self._name(f"{name}_part") for name in own}
        for name, copy in copies.items():
            parent = self.tiles[name].parent
            self.tiles[copy] = replace(self.tiles[name], name=copy, parent=copies.get(parent or "", parent))
        behind = after + (blocks.tile - 1)  # the first row whose bound is the last element
        body = tuple(renamed_node(node, {}, copies) for node in loop.body)
        part = replace(loop, body=self._bounded_columns(loop, body, after, blocks), before=behind, index_set="partial")
        return part, self._whole(loop, own, behind + (loop.tile - 1))

    def _own(self, loop: Loop) -> list[str]:
        """The tiles of one iteration: made in it and used nowhere else, or windows that move with it."""
        inside = _mentioned(loop.body)
        uses = [name for op in walk(self.kernel.body) for name in op.tiles]
        here = [name for op in walk(loop.body) for name in op.tiles]
        made = {op.dst for op in walk(loop.body)}
        moving = {loop.var, loop.valid}

        def is_own(tile: TileVal) -> bool:
            if tile.parent is not None:
                return tile.parent in made or not moving.isdisjoint(_extents(tile) | tile.row_offset.names())
            return tile.name in made and uses.count(tile.name) == here.count(tile.name)

        return [name for name in self.tiles if name in inside and is_own(self.tiles[name])]

    def _whole(self, loop: Loop, own: Iterable[str], after: Poly) -> Loop:
        """The loop in a variable of its own, without masks and what only they read."""
        var = self._variable(loop.var.rstrip("0123456789"), 2)
        names = {loop.var: var}
        valid = None
        if loop.valid is not None:
            valid = names[loop.valid] = f"{var}_valid"
        for name in own:
            self.tiles[name] = renamed_tile(self.tiles[name], names)
        instead = {str(op.dst): str(op.srcs[0]) for op in walk(loop.body) if _is_mask(op)}
        body = tuple(
            renamed_node(node, names, instead) for node in rewrite(loop.body, lambda op: () if _is_mask(op) else (op,))
        )
        return replace(loop, var=var, valid=valid, body=_needed(body, set(own)), after=after, index_set="full")

    def _bounded_columns(self, loop: Loop, body: tuple[Node, ...], after: Poly, blocks: Loop) -> tuple[Node, ...]:
        """The body for the columns up to the causal bound of the iteration's last row, as a loop of one iteration."""
        ops = list(walk(body))
        leaves = any(isinstance(op, Store | ScatterRows) or _is_of_fifo(op) for op in ops)
        scaled = any(isinstance(op, Matmul) and op.is_scaled for op in ops)
        if blocks.valid is None or leaves or scaled:
            return body
        var = self._variable(blocks.var.rstrip("0123456789"), 1)
        names, windows = {blocks.valid: f"{var}_valid"}, {}
        made = {op.dst for op in ops}
        for name in sorted(_mentioned(body), key=list(self.tiles).index):
            tile = self.tiles[name]
            if blocks.valid not in _extents(tile):
                continue
            if name in made or tile.parent in made:
                self.tiles[name] = renamed_tile(tile, names)
            else:
                windows[name] = self._name(f"{name}_part")
                window = replace(tile, name=windows[name], parent=tile.parent or name)
                self.tiles[windows[name]] = renamed_tile(window, names)
        rows = Poly.of(loop.tile if loop.valid is None else loop.valid)
        stop, nodes = (
            Poly.of(loop.var) + rows + blocks.var - after,
            tuple(renamed_node(n, names, windows) for n in body),
        )
        start, columns = Poly.of(blocks.var), names[blocks.valid]
        inner = Loop(var, blocks.dim, start, stop, blocks.tile, columns, "sub", False, nodes, loop.span, once=True)
        return (replace(inner, index_set="columns"),)

    def _name(self, wanted: str) -> str:
        name, n = wanted, 1
        while name in self.taken:
            n += 1
            name = f"{wanted}_{n}"
        self.taken.add(name)
        return name

    def _variable(self, base: str, number: int) -> str:
        var = loop_variable(f"{base}{number}", self.taken)
        self.taken.add(var)
        return var


def _is_mask(op: TileOp) -> bool:
    return isinstance(op, Binary) and op.mask


def _is_of_fifo(op: TileOp) -> bool:
    return isinstance(op, FifoOp) or (isinstance(op, Load) and op.fifo is not None)


def _mentioned(nodes: Sequence[Node]) -> set[str]:
    return {name for op in walk(nodes) for name in op.tiles}


def _extents(tile: TileVal) -> set[str]:
    """The names in a tile's valid rows and columns."""
    extents: tuple[Extent, ...] = (tile.rows, tile.cols)
    return {name for extent in extents for name in extent.poly().names()}


def _needed(nodes: tuple[Node, ...], own: set[str]) -> tuple[Node, ...]:
    """The nodes without operations whose results nobody reads any more."""
    while True:
        read = {name for op in walk(nodes) for name in op.operands}
        unread = own - read
        left = rewrite(nodes, lambda op, unread=unread: () if op.dst in unread and not _is_of_fifo(op) else (op,))  # type: ignore[misc]
        if left == nodes:
            return nodes
        nodes = left
