"""Choose the memory of every tile, and make the moves between memories explicit.

before: a = load …; b = load …; acc = matmul a, b
after:  (a2a3) a: L1, b: L1; a_l0: L0A = move a[k1]; b_l0: L0B = move b[k1]; acc: L0C = matmul a_l0, b_l0
        (cpu)  a: L0A, b: L0B; acc: L0C = matmul a, b
        a computed operand (UB) is moved to L0A

Afterwards matmul reads L0A and L0B and writes L0C, vector operations read and write UB, stores read UB or L0C.
"""

from __future__ import annotations

from typing import Literal

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.platforms.model import Memory
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.building.rules import GROUP
from pyptogen.lower.tensor.program_names import loop_variable
from pyptogen.lower.tile.ir import Extent, Loop, Node, TileKernel, TileOp, TileVal, walk, walk_loops
from pyptogen.lower.tile.ops import Load, Matmul, Move
from pyptogen.records import replace

L0A: Memory = "l0a"
L0B: Memory = "l0b"


class _Placer:
    def __init__(self, kernel: TileKernel, platform: Platform) -> None:
        self.kernel, self.platform = kernel, platform
        self.tiles = {t.name: t for t in kernel.tiles}
        self.memory: dict[str, Memory] = {}

    def rewrite(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                result += self.loop(node)
            elif isinstance(node, Matmul):
                result += self.matmul(node)
            else:
                self.place(node)
                result.append(node)
        return tuple(result)

    def loop(self, loop: Loop) -> list[Node]:
        """A loop, behind the moves that are the same in all of its iterations: those of an operand that one product
        takes with different rows of the other one."""
        body = self.rewrite(loop.body)
        leaves_out = loop.once or loop.after is not None or loop.before is not None or loop.only is not None
        if loop.role != "sub" or leaves_out or sum(isinstance(op, Matmul) for op in walk(body)) != 1:
            return [replace(loop, body=body)]
        made = {name for op in walk(body) for name in op.written}
        same = [node for node in body if isinstance(node, Move) and self.is_invariant(node, loop, made)]
        return [*same, replace(loop, body=tuple(node for node in body if node not in same))]

    def is_invariant(self, move: Move, loop: Loop, made: set[str]) -> bool:
        """Whether a move is the same in all iterations: of its source, nothing is ``made`` in them."""
        source = self.tiles[str(move.srcs[0])]
        polys = (source.rows.poly(), source.cols.poly(), source.row_offset, move.depth)
        names = {name for poly in polys for name in poly.names()}
        return made.isdisjoint({source.name, source.owner}) and names.isdisjoint({loop.var, str(loop.valid)})

    def place(self, op: TileOp) -> None:
        for scratch in op.scratches:
            self.memory[scratch] = "ub"
        if op.dst is None:
            return
        memory: Memory = "ub"
        if isinstance(op, Load) and op.role in ("a", "b"):
            memory = ("l0a" if op.role == "a" else "l0b") if self.platform.operands_from_gm else "l1"
        elif isinstance(op, Load) and op.for_product:
            memory = "l1"
        self.memory[op.dst] = memory
        parent = self.tiles[op.dst].parent
        if parent is not None:
            self.memory.setdefault(parent, memory)

    def matmul(self, op: Matmul) -> list[Node]:
        a, b, *scales = (str(s) for s in op.srcs)
        assert op.dst is not None
        self.memory[op.dst] = "l0c"
        home = [self.where(a), self.where(b)]
        if home == ["l0a", "l0b"]:
            self.scales_by_operands(op, scales)
            return [op]
        if "ub" in home:
            if not self.platform.unified:
                raise unsupported(
                    op.span,
                    "a matmul of a computed tile on this platform",
                    "put the matmul in a stage of its own",
                )
            moves, operands = [], []
            for tile, memory, there in zip((a, b), (L0A, L0B), home, strict=True):
                operand = (
                    self.sibling(tile, memory, self.tiles[tile].rows, self.tiles[tile].cols) if there == "ub" else tile
                )
                moves += [Move.of(op, operand, tile)] if there == "ub" else []
                operands.append(operand)
            op = replace(op, srcs=(*operands, *scales))
            self.scales_by_operands(op, scales)
            return [*moves, op]
        return self.through_l1(op, a, b, scales)

    def scales_by_operands(self, op: Matmul, scales: list[str]) -> None:
        """Scales that a core loads straight to their place beside the operands."""
        for name, operand in zip(scales, op.srcs, strict=False):
            if self.tiles[name].parent not in (None, operand):
                raise unsupported(op.span, f"scales `{name}` of several operands", "give each its own")
            self.tiles[name] = replace(self.tiles[name], parent=str(operand), is_scales=True)
            self.memory.pop(name, None)

    def through_l1(self, op: Matmul, a: str, b: str, scales: list[str]) -> list[Node]:
        """L1 → L0 in steps of the L0 tile of K."""
        k = self.tiles[a].cols
        inner = min(op.k_inner or k.size, k.size)
        stepped = inner < k.size
        taken = {*self.kernel.arguments, *self.tiles, *(loop.var for loop in walk_loops(self.kernel.body))}
        var = loop_variable("k1", taken)
        valid = f"{var}_valid" if stepped and (k.valid is not None or k.size % inner) else None
        depth = Extent(inner, Poly.of(valid) if valid else None) if stepped else k
        left = self.sibling(a, "l0a", self.tiles[a].rows, depth)
        right = self.sibling(b, "l0b", depth, self.tiles[b].cols)
        start = Poly.of(var) if stepped else ZERO
        first = op.first
        if stepped:
            first = (*op.first, var)
        beside = self.scales_through_l1(op, scales, (left, right), start)
        body: tuple[Node, ...] = (
            Move.of(op, left, a, role="a", depth=start),
            Move.of(op, right, b, role="b", depth=start),
            *beside,
            replace(op, srcs=(left, right, *(str(move.dst) for move in beside)), first=first),
        )
        if not stepped:
            return list(body)
        dim = f"{op.k_dim or 'depth'}.l0"  # no name of a spec has a dot
        return [Loop(var, dim, ZERO, k.poly(), inner, valid, "reduce", False, body, op.span)]

    def scales_through_l1(self, op: Matmul, scales: list[str], operands: tuple[str, str], start: Poly) -> list[Move]:
        """Moves of the scales of a step of K from L1 to their place beside the operands."""
        moves = []
        sides: tuple[Literal["a", "b"], ...] = ("a", "b")
        for name, operand, role in zip(scales, operands, sides, strict=False):
            tile, whole = self.tiles[operand], self.tiles[name]
            depth = tile.cols if role == "a" else tile.rows
            groups = Extent(depth.size // GROUP, None if depth.valid is None else depth.valid.over(GROUP))
            rows, cols = (tile.rows, groups) if role == "a" else (groups, tile.cols)
            there = f"{operand}_scales"
            self.tiles[there] = TileVal(there, whole.dtype, rows, cols, "full", whole.span, operand, is_scales=True)
            moves.append(Move.of(op, there, name, role=role, depth=start.over(GROUP)))
        return moves

    def where(self, tile: str) -> Memory:
        return self.memory[self.tiles[tile].parent or tile]

    def sibling(self, tile: str, memory: Memory, rows: Extent, cols: Extent) -> str:
        """A tile in ``memory`` for (a part of) the contents of ``tile``."""
        name, n = f"{tile}_{memory}", 1
        while name in self.tiles:
            n += 1
            name = f"{tile}_{memory}_{n}"
        source = self.tiles[tile]
        self.tiles[name] = TileVal(name, source.dtype, rows, cols, "full", source.span)
        self.memory[name] = memory
        return name


def run(kernel: TileKernel, platform: Platform) -> tuple[TileKernel, dict[str, Memory]]:
    """Place every tile. Returns the kernel with its moves, and the memory of each tile with data of its own."""
    placer = _Placer(kernel, platform)
    body = placer.rewrite(kernel.body)
    placed = replace(kernel, body=body, tiles=tuple(placer.tiles.values()))
    return placed, placer.memory
