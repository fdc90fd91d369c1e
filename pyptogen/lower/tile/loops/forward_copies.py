"""Next values made in the place of the carried ones, and starts made where they are carried.

before: l_start = fill 0; l = copy l_start; for …: t = mul(l, a); l_next = add(t, x); l = copy l_next
after:  l = fill 0;                         for …: l = mul(l, a); l = add(l, x)

A tile may be renamed to the target of the copy where nothing reads or writes the target between the operation that
makes it and the copy, and where that operation reads the target, if at all, element for element. A copy stays where a
carried value is still read after its next one is known (the maximum of an online softmax).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.tensor.ir import REDUCE
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp, TileVal, walk, walk_loops
from pyptogen.lower.tile.ops import Binary, Cast, Copy, Extract, Fill, Reduce, Unary
from pyptogen.records import replace


def _may_go_elsewhere(op: TileOp) -> bool:
    """Whether the result of an operation may go to another vector tile."""
    plain = isinstance(op, Reduce) and op.fn in REDUCE and not op.over_rows
    return plain or isinstance(op, Unary | Binary | Cast | Extract | Fill)


class _Renamer:
    def __init__(self, kernel: TileKernel) -> None:
        self.tiles = {t.name: t for t in kernel.tiles}
        self.owner = {t.name: t.parent or t.name for t in kernel.tiles}
        self.parents = {t.parent for t in kernel.tiles}
        self.uses: dict[str, int] = {}
        for op in walk(kernel.body):
            for name in (*op.srcs, op.dst):
                if isinstance(name, str):
                    self.uses[name] = self.uses.get(name, 0) + 1

    def body(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        result = [replace(n, body=self.body(n.body)) if isinstance(n, Loop) else n for n in nodes]
        index = len(result) - 1
        while index >= 0:
            node = result[index]
            if isinstance(node, Copy) and self._is_whole_copy(node):
                self._settle(result, index)
            index -= 1
        return tuple(result)

    def _is_whole_copy(self, op: TileOp) -> bool:
        dst, src = self.tiles[str(op.dst)], self.tiles[str(op.srcs[0])]
        return (dst.form, dst.dtype, dst.rows, dst.cols) == (src.form, src.dtype, src.rows, src.cols)

    def _settle(self, body: list[Node], index: int) -> None:
        """One copy: gone, or as it was."""
        copy = body[index]
        assert isinstance(copy, TileOp)
        source, target = str(copy.srcs[0]), str(copy.dst)
        maker = self._maker(body, index, source)
        if maker is None:
            return
        made = body[maker]
        assert isinstance(made, TileOp)
        if isinstance(made, Fill):  # several values may start as one tile of zeros
            body[index] = replace(made, dst=target, span=copy.span)
            self.uses[source] -= 1
            if self.uses[source] == 1:
                del body[maker], self.tiles[source]
        elif self._absorb(body, maker, index, source, target):
            at = next(i for i, node in enumerate(body) if node is copy or _is_self_copy(node, target))
            del body[at]

    def _maker(self, body: list[Node], before: int, name: str) -> int | None:
        """Where a tile that only this body uses is made."""
        if self.tiles[name].parent is not None or name in self.parents:
            return None
        if sum(_mentions(node, name) for node in body) != self.uses[name]:
            return None
        found = [i for i, n in enumerate(body[:before]) if isinstance(n, TileOp) and n.dst == name]
        made = body[found[0]] if len(found) == 1 else None
        return found[0] if isinstance(made, TileOp) and _may_go_elsewhere(made) else None

    def _absorb(self, body: list[Node], maker: int, user: int, name: str, target: str) -> bool:
        """Renames ``name``, made at ``maker``, to ``target``, which the operation at ``user`` makes of it."""
        owner = self.owner[target]
        if any(self._accesses(node, owner) for node in body[maker + 1 : user]):
            return False
        if any(_mentions(node, name) for node in body[user + 1 :]):
            return False
        made = body[maker]
        assert isinstance(made, TileOp)
        reads = [s for s in made.srcs if isinstance(s, str) and self.owner[s] == owner]
        if any(s != target or not self._element_for_element(made, s, target) for s in reads):
            return False
        for i in range(maker, user + 1):
            body[i] = _renamed(body[i], name, target)
        self.uses[target] = self.uses.get(target, 0) + self.uses.pop(name)
        del self.tiles[name]
        if not reads:
            self._further(body, maker, target)
        return True

    def _further(self, body: list[Node], user: int, target: str) -> None:
        """The same for an operand of what is now made in the target, as far back as the carried value."""
        op = body[user]
        assert isinstance(op, TileOp)
        for source in op.srcs:
            if isinstance(source, str) and self.uses[source] == 2 and self._element_for_element(op, source, target):
                maker = self._maker(body, user, source)
                made = body[maker] if maker is not None else None
                if maker is not None and isinstance(made, TileOp) and self._leads_back(body, maker, target):
                    self._absorb(body, maker, user, source, target)
                    return

    def _leads_back(self, body: list[Node], maker: int, target: str) -> bool:
        """Whether an operation reads the target itself: else its own tile serves as well."""
        made = body[maker]
        assert isinstance(made, TileOp)
        return target in made.srcs

    def _element_for_element(self, op: TileOp, operand: str, target: str) -> bool:
        """Whether the result may lie where the operand lies."""
        if not isinstance(op, Unary | Binary):
            return False
        dst = self.tiles[target]
        whole = [_same(self.tiles[s], dst) for s in op.srcs if isinstance(s, str)]
        if len(whole) == 2 and not whole[0] and (not isinstance(op, Binary) or not op.commutes or not whole[1]):
            return False  # the first operand is broadcast into the result before the second is read
        return _same(self.tiles[operand], dst)

    def _accesses(self, node: Node, owner: str) -> bool:
        ops = walk((node,))
        return any(self.owner[n] == owner for op in ops for n in (*op.srcs, op.dst) if isinstance(n, str))


def _same(a: TileVal, b: TileVal) -> bool:
    return (a.form, a.dtype, a.rows, a.cols) == (b.form, b.dtype, b.rows, b.cols)


def _mentions(node: Node, name: str) -> int:
    return sum(n == name for op in walk((node,)) for n in (*op.srcs, op.dst))


def _is_self_copy(node: Node, target: str) -> bool:
    return isinstance(node, Copy) and node.dst == target and node.srcs == (target,)


def _renamed(node: Node, name: str, target: str) -> Node:
    if isinstance(node, Loop):
        return replace(node, body=tuple(_renamed(n, name, target) for n in node.body))
    srcs = tuple(target if s == name else s for s in node.srcs)
    return replace(node, srcs=srcs, dst=target if node.dst == name else node.dst)


def run(kernel: TileKernel) -> TileKernel:
    """One kernel; as it was where it has no iterations."""
    if not any(loop.role == "sequential" for loop in walk_loops(kernel.body)):
        return kernel
    renamer = _Renamer(kernel)
    body = renamer.body(kernel.body)
    used = {n for op in walk(body) for n in (*op.srcs, op.dst) if isinstance(n, str)}
    kept = tuple(
        t for t in kernel.tiles if t.name in used or any(o.parent == t.name and o.name in used for o in kernel.tiles)
    )
    return replace(kernel, body=body, tiles=kept)
