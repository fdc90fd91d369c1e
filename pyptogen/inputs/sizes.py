"""Sizes of one run: which a caller must give, which follow."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Dim, Program
    from pyptogen.schema.spec import Spec


def case_dims(spec: Spec, program: Program, given: Mapping[str, int]) -> dict[str, int]:
    """The size of each dynamic dim, in contract order: as ``given``, else from a verify case of the spec.

    That is the first case that has the given sizes, or else the first of all. Raises ``DiagnosticError``:
    PTG404 for an unknown dim, or one that neither has, PTG401 for a size out of its range.
    """
    dynamic = {dim.name: dim for dim in program.dims if dim.dynamic}
    derived = {dim.name for dim in program.dims if not dim.dynamic and dim.definition is not None}
    following = {name: size for name, size in given.items() if name in derived & _declared_dynamic(spec)}
    given = {name: size for name, size in given.items() if name not in following}
    for name in given:
        if name not in dynamic:
            raise _not_dynamic(spec, program, name, dynamic)
    given = {name: _whole(dynamic[name], size) for name, size in given.items()}
    cases = spec.verify.cases or ({},)
    case = next((case for case in cases if given.items() <= case.items()), cases[0])
    missing = [name for name in dynamic if name not in given and name not in case]
    if missing:
        raise fault(
            "PTG404",
            f"dim `{missing[0]}` has no size, and `verify` has no case to take one from",
            dynamic[missing[0]].span,
            fix=f"give `verify` a case with `{missing[0]}: {dynamic[missing[0]].min}`, or a command that takes it"
            f" `--dims {missing[0]}={dynamic[missing[0]].min}`",
        )
    sizes = {name: given[name] if name in given else case[name] for name in dynamic}
    for name, size in sizes.items():
        _check_range(dynamic[name], size)
    found = resolve_dims(program, sizes) if following else {}
    for name, size in following.items():
        if found[name] != size:
            raise fault(
                "PTG405", f"dim `{name}` is {size}, and the others make it {found[name]}", program.dim(name).span
            )
    return sizes


def _declared_dynamic(spec: Spec) -> set[str]:
    """The dims that the spec gives a range; some of them may follow from others by an equality of shapes."""
    return {dim.name for dim in spec.dims if dim.value is None}


def resolve_dims(program: Program, dynamic: Mapping[str, int]) -> dict[str, int]:
    """The size of every dim: static ones, ``dynamic`` as given, and derived ones from their definitions."""
    sizes = {dim.name: dim.value for dim in program.dims if dim.value is not None} | dict(dynamic)
    pending = [dim for dim in program.dims if dim.name not in sizes]
    while pending:  # a definition may use dims that are defined after it
        ready = [dim for dim in pending if {symbol.name for symbol in dim.definition.free_symbols} <= sizes.keys()]
        sizes |= {dim.name: evaluate(dim.definition, sizes) for dim in ready}
        pending = [dim for dim in pending if dim.name not in sizes]
    return sizes


def evaluate(expression: Any, sizes: Mapping[str, int]) -> int:
    """A sympy expression, or a plain number, with every symbol replaced by its size."""
    symbols = getattr(expression, "free_symbols", None)
    if not symbols:
        return int(expression)
    return int(expression.subs({symbol: sizes[symbol.name] for symbol in symbols}))


def _not_dynamic(spec: Spec, program: Program, name: str, dynamic: Mapping[str, Dim]) -> DiagnosticError:
    known = [dim for dim in program.dims if dim.name == name]
    if known:
        return fault("PTG404", f"dim `{name}` is not a run-time size: the spec fixes it", known[0].span)
    return fault(
        "PTG404",
        f"operator `{spec.name}` has no dim `{name}`",
        spec.span,
        expected=f"dynamic dims: {', '.join(dynamic) or 'none'}",
        fix=did_you_mean(name, dynamic),
    )


def _whole(dim: Dim, size: Any) -> int:
    """A size as it was given: an int, or an integer of numpy. Raises PTG401."""
    try:
        if not isinstance(size, bool):
            return operator.index(size)
    except TypeError:
        pass
    raise fault("PTG401", f"dim `{dim.name}` is {size!r}", dim.span, expected=f"an integer, {dim.min} to {dim.max}")


def _check_range(dim: Dim, size: int) -> None:
    if dim.min <= size <= dim.max and size % dim.multiple_of == 0:
        return
    multiple = f", a multiple of {dim.multiple_of}" if dim.multiple_of > 1 else ""
    raise fault("PTG401", f"dim `{dim.name}` is {size}", dim.span, expected=f"{dim.min} to {dim.max}{multiple}")
