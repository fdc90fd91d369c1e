"""Rewrites a program operation by operation into what one platform's tiles can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.building import layouts
from pyptogen.lower.tensor.ir import PRODUCTS, SORTING, VIEWS, Dim, Loop, Op, Operand, Program, Scalar, Shape, Value
from pyptogen.lower.tensor.program_names import FreeNames
from pyptogen.lower.tensor.views import root, value_views
from pyptogen.records import replace

MASK = "fp16"
"""Truth values on tiles: 1 and 0 in this dtype. In GM a bool is a byte."""

WIDER: Mapping[str, tuple[str, ...]] = {
    "bf16": ("fp32",), "fp16": ("fp32",), "int8": ("int16", "fp16", "fp32"), "uint8": ("int16", "fp16", "fp32"),
    "int16": ("int32", "fp32"), "uint16": ("int32", "fp32"),
}  # fmt: skip
"""dtypes that hold every number of a narrower one, the nearest first."""

INTEGERS = frozenset({"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"})
BITS: Mapping[str, int] = {
    "int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64,
}  # fmt: skip

_ROW_AFTER_ROW = frozenset({"either", "scatter_update", "by_hand", "carried", "collected"})
"""Operations whose results lie in memory row after row, because others share it or iterations fill it."""

Rule = Callable[["Fitter", Op], Value]
"""Emits what an operation becomes and gives its result."""


class Fitter:
    """Emits the fitted operations. ``fitted`` maps each value of the program to what stands for it now; ``copied`` are
    the values that are to be copied, because neither strides nor an index lead to where they lie."""

    def __init__(self, program: Program, platform: Platform, copied: Set[str] = frozenset()) -> None:
        self.program, self.platform, self.copied = program, platform, copied
        self.ops: list[Op] = []
        self.fitted: dict[str, Value] = {}
        self.names = FreeNames(program)
        self.at: Op = program.ops[0] if program.ops else Op("", (), program.inputs[0], {}, "", program.span)
        self._casts: dict[tuple[str, str, str], Value] = {}
        self.dims: list[Dim] = []
        self.loops: list[Loop] = []
        """Dims and loops that the program does not have."""

    # -- what platforms have --------------------------------------------------------------------------------------

    def takes(self, instruction: str, dtype: str) -> bool:
        """Whether the platform has the instruction for tiles of a dtype."""
        return dtype in INSTRUCTIONS[instruction].dtypes.get(self.platform.name, frozenset())

    def compute_dtype(self, instruction: str, dtype: str, never: frozenset[str] = frozenset()) -> str:
        """The dtype in which the instruction works on numbers of ``dtype``: itself, or one that holds them all, none of
        ``never``.

        Raises:
            DiagnosticError: PTG303, there is none.
        """
        for wide in (dtype, *WIDER.get(dtype, ())):
            if wide not in never and self.takes(instruction, wide):
                return wide
        what = f"`{self.at.kind}` of {dtype}: {instruction} takes no {dtype} on {self.platform.name}"
        raise self.refused(what)

    def refused(self, what: str, expected: str = "", fix: str = "") -> DiagnosticError:
        """PTG303 at the operation at hand."""
        return fault(
            "PTG303",
            what,
            self.at.span,
            expected=expected or "a dtype that the platform computes with, or one that such a dtype holds",
            fix=fix or "cast to a dtype that the platform computes with",
        )

    # -- operands ----------------------------------------------------------------------------------------------------

    def operand(self, operand: Operand) -> Operand:
        """What stands for an operand; truth values as 1 and 0."""
        if isinstance(operand, Scalar):
            return operand
        value = self.fitted[operand.name]
        return self.cast(value, MASK) if operand.dtype == "bool" and value.dtype == "uint8" else value

    def value(self, operand: Operand) -> Value:
        """The same for an operand that is a tensor."""
        found = self.operand(operand)
        assert isinstance(found, Value)
        return found

    @staticmethod
    def scalar(number: Any, op: Op) -> Scalar:
        return Scalar(sympy.sympify(number), op.span)

    # -- emission ----------------------------------------------------------------------------------------------------

    def emit(
        self,
        kind: str,
        operands: list[Operand],
        dtype: str,
        shape: Shape,
        hint: str = "",
        attrs: Mapping[str, Any] | None = None,
        loop: str = "",
    ) -> Value:
        """One operation in the stage, and in the loop, of the one at hand, or in another ``loop``."""
        name = self.names.take(f"{self.at.result.name}_{hint or kind}")
        value = Value(name, dtype, shape, "nd", self.at.span)
        inside = loop or self.at.loop
        self.ops.append(Op(kind, tuple(operands), value, attrs or {}, self.at.stage, self.at.span, inside))
        return value

    def repeated(
        self, what: str, count: int, starts: Sequence[Value], step: Callable[..., Sequence[Value]]
    ) -> list[Value]:
        """Values after so many iterations of ``step``, which makes the next values of the last: a loop of its own, or,
        inside of another one, unrolled."""
        op = self.at
        if op.loop:
            for _ in range(count):
                starts = step(*starts)
            return list(starts)
        name = self.names.take(f"{op.stage}_{what}")
        over = next((dim for dim in self.dims if dim.name.startswith(f"{what}_rounds") and dim.value == count), None)
        if over is None:
            over = Dim(self.names.take(f"{what}_rounds"), count, count, count, 1, None, op.span)
            self.dims.append(over)
        self.at = replace(op, loop=name)
        carries = [self.emit("carry", [v], v.dtype, v.shape, "round", {"name": op.result.name}) for v in starts]
        following = step(*carries)
        self.at = op
        pairs = tuple((carry.name, value.name) for carry, value in zip(carries, following, strict=True))
        block = Dim(f"{over.name}.tile", None, 1, 1, 1, None, op.span)
        self.loops.append(Loop(name, op.stage, over.name, 1, block, pairs, op.span))
        return [
            self.emit("carried", [carry, value], value.dtype, value.shape, "end", {"loop": name})
            for carry, value in zip(carries, following, strict=True)
        ]

    def cast(self, value: Value, dtype: str, mode: str = "rint") -> Value:
        """``value`` in another dtype, made once a stage."""
        if value.dtype == dtype:
            return value
        key = (value.name, dtype, f"{mode} {self.at.stage}")
        if key not in self._casts:
            self._casts[key] = self.convert(value, dtype, mode)
        return self._casts[key]

    def convert(self, value: Value, dtype: str, mode: str, hint: str = "", saturate: bool = True) -> Value:
        """One conversion, also from fp32 to whole numbers in fp32."""
        attrs = {"dtype": dtype, "mode": mode, "saturate": saturate}
        return self.emit("cast", [value], dtype, value.shape, hint or dtype, attrs)

    def gathered(self, value: Value) -> Value:
        """``value`` in memory of its own, in the order of its elements, where it is part of another or transposed; made
        once a stage."""
        defining = {op.result.name: op for op in self.ops}
        base = value
        while base.name in defining and defining[base.name].kind == "reshape":
            (source,) = defining[base.name].operands
            assert isinstance(source, Value)
            base = source
        in_rows = base.name not in defining or defining[base.name].kind not in VIEWS
        if in_rows and not layouts.by_columns(base):
            return value
        key = (value.name, value.dtype, f"copy {self.at.stage}")
        if key not in self._casts:
            self._casts[key] = self.emit("copy", [value], value.dtype, value.shape, "rows")
        return self._casts[key]

    def unary(self, kind: str, x: Value, hint: str = "") -> Value:
        return self.emit(kind, [x], x.dtype, x.shape, hint)

    def binary(self, kind: str, a: Operand, b: Operand, shape: Shape, hint: str = "") -> Value:
        """An elementwise operation in the dtype of its operands."""
        dtype = next(v.dtype for v in (a, b) if isinstance(v, Value))
        return self.emit(kind, [a, b], dtype, shape, hint)

    def difference(self, a: Operand, b: Operand, shape: Shape, hint: str = "") -> Value:
        """a - b; of whole numbers, a number minus a tensor is -b + a."""
        if isinstance(a, Scalar) and isinstance(b, Value) and b.dtype in INTEGERS:
            negated = self.binary("mul", b, self.scalar(-1, self.at), shape, "negated")
            return self.binary("add", negated, a, shape, hint)
        return self.binary("sub", a, b, shape, hint)

    def truth(self, kind: str, a: Operand, b: Operand, shape: Shape, hint: str = "") -> Value:
        """A comparison; 1 where it holds, else 0."""
        return self.emit(kind, [a, b], MASK, shape, hint)

    def wrapped(self, value: Value, dtype: str) -> Value:
        """Whole numbers with the low bits that a narrower integer dtype keeps, as that dtype."""
        left = BITS[value.dtype] - BITS[dtype]
        if left <= 0 and BITS[dtype] < 32 and value.dtype.startswith("u") != dtype.startswith("u"):
            return self.wrapped(self.cast(value, "int32"), dtype)
        if left <= 0:
            return self.cast(value, dtype)
        if dtype.startswith("u"):
            low = self.scalar((1 << BITS[dtype]) - 1, self.at)
            return self.cast(self.binary("bitwise_and", value, low, value.shape, "low"), dtype)
        count = self.scalar(left, self.at)
        high = self.binary("bitwise_left_shift", value, count, value.shape, "high")
        return self.cast(self.binary("bitwise_right_shift", high, count, value.shape, "low"), dtype)

    # -- the program -------------------------------------------------------------------------------------------------

    def run(self, rules: Mapping[str, Rule]) -> Program:
        """The whole program; an operation without a rule keeps its kind and gets the fitted operands."""
        inputs = tuple(_in_gm(value) for value in self.program.inputs)
        self.fitted |= {value.name: value for value in inputs}
        truths = {value.name for _, value in self.program.outputs if value.dtype == "bool"}
        self.stored: dict[str, Value] = {}
        for op in self.program.ops:
            self.at = op
            before = len(self.ops)
            value = rules.get(op.kind, _kept)(self, op)
            self.fitted[op.result.name] = self._settle(op, value) if len(self.ops) > before else value
            if op.result.name in truths:
                self.stored[op.result.name] = self.cast(self.fitted[op.result.name], "uint8")
        outputs = self._outputs()
        loops = tuple(
            replace(loop, carried=tuple((self.fitted[a].name, self.fitted[b].name) for a, b in loop.carried))
            for loop in self.program.loops
        )
        dims, loops = (*self.program.dims, *self.dims), (*loops, *self.loops)
        return replace(self.program, dims=dims, inputs=inputs, outputs=outputs, ops=tuple(self.ops), loops=loops)

    def _outputs(self) -> tuple[tuple[str, Value], ...]:
        """Each output as a value with memory of its own: copied where it is an input, part of a value in another order,
        or the same as another output. A reshape is the same memory; a reorder is how a product is stored."""
        defining = {op.result.name: op for op in self.ops}
        taken: set[str] = set()
        outputs = []
        for name, original in self.program.outputs:
            value = self.stored.get(original.name, self.fitted[original.name])
            base, kinds = root(value.name, defining), {view.kind for view in value_views(defining, value.name)}
            whole = kinds <= {"reshape", "reorder", "collected"}
            nz = name in self.program.laid_out and self.program.laid_out[name].layout == "nz"
            whole &= not (nz and (kinds or value.name in self.copied))
            stays = whole and base == self.program.inplace.get(name)
            beside = name in self.program.inplace and name in self.copied
            kind = "collected" if "collected" in kinds else defining[base].kind if base in defining else ""
            if not stays and (not kind or not whole or base in taken or beside or self._must_move(name, kind)):
                stage = defining[value.name].stage if value.name in defining else self.at.stage
                self.at = replace(self.at, result=replace(value, name=name), span=original.span, stage=stage)
                value = self.gathered(value) if nz else value
                if beside and base == self.program.inplace[name]:
                    value = self.emit("copy", [value], value.dtype, value.shape, "beside")
                value = self.emit("copy", [value], value.dtype, value.shape)
                base = value.name
            taken.add(base)
            outputs.append((name, value))
        return tuple(outputs)

    def _must_move(self, name: str, kind: str) -> bool:
        """Whether an output does not lie row after row, as what makes its value leaves it: the fixpipe writes rows, and
        so do orders."""
        laid_out = self.program.laid_out.get(name)
        if kind in ("scatter_update", "either") and name in self.program.inplace:
            return False
        in_rows = kind in SORTING or (kind in PRODUCTS and not self.platform.unified)
        by_columns = in_rows and layouts.by_columns(laid_out)
        return laid_out is not None and (kind in _ROW_AFTER_ROW or by_columns)

    def _settle(self, op: Op, value: Value) -> Value:
        """The result under its own name where it was made for this operation."""
        if self.ops[-1].result is not value:
            return value
        named = replace(value, name=op.result.name, span=op.result.span)
        self.ops[-1] = replace(self.ops[-1], result=named)
        self._casts = {key: named if cast is value else cast for key, cast in self._casts.items()}
        return named


def _in_gm(value: Value) -> Value:
    return replace(value, dtype="uint8") if value.dtype == "bool" else value


def _kept(fitter: Fitter, op: Op) -> Value:
    """The same operation; where truth values meet numbers' instructions, they are numbers."""
    operands = [fitter.operand(operand) for operand in op.operands]
    dtype = MASK if op.result.dtype == "bool" else op.result.dtype
    return fitter.emit(op.kind, operands, dtype, op.result.shape, attrs=op.attrs)
