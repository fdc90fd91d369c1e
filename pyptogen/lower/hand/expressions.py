"""Lines of a tile- or block-level kernel → tile operations.

before: yt: muls(xt, 2.0) + bias            (xt [8, 512], bias [1, 512])
after:  yt_1 = mul xt, 2.0; yt = add yt_1, bias

Broadcasting is by form: a column [R, 1] beside [R, C], a row [1, C] beside [R, C]. Where results go is decided by the
level (`Level`): new tiles at tile level, named buffers at block level.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Protocol

from pyptogen.diagnostics import DiagnosticError, Span, did_you_mean, fault
from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.hand.names import ALL, CALLS
from pyptogen.lower.hand.scope import Scope
from pyptogen.lower.hand.windows import Tensor, window
from pyptogen.lower.tensor.ir import BINARY, DTYPES, REDUCE
from pyptogen.lower.tile.ir import Extent, Form, GmRef, ScalarArg, Source, TileOp, TileVal
from pyptogen.lower.tile.ops import (
    Cast,
    Copy,
    Fill,
    Load,
    LoadRole,
    Matmul,
    Reduce,
    Store,
    of_primitive,
)
from pyptogen.records import dataclass
from pyptogen.schema import Expr
from pyptogen.schema.hand import HandLine

_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
ROUND_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a result is: dtype, extents, form; an accumulator of the matrix unit or not."""

    dtype: str
    rows: Extent
    cols: Extent
    form: Form
    accumulator: bool = False


class Level(Protocol):
    """What a level decides: where values are, and where results go."""

    def known(self, name: str) -> TileVal | None:
        """The tile that an author's name means here."""

    def place(self, shape: Shape, node: ast.expr, target: str | None, operands: tuple[str, ...]) -> TileVal:
        """Where a result goes; ``target`` is the author's name for it, if it has one."""

    def emit(self, op: TileOp) -> None:
        """Append an operation."""

    def vector_operand(self, tile: TileVal, node: ast.expr) -> TileVal:
        """A tile as vector instructions read it."""

    def done(self, result: TileVal) -> None:
        """Called after a line that names a value."""

    def more(self) -> Mapping[str, Callable[[ast.Call, str | None], TileVal]]:
        """Calls that this level alone has."""


