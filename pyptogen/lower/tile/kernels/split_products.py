"""Products whose depth is cut into parts that run side by side: ``split_k`` of a stage in the tiling row.

before: p = matmul(a: [m, k], b: [k, n])                                   stage: {split_k: 4, k: 512}
after:  p_parts = batch_matmul(a: [part, m, depth], b: [part, depth, n])   stage: {p_part: 1, p_depth: 512}
        p = p_parts[0] + p_parts[1] + p_parts[2] + p_parts[3]

The operands are views. The parts lie in GM as accumulators are (fp32, int32); vector work of the same stage adds them
in order, so that results do not depend on who is done first, and rounds once, at the end. The loop over the parts is
the one that is distributed to the cores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, Span, fault
from pyptogen.lower.tensor.ir import Dim, Op, Program, Shape, TilingRow, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.records import dataclass, replace

FEW = 4
"""Up to so many parts are added in the kernel that works on with the result; more of them in a loop of their own."""


def run(program: Program, rows: Sequence[Selected]) -> tuple[Program, tuple[Selected, ...]]:
    """The program and its tiling rows with the products split that the rows name.

    Raises:
        DiagnosticError: PTG304, rows want different numbers of parts, or the depth has not so many equal ones.
    """
    wanted = {stage.name: parts for stage in program.stages if (parts := _parts(rows, stage.name)) > 1}
    if not wanted:
        return program, tuple(rows)
    splitter = _Splitter(program, rows)
    ops: list[Op] = []
    for op in program.ops:
        ops += splitter.split(op, wanted[op.stage]) if op.kind == "matmul" and op.stage in wanted else [op]
    split = replace(program, ops=tuple(ops), dims=(*program.dims, *splitter.dims))
    return split, tuple(replace(row, row=splitter.row(row.row)) for row in rows)


def _parts(rows: Sequence[Selected], stage: str) -> int:
    """Parts of the products of a stage; 1: they stay whole."""
    found = {int(row.row.sizes.get(stage, {}).get("split_k", 1)): row.row for row in rows}
    if len(found) > 1:
        last = list(found.values())[-1]
        raise fault(
            "PTG304",
            f"rows of one target want the products of stage `{stage}` in {' and in '.join(map(str, found))} parts",
            last.spans.get((stage, "split_k"), last.span),
            expected="one `split_k` in all rows that a call may take",
        )
    return next(iter(found), 1)


@dataclass(frozen=True, slots=True)
class _Cut:
    """The dims that take the place of a product's depth ``dim``, in a stage."""

    stage: str
    dim: str
    part: str
    depth: Dim


