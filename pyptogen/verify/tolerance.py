"""How far an output may be from its reference: what the spec says, or else what its arithmetic implies.

A tolerance that the spec does not give is derived by a first-order error analysis of the Tensor program. Each
value carries a relative error: every float operation adds half a unit in the last place of its result's
dtype, a sum, product, running sum or matmul of length n adds sqrt(n) of them in its accumulator, errors of
operands add up, and those of n factors to sqrt(n) of one. An output is then allowed four times its error,
relative to its element and to the root mean square of the whole output (where terms cancel, an element's own
size says nothing about its error), and never less than one unit in the last place. An integer output is exact
unless it was rounded from a float that carries an error: then it may be one off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.lower.tensor.ir import PRODUCTS, REDUCE, SCAN, VIEWS, Op, Program, Value
from pyptogen.verify.sizes import evaluate, resolve_dims

if TYPE_CHECKING:
    import numpy.typing as npt

    from pyptogen.schema.spec import Spec

_EPSILON = {"fp32": 2.0**-23, "fp16": 2.0**-10, "bf16": 2.0**-7, "fp8_e4m3": 2.0**-3, "fp8_e5m2": 2.0**-2, "hif8": 0.5}
"""Unit in the last place relative to a number of size 1, by dtype."""
_SMALLEST = {
    "fp32": 2.0**-149, "fp16": 2.0**-24, "bf16": 2.0**-133, "fp8_e4m3": 2.0**-9, "fp8_e5m2": 2.0**-16, "hif8": 2.0**-22,
}  # fmt: skip
"""The smallest positive number: an error cannot be less than this near zero."""
_MARGIN = 4.0
_SELECTING = {"carry", "concat", "scatter_update", "full", "abs", "neg", "relu", "maximum", "minimum"}
_EXACT = VIEWS | _SELECTING | (REDUCE - {"sum"})
"""Operations whose result holds elements of their operands, or those with another sign: they round
nothing."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An element may differ by ``atol + rtol * |reference|``; a fraction ``outliers`` of the elements may
    differ by more.

    ``scaled`` says that ``rtol`` also counts relative to the root mean square of the whole output;
    ``derived`` that no spec gave these numbers.
    """

    rtol: float = 0.0
    atol: float = 0.0
    outliers: float = 0.0
    scaled: bool = False
    derived: bool = False

    def allowed(self, reference: npt.NDArray[np.float64], scale: float) -> npt.NDArray[np.float64]:
        """The allowed difference per element. ``reference`` holds absolute values, ``scale`` is their root
        mean square."""
        floor = self.atol + (self.rtol * scale if self.scaled else 0.0)
        with np.errstate(invalid="ignore"):  # 0 * inf, where the reference is not finite
            allowed: npt.NDArray[np.float64] = self.rtol * reference + floor
        return allowed

    def describe(self) -> str:
        """As in a table: ``1``, ``2.5e-05 for 99.5 %``, ``1e-06 + 1e-05·|ref|``."""
        parts = [f"{self.atol:.3g}"] if self.atol or not self.rtol else []
        if self.rtol:
            parts.append(f"{self.rtol:.3g}·{'(|ref| + rms)' if self.scaled else '|ref|'}")
        most = f" for {(1 - self.outliers) * 100:g} %" if self.outliers else ""
        return " + ".join(parts) + most + (" (derived)" if self.derived else "")


def tolerances(spec: Spec, program: Program) -> dict[str, Tolerance]:
    """The tolerance of each output, by contract name in contract order."""
    given = spec.verify.tolerance
    derived = derive(program)
    return {
        name: Tolerance(given[name].rtol, given[name].atol, given[name].outliers) if name in given else derived[name]
        for name, _ in program.outputs
    }


def derive(program: Program) -> dict[str, Tolerance]:
    """Tolerances from the program alone, for all of its outputs."""
    errors = _errors(program, {})
    if program.loops:
        errors = _errors(program, _moved_on(program, errors))
    return {name: _from_error(value.dtype, errors[value.name]) for name, value in program.outputs}


def _errors(program: Program, least: Mapping[str, float]) -> dict[str, float]:
    """The relative error of every value, of some of them ``least`` so much."""
    errors: dict[str, float] = {value.name: 0.0 for value in program.inputs}
    largest, rounds = _largest(program), _rounds(program)
    largest |= {loop.block.name: loop.tile for loop in program.loops}
    for op in program.ops:
        if op.kind == "carried":
            start, following = _names(op)
            error = _grown(errors[start], errors[following], rounds[op.attrs["loop"]])
        else:
            error = _error(op, errors, largest)
        errors[op.result.name] = max(error, least.get(op.result.name, 0.0))
    return errors


def _largest(program: Program) -> dict[str, int]:
    return resolve_dims(program, {dim.name: dim.max for dim in program.dims if dim.dynamic})


def _rounds(program: Program) -> dict[str, int]:
    """By name of a loop, how many rounds it has at most."""
    largest = _largest(program)
    return {loop.name: -(-largest[loop.over] // loop.tile) for loop in program.loops}


def _grown(start: float, end: float, rounds: int) -> float:
    """What a round adds to the error of a carried value adds up over the rounds, as the roundings of a sum do."""
    return start + max(0.0, end - start) * math.sqrt(rounds)


def _moved_on(program: Program, errors: Mapping[str, float]) -> dict[str, float]:
    """For what leaves a loop, the greatest error of the carried values whose elements it holds as they are: in
    ``prev: state`` a round adds no error, but ``prev`` has that of ``state``."""
    rounds = _rounds(program)
    following = {carry: after for loop in program.loops for carry, after in loop.carried}
    grown = {
        carry: _grown(errors[carry], errors[after], rounds[loop.name])
        for loop in program.loops
        for carry, after in loop.carried
    }
    held: dict[str, set[str]] = {}
    for op in program.ops:
        if op.kind == "carry":
            held[op.result.name] = {op.result.name}
        elif op.kind in _EXACT:
            held[op.result.name] = set().union(*(held.get(name, set()) for name in _names(op)))
    for _ in following:  # from carry to carry, as far as elements go
        for carry, after in following.items():
            held[carry] = set().union(held[carry], *(held[name] for name in held.get(after, ())))
    return {
        op.result.name: max(
            (grown[reached] for carry in held.get(_names(op)[0], ()) for reached in held[carry]), default=0.0
        )
        for op in program.ops
        if op.kind in ("carried", "collected")
    }


def _names(op: Op) -> list[str]:
    return [operand.name for operand in op.operands if isinstance(operand, Value)]


def _error(op: Op, errors: Mapping[str, float], sizes: Mapping[str, int]) -> float:
    """The relative error of an operation's result, given those of its operands."""
    values = [operand for operand in op.operands if isinstance(operand, Value)]
    incoming = [errors[value.name] for value in values]
    if op.kind in _EXACT:
        return max(incoming, default=0.0)
    carried = math.fsum(incoming)
    epsilon = _EPSILON.get(op.result.dtype)
    if epsilon is None:
        return carried
    if op.kind == "cast":
        exact = values[0].dtype == op.result.dtype or _EPSILON.get(values[0].dtype, 0.0) > epsilon
        return carried if exact else carried + epsilon / 2
    if op.kind in PRODUCTS | SCAN | {"sum", "prod", "index_add"} or op.attrs.get("reduce") == "add":
        length = evaluate(_summed(op, values), sizes)
        if op.kind in ("prod", "cumprod"):
            carried *= math.sqrt(length)
        return carried + _EPSILON["fp32"] / 2 * math.sqrt(length) + epsilon / 2
    return carried + epsilon / 2


def _summed(op: Op, values: Sequence[Value]) -> Any:
    """How many numbers one element of the result is made of, at most."""
    if op.kind == "index_add" or "reduce" in op.attrs:  # all of them may go to one place
        return values[1].shape[0 if op.kind == "index_add" else op.attrs["axis"]]
    return values[0].shape[-1 if op.kind in PRODUCTS else op.attrs["axis"]]


def _from_error(dtype: str, error: float) -> Tolerance:
    if dtype not in _EPSILON:
        return Tolerance(atol=1.0 if error else 0.0, derived=True)
    if not error:
        return Tolerance(rtol=_EPSILON[dtype], atol=_SMALLEST[dtype], derived=True)
    return Tolerance(rtol=max(_MARGIN * error, _EPSILON[dtype]), scaled=True, derived=True)
