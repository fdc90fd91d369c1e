"""Conditions that a call decides (`if` of a stage): reading them, and what follows from them for every call.

A condition compares sums and products of dims, attrs and inputs of one element.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sympy
from sympy.logic.boolalg import BooleanAtom

from pyptogen.diagnostics import did_you_mean, fault, require_sound
from pyptogen.lower.tensor.building.dims import DimTable
from pyptogen.lower.tensor.ir import Program, Value
from pyptogen.lower.tensor.program_names import scalar_symbol
from pyptogen.lower.tensor.reading.scalars import ScalarReader
from pyptogen.schema import Expr

if TYPE_CHECKING:
    from pyptogen.lower.tensor.reading.contract import Contract

READABLE = ("fp32", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
"""Dtypes of inputs whose one element a condition may read."""

_MOST_POINTS = 4096


def inputs_read(program: Program) -> tuple[Value, ...]:
    """The inputs of one element that conditions of stages read."""
    names = {s.name for stage in program.stages if stage.condition is not None for s in stage.condition.free_symbols}
    return tuple(value for value in program.inputs if value.name in names)


def read(expressions: Sequence[Expr], contract: Contract) -> Any:
    """All conditions together. Raises PTG108, PTG201 and PTG206."""
    dims = contract.dims
    inputs = {value.name: value for value in contract.inputs}

    def lookup(name: str, expr: Expr, node: ast.AST) -> Any:
        require_sound(name)
        if name in dims.symbols:
            return dims.symbols[name]
        if name not in inputs:
            raise fault(
                "PTG201",
                f"`{name}` is no dim, attr or input",
                expr.span_of(node),
                expected="what a call knows before it computes",
                fix=did_you_mean(name, [*dims.symbols, *inputs]),
            )
        value = inputs[name]
        if not dims.is_one(dims.product(value.shape)) or value.dtype not in READABLE:
            raise fault(
                "PTG206",
                f"a condition cannot read `{name}`",
                expr.span_of(node),
                expected=f"an input of one element, of a dtype among {' '.join(READABLE)}",
            )
        return scalar_symbol(value.name, value.dtype)

    found = []
    for expr in expressions:
        condition = ScalarReader(lookup).condition(expr)
        if not _has_c_text(dims.resolve_condition(condition)):
            raise fault(
                "PTG108",
                f"`{expr.text}` cannot be decided by the caller's processor",
                expr.span,
                expected="comparisons of sums and products of whole numbers, dims, attrs and inputs of one element",
            )
        found.append(condition)
    return sympy.And(*found)


def _has_c_text(condition: Any) -> bool:
    allowed = (sympy.Symbol, sympy.Number, sympy.Add, sympy.Mul, sympy.Pow, sympy.Mod, sympy.logic.boolalg.Boolean)
    for part in sympy.preorder_traversal(condition):
        if not isinstance(part, allowed):
            return False
        if isinstance(part, sympy.Pow) and not (part.exp.is_Integer and part.exp > 0):
            return False
        if isinstance(part, sympy.Rational) and not part.is_Integer:
            return False
    return True


def always(condition: Any, dims: DimTable) -> bool:
    """Whether a condition is proved to hold in every call.

    Comparisons of one number with constants change only at those; all others are taken for true or false, as if they
    had nothing to do with each other.
    """
    resolved = dims.resolve_condition(condition)
    if isinstance(resolved, BooleanAtom):
        return bool(resolved)
    atoms = resolved.atoms(sympy.core.relational.Relational)
    roots: dict[Any, list[Any]] = {}
    free: dict[Any, Any] = {}
    for atom in sorted(atoms, key=str):
        root = _root(atom)
        if root is not None:
            roots.setdefault(next(iter(atom.free_symbols)), []).append(root)
        elif atom.negated.canonical in free:
            free[atom.canonical] = sympy.Not(free[atom.negated.canonical])
        else:
            free.setdefault(atom.canonical, sympy.Dummy())
    opaque = {atom: free[atom.canonical] for atom in atoms if _root(atom) is None}
    choices = [list(_points(symbol, found, dims)) for symbol, found in roots.items()]
    unknown = [value for value in free.values() if value.is_Symbol]
    choices += [[sympy.true, sympy.false]] * len(unknown)
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > _MOST_POINTS:
        return False
    abstract = resolved.xreplace(opaque)
    names = [*roots, *unknown]
    return all(
        abstract.xreplace(dict(zip(names, point, strict=True))) == sympy.true for point in itertools.product(*choices)
    )


def _root(relation: Any) -> Any | None:
    """Where the two sides of a comparison of one name with a constant are equal."""
    symbols = relation.free_symbols
    difference = sympy.expand(relation.lhs - relation.rhs)
    if len(symbols) != 1 or not difference.is_polynomial(*symbols):
        return None
    polynomial = sympy.Poly(difference, *symbols)
    if polynomial.degree() != 1:
        return None
    slope, offset = polynomial.all_coeffs()
    return -offset / slope


def _points(symbol: Any, roots: Sequence[Any], dims: DimTable) -> Iterator[Any]:
    """Numbers among which there is one of every kind that the comparisons tell apart."""
    ordered = sorted(set(roots))
    if not symbol.is_integer:
        yield from (ordered[0] - 1, ordered[-1] + 1, *ordered)
        yield from ((a + b) / 2 for a, b in itertools.pairwise(ordered))
        return
    low, high = dims.bounds(symbol)
    around = {point + step for root in ordered for point in (sympy.floor(root),) for step in (-1, 0, 1, 2)}
    yield from sorted({min(max(point, low), high) for point in around})


def implies(given: Any, wanted: Any, dims: DimTable) -> bool:
    """Whether what is given is proved to bring what is wanted with it."""
    return always(sympy.Or(sympy.Not(given), wanted), dims)


def disjoint(a: Any, b: Any, dims: DimTable) -> bool:
    """Whether two conditions are proved never to hold in one call."""
    return always(sympy.Not(sympy.And(a, b)), dims)


def shown(condition: Any) -> str:
    """A condition in the words of a spec."""
    text = _c(condition, frozenset(), 0).replace("int64_t(", "(")
    return text.replace(" || ", " or ").replace(" && ", " and ").replace("!(", "not (")


def c_text(condition: Any, inputs: frozenset[str], level: int = 0) -> str:
    """C++ text of a resolved condition; an input is the memory that its name points at. ``level``: how tightly what is
    around binds (0 or, 1 and, 2 a relation)."""
    return _c(condition, inputs, level)


_RELATIONS = {
    sympy.Eq: "==", sympy.Ne: "!=", sympy.Lt: "<", sympy.Le: "<=", sympy.Gt: ">", sympy.Ge: ">=",
}  # fmt: skip


def _c(expr: Any, inputs: frozenset[str], level: int) -> str:
    """``level``: how tightly what is around binds (0 or, 1 and, 2 relation, 3 sum, 4 product, 5 remainder)."""
    for kind, own, word in ((sympy.Or, 0, " || "), (sympy.And, 1, " && ")):
        if isinstance(expr, kind):
            text = word.join(_c(part, inputs, own + 1) for part in sorted(expr.args, key=str))
            return f"({text})" if level > 0 else text
    if isinstance(expr, sympy.Not):
        return f"!({_c(expr.args[0], inputs, 0)})"
    if type(expr) in _RELATIONS:
        text = f"{_c(expr.lhs, inputs, 3)} {_RELATIONS[type(expr)]} {_c(expr.rhs, inputs, 3)}"
        return f"({text})" if level > 2 else text
    if isinstance(expr, sympy.Add):
        text = " + ".join(_c(part, inputs, 3) for part in expr.as_ordered_terms()).replace("+ -", "- ")
        return f"({text})" if level > 3 else text
    if isinstance(expr, sympy.Mul | sympy.Mod):
        if isinstance(expr, sympy.Mod):
            text = f"{_c(expr.args[0], inputs, 5)} % {_c(expr.args[1], inputs, 5)}"
            return f"({text})" if level > 3 else text
        return " * ".join(_c(part, inputs, 4) for part in expr.as_ordered_factors())
    if isinstance(expr, sympy.Pow):
        return " * ".join([_c(expr.base, inputs, 4)] * int(expr.exp))
    if isinstance(expr, BooleanAtom):
        return "true" if expr else "false"
    if expr.is_Symbol:
        if expr.name in inputs:
            return f"{expr.name}[0]"
        return f"int64_t({expr.name})" if level == 4 and expr.is_integer else str(expr.name)
    return str(int(expr)) if expr.is_Integer else repr(float(expr))
