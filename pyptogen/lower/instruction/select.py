"""Block level → PTO instructions.

before: y = mul(x: full, s: col)            acc = matmul(a, b) first in k0
after:  TROWEXPANDMUL(y, x, s)              k0 == 0 ? TMATMUL(acc, a, b) : TMATMUL_ACC(acc, acc, a, b)

Tiles that meet a column have its row capacity, which is a multiple of 32 bytes of column elements; the rows beyond the
tile's own are never valid and have no bytes in the memory plan.

A column of statistics lies contiguously in UB under two tile types: [R, 1] column-major for reductions and row
broadcasts, and [1, R] row-major (`…_row`) for elementwise work, because the device takes no column-major elementwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.instruction.ir import (
    Choose,
    Declare,
    For,
    GmLayout,
    GmWindow,
    Imm,
    Instr,
    InstrKernel,
    Loc,
    Mode,
    Node,
    Operand,
    ReadIndex,
    SkipIfNegative,
    TileType,
)
from pyptogen.lower.isa import pipe_of
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import BINARY, DTYPES, REDUCE, Program
from pyptogen.lower.tile.axes import unsupported
from pyptogen.lower.tile.ir import Extent, GmRef, GmTensor, Loop, ScalarArg, TileOp, TileVal
from pyptogen.lower.tile.ir import Node as TileNode

LOCS: dict[str, Loc] = {"ub": "Vec", "l1": "Mat", "l0a": "Left", "l0b": "Right", "l0c": "Acc"}
WORDS = {"ub": "UB", "l1": "L1", "l0a": "L0A", "l0b": "L0B", "l0c": "L0C"}
STEMS = {"add": "ADD", "sub": "SUB", "mul": "MUL", "div": "DIV", "maximum": "MAX", "minimum": "MIN"}
UNARY_NAMES = {
    "neg": "TNEG", "abs": "TABS", "exp": "TEXP", "log": "TLOG", "sqrt": "TSQRT", "rsqrt": "TRSQRT",
    "reciprocal": "TRECIP", "relu": "TRELU",
}  # fmt: skip
REDUCE_NAMES = {"sum": "TROWSUM", "amax": "TROWMAX", "amin": "TROWMIN"}
View = Literal["own", "row"]


class Selector:
    """Selects for one kernel; collects the declarations that the chosen instructions need."""

    def __init__(self, kernel: BlockKernel, program: Program, platform: Platform) -> None:
        self.kernel, self.program, self.platform = kernel, program, platform
        self.tiles: dict[str, TileVal] = {t.name: t for t in kernel.tiles}
        self.memory = dict(kernel.memory)
        self.tensors: dict[str, GmTensor] = {t.name: t for t in kernel.tile.tensors}
        self.buffers = {b.name: b for b in kernel.buffers}
        self.declared: dict[str, Declare] = {}
        self.steps = dict(_loop_steps(kernel.body))
        columns = [DTYPES[t.dtype] for t in kernel.tiles if t.form == "col" and self.memory.get(t.name) == "ub"]
        self.row_step = 32 // min(columns) if columns else 1

    # -- tiles ----------------------------------------------------------------------------------------------------

    def use(self, name: str, view: View = "own") -> str:
        """Name of the declaration of a tile under one of its two types."""
        tile = self.tiles[name]
        declared = f"{name}_row" if view == "row" and tile.form == "col" else name
        if declared not in self.declared:
            self.declared[declared] = self._declare(tile, declared, as_row=declared != name)
        return declared

    def _declare(self, tile: TileVal, name: str, as_row: bool) -> Declare:
        owner = tile.parent or tile.name
        buffer = self.buffers[owner]
        loc = LOCS[buffer.memory]
        size = DTYPES[tile.dtype]
        rows, cols = tile.rows, tile.cols
        capacity = -(-rows.size // self.row_step) * self.row_step
        if loc == "Vec" and tile.form == "col":
            shape = (1, capacity) if as_row else (capacity, 1)
            rows, cols = (Extent(1), rows) if as_row else (rows, Extent(1))
            kind = self._type(loc, tile.dtype, *shape, rows, cols, not as_row)
        elif loc == "Vec":
            kind = self._type(loc, tile.dtype, 1 if tile.form == "row" else capacity, buffer.pitch, rows, cols, False)
        else:
            kind = self._type(loc, tile.dtype, *_in_fractals(loc, rows.size, cols.size, size), rows, cols, False)
        copies = f", {buffer.copies} copies" if buffer.slot else ""
        where = f"{WORDS[buffer.memory]} 0x{buffer.address:05x}..0x{buffer.end:05x}{copies}"
        note = (
            f"columns {tile.col_offset}.. of {owner}"
            if tile.parent
            else f"as a row, same bytes as {tile.name}"
            if as_row
            else where
        )
        address = buffer.place() + tile.col_offset * size
        left = buffer.size - tile.col_offset * size
        return Declare(name, kind, rows, cols, address, left, note, tile.span, owner)

    @staticmethod
    def _type(
        loc: Loc, dtype: str, rows: int, cols: int, valid_rows: Extent, valid_cols: Extent, col_major: bool
    ) -> TileType:
        fixed_rows = None if valid_rows.valid is not None else valid_rows.size
        fixed_cols = None if valid_cols.valid is not None else valid_cols.size
        return TileType(loc, dtype, rows, cols, fixed_rows, fixed_cols, col_major)

    # -- nodes ----------------------------------------------------------------------------------------------------

    def body(self, nodes: tuple[TileNode, ...]) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                body = self.body(node.body)
                steps = (node.var, node.start, node.stop, node.tile, node.valid, node.parallel)
                result.append(For(*steps, body, "", node.span, node.slot, node.slots))
            else:
                result += self.op(node)
        return tuple(result)

    def instr(self, op: TileOp, name: str, *operands: Operand) -> Instr:
        locs = [self.declared[o].type.loc for o in operands if isinstance(o, str)]
        src = locs[-1] if locs else "Vec"
        return Instr(name, operands, pipe_of(name, src, locs[0] if locs else "Vec"), op.stage, op.span)  # type: ignore[arg-type]

    def op(self, op: TileOp) -> list[Node]:
        if op.kind in BINARY:
            return self.binary(op)
        if op.kind in UNARY_NAMES:
            return [self.instr(op, UNARY_NAMES[op.kind], *self.plain(op.dst, op.srcs[0]))]
        if op.kind in REDUCE:
            source, scratch = str(op.srcs[0]), str(op.scratch)
            return [self.instr(op, REDUCE_NAMES[op.kind], self.use(str(op.dst)), self.use(source), self.use(scratch))]
        handlers = {
            "load": self.load, "store": self.store, "scatter": self.scatter, "matmul": self.matmul,
            "extract": self.extract,
            "copy": self.copy, "fill": self.fill, "cast": self.cast, "move": self.move, "expand": self.expand,
        }  # fmt: skip
        return handlers[op.kind](op)

    def plain(self, *names: Any) -> list[str]:
        """Operands of elementwise instructions: columns go as rows."""
        return [self.use(str(n), "row") for n in names]

    def binary(self, op: TileOp) -> list[Node]:
        dst = str(op.dst)
        a, b = op.srcs
        if isinstance(a, ScalarArg) or isinstance(b, ScalarArg):
            return self.with_scalar(op, dst, a, b)
        stem = STEMS[op.kind]
        forms = self._form_in(a, dst), self._form_in(b, dst)
        if forms[0] == forms[1]:
            return [self.instr(op, f"T{stem}", *self.plain(dst, a, b))]
        if forms[1] == "full" and op.kind not in ("sub", "div"):
            a, b, forms = b, a, (forms[1], forms[0])
        spread: list[Node] = []
        if forms[0] != "full":  # `memory` keeps the result apart from its operands here
            name = "TROWEXPAND" if forms[0] == "col" else "TCOLEXPAND"
            spread, a = [self.instr(op, name, self.use(dst), self.use(a))], dst
        name = {"col": f"TROWEXPAND{stem}", "row": f"TCOLEXPAND{stem}", "full": f"T{stem}"}[forms[1]]
        return [*spread, self.instr(op, name, self.use(dst), self.use(a), self.use(b))]

    def _form_in(self, name: str, dst: str) -> str:
        """Form of an operand beside the result: one row beside many is a row."""
        tile, result = self.tiles[name], self.tiles[dst]
        if tile.form == "full" and tile.rows.size == 1 and result.rows.size > 1:
            return "row"
        if tile.form == "col" and tile.rows != result.rows:
            raise unsupported(
                self.tiles[dst].span,
                f"a broadcast of `{name}` over looped rows",
                "cut the rows of both by the same dim",
            )
        return tile.form

    def with_scalar(self, op: TileOp, dst: str, a: Any, b: Any) -> list[Node]:
        stem = STEMS[op.kind]
        if isinstance(b, ScalarArg):
            d, x = self.plain(dst, a)
            return [self.instr(op, f"T{stem}S", d, x, self.imm(b))]
        d, x = self.plain(dst, b)
        if op.kind == "div":
            return [self.instr(op, "TDIVS", d, self.imm(a), x)]
        if op.kind == "sub":
            return [self.instr(op, "TNEG", d, x), self.instr(op, "TADDS", d, d, self.imm(a))]
        return [self.instr(op, f"T{stem}S", d, x, self.imm(a))]

    def imm(self, scalar: ScalarArg) -> Imm:
        import sympy

        expr = sympy.sympify(scalar.expr)
        if not expr.free_symbols:
            return Imm(float_text(float(expr)), expr)
        return Imm(sympy.ccode(expr), expr)

    # -- data movement --------------------------------------------------------------------------------------------

    def window(self, ref: GmRef, op: TileOp, transposed: bool = False) -> GmWindow:
        tensor = self.tensors[ref.tensor]
        if tensor.layout == "nz":
            return self._nz(ref, tensor, op)
        if transposed:
            return GmWindow(tensor.name, tensor.dtype, "ND", ref.offset, Extent(1), ref.rows, ZERO, ref.row_stride)
        layout: GmLayout = "ND" if ref.col_stride == ONE or ref.cols.size == 1 else "DN"
        return GmWindow(
            tensor.name, tensor.dtype, layout, ref.offset, ref.rows, ref.cols, ref.row_stride, ref.col_stride
        )

    def _nz(self, ref: GmRef, tensor: GmTensor, op: TileOp) -> GmWindow:
        """A window of a weight in the platform's fractal form; it must begin at whole fractals.

        Raises:
            DiagnosticError: PTG302, a tile of K or N cuts through one.
        """
        size, k_total = DTYPES[tensor.dtype], tensor.shape[0].constant
        assert k_total is not None
        k_step, n_step = (64 // size, 32) if self.platform.packed_nz else (16, 32 // size)
        for place, step, axis in ((ref.k, k_step, "K"), (ref.n, n_step, "N")):
            if not place.is_multiple_of(step, self.steps):
                raise DiagnosticError(
                    Diagnostic(
                        "PTG302",
                        f"a tile cuts through the fractals of `{tensor.name}`, {tensor.dtype} @ nz on"
                        f" {self.platform.name}",
                        op.span,
                        expected=f"tiles of {axis} that are multiples of {step}",
                        fix=f"cut {axis} of this matmul at a multiple of {step}, or leave it whole",
                    )
                )
        padded = -(-k_total // k_step) * k_step
        if self.platform.packed_nz:
            offset, stride = ref.n * padded + ref.k * 32, Poly.of(padded * 32)
            return GmWindow(tensor.name, tensor.dtype, "CPU_PACKED", offset, ref.rows, ref.cols, stride, ONE)
        offset = ref.n * padded + ref.k * n_step
        return GmWindow(tensor.name, tensor.dtype, "NZ", offset, ref.rows, ref.cols, Poly.of(padded), ONE)

    def as_row(self, tile: TileVal, ref: GmRef) -> bool:
        """Whether a column moves between GM and UB as one row: its elements are neighbours in GM."""
        return tile.form == "col" and ref.row_stride == ONE and self.memory[tile.parent or tile.name] == "ub"

    def load(self, op: TileOp) -> list[Node]:
        assert op.gm is not None
        tile = self.tiles[str(op.dst)]
        as_row = self.as_row(tile, op.gm)
        return [
            self.instr(op, "TLOAD", self.use(tile.name, "row" if as_row else "own"), self.window(op.gm, op, as_row))
        ]

    def store(self, op: TileOp) -> list[Node]:
        assert op.gm is not None
        tile = self.tiles[str(op.srcs[0])]
        as_row = self.as_row(tile, op.gm)
        return [
            self.instr(op, "TSTORE", self.window(op.gm, op, as_row), self.use(tile.name, "row" if as_row else "own"))
        ]

    def scatter(self, op: TileOp) -> list[Node]:
        assert op.gm is not None and op.index is not None
        source = self.tiles[str(op.srcs[0])]
        self.use(source.name)
        buffer, size = self.buffers[source.parent or source.name], DTYPES[source.dtype]
        columns = op.gm.cols
        address = buffer.place() + source.col_offset * size + Poly.of("row") * (buffer.pitch * size)
        kind = TileType("Vec", source.dtype, 1, buffer.pitch, 1, columns.size)
        name = f"{source.name}_one"
        note = f"row of {source.name}"
        owner = source.parent or source.name
        row = Declare(name, kind, Extent(1), columns, address, columns.size * size, note, op.span, owner)
        self.declared[name] = row
        target = GmWindow(
            op.gm.tensor,
            self.tensors[op.gm.tensor].dtype,
            "ND",
            Poly.of("slot") * columns.size,
            Extent(1),
            columns,
            Poly.of(columns.size),
            ONE,
        )
        body: tuple[Node, ...] = (
            ReadIndex("slot", op.index, op.index_offset + "row", op.span),
            SkipIfNegative("slot", "this row is not kept", op.span),
            row,
            self.instr(op, "TSTORE", target, name),
        )
        del self.declared[name]
        return [
            For(
                "row",
                ZERO,
                source.rows.poly(),
                1,
                None,
                False,
                body,
                f"rows of {source.name} to the slots in {op.index}",
                op.span,
            )
        ]

    def move(self, op: TileOp) -> list[Node]:
        dst, src = self.use(str(op.dst)), self.use(str(op.srcs[0]))
        if self.declared[src].type.loc == "Mat":
            row, col = (ZERO, op.row) if op.role == "a" else (op.row, ZERO)
            return [self.instr(op, "TEXTRACT", dst, src, row, col)]
        return [self.instr(op, "TMOV", dst, src)]

    def extract(self, op: TileOp) -> list[Node]:
        return [self.instr(op, "TEXTRACT", self.use(str(op.dst)), self.use(str(op.srcs[0])), op.row, ZERO)]

    def copy(self, op: TileOp) -> list[Node]:
        return [self.instr(op, "TMOV", *self.plain(op.dst, op.srcs[0]))]

    def fill(self, op: TileOp) -> list[Node]:
        scalar = op.srcs[0]
        assert isinstance(scalar, ScalarArg)
        return [self.instr(op, "TEXPANDS", *self.plain(op.dst), self.imm(scalar))]

    def cast(self, op: TileOp) -> list[Node]:
        return [self.instr(op, "TCVT", *self.plain(op.dst, op.srcs[0]), Mode(op.mode))]

    def expand(self, op: TileOp) -> list[Node]:
        return [self.instr(op, "TROWEXPAND", self.use(str(op.dst)), self.use(str(op.srcs[0])))]

    def matmul(self, op: TileOp) -> list[Node]:
        acc, left, right = self.use(str(op.dst)), self.use(str(op.srcs[0])), self.use(str(op.srcs[1]))
        fresh = self.instr(op, "TMATMUL", acc, left, right)
        if op.first is None:
            return [fresh]
        return [Choose(op.first, fresh, self.instr(op, "TMATMUL_ACC", acc, acc, left, right), op.span)]


def _loop_steps(nodes: tuple[TileNode, ...]) -> Iterator[tuple[str, int]]:
    """What each loop variable is a multiple of: loops start at 0, or at the variable of the loop around."""
    for node in nodes:
        if isinstance(node, Loop):
            yield node.var, node.tile if not node.start.terms or node.role == "sub" else 1
            yield from _loop_steps(node.body)


def _in_fractals(loc: Loc, rows: int, cols: int, size: int) -> tuple[int, int]:
    """Capacity of a cube tile in whole fractals: 16 rows x 32 bytes, turned for L0B, 16 x 16 for an accumulator."""
    deep = 32 // size
    row_step, col_step = {"Right": (deep, 16), "Acc": (16, 16)}.get(loc, (16, deep))
    return -(-rows // row_step) * row_step, -(-cols // col_step) * col_step


def float_text(value: float) -> str:
    """C++ float literal of a number, shortest text that gives the same fp32."""
    import numpy as np

    single = np.float32(value)
    if np.isinf(single):
        return "-INFINITY" if single < 0 else "INFINITY"
    text = (
        np.format_float_positional(single, unique=True, trim="0")
        if 1e-4 <= abs(single) < 1e7 or single == 0
        else f"{single!s}"
    )
    return text + "f"


def run(kernel: BlockKernel, program: Program, platform: Platform) -> InstrKernel:
    """Select the instructions of one kernel (flags and barriers come in `synchronise`)."""
    from pyptogen.lower.instruction.declare import place_declarations

    selector = Selector(kernel, program, platform)
    body = selector.body(kernel.body)
    tile = kernel.tile
    attrs = {a.name: a.dtype for a in program.attrs}
    return InstrKernel(
        tile.name, tile.core, platform.name, tile.stages,
        tuple(selector.tensors[n] for n in tile.writes), tuple(selector.tensors[n] for n in tile.reads),
        tuple((n, attrs[n]) for n in tile.scalars), tile.arguments, tile.segment, tile.dims,
        place_declarations(body, selector.declared), tuple(sorted(kernel.occupancy().items())), tile.span,
    )  # fmt: skip
