"""The cube program of a loop of iterations begins the next iteration before it waits for the vector core in this one.

before: for kv0 in 0..kv step 128: s = matmul q, k; push s; p = pop …; o = matmul p, v; push o
after:  for kv0 in -128..kv step 128:
          for kv1 in kv0 + 128..kv once: s = matmul q, k; push s            the next iteration's
          for kv2 in kv0..kv after 0 once: p = pop …; o = matmul p, v; push o    this iteration's

While the vector core works on one iteration's products, the cube core makes the next iteration's. What leads to the
pushes before the first pop of a body runs ahead, if nothing behind it uses its tiles or writes what it reads.
Iterations that end early (causal attention) end as early ahead; those that a condition may leave out stay as they are,
and so do iterations that are distributed to blocks: the one behind a block's own is another block's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, walk, walk_loops
from pyptogen.lower.tile.names import names_used
from pyptogen.lower.tile.ops import Pop, Push, ReadIndex
from pyptogen.lower.tile.renamed import renamed_node, renamed_tile


def run(kernel: TileKernel) -> TileKernel:
    """The cube program with its iterations apart, as far as they stand in other loops: one that is never left out."""
    return _Ahead(kernel).run()


def is_apart(plan: BlockKernel) -> bool:
    """Whether work of the next iteration and of this one share no bytes, so that no flag has to pass between them."""
    for loop in walk_loops(plan.body):
        iterations = [part for part in loop.body if isinstance(part, Loop) and part.once]
        sets = [[plan.buffer(name) for name in sorted(_touched(part.body))] for part in iterations]
        for i, mine in enumerate(sets):
            for a in mine:
                for b in (b for others in sets[i + 1 :] for b in others):
                    if a.memory == b.memory and a.address < b.end and b.address < a.end:
                        return False
    return True


class _Ahead:
    def __init__(self, kernel: TileKernel) -> None:
        self.kernel = kernel
        self.tiles = {tile.name: tile for tile in kernel.tiles}
        self.taken = {*kernel.arguments, *self.tiles, *(loop.var for loop in walk_loops(kernel.body))}

    def run(self) -> TileKernel:
        body = self._nodes(self.kernel.body)
        return replace(self.kernel, body=body, tiles=tuple(self.tiles.values()))

    def _nodes(self, nodes: Sequence[Node], within: bool = False) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                inside = replace(node, body=self._nodes(node.body, node.role == "grid"))
                node = self._rounds(node) if node.role == "sequential" and within else inside
            result.append(node)
        return tuple(result)

    def _rounds(self, loop: Loop) -> Loop:
        first = next((i for i, n in enumerate(loop.body) if isinstance(n, Pop)), 0)
        pushes = [i for i, n in enumerate(loop.body[:first]) if isinstance(n, Push)]
        last = max(pushes, default=-1) + 1
        ahead, behind = loop.body[:last], loop.body[last:]
        numbers = [n for n in ahead if isinstance(n, ReadIndex)]  # of indices: read in both
        behind = (*(n for n in numbers if n.name in names_used(behind)), *behind)
        made, used = _written(ahead), _touched(behind)
        crosses = made & used or _touched(ahead) & _written(behind)
        whole = loop.start == ZERO and loop.after is None and loop.only is None and not loop.parallel
        if not pushes or crosses or not whole:
            return loop
        this = self._once(loop, behind, Poly.of(loop.var), _written(behind))
        following = replace(self._once(loop, ahead, this.start + loop.tile, made), before=loop.before)
        parts = (following, replace(this, after=ZERO))
        return replace(loop, start=Poly.of(-loop.tile), valid=None, body=parts)

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


def _written(nodes: Sequence[Node]) -> set[str]:
    return {name for op in walk(nodes) for name in op.written}


def _touched(nodes: Sequence[Node]) -> set[str]:
    return {name for op in walk(nodes) for name in op.tiles}
