"""From specs and what is lowered from them to the data that is compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyptogen.review.computed import computed, counted
from pyptogen.review.model import Contract, Kernel, Made, Numerics, Operator, Tensor

if TYPE_CHECKING:
    from pyptogen.codegen import Generated
    from pyptogen.lower.tensor.ir import Program, Value
    from pyptogen.schema.spec import Spec

_COMMENT = re.compile(r"\s*//.*")


def operator(spec: Spec, made: bool = False, targets: Sequence[str] | None = None) -> Operator:
    """An operator as it is compared.

    Args:
        spec: as it was loaded.
        made: also lower it, and say what its kernels are; that takes seconds, the rest milliseconds.
        targets: platforms to lower it for, those that it does not have left out; None means all of its own.

    Raises:
        DiagnosticError: any fault of the spec.
    """
    from pyptogen.builder.render import lower_targets
    from pyptogen.lower.tensor import from_spec

    program = from_spec(spec)
    lowered = lower_targets(program, targets, None, lenient=True) if made else {}
    cases = spec.verify.cases
    return Operator(
        _contract(spec, program), _numerics(spec, program), {name: _made(one, cases) for name, one in lowered.items()}
    )


def _contract(spec: Spec, program: Program) -> Contract:
    from pyptogen.lower.tensor.reading.contract import read_contract

    declared = read_contract(spec)
    return Contract(
        spec.name,
        spec.span,
        declared.dims,
        declared.attrs,
        tuple(_tensor(value) for value in declared.inputs),
        tuple(_tensor(value, program.inplace.get(value.name, "")) for value in declared.outputs),
        tuple(" ".join(condition.text.split()) for condition in spec.requires),
        program.targets,
    )


def _tensor(value: Value, updates: str = "") -> Tensor:
    return Tensor(value.name, value.dtype, value.shape, value.layout, value.strides, updates, value.span)


def _numerics(spec: Spec, program: Program) -> Numerics:
    roundings, arithmetic = counted(program)
    golden = spec.verify.golden
    return Numerics(
        computed(program),
        roundings,
        arithmetic,
        spec.verify.tolerance,
        spec.verify.cases,
        "" if golden is None else f"{Path(golden.file).name}: {golden.function}",
    )


def _made(lowered: Generated, cases: Sequence[Mapping[str, int]]) -> Made:
    decided: Mapping[str, Any] = lowered.report["kernels"]
    kernels = tuple(
        Kernel(
            source.name,
            source.core,
            code_lines(source.text),
            dict(decided.get(source.name, {}).get("memory", {})),
            dict(decided.get(source.name, {}).get("sync", {})),
        )
        for source in lowered.kernels
    )
    workspaces = {space.name: f"{space.dtype}[{space.elements}]" for space in lowered.execution.workspaces}
    return Made(kernels, workspaces, _times(lowered, cases))


def _times(lowered: Generated, cases: Sequence[Mapping[str, int]]) -> dict[str, float]:
    from pyptogen.inspect.swimlane import swimlane
    from pyptogen.lower.platforms import PLATFORMS

    if PLATFORMS[lowered.target].timing is None:
        return {}
    return {
        ", ".join(f"{dim}={size}" for dim, size in case.items()) or "the one size": swimlane(lowered.lowered, case).end
        for case in cases
    }


def code_lines(text: str) -> tuple[str, ...]:
    """The lines of C++ that are code: comments name lines of the spec, which move."""
    lines = (_COMMENT.sub("", line).rstrip() for line in text.splitlines())
    return tuple(line for line in lines if line)
