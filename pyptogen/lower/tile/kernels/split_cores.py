"""A mixed kernel → the program of its cube core and that of its vector core, where these are separate.

before: for n0: acc = matmul a, b; p = extract acc; y = exp p; store y
after:  cube:   for n0: acc = matmul a, b; push acc → p_fifo
        vector: for n0: pop p_fifo; p = load p_slot; free p_fifo; y = exp p; store y

Both programs keep the loops around what they do, so that a push and its pop are done equally often and in one order. An
accumulator that vector work takes some rows at a time is popped once around the loop over these rows. A computed
operand of a matmul goes the other way, into L1.

Afterwards each program is a kernel of one core; they meet in the fifos alone, and a launch runs both side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Literal, get_args

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tile.ir import (
    Fifo,
    GmRef,
    GmTensor,
    Loop,
    Node,
    TileKernel,
    TileOp,
    TileVal,
    parts_of_tile,
    walk,
    walk_loops,
)
from pyptogen.lower.tile.names import names_used
from pyptogen.lower.tile.ops import (
    OF_PRODUCTS,
    Cast,
    Extract,
    Free,
    Load,
    LoadRole,
    Matmul,
    Pop,
    Push,
    ReadIndex,
    Store,
)
from pyptogen.records import replace

Path = tuple[int, ...]
Side = Literal["cube", "vector"]

MOST = 7
"""Fifos of one kernel: each takes two of the 16 flags between the cores of a block; two are left to the system."""


class _Divider:
    def __init__(self, kernel: TileKernel) -> None:
        self.kernel = kernel
        self.tiles = {t.name: t for t in kernel.tiles}
        self.ops = list(_paths(kernel.body, ()))
        self.accumulators = {str(op.dst) for _, op in self.ops if isinstance(op, Matmul)}
        self.operands = {str(op.dst) for _, op in self.ops if isinstance(op, Load) and op.for_product}
        self.fifos: list[Fifo] = []
        self.taken = {*self.tiles, *kernel.arguments}
        self.before: dict[tuple[Side, Path], list[TileOp]] = {}
        self.after: dict[tuple[Side, Path], list[TileOp]] = {}
        self.instead: dict[tuple[Side, Path], list[TileOp]] = {}
        self.numbers: Mapping[str, Set[str]] = {side: self._numbers(side) for side in get_args(Side)}
        """Names in addresses and bounds of each program."""

    def divide(self) -> tuple[TileKernel, TileKernel]:
        for path, op in self.ops:
            if isinstance(op, Matmul):
                self._product(path, op)
        for name in sorted(self.accumulators):
            self._results(name)
        return self._program("cube"), self._program("vector")

    # -- crossings ----------------------------------------------------------------------------------------------------

    def _product(self, path: Path, op: Matmul) -> None:
        """Operands that vector work computes are popped into L1 ahead of the product."""
        sources = []
        for source, role in zip(op.srcs, OF_PRODUCTS, strict=False):
            name = str(source)
            if self.tiles[name].owner in self.operands:
                sources.append(name)
                continue
            if op.is_scaled:
                fix = "put what computes it into a stage of its own"
                raise unsupported(op.span, "a scaled product with an operand of the vector core", fix)
            tile = self.tiles[name]
            fifo = self._fifo(name, tile, "cube", op, path)
            copy = self._tile(f"{name}_l1", tile, tile.dtype)
            sources.append(copy)
            self.before.setdefault(("cube", path), []).extend(
                [
                    Pop.of(op, None, fifo=fifo.name),
                    self._load(fifo, tile, copy, ZERO, op, role),
                    Free.of(op, None, fifo=fifo.name),
                ]
            )
            self.before.setdefault(("vector", path), []).append(Push.of(op, None, name, fifo=fifo.name))
        self.instead["cube", path] = [replace(op, srcs=tuple(sources))]

    def _results(self, name: str) -> None:
        """An accumulator is pushed when it is complete, and popped where vector work takes it."""
        readers = [(path, op) for path, op in self.ops if isinstance(op, Extract) and op.srcs[0] == name]
        if not readers:
            return
        making = [(path, op) for path, op in self.ops if isinstance(op, Matmul) and op.dst == name]
        made = [path for path, _ in making]
        home = _common([*made, *(path for path, _ in readers)])
        depth = len(home)
        places = [path[depth] for path, _ in readers]
        op, tile = readers[0][1], self.tiles[name]
        done = (*home, max(path[depth] for path in made))
        fifo = self._fifo(str(op.dst), tile, "vector", op, done)
        self.after.setdefault(("cube", done), []).append(Push.of(making[-1][1], None, name, fifo=fifo.name))
        self.before.setdefault(("vector", (*home, min(places))), []).append(Pop.of(op, None, fifo=fifo.name))
        self.after.setdefault(("vector", (*home, max(places))), []).append(Free.of(op, None, fifo=fifo.name))
        for path, reader in readers:
            dst = self.tiles[str(reader.dst)]
            if dst.dtype == tile.dtype:
                self.instead["vector", path] = [self._load(fifo, tile, dst.name, reader.row, reader)]
                continue
            wide = self._tile(f"{dst.name}_acc", dst, tile.dtype)
            self.instead["vector", path] = [
                self._load(fifo, tile, wide, reader.row, reader),
                Cast.of(reader, dst.name, wide, mode="rint"),
            ]

    def _fifo(self, wanted: str, tile: TileVal, to: Side, op: TileOp, path: Path) -> Fifo:
        """The fifo of tiles that are pushed at ``path``. Where these are parts of a tile, it holds all of them."""
        if len(self.fifos) == MOST:
            raise unsupported(
                op.span, f"a kernel whose cube and vector cores share more than {MOST} values", "fuse fewer stages"
            )
        base, n = wanted, 1
        while not self.taken.isdisjoint({f"{base}_fifo", f"{base}_slot", f"{base}_pipe", f"{base}_view"}):
            n += 1
            base = f"{wanted}_{n}"
        self.taken |= {f"{base}_fifo", f"{base}_slot", f"{base}_pipe", f"{base}_view"}
        number = len(self.fifos)
        rows, cols = tile.rows.size, tile.cols.size
        slots = self.kernel.slots * _parts(self.kernel.body, path)
        fifo = Fifo(f"{base}_fifo", f"{base}_slot", tile.dtype, rows, cols, slots, to, number, op.span)
        self.fifos.append(fifo)
        return fifo

    def _tile(self, wanted: str, like: TileVal, dtype: str) -> str:
        name, n = wanted, 1
        while name in self.taken:
            n += 1
            name = f"{wanted}_{n}"
        self.taken.add(name)
        self.tiles[name] = TileVal(name, dtype, like.rows, like.cols, like.form, like.span)
        return name

    def _load(self, fifo: Fifo, slot: TileVal, dst: str, row: Poly, op: TileOp, role: LoadRole = "fifo") -> Load:
        """Rows of the popped slot from ``row`` on; ``slot`` is the tile that was pushed."""
        pitch = slot.cols.poly()
        ref = GmRef(fifo.slot, row * pitch, pitch, ONE, self.tiles[dst].rows, slot.cols)
        return Load.of(op, dst, gm=ref, role=role, fifo=fifo.name)

    # -- programs -----------------------------------------------------------------------------------------------------

    def _side(self, op: TileOp) -> Side:
        by_cube = isinstance(op, Matmul) or (isinstance(op, Load) and op.for_product)
        by_cube |= isinstance(op, Store) and op.srcs[0] in self.accumulators
        return "cube" if by_cube else "vector"

    def _is_done_by(self, op: TileOp, side: Side) -> bool:
        """Whether a program has an operation as it is; a number that only addresses use is read where these are."""
        if isinstance(op, ReadIndex):
            return op.name in self.numbers[side]
        return self._side(op) == side and not isinstance(op, Extract)

    def _numbers(self, side: str) -> set[str]:
        """What the operations of a program, and the loops around them, take from numbers that are read."""
        ops = [op for _, op in self.ops if not isinstance(op, ReadIndex) and self._side(op) == side]
        mine = {id(op) for op in ops}
        loops = [loop for loop in walk_loops(self.kernel.body) if any(id(op) in mine for op in walk(loop.body))]
        return names_used(ops) | {name for loop in loops for bound in loop.bounds() for name in bound.names()}

    def _nodes(self, nodes: Sequence[Node], path: Path, side: Side) -> tuple[Node, ...]:
        result: list[Node] = []
        for i, node in enumerate(nodes):
            here = (*path, i)
            result += self.before.get((side, here), [])
            if isinstance(node, Loop):
                body = self._nodes(node.body, here, side)
                result += [replace(node, body=body)] if body else []
            elif (side, here) in self.instead:
                result += self.instead[side, here]
            elif self._is_done_by(node, side):
                result.append(node)
            result += self.after.get((side, here), [])
        return tuple(result)

    def _program(self, side: Side) -> TileKernel:
        kernel = self.kernel
        body = self._nodes(kernel.body, (), side)
        used = {name for op in walk(body) for name in op.tiles}
        used |= {str(self.tiles[name].parent) for name in used if self.tiles[name].parent}
        accessed = {tensor for op in walk(body) for tensor in op.tensors}
        conditions = [loop.only for loop in walk_loops(body) if loop.only is not None]
        accessed |= {element.tensor for only in conditions for element in only.elements}
        fifos = tuple(
            GmTensor(f.name, f.dtype, (Poly.of(f.slots * f.rows * f.cols),), "nd", True, f.span) for f in self.fifos
        )
        scalars = {str(s) for op in walk(body) for v in op.srcs if not isinstance(v, str) for s in _symbols(v.expr)}
        scalars |= {name for only in conditions for name in only.names()}
        tiles = tuple(tile for tile in self.tiles.values() if tile.name in used)
        names = names_used(body) | {n for tile in tiles for e in (tile.rows, tile.cols) for n in e.poly().names()}
        return replace(
            kernel,
            name=f"{kernel.name}_{'cube' if side == 'cube' else 'vec'}",
            core=side,
            stages=tuple(s for s in kernel.stages if any(op.stage == s for op in walk(body))),
            tensors=(*(t for t in kernel.tensors if t.name in accessed), *fifos),
            reads=tuple(name for name in kernel.reads if name in accessed),
            writes=tuple(name for name in kernel.writes if name in accessed),
            scalars=tuple(name for name in kernel.scalars if name in scalars),
            dims=tuple(dim for dim in kernel.dims if dim in names),
            tiles=tiles,
            body=body,
            fifos=tuple(self.fifos),
        )


def _paths(nodes: Sequence[Node], path: Path) -> list[tuple[Path, TileOp]]:
    found: list[tuple[Path, TileOp]] = []
    for i, node in enumerate(nodes):
        found += _paths(node.body, (*path, i)) if isinstance(node, Loop) else [((*path, i), node)]
    return found


def _parts(nodes: Sequence[Node], path: Path) -> int:
    """How many parts of a tile the loops around a path go over."""
    found, tiles = 1, dict[str, int]()
    for index in path[:-1]:
        loop = nodes[index]
        assert isinstance(loop, Loop)
        if loop.role == "sub":
            found *= parts_of_tile(loop.start, loop.stop, loop.tile, tiles) or 1
        if loop.valid is not None:
            tiles[loop.valid] = loop.tile
        nodes = loop.body
    return found


def _common(paths: Sequence[Path]) -> Path:
    """Path of the innermost body around all."""
    first, last = min(paths), max(paths)
    shared = 0
    while shared < min(len(first), len(last)) - 1 and first[shared] == last[shared]:
        shared += 1
    return first[:shared]


def _symbols(expr: object) -> Sequence[object]:
    return tuple(getattr(expr, "free_symbols", ()))


def run(kernel: TileKernel) -> tuple[TileKernel, TileKernel]:
    """The cube program and the vector program of a legalised mixed kernel.

    Raises:
        DiagnosticError: PTG303, the cores share more values than there are flags for.
    """
    return _Divider(kernel).divide()


def flat(kernels: Sequence[TileKernel], divided: Callable[[TileKernel], bool]) -> list[TileKernel]:
    """All kernels, those that are ``divided`` as their two programs."""
    result: list[TileKernel] = []
    for kernel in kernels:
        result += run(kernel) if divided(kernel) else (kernel,)
    return result