class _Splitter:
    def __init__(self, program: Program, rows: Sequence[Selected]) -> None:
        self.program = program
        self.defining = {op.result.name: op for op in program.ops}
        self.spans = {stage: span for row in rows for (stage, key), span in row.row.spans.items() if key == "split_k"}
        self.names = FreeNames(program)
        self.cuts: list[_Cut] = []
        self.dims: list[Dim] = []

    def split(self, op: Op, parts: int) -> list[Op]:
        """The operations for one product."""
        a, b = op.operands
        assert isinstance(a, Value)
        assert isinstance(b, Value)
        part, depth = self._cut(op, a, parts)
        rows, columns = a.shape[-2], b.shape[-1]
        steps: list[Op] = []

        def add(kind: str, value: Sequence[Value], shape: Shape, dtype: str, **attrs: Any) -> Value:
            name = self.names.take(f"{op.result.name}_{'parts' if kind == 'batch_matmul' else kind}")
            result = Value(name, dtype, shape, "nd", op.span)
            more: Mapping[str, Mapping[str, Any]] = {
                "reshape": {"shape": shape},
                "batch_matmul": {"dtype": dtype, "part": str(part)},
                "cast": {"dtype": dtype, "mode": "rint", "saturate": True},
            }
            attrs = {**attrs, **more.get(kind, {})}
            steps.append(replace(op, kind=kind, operands=tuple(value), result=result, attrs=attrs))
            return result

        left = add("reshape", [a], (rows, part, depth), a.dtype)
        left = add("reorder", [left], (part, rows, depth), a.dtype, axes=(1, 0, 2))
        right = self._right(b, part, depth, add)
        wide = "int32" if a.dtype in ("int8", "uint8") else "fp32"
        whole = add("batch_matmul", [left, right], (part, rows, columns), wide)
        one = sympy.Integer(1)
        if parts > FEW:
            total = add("sum", [whole], (one, rows, columns), wide, axis=0)
            total = add("reshape", [total], op.result.shape, wide)
        else:
            pieces = []
            for at in range(parts):
                piece = add("slice", [whole], (one, rows, columns), wide, axis=0, start=one * at, stop=one * (at + 1))
                pieces.append(add("reshape", [piece], op.result.shape, wide))
            total = pieces[0]
            for piece in pieces[1:]:
                total = add("add", [total, piece], op.result.shape, wide)
        if op.result.dtype != wide:
            add("cast", [total], op.result.shape, op.result.dtype)
        return [*steps[:-1], replace(steps[-1], result=op.result)]

    def _cut(self, op: Op, a: Value, parts: int) -> tuple[Any, Any]:
        """The symbols of the two dims that the depth becomes."""
        whole = next((d for d in self.program.dims if dim_symbol(d.name) == a.shape[-1]), None)
        if whole is None or whole.value is None or len(a.shape) != 2 or op.loop or whole.value % parts:
            what = "is no static dim" if whole is None or whole.value is None else f"is {whole.value}"
            raise self._refused(op, f"`split_k: {parts}` of a product whose depth {what}", parts)
        part = replace(whole, name=self.names.take(f"{op.result.name}_part"), value=parts, definition=None)
        part = replace(part, min=parts, max=parts, multiple_of=parts)
        size = whole.value // parts
        depth = replace(whole, name=self.names.take(f"{op.result.name}_depth"), value=size, definition=None)
        depth = replace(depth, min=size, max=size, multiple_of=size)
        self.dims += [part, depth]
        self.cuts.append(_Cut(op.stage, whole.name, part.name, depth))
        return dim_symbol(part.name), dim_symbol(depth.name)

    def _right(self, b: Value, part: Any, depth: Any, add: Any) -> Value:
        """The right operand by parts; one that is a transposed matrix is cut before it is transposed."""
        maker = self.defining.get(b.name)
        if maker is None or maker.kind != "transpose":
            return add("reshape", [b], (part, depth, b.shape[-1]), b.dtype)  # type: ignore[no-any-return]
        source = maker.operands[0]
        assert isinstance(source, Value)
        rows = source.shape[0]
        cut = add("reshape", [source], (rows, part, depth), b.dtype)
        cut = add("reorder", [cut], (part, rows, depth), b.dtype, axes=(1, 0, 2))
        return add("transpose", [cut], (part, depth, rows), b.dtype)  # type: ignore[no-any-return]

    def _refused(self, op: Op, what: str, parts: int) -> DiagnosticError:
        span: Span = self.spans.get(op.stage, op.span)
        return fault(
            "PTG304",
            what,
            span,
            expected=f"a product of two matrices outside of loops, whose depth is a static dim that {parts} divides",
            notes=(("the product", op.span),),
        )

    def row(self, row: TilingRow) -> TilingRow:
        """The row with sizes for the new dims: a part at a time, the depth as it was cut."""
        sizes = {stage: dict(of) for stage, of in row.sizes.items()}
        spans = dict(row.spans)
        for cut in self.cuts:
            stage = sizes.setdefault(cut.stage, {})
            tile = stage.get(cut.dim, sizes.get("", {}).get(cut.dim))
            stage[cut.part] = 1
            if tile is not None:
                stage[cut.depth.name] = _clipped(tile, int(cut.depth.value or 1))
            at = spans.get((cut.stage, "split_k"), row.span)
            spans |= {(cut.stage, cut.part): at, (cut.stage, cut.depth.name): at}
        return replace(row, sizes=sizes, spans=spans)


def _clipped(tile: Any, most: int) -> Any:
    """A size as it is written, of at most the depth of a part."""
    if isinstance(tile, Mapping):
        return {key: min(value, most) if isinstance(value, int) else value for key, value in tile.items()}
    return min(int(tile), most)
