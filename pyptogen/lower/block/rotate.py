"""Which buffers rotate: copies that the iterations of a loop use in turn, so that transfers run beside compute.

before: for k0: a = load …; a_l0a = move a; acc (+)= matmul …
after:  for k0, slot k0_buffer of 2: the same; a and a_l0a have 2 copies, of which an iteration uses number k0_buffer

What a transfer fills or empties rotates with the innermost loop around all of its uses: tiles that are loaded, moved
to L0A or L0B, and stored. A loop whose body a core runs once, as far as one can see, keeps its tiles single, and so
does what other iterations read. The counter goes on through all loops around, so it needs no reset and no parity.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from pyptogen.lower.platforms import Memory, Platform
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp
from pyptogen.lower.tile.ops import TRANSFERS_IN, TRANSFERS_OUT
from pyptogen.records import dataclass, replace

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rotation:
    """``copies`` of a tile, the current one told by ``slot``; ``inside`` are all tiles that only the loop which counts
    it uses; ``asked``: the author wants them."""

    slot: str
    copies: int
    inside: frozenset[str]
    asked: bool = False


@dataclass(slots=True)
class _Uses:
    """Where a tile occurs (paths of operations), the stages whose transfers access it, and whether one loads it."""

    paths: list[Path]
    movers: list[str]
    loaded: bool = False


@dataclass(frozen=True, slots=True)
class Uses:
    """Where the tiles of a placed kernel are used, whatever memories are short of: looked up once for all plans that
    are tried."""

    by_tile: Mapping[str, _Uses]
    homes: Mapping[str, Path]
    """By tile the innermost loop around all of its uses."""
    names: frozenset[str]
    """Of tiles and arguments."""

    @staticmethod
    def of(kernel: TileKernel) -> Uses:
        parent = {t.name: t.parent or t.name for t in kernel.tiles}
        found: dict[str, _Uses] = {}
        _accesses(kernel.body, (), parent, found)
        once = _conditions(kernel.body)
        homes = {tile: _home(uses.paths, once) for tile, uses in found.items()}
        return Uses(found, homes, frozenset((*kernel.arguments, *parent)))


def _accesses(nodes: tuple[Node, ...], path: Path, parent: Mapping[str, str], found: dict[str, _Uses]) -> None:
    for i, node in enumerate(nodes):
        if isinstance(node, Loop):
            _accesses(node.body, (*path, i), parent, found)
            continue
        moved = _moved(node)
        for name in node.tiles:
            uses = found.setdefault(parent[name], _Uses([], []))
            uses.paths.append((*path, i))
            if name in moved:
                uses.movers.append(node.stage)
                uses.loaded |= isinstance(node, TRANSFERS_IN)


def _moved(op: TileOp) -> set[str]:
    """The tiles that a transfer fills or empties for good."""
    if isinstance(op, TRANSFERS_IN):
        return {str(op.dst)}
    return set(op.operands) if isinstance(op, TRANSFERS_OUT) else set()


def _home(paths: list[Path], once: Container[Path] = ()) -> Path:
    """Path of the innermost loop around all, but for those that run ``once`` in an iteration of the loop around
    them."""
    first, last = min(paths), max(paths)
    shared = 0
    while shared < min(len(first), len(last)) - 1 and first[shared] == last[shared]:
        shared += 1
    while first[:shared] in once:
        shared -= 1
    return first[:shared]


def _conditions(nodes: tuple[Node, ...], path: Path = ()) -> set[Path]:
    """Paths of the loops that run once at the most."""
    found: set[Path] = set()
    for i, node in enumerate(nodes):
        if isinstance(node, Loop):
            found |= ({(*path, i)} if node.once else set()) | _conditions(node.body, (*path, i))
    return found


def _iterations(kernel: TileKernel, path: Path, platform: Platform) -> int:
    """How often a core runs the body of a loop, at most; 2 stands for many."""
    nodes, total, distributed = kernel.body, 1, 1
    cores = platform.cube_cores if kernel.core == "cube" else platform.vector_cores
    for index in path:
        loop = nodes[index]
        assert isinstance(loop, Loop)
        extent = (loop.stop - loop.start).constant
        if extent is None and loop.dim == kernel.launch_dim and loop.role == "grid" and kernel.longest:
            extent = kernel.longest
        if not loop.parallel:
            total *= 2 if extent is None else -(-extent // loop.advance)
        else:
            distributed *= 2 * cores if extent is None else -(-extent // loop.tile)
        nodes = loop.body
    return total * -(-distributed // cores)


def _loop_at(kernel: TileKernel, path: Path) -> Loop:
    nodes: tuple[Node, ...] = kernel.body
    loop: Node | None = None
    for index in path:
        loop = nodes[index]
        assert isinstance(loop, Loop)
        nodes = loop.body
    assert isinstance(loop, Loop)
    return loop


def run(
    kernel: TileKernel,
    uses_of: Uses,
    memory: Mapping[str, Memory],
    platform: Platform,
    single: frozenset[Memory],
    loads: frozenset[Memory],
    depths: Mapping[str, int],
) -> tuple[TileKernel, dict[str, Rotation]]:
    """Choose what rotates.

    Args:
        kernel: a placed kernel.
        uses_of: its tiles.
        memory: the memory of each tile with data of its own.
        platform: where it will run.
        single: memories in which nothing rotates.
        loads: memories in which only what is loaded rotates.
        depths: copies by stage, as the author wants them; 2 elsewhere.

    Returns:
        The kernel with its counting loops marked, and what rotates by tile.
    """
    found, homes = uses_of.by_tile, uses_of.homes
    wanted: dict[str, tuple[Path, int]] = {}
    iterations: dict[Path, int] = {}
    asked = {tile for tile, uses in found.items() if not depths.keys().isdisjoint(uses.movers)}
    for tile, uses in found.items():
        if not uses.movers or memory.get(tile) in single or (memory.get(tile) in loads and not uses.loaded):
            continue
        home = homes[tile]
        copies = max(depths.get(stage, 2) for stage in uses.movers)
        if not home or copies == 1:
            continue
        if home not in iterations:
            iterations[home] = _iterations(kernel, home, platform)
        if iterations[home] > 1:
            wanted[tile] = (home, copies)
    slots: dict[Path, str] = {}
    depth: dict[Path, int] = {}
    for home, copies in wanted.values():
        depth[home] = max(depth.get(home, 0), copies)
    for home in sorted(depth):
        base = f"{_loop_at(kernel, home).var}_buffer"
        taken = uses_of.names.union(slots.values())
        slots[home] = next(n for n in (base, *(f"{base}_{i}" for i in range(2, 99))) if n not in taken)

    def mark(nodes: tuple[Node, ...], path: Path) -> tuple[Node, ...]:
        if not any(isinstance(node, Loop) for node in nodes):
            return nodes
        result: list[Node] = []
        for i, node in enumerate(nodes):
            here = (*path, i)
            if isinstance(node, Loop):
                body, turn = mark(node.body, here), (slots.get(here), depth.get(here, 1))
                if body is not node.body or turn != (node.slot, node.slots):
                    node = replace(node, body=body, slot=turn[0], slots=turn[1])
            result.append(node)
        return tuple(result) if any(a is not b for a, b in zip(result, nodes, strict=True)) else nodes

    inside = {home: frozenset([t for t, h in homes.items() if h[: len(home)] == home]) for home in slots}
    rotations = {
        tile: Rotation(slots[home], depth[home], inside[home], tile in asked) for tile, (home, _) in wanted.items()
    }
    return replace(kernel, body=mark(kernel.body, ())), rotations
