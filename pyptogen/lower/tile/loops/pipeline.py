"""Software pipelining of mixed kernels: a core begins the next iteration before it waits for the other core in this.

cube, before:   for kv0 in 0..kv step 128: s = matmul q, k; push s; p = pop …; o = matmul p, v; push o
       after:   for kv0 in -128..kv step 128:
                  for kv1 in kv0 + 128..kv once: s = matmul q, k; push s               the next iteration's
                  for kv2 in kv0..kv after 0 once: p = pop …; o = matmul p, v; push o  this iteration's

vector, before: for kv0 in 0..kv step 128: s = pop …; p, a = …; push p; acc = mul acc, a; o = pop …; acc = add acc, o
        after:  for kv0 in -128..kv step 128:
                  for kv1 in kv0 + 128..kv once: s = pop …; p, a = …; push p           the next iteration's
                  for kv2 in kv0..kv after 0 once: o = pop …; acc = add acc, o         this iteration's
                  for kv3 in kv0 + 128..kv once: acc = mul acc, a                      the next iteration's

That is a distance of one iteration; here is one of two, as fifos of three slots or more allow it:

vector, after:  for kv0 in -256..kv step 128:
                  for kv1 in kv0 + 256..kv once: s = pop …; p, a = …; push p           of two iterations later
                  for kv2 in kv0..kv after 0 once: o = pop …; acc = add acc, o         this iteration's
                  for kv3 in kv0 + 128..kv after 0 once: acc = mul acc, later          the next iteration's
                  for kv4 in kv0 + 256..kv once: later = copy a                        of two iterations later

While the vector core works on one iteration's products, the cube core makes the next iteration's; and while the cube
core multiplies what the vector core has pushed, that works on the next iteration's. On the cube core, what leads to
the pushes before the first pop of a body runs ahead, if nothing behind it uses its tiles or writes what it reads. On
the vector core, the first pop behind a push is what waits: with all that follows from it, and all that is made for
that alone where it must be, it stays behind, and what the next iteration does to the same tiles comes after it; what
it takes for that from a stage further ahead waits in tiles of its own, one for each iteration in between (a shift
register). Iterations that end early (causal attention) end as early ahead; those that a condition may leave out stay
as they are, and so do iterations that are distributed to blocks: the one behind a block's own is another block's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import Loop, Node, ScalarArg, TileKernel, parts_of_tile, walk, walk_loops
from pyptogen.lower.tile.loops.fifo_stages import accessed, ahead_of, before_first_pop, following, late_pop, written
from pyptogen.lower.tile.names import names_used
from pyptogen.lower.tile.ops import TRANSFERS_OUT, Copy, FifoOp, Push, ReadIndex
from pyptogen.lower.tile.renamed import renamed_node, renamed_tile
from pyptogen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class _Stage:
    """Part of an iteration's body, done so many iterations ahead."""

    nodes: tuple[Node, ...]
    ahead: int


def run(kernel: TileKernel, distance: int = 1) -> TileKernel:
    """The program of one core with its iterations in stages, as far as they stand in other loops: one that is never
    left out. ``distance``: how many iterations ahead the first stage is."""
    return _Pipeliner(kernel, distance).run()


