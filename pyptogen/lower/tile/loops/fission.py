"""Loop fission at the fifos: where the iterations of a mixed kernel's loop go over rows of their tile, one loop for
what can be done before the other core has answered, and one for what cannot.

cube, before:   for kv0: k = load …; v = load …
                         for sq1: s = matmul q_rows, k; push s; p = pop …; o = matmul p, v; push o
       after:   for kv0: k = load …
                         for sq1: s = matmul q_rows, k; push s
                         v = load …
                         for sq2: p = pop …; o = matmul p, v; push o

vector, before: for kv0: for sq1: s = pop …; p, a = …; push p; acc_rows = mul acc_rows, a; o = pop …; acc_rows = add …
        after:  for kv0: for sq1: s = pop …; p, a_rows = …; push p
                         for sq2: acc_rows_2 = mul acc_rows_2, a_rows_2
                         for sq3: o = pop …; acc_rows_3 = add acc_rows_3, o

A core then has the rows of a whole tile on their way before it waits, and each of these loops is a stage of a software
pipeline over the iterations (`pipeline`). What one loop hands to another gets a tile for all rows (scalar expansion).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from pyptogen.lower.expr import Poly
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import Extent, Loop, Node, TileKernel, TileVal, walk, walk_loops
from pyptogen.lower.tile.loops.fifo_stages import accessed, ahead_of, before_first_pop, following, late_pop, written
from pyptogen.lower.tile.ops import FifoOp, Load, ReadIndex
from pyptogen.lower.tile.renamed import renamed_node, renamed_tile
from pyptogen.records import replace

Parts = list[tuple[Node, ...]]


def run(kernel: TileKernel) -> TileKernel:
    """The program of one core in which loops over the rows of an iteration are divided, as far as that is legal."""
    return _Fission(kernel).run()


class _Fission:
    def __init__(self, kernel: TileKernel) -> None:
        self.kernel = kernel
        loops = list(walk_loops(kernel.body))
        names = {name for loop in loops for name in (loop.var, loop.valid) if name is not None}
        self.added = AddedTiles(kernel.tiles, {*kernel.arguments, *names})

    def run(self) -> TileKernel:
        body = self._nodes(self.kernel.body)
        return replace(self.kernel, body=body, tiles=tuple(self.added.tiles.values()))

    def _nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop) and node.role == "sequential":
                node = self._iteration(node)
            elif isinstance(node, Loop):
                node = replace(node, body=self._nodes(node.body))
            result.append(node)
        return tuple(result)

    def _iteration(self, loop: Loop) -> Loop:
        """The loop of the iterations with its loops over rows divided."""
        result: list[Node] = []
        for node in loop.body:
            parts = self._parts(node) if isinstance(node, Loop) and node.role == "sub" and _is_whole(node) else []
            if isinstance(node, Loop) and len(parts) > 1 and self._is_legal(node, parts):
                result = _beside_their_users(result, self._divided(node, parts))
            else:
                result.append(node)
        return replace(loop, body=tuple(result))

    def _parts(self, loop: Loop) -> Parts:
        """The nodes of a body by the loop that they go to, in the order of the loops."""
        body = loop.body
        if self.kernel.core == "cube":
            last = before_first_pop(body)
            return [body[:last], body[last:]] if 0 < last < len(body) else []
        late = late_pop(body)
        if late is None:
            return []
        behind = following(body, late, self._owned)
        first, ahead = ahead_of(body, late, behind, self._owned)
        return [part for part in (tuple(body[i] for i in places) for places in (ahead, first, sorted(behind))) if part]

    def _owned(self, names: Iterable[str]) -> set[str]:
        return {self.added.tiles[name].owner for name in names}

    # -- legality -----------------------------------------------------------------------------------------------------

    def _is_legal(self, loop: Loop, parts: Parts) -> bool:
        """Whether each part may be done for all rows before the next one begins."""
        ops = walk(loop.body)
        if any(isinstance(op, ReadIndex) or op.index_tensor is not None for op in ops):
            return False
        fifos = [{op.fifo for op in walk(part) if isinstance(op, FifoOp)} for part in parts]
        loaded = {op.window.tensor for op in ops if isinstance(op, Load)}
        stored = {op.window.tensor for op in ops if op.window is not None and not isinstance(op, Load)}
        if stored & loaded or any(a & b for a, b in combinations(fifos, 2)):
            return False
        return all(self._may_precede(loop, part, later) for part, later in combinations(parts, 2))

    def _may_precede(self, loop: Loop, part: Sequence[Node], later: Sequence[Node]) -> bool:
        """Whether a part may be done for all rows before a later one is for any: nothing that depends on each other
        changes places in the body, and what both work on lies by rows, or can if only the first one writes it."""
        places = {id(node): place for place, node in enumerate(loop.body)}
        overtaken = ((node, other) for node in later for other in part if places[id(node)] < places[id(other)])
        if any(self._owned(accessed([node])) & self._owned(written([other])) for node, other in overtaken):
            return False
        made, changed = self._owned(written(part)), self._owned(written(later))
        both = made & self._owned(accessed(later)) | changed & self._owned(accessed(part))
        users = accessed(loop.body)
        return all(
            self._has_rows(loop, owner, users) or (owner not in changed and self._can_expand(loop, owner))
            for owner in both
        )

    def _is_of_rows(self, loop: Loop, name: str) -> bool:
        """Whether a tile has the rows that the loop is at, and no others."""
        tile = self.added.tiles[name]
        return tile.rows == Extent(loop.tile, None if loop.valid is None else Poly.of(loop.valid))

    def _has_rows(self, loop: Loop, owner: str, users: Iterable[str]) -> bool:
        """Whether a tile of all rows is used through windows that are the loop's rows."""
        windows = [tile for tile in map(self.added.tiles.__getitem__, users) if tile.owner == owner]
        return all(self._is_window_of_rows(loop, tile) for tile in windows)

    def _is_window_of_rows(self, loop: Loop, tile: TileVal) -> bool:
        at_rows = tile.row_offset + loop.start == Poly.of(loop.var)
        return tile.parent is not None and at_rows and self._is_of_rows(loop, tile.name)

    def _can_expand(self, loop: Loop, name: str) -> bool:
        """Whether all rows of a tile that one part hands to another can have a tile together."""
        of_rows = self.added.tiles[name].form != "row" and self._is_of_rows(loop, name)
        own = all(tile.parent != name for tile in self.added.tiles.values())
        return of_rows and own and self._window(loop) is not None

    def _window(self, loop: Loop) -> TileVal | None:
        """A window that is the loop's rows of a tile of all rows."""
        tiles = (self.added.tiles[name] for name in sorted(accessed(loop.body)))
        return next((tile for tile in tiles if self._is_window_of_rows(loop, tile)), None)

    # -- loops --------------------------------------------------------------------------------------------------------

    def _divided(self, loop: Loop, parts: Parts) -> list[Loop]:
        """A loop for each part."""
        window, made = self._window(loop), [written(part) for part in parts]
        for name in sorted(
            {n for i, part in enumerate(parts) for n in accessed(part) if any(n in m for m in made[:i])}
        ):
            if self._is_of_rows(loop, name) and self.added.tiles[name].parent is None:
                assert window is not None and window.parent is not None
                tile = self.added.tiles[name]
                whole = self.added.add(f"{name}_all", replace(tile, rows=self.added.tiles[window.parent].rows))
                self.added.tiles[name] = replace(tile, parent=whole, row_offset=window.row_offset)
        loops, seen, named = [replace(loop, body=parts[0])], accessed(parts[0]), dict(self.added.tiles)
        for part in parts[1:]:
            loops.append(self._renamed(loop, part, named, seen))
            seen |= accessed(part)
        return loops

    def _renamed(self, loop: Loop, part: Sequence[Node], named: Mapping[str, TileVal], seen: set[str]) -> Loop:
        """The loop with a part of its body, and a variable of its own. ``named``: the tiles as the whole loop names
        them; ``seen``: those that earlier loops have."""
        var = self.added.numbered(loop.var.rstrip("0123456789"))
        valid = None if loop.valid is None else f"{var}_valid"
        names = {loop.var: var} | ({} if loop.valid is None or valid is None else {loop.valid: valid})
        tiles: dict[str, str] = {}
        for name in sorted(accessed(part)):
            renamed = renamed_tile(named[name], names)
            if name in seen and renamed != named[name]:
                tiles[name] = self.added.add(name, renamed)
            else:
                self.added.tiles[name] = renamed
        body = tuple(renamed_node(node, names, tiles) for node in part)
        return replace(loop, var=var, valid=valid, body=body)


def _is_whole(loop: Loop) -> bool:
    """Whether a loop goes over all rows: those that leave some out may have none, and are no stage of a pipeline."""
    return loop.after is None and loop.before is None and loop.only is None and not loop.once


def _beside_their_users(nodes: Sequence[Node], loops: Sequence[Loop]) -> list[Node]:
    """Nodes ahead of loops, each in front of the first loop that uses what it makes, or of what is made of that: it
    waits no longer. Others stay ahead of all."""
    used = [accessed(loop.body) for loop in loops]
    result: list[list[Node]] = [[] for _ in loops]
    for node in reversed(nodes):
        mine = written([node])
        users = (n for n, tiles in enumerate(used) if tiles & mine)
        at = next(users, 0) if mine else 0
        used[at] |= accessed([node])
        result[at].insert(0, node)
    return [node for ahead, loop in zip(result, loops, strict=True) for node in (*ahead, loop)]
