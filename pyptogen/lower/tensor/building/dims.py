"""Dims as sympy symbols: static and derived values, ranges, and the proofs that shapes need."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import sympy

from pyptogen.diagnostics import Span, did_you_mean, fault, is_sound, kept, require_sound
from pyptogen.lower.expr import from_sympy
from pyptogen.lower.tensor.building.stated import Stated, follows, multilinear, solve, unbound
from pyptogen.lower.tensor.ir import Dim, Requirement, Shape
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tensor.reading.scalars import ScalarReader
from pyptogen.lower.tensor.reading.size_of_numbers import within_reason
from pyptogen.records import replace
from pyptogen.schema import DimSpec, Expr
from pyptogen.schema.budget import MOST_NESTED, too_much
from pyptogen.schema.models import GREATEST_SIZE

_MOST_CORNERS = 10
"""Run-time sizes in one expression of which all combinations of least and greatest are tried."""


@lru_cache(maxsize=4096)
def _vanishes(difference: Any) -> bool:
    """Whether an expression of sizes is 0 whatever they are; specs ask the same of the same sizes over and over."""
    expanded = sympy.expand(difference)
    if expanded == 0 or expanded.is_polynomial():
        return bool(expanded == 0)
    return bool(sympy.simplify(difference) == 0)


class DimTable:
    """The dims of one operator. Symbols are positive integers; attrs are real symbols beside them."""

    def __init__(
        self, dims: Iterable[Dim], symbols: Mapping[str, Any], made_of: Mapping[Any, Any] | None = None
    ) -> None:
        self.dims = tuple(dims)
        self.symbols = dict(symbols)
        self._made_of = dict(made_of or {})
        """What the spec says of dims that are numbers by other dims."""
        self._known: dict[Any, Any] = {}
        for dim in self.dims:
            if dim.value is not None:
                self._known[self.symbols[dim.name]] = sympy.Integer(dim.value)
            elif dim.definition is not None:
                self._known[self.symbols[dim.name]] = dim.definition
        for symbol, value in self._known.items():
            self._known[symbol] = self._replace(value)
        self._by_name = {dim.name: dim for dim in self.dims}
        self.observed: tuple[Any, ...] = ()
        """Sizes of the axes of inputs, from which run-time sizes are read."""
        self.blocks: dict[str, Dim] = {}
        """The sizes of the blocks that loops take, by name."""
        self.declared: Mapping[str, Dim] = dict(self._by_name)
        """The dims as the spec gives them, also where they follow from others by what it states."""
        self.stated: list[Stated] = []
        self.needed: list[Requirement] = []
        """What operations need of sizes, and nothing proves."""

    def add(self, dim: Dim) -> None:
        """One more dim, which no dim of the table is made from."""
        self.dims, self._by_name[dim.name] = (*self.dims, dim), dim
        value = sympy.Integer(dim.value) if dim.value is not None else dim.definition
        if value is not None:
            self._known[self.symbols[dim.name]] = self._replace(value)

    def replaced(self, expr: Any) -> Any:
        """``expr`` in dynamic dims and numbers only, as it comes."""
        return self._replace(expr)

    def _replace(self, expr: Any) -> Any:
        previous = None
        while previous != expr:
            previous, expr = expr, expr.xreplace(self._known)
        return expr

    def open_block(self, over: str, tile: int, span: Span) -> Dim:
        """The dim that is the size of a block of at most ``tile`` elements of the dim ``over``; its symbol is made once
        for all loops that take such blocks."""
        taken = [block for block in self.blocks.values() if block.name.startswith(f"{over}.")]
        found = next((block for block in taken if block.max == tile), None)
        if found is None:
            found = Dim(f"{over}.{'tile' if not taken else f'tile{len(taken) + 1}'}", None, 1, tile, 1, None, span)
            self.add_block(found)
        return found

    def add_block(self, block: Dim) -> None:
        """Makes a block's size known; its name has a dot, so no name of a spec is the same. One of 1 is a number."""
        self.blocks[block.name] = self._by_name[block.name] = block
        self.symbols[block.name] = dim_symbol(block.name)
        if block.max == 1:
            self._known[self.symbols[block.name]] = sympy.Integer(1)

    def named(self, size: Any, wanted: str, span: Span) -> Any:
        """The symbol of the dim that has this size: one of the spec's, or else a new one, called ``wanted`` where that
        is free."""
        if size.is_Symbol:
            return size
        found = next((dim.name for dim in self.dims if self.equal(self.symbols[dim.name], size)), None)
        if found is not None:
            return self.symbols[found]
        name, count = wanted, 1
        while name in self.symbols:
            count += 1
            name = f"{wanted}_{count}"
        value, (low, high) = self.number(size), map(int, self.bounds(size))
        dim = Dim(name, value, low, high, value or 1, None if value else size, span)
        self.dims, self._by_name[name], self.symbols[name] = (*self.dims, dim), dim, dim_symbol(name)
        self._known[self.symbols[name]] = self.resolve(size)
        return self.symbols[name]

    def resolve(self, expr: Any) -> Any:
        """``expr`` in dynamic dims and numbers only, expanded."""
        return sympy.expand(self._replace(sympy.sympify(expr)))

    def resolve_condition(self, condition: Any) -> Any:
        """A relation in dynamic dims and numbers only; a truth value where it is decided."""
        return sympy.sympify(condition.xreplace(self._known))

    def decide(self, condition: Any) -> bool | None:
        """The truth of relations joined by and/or for all sizes in range, or None where it depends on them."""
        resolved = self.resolve_condition(condition)
        if resolved in (sympy.true, sympy.false):
            return bool(resolved)
        if isinstance(resolved, sympy.And | sympy.Or):
            parts = [self.decide(part) for part in resolved.args]
            last = isinstance(resolved, sympy.Or)
            return last if last in parts else None if None in parts else not last
        difference = sympy.expand(resolved.lhs - resolved.rhs)
        if not multilinear(difference):
            return None
        low, high = self.bounds(difference)
        if not (low.is_number and high.is_number):
            return None
        lowest, highest = (type(resolved)(size, 0) for size in (low, high))
        if isinstance(resolved, sympy.Eq | sympy.Ne):
            apart = bool(low > 0 or high < 0)
            return isinstance(resolved, sympy.Ne) if apart else None
        return bool(lowest) if lowest == highest else None

    def between(self, start: Any, stop: Any) -> Any:
        """The size from ``start`` to ``stop``, in the shortest form: from ``hq * d`` to ``(hq + hk) * d`` it is
        ``hk * d``, of which loops can cut both dims."""
        size = stop - start
        forms = [size]
        for expanded in (sympy.expand(size), sympy.expand(size.xreplace(self._made_of))):
            forms += [expanded, sympy.factor_terms(expanded)]
        return min(forms, key=lambda form: int(sympy.count_ops(form)))

    def number(self, expr: Any) -> int | None:
        """The integer that ``expr`` is for every run, or None."""
        value = self.resolve(expr)
        return int(value) if value.is_Integer else None

    def equal(self, a: Any, b: Any) -> bool:
        """Whether two sizes are proved equal: by their definitions, or by what the spec states."""
        if a == b:
            return True
        difference = self.resolve(a - b)
        if difference == 0 or not difference.free_symbols:
            return bool(difference == 0)
        return _vanishes(difference) or follows(difference, self._relations())

    def _relations(self) -> list[Any]:
        """What the spec states to be 0, and what gives no dim."""
        return [self.resolve(stated.left - stated.right) for stated in self.stated if not stated.dim]

    def may_be_equal(self, a: Any, b: Any) -> bool:
        """Whether sizes that are not proved equal are so in some calls, for all that the ranges of their dims say, and
        a spec could state it: both are known at run time only, in dims of the spec."""
        left, right = self.resolve(a), self.resolve(b)
        difference = sympy.expand(left - right)
        names = {symbol.name for symbol in difference.free_symbols}
        if not left.free_symbols or not right.free_symbols or not names <= self.declared.keys():
            return False
        if not multilinear(difference):
            return True
        low, high = self.bounds(difference)
        return bool(low <= 0 <= high)

    def is_declared(self, size: Any) -> bool:
        """Whether a size is made of dims of the spec alone."""
        return {symbol.name for symbol in size.free_symbols} <= self.declared.keys()

    def state_all(self, condition: Any, span: Span) -> None:
        """Takes the sizes that a precondition of the spec says to be equal as that from here on; calls are checked. A
        dim follows where one can. A size that is a number, or a matter of attrs, is left to the check."""
        for part in sympy.And.make_args(condition):
            if isinstance(part, sympy.Eq):
                self._state(part.lhs, part.rhs, span)

    def _state(self, a: Any, b: Any, span: Span) -> None:
        if not self.may_be_equal(a, b):
            return
        difference = sympy.expand(self.resolve(a) - self.resolve(b))
        for name, definition in solve(difference, [dim.name for dim in self.dims]):
            if self._follows(name, definition):
                self.stated.append(Stated(a, b, name, definition, span))
                return
        if difference != 0 and difference.is_polynomial(*difference.free_symbols):
            self.stated.append(Stated(a, b, "", None, span))

    def _follows(self, name: str, definition: Any) -> bool:
        """Makes a dynamic dim a derived one, where the inputs still determine the others."""
        symbol = self.symbols[name]
        others = {self.symbols[dim.name] for dim in self.dims if dim.dynamic and dim.name != name}
        if unbound([sympy.expand(size.xreplace({symbol: definition})) for size in self._resolved_axes()], others):
            return False
        self._known[symbol] = definition
        for known, value in self._known.items():
            self._known[known] = self._replace(value)
        dim = self._by_name[name]
        low, high = self.bounds(definition)
        derived = replace(
            dim, min=max(dim.min, int(low)), max=min(dim.max, int(high)), multiple_of=1, definition=definition
        )
        self._by_name[name] = derived
        self.dims = tuple(self._by_name[other.name] for other in self.dims)
        return True

    def _resolved_axes(self) -> list[Any]:
        """The observed sizes; without any, each dynamic dim as if it were an axis."""
        if self.observed:
            return [self.resolve(size) for size in self.observed]
        return [self.symbols[dim.name] for dim in self.dims if dim.dynamic]

    def resolve_unified(self, expr: Any) -> Any:
        """``expr`` without the dims that follow from others by what the spec states; other names stay."""
        mapping = {self.symbols[stated.dim]: stated.definition for stated in self.stated if stated.dim}
        previous = None
        while previous != expr:
            previous, expr = expr, expr.xreplace(mapping)
        return expr

    def is_one(self, size: Any) -> bool:
        """Whether a size is proved to be 1."""
        return self.number(size) == 1

    def need_at_least(self, a: Any, b: Any, why: str, span: Span) -> bool:
        """Whether ``a >= b``, proved or checked at run time from here on; False where it never holds."""
        if self.nonnegative(a - b):
            return True
        if self.nonnegative(b - a - 1):
            return False
        relation = sympy.Ge(self.resolve(a), self.resolve(b), evaluate=False)
        text = f"{show_size(a)} >= {show_size(b)} ({why})"
        if all(known.text != text for known in self.needed):
            self.needed.append(Requirement(text, relation, span))
        return True

    def nonnegative(self, expr: Any) -> bool:
        """Whether ``expr >= 0`` is proved for all sizes in range."""
        value = self.resolve(expr)
        return bool(value.is_nonnegative) or self.bounds(value)[0] >= 0

    def is_multiple(self, size: Any, step: int) -> bool:
        """Whether a size is proved to be a multiple of a number: of its dims, a block's size is one of what divides
        both the block and what it is taken from."""
        size = self.resolve(size)
        steps = {dim.name: dim.value or dim.multiple_of for dim in self.dims}
        for block in self.blocks.values():
            steps[block.name] = math.gcd(block.max, steps.get(block.name.partition(".")[0], 1))
        try:
            return from_sympy(size, {}).is_multiple_of(step, steps)
        except ValueError:  # no polynomial with whole coefficients
            return False

    def bounds(self, expr: Any) -> tuple[Any, Any]:
        """Least and greatest value of an expression that is monotonic in each dim (sums and products of sizes
        are)."""
        value = self.resolve(expr)
        names = sorted(symbol.name for symbol in value.free_symbols)
        if any(name not in self._by_name for name in names):
            return -sympy.oo, sympy.oo
        ranges = [(self._by_name[name].min, self._by_name[name].max) for name in names]
        if len(names) > _MOST_CORNERS:
            return self._bounds_of_terms(value)
        corners = [
            value.xreplace({self.symbols[name]: sympy.Integer(size) for name, size in zip(names, corner, strict=True)})
            for corner in itertools.product(*ranges)
        ]
        if not all(corner.is_extended_real for corner in corners):  # a divisor that is zero there
            return -sympy.oo, sympy.oo
        return min(corners), max(corners)

    def _bounds_of_terms(self, value: Any) -> tuple[Any, Any]:
        """The same as the sum of the bounds of the terms: not always reached where terms are subtracted."""
        low = high = sympy.Integer(0)
        for term in sympy.Add.make_args(value):
            factor, rest = term.as_coeff_Mul()
            powers = rest.as_powers_dict().items()
            if not all(base.is_Symbol and power.is_Integer and power > 0 for base, power in powers if base != 1):
                return -sympy.oo, sympy.oo
            dims = [(symbol, self._by_name[symbol.name]) for symbol in rest.free_symbols]
            least = factor * rest.xreplace({symbol: sympy.Integer(dim.min) for symbol, dim in dims})
            most = factor * rest.xreplace({symbol: sympy.Integer(dim.max) for symbol, dim in dims})
            low, high = low + min(least, most), high + max(least, most)
        return low, high

    def product(self, shape: Shape) -> Any:
        """Number of elements of a shape."""
        return sympy.Mul(*shape) if shape else sympy.Integer(1)

    def same_shape(self, a: Shape, b: Shape) -> bool:
        """Whether two shapes are proved equal."""
        return len(a) == len(b) and all(self.equal(x, y) for x, y in zip(a, b, strict=True))


