"""Kinds of faults that the verify cases of a spec would not show, and tolerances that would hide them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import Diagnostic
from pyptogen.lower.tensor.ir import Dim, Program
from pyptogen.verify.last_place import FLOATS
from pyptogen.verify.spread import cap
from pyptogen.verify.ways import ways

if TYPE_CHECKING:
    from pyptogen.schema.spec import Spec

_RANDOM = frozenset({"uniform", "normal", "integers", "permutation", "coordinate", "skip", "skip_rows"})


def untold(spec: Spec, program: Program) -> tuple[Diagnostic, ...]:
    """Warnings about the ``verify`` section; none for a spec that has no cases: it is not verified, and says so."""
    cases = spec.verify.cases
    found = [*_sizes(program, cases), *_data(spec)] if cases else []
    return tuple(found + list(_tolerances(spec, program)))


def _sizes(program: Program, cases: tuple[Mapping[str, int], ...]) -> Iterator[Diagnostic]:
    for dim in (dim for dim in program.dims if dim.dynamic and dim.max > 1):
        sizes = sorted({case[dim.name] for case in cases if dim.name in case})
        if sizes == [1]:
            yield _warning(
                f"`{dim.name}` is 1 in every case: a row that is left out, read twice or exchanged would not be seen",
                dim,
                f"add a case with several, as `{dim.name}: 37`",
            )
            continue
        tile = _tile(program, dim)
        if sizes and tile > 1 and dim.multiple_of % tile and all(size % tile == 0 for size in sizes):
            yield _warning(
                f"`{dim.name}` is a multiple of its tile, {tile}, in every case: a wrong tail would not be seen",
                dim,
                f"add a case with a tail, as `{dim.name}: {_with_tail(dim, tile)}`",
            )


def _tile(program: Program, dim: Dim) -> int:
    """The smallest tile that the tiling of the spec gives a dim; 1 if none."""
    found: list[int] = []
    for row in program.tiling:
        for sizes in row.sizes.values():
            entry: Any = sizes.get(dim.name)
            entry = entry.get("tile") if isinstance(entry, Mapping) else entry
            found += [entry] if isinstance(entry, int) and entry > 1 else []
    return min(found, default=1)


def _with_tail(dim: Dim, tile: int) -> int:
    size = tile + dim.multiple_of
    return size if dim.min <= size <= dim.max else dim.min


def _data(spec: Spec) -> Iterator[Diagnostic]:
    for name, expression in spec.verify.generate.items():
        names = {node.id for node in ast.walk(expression.node) if isinstance(node, ast.Name)}
        if not names & _RANDOM:
            yield Diagnostic(
                "PTG240",
                f"all elements of `{name}` are equal: which of them is read where would not be seen",
                expression.span_of(expression.node),
                fix="draw them: `uniform(-1, 1)`, or `skip(…, value, part)` for many equal ones",
                severity="warning",
            )


def _tolerances(spec: Spec, program: Program) -> Iterator[Diagnostic]:
    way, dtypes = ways(program), {name: value.dtype for name, value in program.outputs}
    for name, own in spec.verify.tolerance.items():
        most = cap(way[name])
        too_much = own.outliers > most or (dtypes[name] in FLOATS and own.rtol > most)
        if too_much and not own.reason:
            yield Diagnostic(
                "PTG241",
                f"the tolerance of `{name}` is more than {most:.0%}",
                own.span,
                expected="no more than can be derived, or a reason",
                fix="leave it out and it is derived from the data; else say why: `reason: …`",
                severity="warning",
            )


def _warning(message: str, dim: Dim, fix: str) -> Diagnostic:
    return Diagnostic("PTG240", message, dim.span, fix=fix, severity="warning")
