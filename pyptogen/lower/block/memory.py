"""Buffers and addresses of one kernel.

A buffer keeps its bytes while it is live. How much transfers may overlap with other work is a matter of the memory's
level:

=============== =======================================================================================================
disjoint        what is loaded, moved or stored rotates over copies; the bytes that a transfer or the scalar unit
                accesses are nobody else's
by loop         the same, but outermost loops that follow each other have the same bytes
in place        the same, but results may take the place of operands, so that a copy is worked on from its load to its
                store
loads           the same, but only what is loaded rotates
single          nothing rotates; the bytes that these access are nobody else's in their outermost loop (in L1 and L0
                all are accessed by transfers, or by the products that these wait for)
single in place the same, but results may take the place of operands
tight           nothing rotates, and bytes are used again as soon as they are free
=============== =======================================================================================================

Afterwards live buffers of one memory do not overlap, addresses are multiples of 32 bytes (512 outside UB), and nothing
exceeds the platform's capacity, or the plan is an `Overflow`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field
from typing import Literal

from pyptogen.lower.block import pack
from pyptogen.lower.block.ir import ALWAYS, BlockKernel, Buffer
from pyptogen.lower.block.liveness import Live, Liveness
from pyptogen.lower.block.rotate import Rotation
from pyptogen.lower.platforms import Platform
from pyptogen.lower.platforms.model import Memory
from pyptogen.lower.refusal import Refused, refuse
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import TileKernel, TileVal, walk
from pyptogen.lower.tile.ops import TRANSFERS_OUT, Iota, Load
from pyptogen.lower.tile.pitches import pitches
from pyptogen.records import dataclass

Level = Literal["disjoint", "by loop", "in place", "loads", "single", "single in place", "tight"]
IN_PLACE: tuple[Level, ...] = ("in place", "loads", "single in place")
"""Levels at which results may take the place of operands."""

WORDS: Mapping[Memory, str] = {"ub": "UB", "l1": "L1", "l0a": "L0A", "l0b": "L0B", "l0c": "L0C"}


def _up(n: int, step: int) -> int:
    return -(-n // step) * step


def tile_bytes(tile: TileVal, pitch: int, memory: Memory) -> int:
    """Bytes that a tile takes, in UB as it lies there (a column of statistics is one element a row), elsewhere in
    whole fragments of 32 rows x 64 bytes (L0B: 64 bytes of K x 32 columns), which covers the device's fractals and
    the CPU's panels."""
    size = DTYPES[tile.dtype]
    if memory == "ub":
        return _up((tile.rows.size if tile.form == "col" else tile.rows.size * pitch) * size, 32)
    deep = 64 // size
    rows = _up(tile.rows.size, deep if memory == "l0b" else 32)
    columns = _up(tile.cols.size, 32 if memory == "l0b" else deep)
    return _up(rows * columns * size, 512)


