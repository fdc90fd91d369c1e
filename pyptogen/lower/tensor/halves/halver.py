"""Emits a program with 64-bit values in halves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.halves.forms import WIDE, Forms, is_index, wide
from pyptogen.lower.tensor.halves.words import ALL, BITS, TOP, number_of, signed, simplified, word
from pyptogen.lower.tensor.ir import VIEWS, Op, Operand, Program, Scalar, Shape, Value
from pyptogen.lower.tensor.program_names import FreeNames
from pyptogen.records import dataclass, replace

HALF = "int32"
_ONE, _TWO = sympy.Integer(1), sympy.Integer(2)


@dataclass(frozen=True, slots=True)
class Pair:
    """A 64-bit value: high * 2^32 + low, the low half taken as unsigned."""

    low: Operand
    high: Operand


Rule = Callable[["Halver", Op], "Pair | Value"]
"""Emits an operation in halves and gives its result: halves, or a value of a narrower dtype."""


class Halver:
    """One run. ``at`` is the operation at hand."""

    def __init__(self, program: Program, platform: Platform, forms: Forms) -> None:
        self.program, self.platform, self.forms = program, platform, forms
        self.names = FreeNames(program)
        self.ops: list[Op] = []
        self.at: Op = program.ops[0]
        self.pairs: dict[str, Pair] = {}
        self.inputs = {value.name: value for value in program.inputs}
        self.halves: dict[str, str] = {}
        """By contract name, the name of the memory in halves."""
        self._memory: dict[str, Value] = {}
        self._views: dict[tuple[str, str, str], Pair] = {}
        self._indices: dict[str, Value] = {}

    # -- emission ------------------------------------------------------------------------------------------------------

    def emit(
        self, kind: str, operands: Sequence[Operand], dtype: str, shape: Shape, hint: str, /, **attrs: Any
    ) -> Value:
        """One operation in the stage, and in the loop, of the one at hand."""
        value = Value(self.names.take(f"{self.at.result.name}_{hint}"), dtype, shape, "nd", self.at.span)
        self.ops.append(Op(kind, tuple(operands), value, attrs, self.at.stage, self.at.span, self.at.loop))
        return value

    def number(self, number: int) -> Scalar:
        """A word that is known."""
        return Scalar(sympy.Integer(signed(number)), self.at.span)

    def real(self, number: float) -> Scalar:
        """A number beside tensors of floats."""
        return Scalar(sympy.Float(number), self.at.span)

    def fp32(self, kind: str, a: Value, b: Value | float, hint: str) -> Value:
        """An operation in fp32; none for a product with 1."""
        if kind == "mul" and b == 1.0:
            return a
        other = b if isinstance(b, Value) else self.real(b)
        return self.emit(kind, [a, other], "fp32", self.joined(a, other), hint)

    def joined(self, *operands: Operand) -> Shape:
        """The shape that operands broadcast to."""
        shapes = [operand.shape for operand in operands if isinstance(operand, Value)]
        one = self.forms.dims.is_one
        return tuple(next((size for size in sizes if not one(size)), sizes[0]) for sizes in zip(*shapes, strict=True))

    def word(self, kind: str, a: Operand, b: Operand, hint: str = "word") -> Operand:
        """An operation on 32-bit words, modulo 2^32."""
        known = simplified(kind, a, b)
        if known is not None:
            return known
        if kind == "sub" and number_of(b) is not None:
            return self.word("add", a, self.number(-(number_of(b) or 0)), hint)
        return self.emit(kind, [a, b], HALF, self.joined(a, b), hint)

    def inverted(self, a: Operand) -> Operand:
        """All bits inverted."""
        known = number_of(a)
        if known is not None:
            return word(~known, a)
        assert isinstance(a, Value)
        return self.emit("bitwise_not", [a], HALF, a.shape, "inverted")

    def left(self, a: Operand, bits: int) -> Operand:
        """``a << bits``, 0 <= bits <= 32."""
        if bits == BITS:
            return self.number(0)
        return self.word("bitwise_left_shift", a, self.number(bits), "up")

    def right(self, a: Operand, bits: int) -> Operand:
        """``a >> bits`` with a's sign, 0 <= bits < 32."""
        return self.word("bitwise_right_shift", a, self.number(bits), "down")

    def unsigned_right(self, a: Operand, bits: int) -> Operand:
        """``a >> bits`` with zeros from the left, 0 <= bits <= 32."""
        if bits in (0, BITS):
            return a if bits == 0 else self.number(0)
        return self.word("bitwise_and", self.right(a, bits), self.number((1 << (BITS - bits)) - 1), "down")

    def sign(self, a: Operand) -> Operand:
        """-1 where the word's sign is set, else 0."""
        return self.right(a, BITS - 1)

    def holds(self, kind: str, a: Operand, b: Operand, hint: str = "holds") -> Value:
        """A comparison of words."""
        return self.emit(kind, [a, b], "bool", self.joined(a, b), hint)

    def unsigned(self, kind: str, a: Operand, b: Operand, hint: str = "holds") -> Value:
        """A comparison of words taken as unsigned: with flipped signs it is that of signed ones."""
        top = self.number(TOP)
        return self.holds(kind, self.word("add", a, top, "flipped"), self.word("add", b, top, "flipped"), hint)

    def logical(self, kind: str, a: Value, b: Value, hint: str = "holds") -> Value:
        """``and`` or ``or`` of truth values."""
        return self.emit(f"bitwise_{kind}", [a, b], "bool", self.joined(a, b), hint)

    def chosen(self, condition: Value, a: Operand, b: Operand, hint: str = "chosen") -> Operand:
        """A word of ``a`` where the condition holds, else of ``b``."""
        if number_of(a) is not None and number_of(a) == number_of(b):
            return a
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            a = self.emit("full", [], HALF, condition.shape, "either", value=a.expr)
        return self.emit("where", [condition, a, b], HALF, self.joined(condition, a, b), hint)

    def cast(self, x: Value, dtype: str, hint: str = "", *, mode: str = "rint", saturate: bool = True) -> Value:
        """A conversion between narrower dtypes."""
        if x.dtype == dtype:
            return x
        return self.emit("cast", [x], dtype, x.shape, hint or dtype, dtype=dtype, mode=mode, saturate=saturate)

    def value(self, a: Operand, shape: Shape) -> Value:
        """A word as a tensor."""
        return a if isinstance(a, Value) else self.emit("full", [], HALF, shape, "word", value=a.expr)

    def refused(self, what: str, fix: str = "") -> DiagnosticError:
        """PTG303 at the operation at hand."""
        return fault(
            "PTG303",
            f"{what}: {self.platform.name} has no 64-bit instruction for it, and it is not done in halves",
            self.at.span,
            expected="a dtype of up to 32 bits",
            fix=fix or "cast its operands, as `cast(x, int32)`: numbers that int32 does not hold become its extremes",
        )

    # -- values --------------------------------------------------------------------------------------------------------

    def pair(self, operand: Operand, shape: Shape | None = None) -> Pair:
        """The halves of a 64-bit operand; of a number that only a call knows as tensors of ``shape``."""
        if isinstance(operand, Scalar):
            return self._halves_of_number(operand, shape)
        if operand.name in self.pairs:
            return self.pairs[operand.name]
        key = (operand.name, self.at.stage, self.at.loop)
        if key not in self._views:
            memory = self._in_memory(self.inputs[operand.name])
            self._views[key] = Pair(self._half(memory, operand, 0, "low"), self._half(memory, operand, 1, "high"))
        return self._views[key]

    def _halves_of_number(self, operand: Scalar, shape: Shape | None) -> Pair:
        known = number_of(operand)
        if known is not None:
            return Pair(word(known, operand), word(known >> BITS, operand))
        expr = operand.expr
        assert shape is not None
        lowest, highest = self.forms.dims.bounds(expr)
        if lowest.is_number and highest.is_number and lowest >= 0 and highest <= ~TOP:
            return Pair(self.emit("full", [], HALF, shape, "number", value=expr), self.number(0))
        rest = sympy.Mod(expr, 1 << BITS)
        low = rest - (1 << BITS) * sympy.floor(rest / (1 << (BITS - 1)))
        high = sympy.floor(expr / (1 << BITS))
        return Pair(
            self.emit("full", [], HALF, shape, "number_low", value=low),
            self.emit("full", [], HALF, shape, "number_high", value=high),
        )

    def _in_memory(self, value: Value) -> Value:
        """The memory of an input as words, one more axis of two."""
        if value.name not in self._memory:
            self._memory[value.name] = self._words_of(value, value.name)
        return self._memory[value.name]

    def _words_of(self, value: Value, name: str) -> Value:
        if value.layout != "nd":
            raise fault(
                "PTG303",
                f"`{name}` is int64 @ {value.layout}, and {self.platform.name} computes with its halves",
                value.span,
                expected="a tensor that lies row after row",
                fix=f"leave `@ {value.layout}` out",
            )
        self.halves[name] = taken = self.names.take(f"{name}_halves")
        strides = (*(2 * step for step in value.strides), _ONE) if value.strides else ()
        return Value(taken, HALF, (*value.shape, _TWO), "nd", value.span, strides)

    def _half(self, memory: Value, value: Value, at: int, hint: str) -> Value:
        op, self.at = self.at, replace(self.at, result=value)
        axis, shape = len(value.shape), (*value.shape, _ONE)
        start, stop = sympy.Integer(at), sympy.Integer(at + 1)
        part = self.emit("slice", [memory], HALF, shape, f"{hint}_word", axis=axis, start=start, stop=stop)
        half = self.emit("reshape", [part], HALF, value.shape, hint, shape=value.shape)
        self.at = op
        return half

    def index(self, value: Value) -> Value:
        """An index as int32; a number beyond that is no index of anything, and becomes an extreme."""
        if value.name not in self._indices:
            made = self.forms.defining.get(value.name)
            if made is not None and made.kind in VIEWS:
                source = made.operands[0]
                assert isinstance(source, Value)
                found = self.emit(made.kind, [self.index(source)], HALF, value.shape, "index", **made.attrs)
            else:
                op, self.at = self.at, replace(self.at, result=value)
                found = self.value(self.narrowed(self.pair(value)), value.shape)
                self.at = op
            self._indices[value.name] = found
        return self._indices[value.name]

    def narrowed(self, x: Pair) -> Operand:
        """A pair as int32, saturated: what the high half does not repeat the sign of is beyond."""
        sign = self.sign(x.low)
        # The greatest number less 0 or -1, modulo 2^32: A2/A3 assembly has no exclusive or of 32 bits and a number.
        beyond = self.word("sub", self.number(~TOP), self.sign(x.high), "beyond")
        return self.chosen(self.holds("eq", x.high, sign, "fits"), x.low, beyond, "int32")

    # -- the program ---------------------------------------------------------------------------------------------------

    def operand(self, op: Op, position: int) -> Operand:
        """An operand as the operation reads it whole, an index in whatever form it has."""
        operand = op.operands[position]
        if not wide(operand) or not isinstance(operand, Value) or operand.name in self.forms.whole:
            return operand
        if is_index(op, position):
            return self.index(operand)
        raise self.refused(f"`{op.kind}` of int64 that are computed")

    def run(self, rules: Mapping[str, Rule]) -> Program:
        """The whole program."""
        for op in self.program.ops:
            self.at = op
            native, name = self.forms.is_native(op) or not self._meets_halves(op), op.result.name
            both = op.result.dtype == WIDE
            if native and (not both or name in self.forms.as_whole):
                self.ops.append(replace(op, operands=tuple(self.operand(op, i) for i in range(len(op.operands)))))
            if name in self.forms.in_halves if both else not native:
                self._by_halves(op, rules)
        return self._program()

    def _meets_halves(self, op: Op) -> bool:
        return op.result.dtype == WIDE or any(wide(o) and not is_index(op, i) for i, o in enumerate(op.operands))

    def _by_halves(self, op: Op, rules: Mapping[str, Rule]) -> None:
        if op.kind not in rules:
            raise self.refused(f"`{op.kind}` of int64")
        before = len(self.ops)
        found = rules[op.kind](self, op)
        if isinstance(found, Pair):
            self.pairs[op.result.name] = found
        else:
            assert len(self.ops) > before and self.ops[-1].result is found
            self.ops[-1] = replace(self.ops[-1], result=replace(found, name=op.result.name, span=op.result.span))

    def _program(self) -> Program:
        program = self.program
        outputs, laid_out, inplace = [], dict(program.laid_out), dict(program.inplace)
        for name, value in program.outputs:
            if value.dtype != WIDE or value.name in self.forms.as_whole:
                outputs.append((name, value))
                continue
            stage = next((op for op in reversed(program.ops) if op.result.name == value.name), program.ops[-1])
            self.at = replace(stage, result=replace(value, name=name), loop="", stage=self.ops[-1].stage)
            outputs.append((name, self._output(value)))
            if name in inplace:
                inplace[name] = self._in_memory(self.inputs[inplace[name]]).name
            elif name in laid_out:
                laid_out[name] = replace(self._words_of(laid_out[name], name), name=name)
            else:
                self._words_of(value, name)
        inputs = (*(value for value in program.inputs), *self._memory.values())
        loops = tuple(replace(loop, carried=tuple(self._carried(loop.carried))) for loop in program.loops)
        return replace(
            program, inputs=inputs, outputs=tuple(outputs), ops=tuple(self.ops), loops=loops, laid_out=laid_out,
            inplace=inplace, halves=self.halves,
        )  # fmt: skip

    def _output(self, value: Value) -> Value:
        """Both halves side by side, as the memory of an output has them."""
        pair, shape = self.pair(value), (*value.shape, _ONE)
        parts = [
            self.emit("reshape", [self.value(half, value.shape)], HALF, shape, "part", shape=shape)
            for half in (pair.low, pair.high)
        ]
        return self.emit("concat", parts, HALF, (*value.shape, _TWO), "words", axis=len(value.shape))

    def _carried(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        found = []
        for carry, after in pairs:
            if carry in self.pairs:
                mine, other = self.pairs[carry], self.pairs[after]
                halves = ((mine.low, other.low), (mine.high, other.high))
                found += [(a.name, b.name) for a, b in halves if isinstance(a, Value) and isinstance(b, Value)]
            if carry not in self.forms.in_halves or carry in self.forms.as_whole:
                found.append((carry, after))
        return found


__all__ = ["ALL", "HALF", "Halver", "Pair", "Rule"]
