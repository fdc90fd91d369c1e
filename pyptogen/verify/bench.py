"""Measuring compiled operators against each other, in turn, so that a slow moment of the machine hits all of
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pyptogen.inputs.sizes import case_dims
from pyptogen.records import dataclass

if TYPE_CHECKING:
    from pyptogen.runtime import CompiledOperator

_WARM_UP = 3


@dataclass(frozen=True, slots=True)
class Timing:
    """Times in seconds: ``kernels`` in native code, ``call`` of the whole Python call."""

    target: str
    runs: int
    kernels_min: float
    kernels_median: float
    call_min: float
    call_median: float


def measure(
    operators: Sequence[CompiledOperator], dims: Mapping[str, int], seed: int = 7, runs: int = 30
) -> tuple[Timing, ...]:
    """Run all operators in turn, ``runs`` times after a warm-up, and summarise each.

    Weights with a layout of their own are packed, and outputs allocated, before the clock starts: as a
    serving loop would.
    """
    calls = [_prepare(operator, dims, seed) for operator in operators]
    kernels: list[list[float]] = [[] for _ in operators]
    whole: list[list[float]] = [[] for _ in operators]
    for turn in range(-_WARM_UP, runs):
        for index, operator in enumerate(operators):
            start = perf_counter()
            operator(**calls[index])
            seconds = perf_counter() - start
            if turn >= 0:
                whole[index].append(seconds)
                kernels[index].append(operator.last_run)
    return tuple(
        Timing(operator.target, runs, min(k), median(k), min(w), median(w))
        for operator, k, w in zip(operators, kernels, whole, strict=True)
    )


def _prepare(operator: CompiledOperator, dims: Mapping[str, int], seed: int) -> dict[str, Any]:
    """Arguments of a call: inputs with weights packed, and ``out=`` of a first run."""
    import pyptogen

    sizes = case_dims(operator.spec, operator.program, dims)
    arguments: dict[str, Any] = dict(operator.example_inputs(seed=seed, **sizes))
    for value in operator.program.inputs:
        if value.layout == "nz":
            arguments[value.name] = pyptogen.pack(arguments[value.name], layout="nz", target=operator.target)
    first = operator(**arguments)._asdict()
    return arguments | {"out": {name: first[name] for name in first if name not in operator.program.inplace}}