def show_size(size: Any) -> str:
    """A size in the words of the spec, ``d*heads``; a number that is not whole in its shortest form."""
    return repr(float(size)) if size.is_Float else str(size)


def show_shape(shape: Shape) -> str:
    """A shape as written in a spec: ``[t, heads*d]``."""
    return "[" + ", ".join(show_size(size) for size in shape) + "]"


def read_dims(specs: Iterable[DimSpec], attrs: Mapping[str, Any]) -> DimTable:
    """Resolves the definitions of the dims, in any order.

    Raises PTG201 (unknown name), PTG209 (cycle), PTG214 (no positive integer).
    """
    ordered = tuple(specs)
    reader = _DimReader({spec.name: spec for spec in ordered})
    dims = []
    for spec in ordered:
        if is_sound(spec.name):
            with kept(spec.name) as outcome:
                dims.append(reader.dim(spec.name))
            if outcome.failed:
                reader.give_up()
    done = {dim.name for dim in dims}
    symbols = {name: symbol for name, symbol in reader.symbols.items() if name in done}
    return DimTable(dims, {**symbols, **attrs}, reader.made_of)


class _DimReader:
    def __init__(self, specs: dict[str, DimSpec]) -> None:
        self._specs = specs
        self._done: dict[str, Dim] = {}
        self._open: list[str] = []
        self.symbols = {name: dim_symbol(name) for name in specs}
        self.made_of: dict[Any, Any] = {}
        self._table = DimTable((), self.symbols)
        """The dims that are done."""

    def dim(self, name: str) -> Dim:
        if name not in self._done:
            if len(self._open) > MOST_NESTED:
                raise too_much("too many dims that lead to one another", MOST_NESTED, self._specs[name].span)
            self._open.append(name)
            self._done[name] = self._read(self._specs[name])
            self._open.pop()
            self._table.add(self._done[name])
        return self._done[name]

    def give_up(self) -> None:
        """An error left dims half read, one in the definition of the other: none of them is being read any more."""
        self._open.clear()

    def _read(self, spec: DimSpec) -> Dim:
        if spec.value is None:
            return Dim(spec.name, None, spec.min, spec.max, spec.multiple_of, None, spec.span)
        definition = ScalarReader(self._lookup).read(spec.value)
        table = self._table
        value = table.resolve(within_reason(table.replaced(definition), spec.value.span))
        if value.is_Integer and value > GREATEST_SIZE:
            raise fault(
                "PTG214",
                f"dim `{spec.name}` is too large: {spec.value.text}",
                spec.value.span,
                expected=f"at most {GREATEST_SIZE}",
            )
        if value.is_Integer and value > 0:
            number = int(value)
            if definition.free_symbols:
                self.made_of[self.symbols[spec.name]] = definition
            return Dim(spec.name, number, number, number, number, None, spec.span)
        low, high = table.bounds(value) if value.free_symbols else (value, value)
        if not value.is_integer or not (low.is_number and low >= 1):
            shown = f"{spec.value.text}" + ("" if value.free_symbols else f" = {value}")
            raise fault(
                "PTG214",
                f"dim `{spec.name}` is not a positive integer: {shown}",
                spec.value.span,
                expected="a positive integer for every size in range",
                fix="use `//` to divide",
            )
        factor = value.as_coeff_Mul()[0]
        return Dim(
            spec.name,
            None,
            int(low),
            int(high),
            int(factor) if factor.is_Integer else 1,
            definition,
            spec.span,
        )

    def _lookup(self, name: str, expr: Expr, node: Any) -> Any:
        require_sound(name)
        if name in self._open:
            path = " → ".join([*self._open[self._open.index(name) :], name])
            raise fault(
                "PTG209",
                f"dims depend on themselves: {path}",
                expr.span_of(node),
                fix="give one of them a number",
            )
        if name not in self._specs:
            raise fault(
                "PTG201",
                f"`{name}` is no dim",
                expr.span_of(node),
                expected="the name of a dim",
                fix=did_you_mean(name, self._specs) or declare(name),
            )
        self.dim(name)
        return self.symbols[name]


def declare(name: str) -> str:
    """The fix for a dim that is not there."""
    return f"define it under `dims`: `{name}: 64`, or `{name}: {{min: 1, max: 4096}}` where a call brings the size"