@dataclass(frozen=True, slots=True)
class Overflow:
    """A plan that does not fit: all buffers, the last of which leaves its memory furthest."""

    placed: tuple[Buffer, ...]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a placed kernel asks of its memories, whatever rotates and however roomy they are: looked up once for all
    levels that are tried. By tile with data of its own: its ``memory``, its ``pitch``, and its bytes; ``moved``: those
    that another pipe than the vector unit accesses."""

    memory: Mapping[str, Memory]
    live: Mapping[str, Live]
    loops: Sequence[Live]
    pitch: Mapping[str, int]
    here: Mapping[Memory, list[TileVal]]
    """By memory its tiles with data of their own."""
    sizes: Mapping[str, int]
    moved: frozenset[str]
    packed: dict[tuple[object, ...], tuple[Buffer, ...]] = field(default_factory=dict)
    """What was planned before: one memory at a time goes down a level, and the others stay as they are."""

    @staticmethod
    def of(kernel: TileKernel, memory: Mapping[str, Memory], platform: Platform) -> Needs:
        liveness, pitch = Liveness(kernel, platform.name), pitches(kernel)
        owners = [t for t in kernel.tiles if t.parent is None and t.name in liveness.ranges]
        here = {
            where: [t for t in owners if memory[t.name] == where] for where in sorted({memory[t.name] for t in owners})
        }
        sizes = {t.name: tile_bytes(t, pitch[t.name], memory[t.name]) for t in owners}
        return Needs(memory, liveness.ranges, liveness.loops, pitch, here, sizes, _moved(kernel))


def plan(
    kernel: TileKernel,
    needs: Needs,
    platform: Platform,
    rotations: Mapping[str, Rotation],
    levels: Mapping[Memory, Level],
) -> BlockKernel | Overflow:
    """Plan the memories of one kernel.

    Args:
        kernel: placed, its counting loops marked.
        needs: of the kernel as it was placed.
        platform: where it will run.
        rotations: what rotates.
        levels: how roomy the plan of each memory is.
    """
    placed: list[Buffer] = []
    for where, here in needs.here.items():
        key = (platform.name, where, levels[where], *(rotations.get(tile.name) for tile in here))
        if key not in needs.packed:
            needs.packed[key] = tuple(_packed(where, needs, platform, rotations, levels[where]))
        placed += needs.packed[key]
    over = [b for b in placed if b.end > platform.memories[b.memory]]
    if over:
        worst = max(over, key=lambda b: b.end - platform.memories[b.memory])
        return Overflow((*(b for b in placed if b is not worst), worst))
    return BlockKernel(kernel, kernel.body, kernel.tiles, tuple(sorted(needs.memory.items())), tuple(placed))


def _packed(
    where: Memory, needs: Needs, platform: Platform, rotations: Mapping[str, Rotation], level: Level
) -> Iterator[Buffer]:
    """The buffers of one memory, in the order of its tiles."""
    live, sizes, here = needs.live, needs.sizes, needs.here[where]
    private: Set[str] = rotations.keys()
    if where == "ub" and level in ("disjoint", "by loop", "loads", "single", "single in place"):
        private = private | needs.moved
    elif where != "ub" and level == "single":
        private = {tile.name for tile in here}
    group = _groups(here, sizes, live, rotations) if level in IN_PLACE else {t.name: t.name for t in here}
    loops = () if level == "disjoint" or len(needs.loops) == 1 else needs.loops
    blocks = _blocks(here, sizes, live, group, private, rotations, loops)
    found = pack.fitting(blocks, platform.memories[where], 32 if where == "ub" else 512)
    span = {b.name: b for b in blocks}
    rotations_of = {group[t.name]: rotations[t.name] for t in here if t.name in rotations}
    for tile in here:
        first = group[tile.name]
        rotation = rotations_of.get(first)
        yield Buffer(
            tile.name, where, tile.dtype, tile.rows.size, needs.pitch[tile.name], sizes[tile.name],
            found[first], span[first].first, span[first].last, tile.span, rotation.copies if rotation else 1,
            rotation.slot if rotation else None, first,
        )  # fmt: skip


def _moved(kernel: TileKernel) -> frozenset[str]:
    """The tiles that another pipe than the vector unit accesses: a load fills them, a store empties them, or the scalar
    unit writes their places."""
    parent = {t.name: t.parent or t.name for t in kernel.tiles}
    return frozenset(
        parent[name]
        for op in walk(kernel.body)
        for name in (
            *((op.dst,) if isinstance(op, Load | Iota) else ()),
            *(op.operands if isinstance(op, TRANSFERS_OUT) else ()),
        )
        if name is not None
    )


def _groups(
    tiles: list[TileVal], sizes: Mapping[str, int], live: Mapping[str, Live], rotations: Mapping[str, Rotation]
) -> dict[str, str]:
    """By tile the one whose copies it lies in: chains of results in the place of operands, from what is loaded on,
    where one of the chain rotates, or nothing does at all. Nothing is chained where two of it rotate with different
    loops, or one is used elsewhere."""
    blocks = [pack.Block(t.name, sizes[t.name], live[t.name].first, live[t.name].last) for t in tiles]
    heads = pack.chains(blocks)
    members: dict[str, set[str]] = {}
    for name, head in heads.items():
        members.setdefault(head, set()).add(name)
    if not rotations.keys() & heads.keys():
        return heads
    rotations_of = {head: {rotations[n] for n in names if n in rotations} for head, names in members.items()}
    good = {
        h
        for h, found in rotations_of.items()
        if len(found) == 1 and all(members[h] <= rotation.inside for rotation in found)
    }
    return {name: head if head in good else name for name, head in heads.items()}


def _blocks(
    tiles: list[TileVal],
    sizes: Mapping[str, int],
    live: Mapping[str, Live],
    group: Mapping[str, str],
    private: Set[str],
    rotations: Mapping[str, Rotation],
    loops: Sequence[Live],
) -> list[pack.Block]:
    """What has to be packed: one block for a group, with all its copies. What rotates or is private keeps its bytes in
    the one of ``loops`` that it lies in, or always."""
    blocks = []
    chained: dict[str, list[str]] = {}
    for name, head in group.items():
        chained.setdefault(head, []).append(name)
    for tile in tiles:
        members = chained.get(tile.name)
        if not members:
            continue
        rotation = next((rotations[name] for name in members if name in rotations), None)
        first, last = min(live[n].first for n in members), max(live[n].last for n in members)
        if rotation is not None or not private.isdisjoint(members):
            around = (loop for loop in loops if loop.first <= first and last <= loop.last)
            first, last = next(((loop.first, loop.last) for loop in around), ALWAYS)
        blocks.append(pack.Block(tile.name, sizes[tile.name] * (rotation.copies if rotation else 1), first, last))
    return blocks


def overflow(
    kernel: TileKernel, plan: Overflow, platform: Platform, fitting: Mapping[str, int], otherwise: str
) -> Refused:
    """PTG301 for a plan that does not fit: the live buffers with their bytes, and per dim a tile that would fit, or
    what to do ``otherwise``."""
    last = plan.placed[-1]
    where = last.memory
    live = [b for b in plan.placed if b.memory == where and b.first <= last.last and last.first <= b.last]
    live = [b for b in live if b.group == b.name]
    need, have = last.end, platform.memories[where]
    sizes = sorted((-b.size * b.copies, b.name) for b in live)
    listing = ", ".join(f"{name} {-size} B" for size, name in sizes)
    smaller = " or ".join(f"`{dim}: {tile}`" for dim, tile in fitting.items())
    fix = f"a smaller tile of one dim fits: {smaller}" if smaller else otherwise
    if kernel.depths and any(b.copies > 1 for b in live):
        fix += "; or ask for fewer copies in `buffers`"
    return refuse(
        "PTG301",
        f"{WORDS[where]} overflows in kernel `{kernel.name}`: {need} bytes needed, {have} available"
        f" on {platform.name} ({need - have} too many)",
        last.span,
        expected=f"live tiles of at most {have} bytes; live here: {listing}",
        fix=fix,
        notes=tuple((f"`{dim}` in tiles of {tile} here", span) for dim, tile, span in kernel.sizes),
    )
