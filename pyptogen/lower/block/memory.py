"""Buffers and addresses: pitches, liveness, first fit.

Operands of one elementwise instruction have one tile type, so tiles that meet in one get one pitch; a window keeps its
parent's. A buffer is live from its first write to its last read, and through every loop that it crosses. An elementwise
result may take the place of an operand that dies there.

Afterwards live buffers of one memory do not overlap, addresses are multiples of 32 bytes (512 outside UB), and nothing
exceeds the platform's capacity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower.block.ir import BlockKernel, Buffer
from pyptogen.lower.platforms import Platform
from pyptogen.lower.platforms.model import Memory
from pyptogen.lower.tensor.ir import BINARY, DTYPES, REDUCE, UNARY
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp, TileVal

IN_PLACE = UNARY | BINARY
"""Operations whose result may overwrite an operand of the same shape and dtype."""

WORDS: Mapping[Memory, str] = {"ub": "UB", "l1": "L1", "l0a": "L0A", "l0b": "L0B", "l0c": "L0C"}


def _up(n: int, step: int) -> int:
    return -(-n // step) * step


def _spreads_first(op: TileOp, dst: TileVal, operands: list[TileVal]) -> bool:
    """Whether the first operand of a binary operation is spread over the result before the second is read: it is a
    column or a row, and the order matters or the other is one too."""
    whole = [(t.form, t.rows, t.cols) == (dst.form, dst.rows, dst.cols) for t in operands]
    return len(operands) == 2 and not whole[0] and (op.kind in ("sub", "div") or not whole[1])


@dataclass(slots=True)
class _Live:
    """Positions of a buffer: two ticks an operation, reads on the even one, writes on the odd one."""

    first: int
    last: int


class _Liveness:
    """Live ranges of the buffers of one kernel."""

    def __init__(self, kernel: TileKernel) -> None:
        self.parent = {t.name: t.parent or t.name for t in kernel.tiles}
        self.tiles = {t.name: t for t in kernel.tiles}
        self.ranges: dict[str, _Live] = {}
        self.clock = 0
        self._walk(kernel.body, [])

    def _walk(self, nodes: tuple[Node, ...], around: list[tuple[int, set[str]]]) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                start = self.clock
                before = set(self.ranges)
                self._walk(node.body, around)
                self._cross(node, before, start)
            else:
                self._touch(node)

    def _touch(self, op: TileOp) -> None:
        reads = [self.parent[s] for s in op.srcs if isinstance(s, str)]
        overwritable = self._overwritable(op)
        if op.kind == "matmul" and op.first is not None and op.dst in self.ranges:
            reads.append(op.dst)
        for name in reads:
            until = self.clock if name in overwritable else self.clock + 1
            self.ranges[name].last = max(self.ranges[name].last, until)
        if op.scratch is not None:
            self.ranges[op.scratch] = _Live(self.clock, self.clock + 1)
        if op.dst is not None:
            name = self.parent[op.dst]
            at = self.clock + 1 if overwritable else self.clock
            live = self.ranges.setdefault(name, _Live(at, self.clock + 1))
            live.last = max(live.last, self.clock + 1)
        self.clock += 2

    def _overwritable(self, op: TileOp) -> set[str]:
        """Buffers of operands whose place the result may take: element for element at the same address."""
        if op.kind not in IN_PLACE or op.dst is None or self.tiles[op.dst].parent is not None:
            return set()
        dst = self.tiles[op.dst]
        operands = [self.tiles[s] for s in op.srcs if isinstance(s, str)]
        if op.kind in BINARY and _spreads_first(op, dst, operands):
            return set()
        same = {
            self.parent[t.name]
            for t in operands
            if (t.form, t.dtype, t.rows, t.cols) == (dst.form, dst.dtype, dst.rows, dst.cols) and t.col_offset == 0
        }
        return same - {self.parent[t.name] for t in operands if t.col_offset != 0}

    def _cross(self, loop: Loop, before: set[str], start: int) -> None:
        """What enters the loop from outside, or is accumulated or made some rows at a time in it, lives through all of
        it."""
        inside = {self.parent[n] for n in _names(loop.body)}
        accumulated = {self.parent[op.dst] for op in _ops(loop.body) if op.kind == "matmul" and op.first and op.dst}
        accumulated |= {self.parent[op.dst] for op in _ops(loop.body) if op.dst and self.tiles[op.dst].row_offset.terms}
        for name in inside:
            live = self.ranges[name]
            if name in before:
                live.last = max(live.last, self.clock)
            if name in accumulated:
                live.first, live.last = min(live.first, start), max(live.last, self.clock)


def _ops(nodes: tuple[Node, ...]) -> list[TileOp]:
    result: list[TileOp] = []
    for node in nodes:
        result += _ops(node.body) if isinstance(node, Loop) else [node]
    return result


def _names(nodes: tuple[Node, ...]) -> set[str]:
    return {n for op in _ops(nodes) for n in (op.dst, op.scratch, *op.srcs) if isinstance(n, str)}


def pitches(kernel: TileKernel) -> dict[str, int]:
    """Elements from row to row of each tile with data of its own: one value for tiles that meet in an instruction."""
    tiles = {t.name: t for t in kernel.tiles}
    group = {t.name: t.name for t in kernel.tiles}

    def find(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for tile in kernel.tiles:
        if tile.parent is not None:
            group[find(tile.name)] = find(tile.parent)
    for op in _ops(kernel.body):
        if op.kind not in UNARY | BINARY | REDUCE | {"copy"}:
            continue
        full = [n for n in (op.dst, *op.srcs) if isinstance(n, str) and tiles[n].form == "full"]
        rows = [n for n in (op.dst, *op.srcs) if isinstance(n, str) and tiles[n].form == "row"]
        for names in (full, rows if not full else []):
            for name in names[1:]:
                group[find(name)] = find(names[0])
    widest: dict[str, int] = {}
    for tile in kernel.tiles:
        step = max(1, 32 // DTYPES[tile.dtype])
        widest[find(tile.name)] = max(widest.get(find(tile.name), 0), _up(tile.cols.size, step))
    return {t.name: widest[find(t.name)] for t in kernel.tiles}


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


def plan(
    kernel: TileKernel, memory: Mapping[str, Memory], platform: Platform, private_transfers: bool
) -> BlockKernel | Overflow:
    """Plan the memories of one kernel. ``private_transfers`` keeps the bytes that loads and stores touch for
    themselves through the whole kernel, so that transfers wait for nothing but their own last use."""
    live = _Liveness(kernel).ranges
    if private_transfers:
        parent = {t.name: t.parent or t.name for t in kernel.tiles}
        for op in _ops(kernel.body):
            for name in (op.dst if op.kind == "load" else None, *(op.srcs if op.kind in ("store", "scatter") else ())):
                if isinstance(name, str) and memory[parent[name]] == "ub":
                    live[parent[name]] = _Live(-1, 1 << 30)
    pitch = pitches(kernel)
    owners = [t for t in kernel.tiles if t.parent is None and t.name in live]
    placed: list[Buffer] = []
    for tile in sorted(owners, key=lambda t: (live[t.name].first, -live[t.name].last)):
        where = memory[tile.name]
        size = tile_bytes(tile, pitch[tile.name], where)
        span = live[tile.name]
        beside = [b for b in placed if b.memory == where and b.first <= span.last and span.first <= b.last]
        dying = [b for b in placed if b.memory == where and span.first % 2 and b.last == span.first - 1]
        address = _first_fit(beside, dying, size, 32 if where == "ub" else 512)
        placed.append(
            Buffer(
                tile.name,
                where,
                tile.dtype,
                tile.rows.size,
                pitch[tile.name],
                size,
                address,
                span.first,
                span.last,
                tile.span,
            )
        )
    over = [b for b in placed if b.address + b.size > platform.memories[b.memory]]
    if over:
        worst = max(over, key=lambda b: b.address + b.size - platform.memories[b.memory])
        return Overflow((*(b for b in placed if b is not worst), worst))
    return BlockKernel(kernel, kernel.body, kernel.tiles, tuple(sorted(memory.items())), tuple(placed))


def _first_fit(beside: list[Buffer], dying: list[Buffer], size: int, step: int) -> int:
    """Lowest address with ``size`` free bytes between the buffers that are live at the same time. Operands that die in
    the instruction that makes the buffer are free too, but only as a whole: shifted by some bytes, the result would
    overwrite elements that are still to be read."""

    def fits(address: int) -> bool:
        over = [b for b in (*beside, *dying) if address < b.address + b.size and b.address < address + size]
        return all(b in dying and b.address == address for b in over)

    ends = (_up(b.address + b.size, step) for b in (*beside, *dying))
    return min(filter(fits, {0, *ends, *(b.address for b in dying)}))


def overflow(kernel: TileKernel, plan: Overflow, platform: Platform, fitting: Mapping[str, int]) -> DiagnosticError:
    """PTG301 for a plan that does not fit: the live buffers with their bytes, and per dim a tile that would fit."""
    last = plan.placed[-1]
    where = last.memory
    live = [b for b in plan.placed if b.memory == where and b.first <= last.last and last.first <= b.last]
    need, have = last.address + last.size, platform.memories[where]
    listing = ", ".join(f"{b.name} {b.size} B" for b in sorted(live, key=lambda b: (-b.size, b.name)))
    smaller = " or ".join(f"`{dim}: {tile}`" for dim, tile in fitting.items())
    return DiagnosticError(
        Diagnostic(
            "PTG301",
            f"{WORDS[where]} overflows in kernel `{kernel.name}`: {need} bytes needed, {have} available"
            f" on {platform.name} ({need - have} too many)",
            last.span,
            expected=f"live tiles of at most {have} bytes; live here: {listing}",
            fix=f"a smaller tile of one dim fits: {smaller}" if smaller else "cut a dim that is whole now",
            notes=tuple((f"`{dim}` in tiles of {tile} here", span) for dim, tile, span in kernel.sizes),
        )
    )
