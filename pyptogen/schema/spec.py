"""A read and checked spec: what the loader gives to the Tensor level. Names are not resolved and shapes not
compared yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.records import dataclass
from pyptogen.schema.contract import AttrSpec, DimSpec, TensorSpec
from pyptogen.schema.expression import Expr
from pyptogen.schema.hand import HandKernel


@dataclass(frozen=True, slots=True)
class Assign:
    """``a, b: expression``."""

    targets: tuple[tuple[str, Span], ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """A reusable sub-graph."""

    name: str
    params: tuple[tuple[str, Span], ...]
    body: tuple[Assign, ...]
    returns: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """How the body of a stage is repeated: over blocks of ``tile`` elements of the dim ``over``. ``carry`` gives the
    values at the start of the first iteration, ``next`` those at the start of the following one; ``collect`` the values
    whose iterations are put together. ``run_if``: comparisons that all hold in the iterations that take place."""

    over: str
    over_span: Span
    tile: int
    carry: tuple[Assign, ...]
    body: tuple[Assign, ...]
    next: tuple[Assign, ...]
    collect: tuple[Assign, ...]
    span: Span
    run_if: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class StageSpec:
    """A named group of definitions; of a loop ``body`` is what the stages below see, the carried and the collected
    values."""

    name: str
    body: tuple[Assign, ...]
    implicit: bool
    span: Span
    when: tuple[Expr, ...] = ()
    """Conditions over dims that must all hold for the stage to be there; decided at build time."""
    loop: LoopSpec | None = None
    by_hand: bool = False
    """The stage has no definitions: its kernel under ``kernels`` is what it means."""
    run_if: tuple[Expr, ...] = ()
    """Conditions that must all hold in a call for the stage to run (`if:`); decided at run time."""

    @property
    def definitions(self) -> tuple[Assign, ...]:
        """Everything that the stage defines, the inside of its loop included, each name once."""
        return self.body if self.loop is None else (*self.body, *self.loop.body)

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Everything that it computes."""
        inside = () if self.loop is None else (*self.loop.body, *self.loop.next)
        tests = () if self.loop is None else self.loop.run_if
        return (*(assign.value for assign in (*self.body, *inside)), *tests)


@dataclass(frozen=True, slots=True)
class TilingRowSpec:
    """A row of the tiling table; ``sizes[stage or ""][dim]`` is an int or a mapping (tile/tail, unroll,
    l1/l0)."""

    when: tuple[tuple[str, str, Any], ...]
    sizes: Mapping[str, Mapping[str, Any]]
    fuse: tuple[tuple[str, ...], ...] | None
    spans: Mapping[tuple[str, str], Span]
    span: Span


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Allowed difference of one output: |Δ| <= atol + rtol * |reference|, but for a fraction ``outliers``. A ``reason``
    lifts the caps on it."""

    rtol: float
    atol: float
    outliers: float
    reason: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class GoldenSpec:
    """A reference of the author's: a function in a Python file (named as ``Spec.path`` is)."""

    file: str
    function: str
    span: Span


@dataclass(frozen=True, slots=True)
class VerifySpec:
    """Input generators by input name, cases (dim name → size) and tolerances by output name; ``golden`` takes the place
    of the Tensor level as reference."""

    generate: Mapping[str, Expr]
    cases: tuple[Mapping[str, int], ...]
    tolerance: Mapping[str, Tolerance]
    golden: GoldenSpec | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """One operator. ``path`` is as the user gave it, ``source`` the whole text."""

    path: str
    source: str
    name: str
    doc: str
    dims: tuple[DimSpec, ...]
    attrs: tuple[AttrSpec, ...]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    requires: tuple[Expr, ...]
    functions: tuple[FunctionSpec, ...]
    stages: tuple[StageSpec, ...]
    tiling: tuple[TilingRowSpec, ...]
    schedule: Mapping[str, Any]
    verify: VerifySpec
    targets: tuple[tuple[str, Span], ...]
    """Platforms that the spec names; none means all known."""
    span: Span
    """span of the operator's name."""
    kernels: tuple[HandKernel, ...] = ()
    """Stages that are given at a lower level."""
    backward: tuple[str, Span] | None = None
    """The operator that computes gradients (`pyptogen.schema.backward`)."""
    includes: tuple[str, ...] = ()
    """Further files that were read (included ones, tiling tables), named as ``path`` is."""
