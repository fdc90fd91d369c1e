"""Values of one kernel's PTO assembly: names, hoisted constants, index arithmetic and scalar operands.

All index arithmetic is in ``index``. A value that was computed is used again inside the region that computed it and the
regions within; constants stand once, at the top of the function.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import Poly
from pyptogen.lower.origins import Origin
from pyptogen.lower.tile.ir import Condition, Owner
from pyptogen.lower.verify import require
from pyptogen.records import replace
from pyptogen.templates.pto_text_types import DTYPES

if TYPE_CHECKING:
    import sympy

CONSTANTS = "pto_text: constants"
"""The part of the text in which constants stand."""
FLOATS = ("f32", "f16", "bf16")
INDENT = "  "
PREDICATES = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
"""Predicates of `arith.cmpi`."""
FUNCTIONS = {
    "Add": ("arith.addf", "arith.addi"), "Mul": ("arith.mulf", "arith.muli"), "Min": ("arith.minimumf", "arith.minsi"),
    "Max": ("arith.maximumf", "arith.maxsi"), "Abs": ("math.absf", "math.absi"), "exp": ("math.exp", ""),
    "log": ("math.log", ""),
}  # fmt: skip
"""Operation of each sympy function on floats and on whole numbers."""


@dataclass(slots=True)
class Values:
    """Lines of the body so far, and what is known in each open region. ``scalars`` are the MLIR types of the kernel's
    attrs by name."""

    span: Span
    scalars: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    traced: list[Origin] = field(default_factory=list)
    """Of each line, what it comes from."""
    origin: Origin = field(default_factory=Origin)
    """Of the next line."""
    depth: int = 2
    _taken: set[str] = field(default_factory=set)
    _constants: dict[tuple[str, str], str] = field(default_factory=dict)
    _wanted: dict[tuple[str, str], Origin] = field(default_factory=dict)
    """Of each constant, what used it first."""
    _regions: list[dict[str, str]] = field(default_factory=lambda: [{}])
    _numbers: int = 0

    # -- names and regions ----------------------------------------------------------------------------------------

    def name(self, wish: str) -> str:
        """A name that nothing else in the function has, ``%`` included."""
        name, n = wish, 1
        while name in self._taken:
            n += 1
            name = f"{wish}_{n}"
        self._taken.add(name)
        return f"%{name}"

    def bind(self, key: str, value: str) -> None:
        """Within this region, ``key`` (a name of the IR, or the text of a computation) is ``value``."""
        self._regions[-1][key] = value

    def known(self, key: str) -> str | None:
        """What ``key`` is bound to in the regions around, the innermost first."""
        return next((region[key] for region in reversed(self._regions) if key in region), None)

    def put(self, text: str, note: str = "") -> None:
        self.lines.append(f"{INDENT * self.depth}{text}{f'  // {note}' if note else ''}")
        self.traced.append(self.origin)

    def open(self, text: str, note: str = "") -> None:
        """A line that begins a region."""
        self.put(f"{text} {{", note)
        self.depth += 1
        self._regions.append({})

    def close(self, text: str = "}") -> None:
        self.depth -= 1
        self._regions.pop()
        self.put(text)

    def turn(self, text: str) -> None:
        """``} else {``: the region ends and its sibling begins."""
        self.close(f"{text} {{")
        self.depth += 1
        self._regions.append({})

    def compute(self, text: str, wish: str | None = None) -> str:
        """The value of an operation without side effects: as computed before, or on a new line. Without a ``wish`` it
        is numbered."""
        known = self.known(text)
        if known is not None:
            return known
        if wish is None:
            name = f"%{self._numbers}"
            self._numbers += 1
        else:
            name = self.name(wish)
        self.put(f"{name} = {text}")
        self.bind(text, name)
        return name

    # -- constants ------------------------------------------------------------------------------------------------

    def index(self, value: int) -> str:
        return self._constant(str(value), "index", f"c{value}" if value >= 0 else f"cm{-value}")

    def i64(self, value: int) -> str:
        return self._constant(str(value), "i64", f"c{value}_i64")

    def _constant(self, literal: str, kind: str, wish: str) -> str:
        if (literal, kind) not in self._constants:
            self._constants[literal, kind] = self.name(wish)
            self._wanted[literal, kind] = self.origin
        return self._constants[literal, kind]

    def constant_lines(self) -> list[tuple[str, Origin]]:
        """The hoisted constants, a line each, and what used it first: indices first, whole numbers by size, others as
        they were first used."""

        def place(entry: tuple[tuple[str, str], str]) -> tuple[bool, str, int]:
            (literal, kind), _ = entry
            return (kind != "index", kind, int(literal) if literal.lstrip("-").isdigit() else 0)

        return [
            (
                f"{INDENT * 2}{name} = arith.constant {literal} : {kind}",
                replace(self._wanted[literal, kind], part=CONSTANTS),
            )
            for (literal, kind), name in sorted(self._constants.items(), key=place)
        ]

    # -- index arithmetic -----------------------------------------------------------------------------------------

    def holds(self, condition: Condition) -> str:
        """A truth value: that the block at hand is the owner, and all comparisons hold."""
        holds = "" if condition.owner is None else self.is_owner(condition.owner)
        for c in condition.comparisons:
            left, right = self.whole(c.left), self.whole(c.right)
            found = self.compute(f"arith.cmpi {PREDICATES[c.relation]}, {left}, {right} : index")
            holds = self.compute(f"arith.andi {holds}, {found} : i1") if holds else found
        return holds

    def is_owner(self, owner: Owner) -> str:
        """A truth value: that the block at hand has the iteration that a place is in."""
        tile = self.compute(f"arith.divui {self.poly(owner.at)}, {self.index(owner.tile)} : index")
        turn = self.compute(f"arith.remui {tile}, {self.bound('nblk')} : index")
        return self.compute(f"arith.cmpi eq, {turn}, {self.bound('block')} : index")

    def whole(self, value: Poly) -> str:
        """The same where the attrs of the kernel may stand in it, which are no index values."""
        for name in sorted(value.names() & self.scalars.keys()):
            as_index = self.compute(f"arith.index_cast {self.bound(name)} : {self.scalars[name]} to index")
            self.bind(f"{name} as index", as_index)
        return self.poly(value.renamed(lambda name: f"{name} as index" if name in self.scalars else name))

    def poly(self, value: Poly) -> str:
        """An index value: a constant, a name that is bound, or a sum of products."""
        constant = value.constant
        if constant is not None:
            return self.index(constant)
        total: str | None = None
        for mono, coeff in sorted(value.terms, key=lambda term: (term[1] < 0, not term[0], -term[1], term[0])):
            factors = [self.bound(name) for name in mono]
            if abs(coeff.numerator) != 1 or not factors:
                factors.append(self.index(abs(coeff.numerator)))
            term = factors[0]
            for factor in factors[1:]:
                term = self.compute(f"arith.muli {term}, {factor} : index")
            if coeff.denominator != 1:
                term = self.compute(f"arith.divui {term}, {self.index(coeff.denominator)} : index")
            if coeff < 0:
                total = self.compute(f"arith.subi {total or self.index(0)}, {term} : index")
            else:
                total = term if total is None else self.compute(f"arith.addi {total}, {term} : index")
        return total or self.index(0)

    def made_to_fit(self, index: str, bound: Poly, name: str, *, skips: bool) -> str:
        """An index, or the nearest one that names a place; -1 where one beyond them ``skips``."""
        if skips:
            fits = self.compute(f"arith.cmpi slt, {index}, {self.poly(bound)} : index")
            return self.compute(f"arith.select {fits}, {index}, {self.index(-1)} : index", name)
        above = self.compute(f"arith.maxsi {index}, {self.index(0)} : index")
        return self.compute(f"arith.minsi {above}, {self.poly(bound - 1)} : index", name)

    def bound(self, name: str) -> str:
        """The value of a name of the IR."""
        value = self.known(name)
        require(value is not None, f"`{name}` has no value here", self.span)
        return str(value)

    # -- scalar operands ------------------------------------------------------------------------------------------

    def scalar(self, expr: sympy.Expr, dtype: str, span: Span) -> tuple[str, str]:
        """A scalar operand beside tiles of ``dtype``, and its type: attrs are converted, then calculated with."""
        kind = DTYPES[dtype].removeprefix("u")  # numbers have no sign in MLIR, element types do
        return self._scalar(expr, kind, span), kind

    def _scalar(self, expr: sympy.Expr, kind: str, span: Span) -> str:
        if not expr.free_symbols:
            return self._literal(float(expr), kind)
        if expr.is_Symbol:
            return self._attr(str(expr), kind)
        word = FUNCTIONS.get(type(expr).__name__)
        if word is not None:
            return self._fold(word[kind not in FLOATS], [self._scalar(part, kind, span) for part in expr.args], kind)
        require(expr.is_Pow and kind in FLOATS, f"no PTO assembly for the scalar `{expr}` of type {kind}", span)
        return self._power(expr.base, expr.exp, kind, span)

    def _fold(self, word: str, values: list[str], kind: str) -> str:
        """An operation over one value, or over all from the left."""
        if len(values) == 1:
            return self.compute(f"{word} {values[0]} : {kind}")
        total = values[0]
        for value in values[1:]:
            total = self.compute(f"{word} {total}, {value} : {kind}")
        return total

    def _power(self, base: sympy.Expr, exponent: sympy.Expr, kind: str, span: Span) -> str:
        """Powers by whole and half numbers, by multiplication and roots."""
        half = (2 * exponent).is_Integer and not exponent.is_Integer
        require(half or exponent.is_Integer, f"no PTO assembly for a power of `{exponent}`", span)
        factor = self._scalar(base, kind, span)
        if half:
            factor, exponent = self.compute(f"math.sqrt {factor} : {kind}"), 2 * exponent
        power = self._fold("arith.mulf", [factor] * abs(int(exponent)), kind) if abs(exponent) != 1 else factor
        if exponent > 0:
            return power
        return self.compute(f"arith.divf {self._literal(1.0, kind)}, {power} : {kind}")

    def _literal(self, value: float, kind: str) -> str:
        return self._constant(literal(value, kind), kind, "cst" if kind == "f32" else f"cst_{kind}")

    def _attr(self, name: str, kind: str) -> str:
        """An argument of the kernel, as ``kind``; a dim is an index."""
        value, given = self.bound(name), self.scalars.get(name)
        if given is None:
            value, given = self.compute(f"arith.index_cast {value} : index to i32"), "i32"
        if given == kind:
            return value
        if kind in FLOATS:
            wider = given in FLOATS and given != "f32"
            word = ("extf" if wider else "truncf") if given in FLOATS else "sitofp"
        else:
            word = "fptosi" if given in FLOATS else "extsi" if int(given[1:]) < int(kind[1:]) else "trunci"
        return self.compute(f"arith.{word} {value} : {given} to {kind}")


def literal(value: float, kind: str) -> str:
    """An MLIR literal: shortest digits that give the same fp32; infinities as bits."""
    if kind not in FLOATS:
        return str(int(value))
    if math.isinf(value):
        bits = {"f32": 0x7F800000, "f16": 0x7C00, "bf16": 0x7F80}[kind]
        sign = (0x80000000 if kind == "f32" else 0x8000) if value < 0 else 0
        return f"0x{bits | sign:X}"
    import numpy as np

    single = np.float32(struct.unpack("<f", struct.pack("<f", value))[0])
    digits, _, exponent = np.format_float_scientific(single, unique=True, trim="0").partition("e")
    if 1e-4 <= abs(single) < 1e7 or single == 0:
        return str(np.format_float_positional(single, unique=True, trim="0"))
    return f"{digits}e{int(exponent):+03d}"
