"""A kernel at tile level: tensors are cut by hand, memory and synchronisation stay the compiler's.

before: grid {i: ceil(rows / 8)}, body {xt: load(x[8*i:8*i+8, :]); yt: muls(xt, 2.0); store(yt, y[8*i:8*i+8, :])}
after:  for i0 in rows_begin..rows_end step 8 parallel: xt = load x[i0 …]; yt = mul xt, 2.0; store yt → y[i0 …]

A name that is given again in a loop inside means the same tile: that is how values are carried. Afterwards the kernel
is as those that `cut` makes, and goes the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Literal

from pyptogen.diagnostics import Span, fault
from pyptogen.lower.hand.expressions import Expressions, Shape
from pyptogen.lower.hand.scope import BoundLoop, Scope
from pyptogen.lower.hand.windows import Tensor
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile.ir import GmTensor, Loop, LoopRole, Node, TileKernel, TileOp, TileVal, walk
from pyptogen.lower.tile.ops import Copy, Extract, Load, LoadRole, Matmul, Store
from pyptogen.schema.hand import HandKernel, HandLoop, HandNode, lines

Core = Literal["cube", "vector", "mixed"]


class TileBody:
    """Collects the nodes of one kernel."""

    def __init__(self, kernel: HandKernel, scope: Scope, tensors: Mapping[str, Tensor], platform: Platform) -> None:
        self.lines = Expressions(kernel.name, scope, tensors, _roles(kernel), self)
        self.scope, self.tensors, self.platform = scope, tensors, platform
        self.tiles: dict[str, TileVal] = {}
        self.nodes: list[Node] = []
        self.names: list[dict[str, str]] = [{}]
        """Author's names: outside the grid, in it, and by depth of the loops inside."""

    def known(self, name: str) -> TileVal | None:
        for names in reversed(self.names):
            if name in names:
                return self.tiles[names[name]]
        return None

    def place(self, shape: Shape, node: ast.expr, target: str | None, operands: tuple[str, ...]) -> TileVal:
        home = self._home(node)
        carried = next((n[target] for n in self.names[:home] if target in n), None) if target else None
        if carried is not None:
            return self._carry(shape, node, str(target), self.tiles[carried], operands)
        tile = self._new(target or self.lines.line.target or "value", shape)
        if target is not None:
            self.names[home][target] = tile.name
        return tile

    def _home(self, node: ast.expr) -> int:
        """Depth of the body that a result belongs to: a matmul that adds up over a loop outlives that loop."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "matmul":
            over = next((k.value for k in node.keywords if k.arg == "over"), None)
            if isinstance(over, ast.Name) and over.id in self.scope.loops:
                grid = len(self.scope.loops) - (len(self.names) - 2)
                return list(self.scope.loops).index(over.id) - grid + 1
        return len(self.names) - 1

    def _new(self, wanted: str, shape: Shape) -> TileVal:
        taken = {tensor.gm for tensor in self.tensors.values()} | set(self.tiles)
        base = f"{wanted}_tile" if wanted in {tensor.gm for tensor in self.tensors.values()} else wanted
        name, n = base, 1
        while name in taken:
            n += 1
            name = f"{base}_{n}"
        tile = TileVal(name, shape.dtype, shape.rows, shape.cols, shape.form, self.lines.line.span)
        self.tiles[name] = tile
        return tile

    def _carry(self, shape: Shape, node: ast.expr, target: str, tile: TileVal, operands: tuple[str, ...]) -> TileVal:
        if (tile.dtype, tile.rows, tile.cols, tile.form) != (shape.dtype, shape.rows, shape.cols, shape.form):
            raise self.lines.fault(
                "PTG205",
                f"`{target}` is carried through the loop as {tile.dtype} {tile.rows.size} x {tile.cols.size}, and is"
                f" given {shape.dtype} {shape.rows.size} x {shape.cols.size}",
                node,
                "a value of the same type, or another name",
            )
        direct = all(
            (o.dtype, o.rows, o.cols, o.form) == (tile.dtype, tile.rows, tile.cols, tile.form)
            for o in (self.tiles[name] for name in operands)
        )
        return tile if direct else self._new(target, shape)

    def emit(self, op: TileOp) -> None:
        self.nodes.append(op)

    def done(self, result: TileVal) -> None:
        """Bring a carried value home where it could not be computed there."""
        carried = self.known(str(self.lines.line.target))
        if carried is not None and carried.name != result.name:
            self.emit(Copy(carried.name, (result.name,), self.lines.line.span, self.lines.stage))

    def vector_operand(self, tile: TileVal, node: ast.expr) -> TileVal:
        if tile.name not in self.lines.accumulators:
            return tile
        if not self.platform.unified:
            raise self.lines.fault(
                "PTG303",
                f"vector work on a product in one kernel on {self.platform.name}",
                node,
                "a kernel of cube work that stores the product, and one of vector work that loads it",
            )
        shape = Shape(tile.dtype, tile.rows, tile.cols, tile.form)
        vector = self._new(f"{tile.name}_v", shape)
        self.nodes.append(Extract(vector.name, (tile.name,), self.lines.line.span, self.lines.stage))
        return vector

    def more(self) -> Mapping[str, Callable[[ast.Call, str | None], TileVal]]:
        """None: blocks alone have more calls."""
        return {}

    def walk(self, nodes: tuple[HandNode, ...]) -> None:
        """Read a body."""
        for node in nodes:
            if isinstance(node, HandLoop):
                self._loop(node)
            else:
                self.lines.read(node)

    def _loop(self, node: HandLoop) -> None:
        loop = self.scope.bind(node.var, node.trips, node.span, grid=False)
        outside, self.nodes = self.nodes, []
        self.names.append({})
        self.walk(node.body)
        self.names.pop()
        body, self.nodes = tuple(self.nodes), outside
        del self.scope.loops[node.var]
        adds_up = any(isinstance(n, Matmul) and n.first == (loop.var,) for n in body)
        self.nodes.append(loop_node(loop, body, "reduce" if adds_up else "sub", False, node.span))


def _core(nodes: tuple[Node, ...]) -> Core:
    """The core that the operations need."""
    kinds = {type(op) for op in walk(nodes)} - {Load, Store}
    return "vector" if Matmul not in kinds else "cube" if kinds == {Matmul} else "mixed"


def loop_node(loop: BoundLoop, body: tuple[Node, ...], role: LoopRole, parallel: bool, span: Span) -> Loop:
    """A bound loop as a node of the Tile level."""
    return Loop(loop.var, loop.dim, loop.start, loop.stop, loop.step, loop.valid, role, parallel, body, span)


def distributed(loops: list[BoundLoop]) -> int:
    """Which loop of a grid is distributed to the blocks: the one with the most steps, run-time ones first."""

    def steps(loop: BoundLoop) -> int:
        extent = loop.extent.constant
        return 1 << 40 if extent is None else -(-extent // loop.step)

    return max(range(len(loops)), key=lambda i: (steps(loops[i]), -i), default=0)


def in_grid(kernel: HandKernel, loops: list[BoundLoop], body: tuple[Node, ...]) -> tuple[Node, ...]:
    """The body inside the loops of the grid."""
    parallel = distributed(loops)
    for i in reversed(range(len(loops))):
        body = (loop_node(loops[i], body, "grid", i == parallel, kernel.grid[i].span),)
    return body


def tile_kernel(
    kernel: HandKernel,
    core: Core,
    scope: Scope,
    gm: Mapping[str, GmTensor],
    moved: tuple[list[str], list[str]],
    tiles: Mapping[str, TileVal],
    body: tuple[Node, ...],
    names: frozenset[str],
) -> TileKernel:
    """The kernel around a body; ``moved`` are the GM tensors that it reads and writes, ``names`` the run-time names in
    its loops and addresses."""
    reads, writes = moved
    tensors = tuple(gm[name] for name in dict.fromkeys([*writes, *reads]))
    dims = {d.name for d in scope.program.dims if d.dynamic}
    strides = {name for tensor in tensors for extent in tensor.shape[1:] for name in extent.names()}
    return TileKernel(
        kernel.name, core, (kernel.name,), tensors, tuple(reads), tuple(writes), tuple(scope.scalars), scope.launch_dim,
        tuple(sorted((names & dims | strides) - {scope.launch_dim or ""})), tuple(tiles.values()), body, (),
        kernel.span,
    )  # fmt: skip


def run(
    kernel: HandKernel, scope: Scope, tensors: Mapping[str, Tensor], gm: Mapping[str, GmTensor], platform: Platform
) -> TileKernel:
    """Read one kernel. Raises PTG1xx, PTG2xx, PTG303, PTG304."""
    reader = TileBody(kernel, scope, tensors, platform)
    reader.walk(kernel.before)
    before, reader.nodes = tuple(reader.nodes), []
    loops = [scope.bind(axis.var, axis.trips, axis.span, grid=True) for axis in kernel.grid]
    reader.names.append({})
    reader.walk(kernel.body)
    reader.names.pop()
    inside, reader.nodes = in_grid(kernel, loops, tuple(reader.nodes)), []
    scope.loops.clear()
    reader.walk(kernel.after)
    body = (*before, *inside, *reader.nodes)
    core = _core(body)
    if core == "mixed" and not platform.unified:
        raise fault(
            "PTG303",
            f"kernel `{kernel.name}` needs cube and vector, which are separate on {platform.name}",
            kernel.span,
            expected="kernels of one kind of work",
            fix="cut it in two kernels that meet in a value",
        )
    moved = reader.lines.reads, reader.lines.writes
    return tile_kernel(kernel, core, scope, gm, moved, reader.tiles, body, run_time_names(body))


def run_time_names(nodes: tuple[Node, ...]) -> frozenset[str]:
    """Names in bounds and addresses."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Loop):
            found |= node.start.names() | node.stop.names() | run_time_names(node.body)
        elif node.window is not None:
            found |= node.window.offset.names()
    return frozenset(found)


def _roles(kernel: HandKernel) -> dict[str, LoadRole]:
    """Names of tiles that a matmul takes: they are loaded to the memories of the matrix unit."""
    roles: dict[str, LoadRole] = {}
    sides: tuple[LoadRole, ...] = ("a", "b")
    for line in lines((*kernel.before, *kernel.body, *kernel.after)):
        for node in ast.walk(line.value.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "matmul":
                for operand, role in zip(node.args, sides, strict=False):
                    if isinstance(operand, ast.Name):
                        roles[operand.id] = role
    return roles
