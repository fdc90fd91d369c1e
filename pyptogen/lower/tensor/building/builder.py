"""Emits primitives: shape and dtype rules, one copy of identical operations, readable names at the end.

Every method returns the SSA value of its result. ``Builder.at`` is the span that new operations carry and
that diagnostics of the rules point at; ``Builder.prefix`` the spec name from which temporaries take theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, Span, fault
from pyptogen.lower.tensor.building import memory_dtypes
from pyptogen.lower.tensor.building.dims import DimTable, show_shape, show_size
from pyptogen.lower.tensor.building.fitting_shapes import reduction_of, to_broadcast, unrelated
from pyptogen.lower.tensor.building.rules import (
    FLOATS,
    FP4,
    FP8,
    broadcast,
    matmul_dtype,
    number_fault,
    operand_fault,
    reduced,
)
from pyptogen.lower.tensor.ir import ARG_REDUCE, COMPARE, PACKED, Loop, Op, Operand, Scalar, Shape, Value
from pyptogen.records import replace
from pyptogen.schema.budget import MOST_AXES, MOST_OPERATIONS, too_much


class Builder:
    """Operations of one program in the making."""

    def __init__(self, dims: DimTable, at: Span) -> None:
        self.dims = dims
        self.at = at
        self.stage = ""
        self.loop = ""
        self.prefix = "v"
        self.ops: list[Op] = []
        self.loops: list[Loop] = []
        self.hints: dict[str, tuple[str, str]] = {}
        """Temporary's id → (prefix, hint)."""
        self._shared: dict[Any, Value] = {}

    @contextmanager
    def located(self, span: Span) -> Iterator[None]:
        """Within it, operations and diagnostics belong to ``span``."""
        before, self.at = self.at, span
        yield
        self.at = before

    def fault(self, code: str, message: str, *, expected: str = "", fix: str = "") -> DiagnosticError:
        """A diagnostic at the current place."""
        return fault(code, message, self.at, expected=expected, fix=fix)

    def emit(
        self,
        kind: str,
        operands: Sequence[Operand],
        dtype: str,
        shape: Shape,
        hint: str = "",
        /,
        **attrs: Any,
    ) -> Value:
        """Appends a primitive, or gives the value of an identical one of this stage, made in the same loop or before
        all loops. Scalar operands become numbers where they can; sizes in ``shape`` and ``attrs`` keep the names of
        dims."""
        operands = [replace(o, expr=self.scalar(o.expr).expr) if isinstance(o, Scalar) else o for o in operands]
        names = tuple(o.name if isinstance(o, Value) else o.expr for o in operands)
        memory_dtypes.check(self, kind, operands, dtype, shape, attrs)
        key = (self.stage, kind, names, dtype, shape, tuple(sorted(attrs.items())))
        found = self._shared.get((self.loop, key)) or self._shared.get(("", key))
        if found is not None:
            return found
        if len(shape) > MOST_AXES:
            raise too_much(f"a value of {len(shape)} axes", MOST_AXES, self.at)
        if len(self.ops) == MOST_OPERATIONS:
            raise too_much("too many operations", MOST_OPERATIONS, self.at)
        result = Value(f"%{len(self.ops)}", dtype, shape, "nd", self.at)
        self.hints[result.name] = (self.prefix, hint)
        self.ops.append(Op(kind, tuple(operands), result, attrs, self.stage, self.at, self.loop))
        self._shared[(self.loop, key)] = result
        return result

    def scalar(self, expr: Any) -> Scalar:
        """A scalar operand; an expression of static dims alone becomes its number."""
        value = sympy.sympify(expr)
        return Scalar(self.dims.resolve(value) if value.free_symbols else value, self.at)

    # elementwise

    def cast(self, x: Value, dtype: str, mode: str = "rint", saturate: bool = True, hint: str = "") -> Value:
        """``x`` in another dtype; no operation when it has it already. fp4 meets bf16 alone, and what shares
        bytes is cast before it is transposed."""
        if x.dtype == dtype:
            return x
        transposed = next((op for op in self.ops if op.result is x and op.kind == "transpose"), None)
        if x.dtype in PACKED and transposed is not None:
            source = transposed.operands[0]
            assert isinstance(source, Value)
            return self.transpose(self.cast(source, dtype, mode, saturate, hint))
        if FP4 in (x.dtype, dtype) and "bf16" not in (x.dtype, dtype):
            x = self.cast(x, "bf16", hint="brain")
        return self.emit("cast", [x], dtype, x.shape, hint, dtype=dtype, mode=mode, saturate=saturate)

    def unary(self, kind: str, x: Value, hint: str = "") -> Value:
        """An elementwise function; all but neg, abs, relu and bitwise_not need a float."""
        if kind == "bitwise_not":
            self._check_operands("bitwise_and", x.dtype)
        elif kind not in {"neg", "abs", "relu"}:
            self.need_float(x, kind)
        elif x.dtype == "bool" or (kind != "relu" and x.dtype.startswith("uint")):
            raise self.fault("PTG206", f"`{kind}` has no meaning for {x.dtype}", expected="a signed number")
        return self.emit(kind, [x], x.dtype, x.shape, hint)

    def binary(self, kind: str, a: Operand, b: Operand, hint: str = "") -> Value:
        """An elementwise operation of two operands, one of which may be a scalar; shapes broadcast."""
        if isinstance(a, Scalar) or isinstance(b, Scalar):
            return self._with_scalar(kind, a, b, hint)
        if a.dtype != b.dtype:
            raise self.fault(
                "PTG206",
                f"`{kind}` of {a.dtype}{show_shape(a.shape)} and {b.dtype}{show_shape(b.shape)}: the dtypes differ",
                expected="operands of one dtype; nothing is converted silently",
                fix=f"cast one of them, such as `cast(…, {a.dtype if a.dtype in FLOATS else b.dtype})`",
            )
        self._check_operands(kind, a.dtype)
        given = a.shape, b.shape
        a, b = self.same_rank(a, b)
        shape = broadcast(self.dims, a.shape, b.shape)
        if shape is None:
            raise self.fault(
                "PTG205",
                f"`{kind}` of the shapes {show_shape(given[0])} and {show_shape(given[1])}: they do not broadcast",
                expected="axes that are equal, or 1 in one of the two, counted from the last one",
                fix=to_broadcast(self.dims, *given, reduction_of(self.ops, a, b)),
            )
        return self.emit(kind, [a, b], "bool" if kind in COMPARE else a.dtype, shape, hint)

    def _with_scalar(self, kind: str, a: Operand, b: Operand, hint: str) -> Value:
        value, scalar = (a, b) if isinstance(a, Value) else (b, a)
        if isinstance(value, Scalar):
            fix = "write it with an operator: numbers are computed at build time"
            raise self.fault("PTG220", f"`{kind}` of two numbers", expected="a tensor on one side", fix=fix)
        assert isinstance(scalar, Scalar)
        self._check_operands(kind, value.dtype)
        if scalar is b or not kind.endswith("shift"):
            self.need_number(kind, value.dtype, scalar.expr)
        return self.emit(kind, [a, b], "bool" if kind in COMPARE else value.dtype, value.shape, hint)

    def need_number(self, kind: str, dtype: str, number: Any) -> None:
        """PTG206 for a number that a tensor of ``dtype`` cannot hold, or that ``kind`` cannot take."""
        why = number_fault(kind, dtype, number)
        if why:
            fix = "cast the tensor to a float first" if "whole" in why else "cast the tensor to a wider dtype first"
            fix = "" if "by zero" in why or "shift" in why else fix
            fix = "write `inf` if you mean it" if "infinity" in why else fix
            raise self.fault("PTG206", f"`{kind}` of {dtype} and the number {show_size(number)}, {why}", fix=fix)

    def _check_operands(self, kind: str, dtype: str) -> None:
        needed = operand_fault(kind, dtype)
        if needed:
            fix = "cast first: `cast(…, int32)`" if "integer" in needed else "cast to a float first: `cast(…, fp32)`"
            raise self.fault("PTG206", f"`{kind}` has no meaning for {dtype}", expected=needed, fix=fix)

    def same_rank(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Gives the operand of lower rank leading axes of size 1."""
        missing = len(a.shape) - len(b.shape)
        one = sympy.Integer(1)
        if missing > 0:
            b = self.reshape(b, (one,) * missing + b.shape, self._row_of(b))
        elif missing < 0:
            a = self.reshape(a, (one,) * -missing + a.shape, self._row_of(a))
        return a, b

    def _row_of(self, x: Value) -> str:
        """The word for ``x`` with leading axes."""
        word = self.hints[x.name][1] if x.name in self.hints else x.name
        return f"{word}_row" if word else ""

    def need_float(self, x: Value, what: str) -> None:
        """PTG206 unless ``x`` is a float tensor."""
        if x.dtype not in FLOATS:
            raise self.fault(
                "PTG206",
                f"`{what}` needs a float, not {x.dtype}",
                expected="one of " + ", ".join(sorted(FLOATS)),
                fix="cast first: `cast(…, fp32)`",
            )

    # reductions and views

    def axis(self, x: Value, axis: int) -> int:
        """``axis`` counted from the front. Raises PTG204."""
        rank = len(x.shape)
        if not -rank <= axis < rank:
            raise self.fault(
                "PTG204",
                f"axis {axis} of a tensor of rank {rank} {show_shape(x.shape)}",
                expected=f"{-rank} to {rank - 1}" if rank else "a tensor with axes",
            )
        return axis % rank

    def reduce(self, kind: str, x: Value, axis: int, keepdim: bool = True, hint: str = "") -> Value:
        """A reduction over one axis; the primitive keeps it with size 1. One element is its own sum and
        extreme, and stands at 0."""
        axis = self.axis(x, axis)
        self._check_operands(kind, x.dtype)
        dtype = "int32" if kind in ARG_REDUCE else x.dtype
        if kind in ARG_REDUCE:
            self.need_positions(x.shape[axis])
        if self.dims.equal(x.shape[axis], 1):
            kept = self.full(x.shape, 0, dtype, hint) if kind in ARG_REDUCE else x
        else:
            kept = self.emit(kind, [x], dtype, reduced(x.shape, axis, sympy.Integer(1)), hint, axis=axis)
        return kept if keepdim else self.reshape(kept, x.shape[:axis] + x.shape[axis + 1 :])

    def need_positions(self, size: Any) -> None:
        """That int32 holds the positions along an axis of that size: proved, or checked in calls. Raises PTG205."""
        if not self.dims.need_at_least(sympy.Integer(2**31), size, "positions are int32", self.at):
            what = f"positions along an axis of size {show_size(size)}"
            raise self.fault("PTG205", what, expected=f"at most {2**31} elements: positions are int32")

    def reshape(self, x: Value, shape: Shape, hint: str = "") -> Value:
        """The same elements in another shape; no operation when it is the same."""
        if self.dims.same_shape(x.shape, shape):
            return x
        given, wanted = self.dims.product(x.shape), self.dims.product(shape)
        if not self.dims.equal(given, wanted):
            raise self.fault(
                "PTG205",
                f"reshape of {show_shape(x.shape)} to {show_shape(shape)}: the numbers of elements differ",
                expected=f"{show_size(given)} elements",
                fix=unrelated(self.dims, (given,), (wanted,)),
            )
        return self.emit("reshape", [x], x.dtype, shape, hint, shape=shape)

    def slice(self, x: Value, axis: int, start: Any, stop: Any, hint: str = "") -> Value:
        """``start <= i < stop`` of one axis; bounds are proved. Raises PTG205."""
        axis = self.axis(x, axis)
        start, stop, extent = sympy.sympify(start), sympy.sympify(stop), x.shape[axis]
        if self.dims.equal(start, 0) and self.dims.equal(stop, extent):
            return x
        if not (
            self.dims.nonnegative(start)
            and self.dims.nonnegative(extent - stop)
            and self.dims.nonnegative(stop - start - 1)
        ):
            raise self.fault(
                "PTG205",
                f"the slice {show_size(start)}:{show_size(stop)} of an axis of size {show_size(extent)}",
                expected="0 <= start < stop <= size, for every size in range",
            )
        shape = (*x.shape[:axis], self.dims.between(start, stop), *x.shape[axis + 1 :])
        return self.emit("slice", [x], x.dtype, shape, hint, axis=axis, start=start, stop=stop)

    def loop_name(self) -> str:
        """A name for one more loop of this stage."""
        count = sum(loop.stage == self.stage for loop in self.loops)
        return self.stage if not count else f"{self.stage}_{count + 1}"

    def carry(self, name: str, start: Value) -> Value:
        """A carried value at the start of an iteration."""
        return self.emit("carry", [start], start.dtype, start.shape, name, name=name)

    def carried(self, loop: str, carry: Value, following: Value, hint: str = "") -> Value:
        """A carried value after the loop."""
        return self.emit("carried", [carry, following], carry.dtype, carry.shape, hint, loop=loop)

    def collected(self, loop: str, x: Value, axis: int, over: Any, stacked: bool, hint: str = "") -> Value:
        """The blocks of all iterations along an axis, whose size is then ``over``; ``stacked``: along a new one."""
        shape = (*x.shape[:axis], over, *x.shape[axis + (not stacked) :])
        return self.emit("collected", [x], x.dtype, shape, hint, loop=loop, axis=axis, stacked=stacked)

    def block(self, x: Value, axis: int, size: Any) -> Value:
        """This iteration's block of an axis, of that size (the symbol of a loop's block dim)."""
        shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        word = self.hints[x.name][1] if x.name in self.hints else x.name
        return self.emit("block", [x], x.dtype, shape, f"{word}_block" if word else "block", axis=axis)

    def transpose(self, x: Value, hint: str = "") -> Value:
        """Swaps the last two axes; where one of them is 1 this is a reshape."""
        if len(x.shape) < 2:
            raise self.fault("PTG204", f"a transpose of {show_shape(x.shape)}", expected="at least two axes")
        shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
        if self.dims.is_one(shape[-1]) or self.dims.is_one(shape[-2]):
            return self.reshape(x, shape, hint)
        return self.emit("transpose", [x], x.dtype, shape, hint)

    def concat(self, parts: Sequence[Value], axis: int, hint: str = "") -> Value:
        """Joins tensors along an axis."""
        first = parts[0]
        axis = self.axis(first, axis)
        for part in parts[1:]:
            if part.dtype != first.dtype:
                raise self.fault("PTG206", f"concat of {first.dtype} and {part.dtype}", expected="parts of one dtype")
            others = [reduced(value.shape, axis, sympy.Integer(1)) for value in (first, part)]
            if not self.dims.same_shape(*others):
                raise self.fault(
                    "PTG205",
                    f"concat of {show_shape(first.shape)} and {show_shape(part.shape)} along axis {axis}",
                    expected="shapes equal but for that axis",
                    fix=unrelated(self.dims, *others) if len(part.shape) == len(first.shape) else "",
                )
        joined = sympy.Add(*(part.shape[axis] for part in parts))
        shape = (*first.shape[:axis], joined, *first.shape[axis + 1 :])
        return first if len(parts) == 1 else self.emit("concat", parts, first.dtype, shape, hint, axis=axis)

    # the rest

    def matmul(self, a: Value, b: Value, dtype: str | None = None, hint: str = "") -> Value:
        """``a[.., m, k] @ b[k, n]``: int8 accumulates in int32, floats in fp32; one rounding to ``dtype`` at
        the end."""
        if len(a.shape) < 2 or len(b.shape) != 2:
            raise self.fault(
                "PTG204",
                f"matmul of {show_shape(a.shape)} and {show_shape(b.shape)}",
                expected="[…, m, k] and [k, n]",
                fix="make a vector a matrix: `v[None, :]` is a row, `v[:, None]` a column",
            )
        if not self.dims.equal(a.shape[-1], b.shape[0]):
            raise self.fault(
                "PTG205",
                f"matmul of {show_shape(a.shape)} and {show_shape(b.shape)}: the inner sizes "
                f"{show_size(a.shape[-1])} and {show_size(b.shape[0])} differ",
                expected="[…, m, k] and [k, n]",
                fix=self._to_fit(a, b),
            )
        result = matmul_dtype(a.dtype, b.dtype, dtype)
        if result is None:
            wanted = f" with dtype={dtype}" if dtype else ""
            raise self.fault(
                "PTG206",
                f"matmul of {a.dtype} and {b.dtype}{wanted}",
                expected="int8 and int8 to int32, two equal floats to that dtype or fp32, two of fp8 or hif8 to fp32",
                fix=f"cast one of them, such as `cast(…, {a.dtype})`" if {a.dtype, b.dtype} <= FLOATS else "",
            )
        return self.emit("matmul", [a, b], result, (*a.shape[:-1], b.shape[1]), hint, dtype=result)

    def _to_fit(self, a: Value, b: Value) -> str:
        """What makes two matrices whose inner sizes differ fit a product; "" where nothing near does."""
        if self.dims.equal(a.shape[-1], b.shape[1]):
            return "transpose the right one with `.T`"
        if self.dims.equal(a.shape[-2], b.shape[0]):
            return "transpose the left one with `.T`" if len(a.shape) == 2 else ""
        if len(a.shape) == 2 and self.dims.equal(a.shape[0], b.shape[1]):
            return "exchange the two"
        return unrelated(self.dims, a.shape[-1:], b.shape[:1])

    def scatter_update(self, x: Value, index: Value, src: Value, dim: int, hint: str = "") -> Value:
        """``x`` with the rows named by ``index`` replaced by those of ``src``; rows are the axes up to
        ``dim`` together."""
        dim = self.axis(x, dim)
        if index.dtype not in {"int32", "int64"}:
            raise self.fault("PTG206", f"the index of scatter_update is {index.dtype}", expected="int32 or int64")
        if src.dtype != x.dtype:
            raise self.fault(
                "PTG206",
                f"scatter_update of {x.dtype} with rows of {src.dtype}",
                fix=f"cast the rows: `cast(…, {x.dtype})`",
            )
        wanted = (*index.shape, *x.shape[dim + 1 :])
        if len(index.shape) != 1 or not self.dims.same_shape(src.shape, wanted):
            raise self.fault(
                "PTG205",
                f"scatter_update of rows {show_shape(src.shape)} at indices {show_shape(index.shape)} "
                f"into {show_shape(x.shape)}",
                expected=f"rows of shape {show_shape(wanted)}, and an index of rank 1",
                fix=unrelated(self.dims, src.shape, wanted) if len(index.shape) == 1 else "",
            )
        if dim < len(x.shape) - 2:  # a row of several axes becomes one: kernels write a line of the tensor per index
            row = (self.dims.product(x.shape[dim + 1 :]),)
            flat = self.reshape(x, (*x.shape[: dim + 1], *row))
            lines = self.reshape(src, (*index.shape, *row))
            return self.reshape(self.scatter_update(flat, index, lines, dim), x.shape, hint)
        return self.emit("scatter_update", [x, index, src], x.dtype, x.shape, hint, dim=dim)

    def either(self, alternatives: Sequence[tuple[Any, Value, str]]) -> Value:
        """The one of several values whose condition holds; each with the stage that a copy of it would belong to."""
        first = alternatives[0][1]
        held, values, stages = zip(*alternatives, strict=True)
        return self.emit("either", values, first.dtype, first.shape, conditions=held, stages=stages)

    def positions(self, shape: Shape, start: Any, hint: str = "", *, in_block: bool = False) -> Value:
        """start, start + 1, … as one row [n] or one column [n, 1]; of a loop's block: which elements of the whole, or,
        with ``in_block``, of the block."""
        return self.emit("positions", [], "int32", shape, hint, start=sympy.sympify(start), in_block=in_block)

    def full(self, shape: Shape, value: Any, dtype: str, hint: str = "") -> Value:
        """A tensor of one value."""
        if dtype in FP8:
            return self.cast(self.full(shape, value, "fp32", hint), dtype)
        number = self.scalar(value).expr
        self.need_number("full", dtype, number)
        return self.emit("full", [], dtype, shape, hint, value=number)
