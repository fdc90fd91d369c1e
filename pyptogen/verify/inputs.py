"""Example inputs: one array per input of a contract, from the generators of the spec's ``verify`` section.

Each tensor draws from a random stream of its own, seeded by the seed and the tensor's name: adding an input
to a spec, or another order of inputs, leaves the data of the others as it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault
from pyptogen.verify.generators import Generator, draw_default

if TYPE_CHECKING:
    import numpy.typing as npt

    from pyptogen.lower.tensor.ir import Dim, Program
    from pyptogen.schema.spec import Spec


def example_inputs(
    spec: Spec, dims: Mapping[str, int], seed: int = 7, *, program: Program | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Arrays for all inputs, by name in contract order, in logical form (a weight with layout nz is not
    packed).

    ``dims`` gives sizes of dynamic dims; those it leaves out come from the first verify case. ``program`` is
    the spec's Tensor program where the caller has it already. Raises ``DiagnosticError``: PTG404 for an
    unknown or missing dim, PTG401 for one out of range, PTG2xx for a generator without a meaning.
    """
    program = program or _tensor_program(spec)
    sizes = resolve_dims(program, case_dims(spec, program, dims))
    return {value.name: _draw(spec, value, sizes, seed) for value in program.inputs}


def case_dims(spec: Spec, program: Program, given: Mapping[str, int]) -> dict[str, int]:
    """The size of each dynamic dim, in contract order: from ``given``, else from the first verify case of the
    spec."""
    dynamic = {dim.name: dim for dim in program.dims if dim.dynamic}
    for name in given:
        if name not in dynamic:
            raise _not_dynamic(spec, program, name, dynamic)
    first = spec.verify.cases[0] if spec.verify.cases else {}
    missing = [name for name in dynamic if name not in given and name not in first]
    if missing:
        raise fault(
            "PTG404",
            f"dim `{missing[0]}` has no size, and `verify` has no case to take one from",
            dynamic[missing[0]].span,
            fix=f"give it, as in `--dims {missing[0]}={dynamic[missing[0]].min}`",
        )
    sizes = {name: given.get(name, first.get(name, 0)) for name in dynamic}
    for name, size in sizes.items():
        _check_range(dynamic[name], size)
    return sizes


def resolve_dims(program: Program, dynamic: Mapping[str, int]) -> dict[str, int]:
    """The size of every dim: static ones, ``dynamic`` as given, and derived ones from their definitions."""
    sizes = {dim.name: dim.value for dim in program.dims if dim.value is not None} | dict(dynamic)
    for dim in program.dims:
        if dim.name not in sizes:
            sizes[dim.name] = _evaluate(dim.definition, sizes)
    return sizes


def _draw(spec: Spec, value: Any, sizes: Mapping[str, int], seed: int) -> npt.NDArray[Any]:
    from pyptogen.runtime.dtypes import numpy_dtype

    shape = tuple(_evaluate(axis, sizes) for axis in value.shape)
    dtype = numpy_dtype(value.dtype)
    rng = _stream(seed, value.name)
    expression = spec.verify.generate.get(value.name)
    if expression is None:
        return draw_default(shape, dtype, rng)
    return Generator(expression, shape, dtype, sizes, rng).draw()


def _stream(seed: int, name: str) -> np.random.Generator:
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype="<u4")
    return np.random.Generator(np.random.PCG64([seed, *(int(word) for word in words)]))


def _evaluate(expression: Any, sizes: Mapping[str, int]) -> int:
    """A sympy expression, or a plain number, with every symbol replaced by its size."""
    symbols = getattr(expression, "free_symbols", None)
    return (
        int(expression.subs({symbol: sizes[symbol.name] for symbol in symbols}))
        if symbols
        else int(expression)
    )


def _tensor_program(spec: Spec) -> Program:
    from pyptogen.lower.tensor import from_spec

    return from_spec(spec)


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


def _check_range(dim: Dim, size: int) -> None:
    if dim.min <= size <= dim.max and size % dim.multiple_of == 0:
        return
    multiple = f", a multiple of {dim.multiple_of}" if dim.multiple_of > 1 else ""
    raise fault(
        "PTG401", f"dim `{dim.name}` is {size}", dim.span, expected=f"{dim.min} to {dim.max}{multiple}"
    )
