"""Grid loops that are directly nested are distributed to the blocks of a launch as one product.

before: for m0 in m_begin..m_end step 128: grid
          for n0 in 0..1024 step 128: grid parallel                8 tiles of n for 24 cores
after:  for m0 in m_begin..m_end step 128: grid parallel
          for n0 in 0..1024 step 128: grid parallel                all tiles of m and n

A loop joins the distributed one if it holds nothing else, or is all that the distributed one holds, and neither says
where the other begins or ends: a band stays a loop of its own, whose tiles are distributed. Each iteration must be
independent of the others: it writes elements of its own, reads none that another one writes, and no tile passes from
one to the next.

before: for m0 …: a = load …; for n0 in 0..1024 step 128: grid parallel: b = load …; …
after:  for m0 …: grid parallel: for n0 …: grid parallel: a = load …; b = load …; …

What an outer loop does for all tiles of the distributed one stands in its way. It is done again for each tile (it sinks
into the inner loop) where that loop keeps at most half of the cores busy. What a distributed outer loop does ahead of
others sinks into them, too, if it moves no bytes, or a quarter of theirs at most: how many iterations it has is mostly
known only at run time, and one query with many keys is to keep all cores busy.

Where cube and vector cores are one (`cpu`), a block keeps its columns and goes through the rows: what it has rearranged
of an operand stays in its cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp, walk, walk_loops
from pyptogen.lower.tile.kernels.overwritten import in_turns
from pyptogen.lower.tile.ops import TRANSFERS_OUT, Free, Load, Matmul, MergeLists, Pop, Push, ScatterRows, Store
from pyptogen.records import replace

CHEAP = 4
"""What an outer loop loads is loaded again by each iteration in it that moves so many times the bytes."""


def run(kernel: TileKernel, platform: Platform) -> TileKernel:
    """The kernel with every distributed loop joined by those around it and in it that may join."""
    if any(loop.only is not None and loop.only.owner is not None for loop in walk_loops(kernel.body)):
        return kernel  # who owns what goes by the tiles of one loop
    stores = (Store, ScatterRows)
    read = {op.index_tensor for op in walk(kernel.body) if op.index_tensor is not None}
    read |= {op.window.tensor for op in walk(kernel.body) if op.window is not None and not isinstance(op, stores)}
    cores = platform.vector_cores if kernel.core == "vector" else platform.cube_cores
    body = []
    for node in kernel.body:
        perfect = _sunk(node, kernel, cores)
        widened = _widened(perfect, kernel)
        body.append(widened if widened != perfect else _widened(node, kernel))
    found, updated = replace(kernel, body=tuple(body)), read.intersection(kernel.writes)
    return found if all(in_turns(found, tensor, kernel.core == "mixed") for tensor in updated) else kernel


def _sunk(node: Node, kernel: TileKernel, cores: int) -> Node:
    """A loop with what it does ahead of a distributed one, which has few iterations, in each of these."""
    if not isinstance(node, Loop) or node.role != "grid" or not node.body:
        return node
    if node.parallel:
        return _with_cheap_loads(_inward(node, (), kernel), kernel)
    *ahead, inner = (*node.body[:-1], _sunk(node.body[-1], kernel, cores))
    if not isinstance(inner, Loop) or not inner.parallel or not ahead:
        return replace(node, body=(*ahead, inner))
    extent = (inner.stop - inner.start).constant
    few = extent is not None and -(-extent // inner.tile) * 2 <= cores
    if not few or not all(isinstance(op, TileOp) and not isinstance(op, TRANSFERS_OUT) for op in ahead):
        return replace(node, body=(*ahead, inner))
    return replace(node, body=(replace(inner, body=(*ahead, *inner.body)),))


def _with_cheap_loads(loop: Loop, kernel: TileKernel) -> Loop:
    """A distributed loop with what it loads ahead of the one in it sunk into that: so few bytes that each iteration may
    load them again, as the distributed loop may have fewer iterations than there are cores. An index that the scalar
    unit reads is not cheap: GM is far away for it."""
    *ahead, inner = loop.body
    if not isinstance(inner, Loop) or not ahead or not _may_join(inner, kernel):
        return loop
    again = all(
        isinstance(op, TileOp) and not isinstance(op, TRANSFERS_OUT) and op.index_tensor is None for op in ahead
    )
    if not again or _written_in_both(ahead, inner.body, kernel):
        return loop
    inside = replace(inner, body=(*ahead, *inner.body))
    sunk = replace(loop, body=(inside,))
    cheap = _bytes_moved(ahead, kernel) * CHEAP <= _bytes_moved(inner.body, kernel)
    return sunk if cheap and not _bounds(loop, inner) and _are_independent((sunk, inside), kernel) else loop


def _written_in_both(some: Sequence[Node], others: Sequence[Node], kernel: TileKernel) -> bool:
    """Whether a tile goes on from one part of a kernel to the other, changed by both."""
    owner = {tile.name: tile.owner for tile in kernel.tiles}
    first, second = ({owner[name] for op in walk(part) for name in op.written} for part in (some, others))
    return bool(first & second)


def _bytes_moved(nodes: Sequence[Node], kernel: TileKernel) -> float:
    """Bytes between GM and the cores, of one iteration of the loops in between."""
    size = {tensor.name: DTYPES[tensor.dtype] for tensor in kernel.tensors}
    windows = [op.window for op in walk(nodes) if op.window is not None]
    return sum(window.rows.size * window.cols.size * size[window.tensor] for window in windows)


def _inward(loop: Loop, ahead: Sequence[Node], kernel: TileKernel) -> Loop:
    """A loop with what is computed ahead of it, and of the grid loops in it, in the innermost of them: what these do
    not write themselves."""
    *own, inner = loop.body
    moved = (*ahead, *own)
    if (
        isinstance(inner, Loop)
        and inner.role == "grid"
        and all(map(_is_computed, moved))
        and not _written_in_both(moved, inner.body, kernel)
    ):
        return replace(loop, body=(_inward(inner, moved, kernel),))
    return replace(loop, body=(*ahead, *loop.body)) if ahead else loop


def _is_computed(node: Node) -> bool:
    """Whether an operation moves no bytes in or out of a core, and reads no index."""
    if not isinstance(node, TileOp) or isinstance(node, Push | Pop | Free):
        return False
    return node.window is None and node.index_tensor is None


def _widened(node: Node, kernel: TileKernel) -> Node:
    """A loop with the product that it holds, or is part of."""
    if not isinstance(node, Loop) or node.role != "grid":
        return node
    chain = [node]
    while len(chain[-1].body) == 1 and isinstance(inner := chain[-1].body[0], Loop) and _may_join(inner, kernel):
        chain.append(inner)
    at = next((i for i, loop in enumerate(chain) if loop.parallel), None)
    if at is None:
        return replace(node, body=tuple(_widened(inner, kernel) for inner in node.body))
    nest = _rectangular(chain, at)
    if len(nest) == 1 or not _is_plain(nest) or not _are_independent(nest, kernel):
        return node
    return _marked(node, {loop.var for loop in nest})


def _rectangular(chain: Sequence[Loop], at: int) -> list[Loop]:
    """The most loops of a chain around the one ``at`` a place, none of which bounds another: first those inside of it,
    then those around it."""
    nest = [chain[at]]
    for inner in chain[at + 1 :]:
        if any(_bounds(outer, inner) for outer in nest):
            break
        nest.append(inner)
    for outer in reversed(chain[:at]):
        if any(_bounds(outer, inner) for inner in nest):
            break
        nest.insert(0, outer)
    return nest


def _bounds(outer: Loop, inner: Loop) -> bool:
    """Whether where a loop begins and ends depends on the iteration of one around it."""
    return any(not {outer.var, outer.valid}.isdisjoint(bound.names()) for bound in inner.bounds())


def _is_plain(nest: Sequence[Loop]) -> bool:
    """Whether all iterations of the loops take place."""
    return not any(loop.after or loop.before or loop.only or loop.once for loop in nest)


def _may_join(inner: Loop, kernel: TileKernel) -> bool:
    """Whether a loop may be part of a product: one over tiles, or an author's, unless it is there for a software
    pipeline of both cores."""
    return inner.role == "grid" or (inner.role == "sequential" and _is_plain([inner]) and _goes_one_way(inner))


def _goes_one_way(loop: Loop) -> bool:
    """Whether no product is of what the vector core makes."""
    factors = {name for op in walk(loop.body) if isinstance(op, Matmul) for name in op.operands}
    made = (op for op in walk(loop.body) if not isinstance(op, Load | Matmul))
    return not any(factors.intersection(op.written) for op in made)


def _are_independent(nest: Sequence[Loop], kernel: TileKernel) -> bool:
    """Whether iterations may be done in any order: each stores to a place of its own, none updates rows that an index
    names, and no tile is read before the iteration has made it."""
    loops = {loop.var for loop in nest}
    ops = tuple(walk(nest[-1].body))
    if any(isinstance(op, ScatterRows) for op in ops):
        return False
    if any(isinstance(op, Store) and not loops <= op.gm.place() for op in ops):
        return False
    return not any(_goes_on(op, loops) for op in ops) and not _is_carried(ops, kernel)


def _goes_on(op: TileOp, loops: set[str]) -> bool:
    """Whether an operation adds to what other iterations left in its result."""
    return isinstance(op, Matmul | MergeLists) and not loops.isdisjoint(op.first)


def _is_carried(ops: Sequence[TileOp], kernel: TileKernel) -> bool:
    """Whether an iteration reads a tile before it writes it. One that none writes is the same for all."""
    owner = {tile.name: tile.owner for tile in kernel.tiles}
    later = {owner.get(name, name) for op in ops for name in op.written}
    for op in ops:
        if any(owner.get(name, name) in later for name in op.operands):
            return True
        later.difference_update(owner.get(name, name) for name in op.written)
    return False


def _marked(node: Loop, names: set[str]) -> Loop:
    """The chain of loops with those of such names distributed."""
    inner = node.body[0]
    body = (_marked(inner, names),) if isinstance(inner, Loop) and len(node.body) == 1 else node.body
    return replace(node, parallel=node.parallel or node.var in names, body=body)