def furthest(kernel: TileKernel) -> int:
    """How many iterations ahead the slots of a kernel's fifos allow its first stage to be: one iteration's tiles less
    than they hold."""
    slots = max((fifo.slots for fifo in kernel.fifos), default=0)
    return max(1, slots // _tiles_of_iteration(kernel.body, {}) - 1)


def _tiles_of_iteration(nodes: Sequence[Node], tiles: Mapping[str, int]) -> int:
    """The most tiles that an iteration passes through a fifo: one for each part of its rows. ``tiles``: sizes by their
    valid extents."""
    most = 1
    for loop in (node for node in nodes if isinstance(node, Loop)):
        inside = _tiles_of_iteration(loop.body, {**tiles, **({loop.valid: loop.tile} if loop.valid else {})})
        if loop.role == "sub" and any(isinstance(op, FifoOp) for op in walk(loop.body)):
            inside *= parts_of_tile(loop.start, loop.stop, loop.tile, tiles) or 1
        most = max(most, inside)
    return most


class _Pipeliner:
    def __init__(self, kernel: TileKernel, distance: int) -> None:
        self.kernel, self.distance = kernel, distance
        self.tiles = {tile.name: tile for tile in kernel.tiles}
        self.owners = {tile.name: tile.owner for tile in kernel.tiles}
        self.taken = {*kernel.arguments, *self.tiles, *(loop.var for loop in walk_loops(kernel.body))}

    def run(self) -> TileKernel:
        body = self._nodes(self.kernel.body)
        return replace(self.kernel, body=body, tiles=tuple(self.tiles.values()))

    def _nodes(self, nodes: Sequence[Node], within: bool = False) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                inside = replace(node, body=self._nodes(node.body, node.role == "grid"))
                node = self._in_stages(node) if node.role == "sequential" and within else inside
            result.append(node)
        return tuple(result)

    def _in_stages(self, loop: Loop) -> Loop:
        """A loop of iterations that begins with later ones'."""
        whole = loop.start == ZERO and loop.after is None and loop.only is None and not loop.parallel
        stages = (self._of_cube if self.kernel.core == "cube" else self._of_vector)(loop) if whole else []
        if not stages:
            return loop
        shifts, stages = self._delayed(loop, stages)
        parts: list[Loop] = []
        for stage in reversed(stages):
            start = Poly.of(loop.var) + loop.tile * stage.ahead
            part = self._once(loop, stage.nodes, start, written(stage.nodes))
            part = replace(part, before=loop.before) if stage.ahead else part
            parts.insert(0, replace(part, after=ZERO) if stage.ahead < self.distance else part)
        start = Poly.of(-loop.tile * self.distance)
        return replace(loop, start=start, valid=None, body=(*parts, *shifts))

    def _delayed(self, loop: Loop, stages: list[_Stage]) -> tuple[list[Loop], list[_Stage]]:
        """What ends the body, and the stages, so that what the last stage takes from the first, which is further ahead,
        waits for it: in as many tiles as iterations lie between, of which each takes over what the one behind has."""
        first, last = stages[0], stages[-1]
        between = first.ahead - last.ahead
        handed = sorted(self._owned(accessed(last.nodes)) & self._owned(written(first.nodes))) if last.ahead else []
        shifts: list[Loop] = []
        for name in handed if between else []:
            made = next(op for op in walk(first.nodes) if name in self._owned(op.written))
            added = AddedTiles(self.tiles.values(), self.taken)
            waiting = [added.like(f"{name}_later", self.tiles[name]) for _ in range(between)]
            names = {name: waiting[0]}
            for window in sorted(accessed(last.nodes) - {name}):
                if self.owners[window] == name:
                    names[window] = added.add(f"{window}_later", replace(self.tiles[window], parent=waiting[0]))
                    self.owners[names[window]] = waiting[0]
            self.tiles = added.tiles
            self.owners |= {tile: tile for tile in waiting}
            self.taken.update(waiting)
            for ahead, (tile, behind) in enumerate(pairwise((*waiting, name)), last.ahead + 1):
                copy = Copy(tile, (behind,), made.span, made.stage)
                moved = self._once(loop, (copy,), Poly.of(loop.var) + loop.tile * ahead, set())
                after = ZERO if ahead < first.ahead else None
                shifts.append(replace(moved, valid=None, before=loop.before, after=after))
            last = replace(last, nodes=tuple(renamed_node(node, {}, names) for node in last.nodes))
        return shifts, [*stages[:-1], last]

    def _of_cube(self, loop: Loop) -> list[_Stage]:
        """Ahead: up to the last push before the first pop."""
        last = before_first_pop(loop.body)
        ahead, behind = loop.body[:last], loop.body[last:]
        numbers = [n for n in ahead if isinstance(n, ReadIndex)]  # of indices: read in both
        behind = (*(n for n in numbers if n.name in names_used(behind)), *behind)
        if not last or written(ahead) & accessed(behind) or accessed(ahead) & written(behind):
            return []
        return [_Stage(ahead, self.distance), _Stage(behind, 0)]

    def _of_vector(self, loop: Loop) -> list[_Stage]:
        """Behind: the first pop after a push with all that follows from it. What works on the same tiles ahead of that
        pop comes last, in the next iteration's part."""
        late = late_pop(loop.body)
        if late is None or not all(_may_move(node, loop) for node in loop.body):
            return []
        behind = following(loop.body, late, self._owned)
        for found in (behind, self._with_made_for(loop, behind)):
            stages = self._of_parts(loop, late, found)
            if stages:
                return stages
        return []

    def _of_parts(self, loop: Loop, late: int, behind: set[int]) -> list[_Stage]:
        """The stages where these places stay ``behind``; none where the others cannot be ahead."""
        body = loop.body
        first, ahead = ahead_of(body, late, behind, self._owned)
        parts = [[body[i] for i in part] for part in (first, ahead, sorted(behind))]
        if not self._are_independent(loop, *parts) or any(
            i > at for at in first for i in self._writes_of(body, ahead, at)
        ):
            return []
        stages = [_Stage(tuple(parts[1]), self.distance), _Stage(tuple(parts[2]), 0), _Stage(tuple(parts[0]), 1)]
        return [stage for stage in stages if stage.nodes]

    def _with_made_for(self, loop: Loop, behind: set[int]) -> set[int]:
        """The places with those of what each iteration makes for them alone, such as a row of scales."""
        body, carried, found = loop.body, self._before(loop), set(behind)
        for i in reversed(range(len(body))):
            made = self._owned(written([body[i]]))
            users = {j for j, node in enumerate(body) if j != i and self._owned(accessed([node])) & made}
            if made and users and users <= found and not made & carried:
                found.add(i)
        return found

    def _are_independent(self, loop: Loop, first: list[Node], ahead: list[Node], behind: list[Node]) -> bool:
        """Whether the part ahead neither accesses what the others write, nor overwrites what the part behind reads;
        what it hands to the part that comes last has the same extents in all iterations, and what that hands to the
        part behind has a value before the loop."""
        made = self._owned(written([*first, *behind]))
        used, changed = self._owned(accessed(ahead)), self._owned(written(ahead))
        handed = self._owned(accessed(first)) & changed
        fixed = all(loop.valid not in self._extents(name) for name in handed)
        carried = self._owned(written(first)) & self._owned(accessed(behind)) <= self._before(loop)
        if self.distance > 1:  # what waits is copied in each iteration: statistics of rows, not all elements
            fixed = fixed and all(self.tiles[name].form != "full" for name in handed)
            fixed = fixed and all(self._has_all_columns(name) for name in accessed(first))
        return not made & used and not changed & self._owned(accessed(behind)) and fixed and carried

    def _has_all_columns(self, name: str) -> bool:
        """Whether a tile is all of its owner, or rows of it."""
        tile = self.tiles[name]
        return tile.col_offset == 0 and tile.cols == self.tiles[tile.owner].cols

    def _before(self, loop: Loop) -> set[str]:
        """What is written outside of a loop."""
        inside = {id(op) for op in walk(loop.body)}
        return self._owned({name for op in walk(self.kernel.body) if id(op) not in inside for name in op.written})

    def _writes_of(self, body: Sequence[Node], ahead: Sequence[int], at: int) -> list[int]:
        """Where the part ahead writes what a node reads."""
        read = self._owned({name for op in walk([body[at]]) for name in op.operands})
        return [i for i in ahead if self._owned(written([body[i]])) & read]

    def _extents(self, name: str) -> frozenset[str]:
        tile = self.tiles[name]
        return tile.rows.poly().names() | tile.cols.poly().names()

    def _owned(self, names: Iterable[str]) -> set[str]:
        """The tiles that have the data."""
        return {self.owners[name] for name in names}

    def _once(self, loop: Loop, body: Sequence[Node], start: Poly, made: set[str]) -> Loop:
        """The nodes as a loop of one iteration, in a variable of its own; their tiles get its extents."""
        var = self._name(loop.var.rstrip("0123456789"))
        names = {loop.var: var}
        if loop.valid is not None:
            names[loop.valid] = f"{var}_valid"
        for name in made:
            self.tiles[name] = renamed_tile(self.tiles[name], names)
        renamed = tuple(renamed_node(node, names) for node in body)
        valid = names.get(loop.valid) if loop.valid is not None else None
        return Loop(var, loop.dim, start, loop.stop, loop.tile, valid, "sub", False, renamed, loop.span, once=True)

    def _name(self, base: str) -> str:
        n = 1
        while f"{base}{n}" in self.taken:
            n += 1
        self.taken.add(f"{base}{n}")
        return f"{base}{n}"


def _may_move(node: Node, loop: Loop) -> bool:
    """Whether a node stores nothing to GM, and takes no number that changes with the iterations."""
    for op in walk([node]):
        if (isinstance(op, TRANSFERS_OUT) and not isinstance(op, Push)) or op.index_tensor is not None:
            return False
        scalars = (source for source in op.srcs if isinstance(source, ScalarArg))
        names = {str(symbol) for scalar in scalars for symbol in getattr(scalar.expr, "free_symbols", ())}
        if not names.isdisjoint({loop.var, str(loop.valid)}):
            return False
    return True