class Expressions:
    """Reads the lines of one kernel. ``accumulators``: its tiles that the matrix unit made."""

    def __init__(
        self, stage: str, scope: Scope, tensors: Mapping[str, Tensor], roles: Mapping[str, LoadRole], level: Level
    ) -> None:
        self.stage, self.scope, self.tensors, self.roles, self.level = stage, scope, tensors, roles, level
        self.accumulators: set[str] = set()
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.line: HandLine

    # -- lines ----------------------------------------------------------------------------------------------------

    @property
    def expr(self) -> Expr:
        return self.line.value

    def span(self, node: ast.AST) -> Span:
        return self.expr.span_of(node)

    def fault(self, code: str, message: str, node: ast.AST, expected: str, fix: str = "") -> DiagnosticError:
        """A diagnostic at a part of the current line."""
        return fault(code, message, self.span(node), expected=expected, fix=fix)

    def read(self, line: HandLine) -> None:
        """One line. Raises PTG1xx, PTG2xx, PTG303, PTG304."""
        self.line = line
        node = line.value.node
        if line.call == "store":
            assert isinstance(node, ast.Call)
            self._store(node)
        elif line.target is None:
            raise self.fault("PTG104", "this line has no effect", node, "`name: …`, or a call of `store`")
        else:
            self.level.done(self.value(node, line.target))

    def _store(self, node: ast.Call) -> None:
        if len(node.args) != 2 or node.keywords:
            raise self.fault("PTG203", "`store` takes a tile and a window", node, "store(tile, tensor[…])")
        tile = self.tile(node.args[0])
        found = window(self.expr, node.args[1], self.tensors, self.scope)
        self._check_move(tile, found.tensor.value.dtype, found.ref, node)
        note(self.writes, found.tensor.gm)
        self.level.emit(Store(None, (tile.name,), self.line.span, self.stage, found.ref))

    def _check_move(self, tile: TileVal, dtype: str, ref: GmRef, node: ast.expr) -> None:
        rounds = tile.name in self.accumulators and tile.dtype == "fp32" and dtype in ("bf16", "fp16")
        if tile.dtype != dtype and not rounds:
            raise self.fault(
                "PTG206", f"a tile of {tile.dtype} and a tensor of {dtype}", node, "one dtype", f"cast(…, {dtype})"
            )
        if (tile.rows, tile.cols) != (ref.rows, ref.cols):
            sizes = [_show(extent) for extent in (tile.rows, tile.cols, ref.rows, ref.cols)]
            raise self.fault(
                "PTG205",
                f"the tile is {sizes[0]} x {sizes[1]}, the window {sizes[2]} x {sizes[3]}",
                node,
                "equal extents",
            )

    # -- values ---------------------------------------------------------------------------------------------------

    def is_scalar(self, node: ast.expr) -> bool:
        """Whether an expression has no tile in it."""
        return not any(
            (isinstance(part, ast.Name) and self.level.known(part.id) is not None)
            or (isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "load")
            for part in ast.walk(node)
        )

    def tile(self, node: ast.expr) -> TileVal:
        """An operand that is a tile. Raises PTG220."""
        found = self.source(node)
        if isinstance(found, ScalarArg):
            raise self.fault("PTG220", f"`{self.expr.text_of(node)}` is a number", node, "a tile")
        return found

    def source(self, node: ast.expr) -> TileVal | ScalarArg:
        """An operand: a tile or a number."""
        if isinstance(node, ast.Name) and (tile := self.level.known(node.id)) is not None:
            return tile
        if self.is_scalar(node) and not self._is_tile_call(node):
            return ScalarArg(self.scope.scalar(self.expr, node), self.span(node))
        return self.value(node, None)

    @staticmethod
    def _is_tile_call(node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("full", "expands")

    def value(self, node: ast.expr, target: str | None) -> TileVal:
        """Compute an expression into a tile."""
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return self._elementwise(_OPERATORS[type(node.op)], "any", [node.left, node.right], node, target)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._elementwise("neg", "any", [node.operand], node, target)
        if isinstance(node, ast.Name) and self.level.known(node.id) is not None:
            return self._copy(node, node, target)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node, node.func.id, target)
        raise self.fault("PTG108", f"`{self.expr.text_of(node)}` is no tile", node, "a call or + - * / of tiles")

    def _call(self, node: ast.Call, name: str, target: str | None) -> TileVal:
        call = CALLS.get(name)
        if call is not None and call.kind in REDUCE:
            return self._reduce(call.kind, node, target)
        if call is not None:
            self._keywords(node, ())
            return self._elementwise(call.kind, call.second, node.args, node, target)
        handlers = {
            "load": self._load, "cast": self._cast, "cvt": self._cast, "full": self._full, "expands": self._full,
            "copy": lambda n, t: self._copy(n, self._arguments(n, 1)[0], t), "matmul": self._matmul,
            **self.level.more(),
        }  # fmt: skip
        if name not in handlers:
            raise self.fault(
                "PTG202", f"there is no tile operation `{name}`", node.func, "such as load, muls, exp, rowsum, matmul",
                did_you_mean(name, ALL),
            )  # fmt: skip
        return handlers[name](node, target)

    def _keywords(self, node: ast.Call, allowed: tuple[str, ...]) -> dict[str, ast.expr]:
        for keyword in node.keywords:
            if keyword.arg not in allowed:
                expected = ", ".join(allowed) or "no named argument"
                raise self.fault("PTG203", f"no argument is named `{keyword.arg}` here", keyword, expected)
        return {str(k.arg): k.value for k in node.keywords}

    def _arguments(self, node: ast.Call, count: int) -> list[ast.expr]:
        if len(node.args) != count:
            name = self.expr.text_of(node.func)
            raise self.fault(
                "PTG203", f"`{name}` takes {count} operands, not {len(node.args)}", node, f"{count} operands"
            )
        return node.args

    def _load(self, node: ast.Call, target: str | None, role: LoadRole = "vector") -> TileVal:
        self._keywords(node, ())
        found = window(self.expr, self._arguments(node, 1)[0], self.tensors, self.scope)
        ref, dtype = found.ref, found.tensor.value.dtype
        dst = self.level.place(Shape(dtype, ref.rows, ref.cols, found.form), node, target, ())
        note(self.reads, found.tensor.gm)
        role = self.roles.get(target or "", role)
        self.level.emit(Load(dst.name, (), self.line.span, self.stage, ref, role))
        return dst

    def _elementwise(
        self, kind: str, second: str, nodes: list[ast.expr], node: ast.expr, target: str | None
    ) -> TileVal:
        count = 2 if kind in BINARY else 1
        if len(nodes) != count:
            raise self.fault("PTG203", f"`{kind}` takes {count} operands, not {len(nodes)}", node, f"{count} operands")
        tiles: list[TileVal] = []
        sources: list[Source] = []
        for part in nodes:
            operand = self.source(part)
            if isinstance(operand, TileVal):
                operand = self.level.vector_operand(operand, part)
                tiles.append(operand)
            sources.append(operand if isinstance(operand, ScalarArg) else operand.name)
        if not tiles:
            raise self.fault("PTG220", "an operation of numbers alone", node, "a tile among the operands")
        self._check_second(kind, second, operand, nodes[-1])
        shape = self._broadcast(tiles, node)
        dst = self.level.place(shape, node, target, tuple(t.name for t in tiles))
        self.level.emit(of_primitive(kind, dst.name, tuple(sources), self.line.span, self.stage))
        return dst

    def _check_second(self, kind: str, wanted: str, operand: TileVal | ScalarArg, node: ast.expr) -> None:
        found = "scalar" if isinstance(operand, ScalarArg) else operand.form
        fits = {"any": True, "tile": found != "scalar"}.get(wanted, found == wanted)
        if not fits:
            words = {"scalar": "a number", "col": "a column [R, 1]", "row": "a row [1, C]", "full": "a whole tile"}
            raise self.fault(
                "PTG220", f"this form of `{kind}` takes no {words[found][2:]}", node, words.get(wanted, "a tile")
            )

    def _broadcast(self, tiles: list[TileVal], node: ast.expr) -> Shape:
        if len({t.dtype for t in tiles}) > 1:
            found = " and ".join(t.dtype for t in tiles)
            raise self.fault("PTG206", f"tiles of {found}", node, "one dtype", f"cast(…, {tiles[0].dtype})")
        one = Extent(1)
        rows = {t.rows for t in tiles if t.rows != one} or {one}
        cols = {t.cols for t in tiles if t.cols != one} or {one}
        if len(rows) > 1 or len(cols) > 1:
            shapes = " and ".join(f"{_show(t.rows)} x {_show(t.cols)}" for t in tiles)
            raise self.fault(
                "PTG205", f"tiles of {shapes} do not broadcast", node, "equal extents, or 1 in one of them"
            )
        forms = {t.form for t in tiles}
        form: Form = "full" if "full" in forms or len(forms) > 1 else forms.pop()
        return Shape(tiles[0].dtype, rows.pop(), cols.pop(), form)

    def _reduce(self, kind: str, node: ast.Call, target: str | None) -> TileVal:
        given = self._keywords(node, ("axis", "keepdim", "tmp"))
        axis = given.get("axis")
        if axis is not None and self.scope.counted(self.expr, axis) not in (Poly.of(-1), Poly.of(1)):
            raise self.fault("PTG215", "a tile is reduced over its columns", axis, "axis=-1")
        argument = self._arguments(node, 1)[0]
        operand = self.level.vector_operand(self.tile(argument), argument)
        dst = self.level.place(Shape(operand.dtype, operand.rows, Extent(1), "col"), node, target, (operand.name,))
        scratch = None if "tmp" not in given else self.tile(given["tmp"]).name
        self.level.emit(Reduce(dst.name, (operand.name,), self.line.span, self.stage, scratch, fn=kind))
        return dst

    def _cast(self, node: ast.Call, target: str | None) -> TileVal:
        given = self._keywords(node, ("mode",))
        x, dtype = self._arguments(node, 2)
        mode = "rint"
        if "mode" in given:
            word = given["mode"]
            if not isinstance(word, ast.Name) or word.id not in ROUND_MODES:
                raise self.fault("PTG215", "no such round mode", word, "one of " + " ".join(ROUND_MODES))
            mode = word.id
        operand = self.level.vector_operand(self.tile(x), x)
        shape = Shape(self._dtype(dtype), operand.rows, operand.cols, operand.form)
        dst = self.level.place(shape, node, target, (operand.name,))
        self.level.emit(Cast(dst.name, (operand.name,), self.line.span, self.stage, mode))
        return dst

    def _dtype(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Name) or node.id not in DTYPES:
            raise self.fault("PTG212", "no such dtype", node, "one of " + " ".join(DTYPES))
        return node.id

    def _full(self, node: ast.Call, target: str | None) -> TileVal:
        value, shape, dtype = self._full_arguments(node, target)
        dst = self.level.place(shape, node, target, ())
        scalar = ScalarArg(self.scope.scalar(self.expr, value), self.span(value))
        self.level.emit(Fill(dst.name, (scalar,), self.line.span, self.stage))
        assert dst.dtype == dtype
        return dst

    def _full_arguments(self, node: ast.Call, target: str | None) -> tuple[ast.expr, Shape, str]:
        known = self.level.known(target) if target else None
        if len(node.args) == 1 and known is not None:
            return node.args[0], Shape(known.dtype, known.rows, known.cols, known.form), known.dtype
        value, sizes, kind = self._arguments(node, 3)
        if not isinstance(sizes, ast.List | ast.Tuple) or len(sizes.elts) != 2:
            raise self.fault("PTG104", "the shape of a tile has two sizes", sizes, "[rows, columns]")
        rows, cols = (self.extent(size) for size in sizes.elts)
        dtype = self._dtype(kind)
        form: Form = "col" if cols == Extent(1) else "row" if rows == Extent(1) else "full"
        return value, Shape(dtype, rows, cols, form), dtype

    def extent(self, node: ast.expr) -> Extent:
        """A size, or the name of a loop: the elements of its iteration."""
        return extent(self.expr, node, self.scope)

    def _copy(self, node: ast.expr, operand: ast.expr, target: str | None) -> TileVal:
        source = self.level.vector_operand(self.tile(operand), operand)
        dst = self.level.place(Shape(source.dtype, source.rows, source.cols, source.form), node, target, (source.name,))
        self.level.emit(Copy(dst.name, (source.name,), self.line.span, self.stage))
        return dst

    def _matmul(self, node: ast.Call, target: str | None) -> TileVal:
        given = self._keywords(node, ("over",))
        sides: tuple[LoadRole, ...] = ("a", "b")
        a, b = (
            self._load(n, None, role)
            if isinstance(n, ast.Call) and self.expr.text_of(n.func) == "load"
            else self.tile(n)
            for n, role in zip(self._arguments(node, 2), sides, strict=True)
        )
        if a.dtype != b.dtype or a.cols.size != b.rows.size:
            shapes = " @ ".join(f"{t.dtype}[{_show(t.rows)}, {_show(t.cols)}]" for t in (a, b))
            raise self.fault("PTG205", f"no product of {shapes}", node, "one dtype, and as many columns as rows")
        first: tuple[str, ...] = ()
        if "over" in given:
            word = given["over"]
            loop = self.scope.loops.get(word.id) if isinstance(word, ast.Name) else None
            if loop is None or loop.start != ZERO:
                raise self.fault("PTG215", "`over` names the loop that adds up", word, "an inner loop of this kernel")
            first = (loop.var,)
        dtype = "int32" if a.dtype in ("int8", "uint8") else "fp32"
        dst = self.level.place(Shape(dtype, a.rows, b.cols, "full", True), node, target, (a.name, b.name))
        self.accumulators.add(dst.name)
        self.level.emit(Matmul(dst.name, (a.name, b.name), self.line.span, self.stage, first))
        return dst


def extent(expr: Expr, node: ast.expr, scope: Scope) -> Extent:
    """A size, or the name of a loop: the elements that its iteration has. Raises PTG304."""
    if isinstance(node, ast.Name) and node.id in scope.loops:
        loop = scope.loops[node.id]
        return Extent(loop.step, Poly.of(loop.valid) if loop.valid else None)
    return Extent(scope.number(expr.part(node), f"`{expr.text_of(node)}`"))


def note(names: list[str], name: str) -> None:
    """Append a name that is not there yet."""
    if name not in names:
        names.append(name)


def _show(extent: Extent) -> str:
    return str(extent.size) if extent.valid is None else f"{extent.size} ({extent.valid})"
