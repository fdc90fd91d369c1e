"""What an operator is to those who call it and those who review it, as data: the two sides of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyptogen.diagnostics import Span
    from pyptogen.lower.tensor.building.dims import DimTable
    from pyptogen.lower.tensor.ir import Attr
    from pyptogen.schema.spec import Tolerance


@dataclass(frozen=True, slots=True)
class Tensor:
    """An argument or a result. ``shape`` and ``strides`` are sympy expressions in the contract's dims; ``updates`` is,
    of an output, the input whose memory it takes, else empty."""

    name: str
    dtype: str
    shape: tuple[Any, ...]
    layout: str
    strides: tuple[Any, ...]
    updates: str
    span: Span


@dataclass(frozen=True, slots=True)
class Contract:
    """What callers rely on. ``requires`` are the preconditions as they are written; ``targets`` the platforms."""

    operator: str
    span: Span
    dims: DimTable
    attrs: tuple[Attr, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    requires: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """The entry's arguments in order, a slot of 8 bytes each, as ``group name: type``: inputs, results that have
        memory of their own, run-time sizes, scalars."""
        fresh = (one for one in self.outputs if not one.updates)
        return (
            *(f"array {one.name}: {one.dtype}" for one in (*self.inputs, *fresh)),
            *(f"size {dim.name}: int64" for dim in self.dims.dims if dim.dynamic),
            *(f"scalar {one.name}: {'double' if one.dtype.startswith('fp') else 'int64'}" for one in self.attrs),
        )


@dataclass(frozen=True, slots=True)
class Numerics:
    """How results come about, whatever they are called on the way.

    ``computed``: a digest of what each output is of the inputs. ``roundings`` and ``arithmetic``: how often each kind
    of rounding (casts, products) and of other arithmetic occurs, in words. ``tolerances`` are those that the spec
    gives; ``reference`` the author's own golden, as ``file: function``, else empty.
    """

    computed: Mapping[str, str]
    roundings: Mapping[str, int]
    arithmetic: Mapping[str, int]
    tolerances: Mapping[str, Tolerance]
    cases: tuple[Mapping[str, int], ...]
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel. ``code`` are its lines without comments, blank lines and the name of the operator's file;
    ``memory`` bytes by on-chip memory; ``sync`` numbers of flags set, waited for, and of barriers."""

    name: str
    core: str
    code: tuple[str, ...]
    memory: Mapping[str, int]
    sync: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Made:
    """What one target makes of an operator: kernels, scratch in GM as ``name -> type``, and the estimated microseconds
    of each case, by its sizes as text; no times where the platform has no figures."""

    kernels: tuple[Kernel, ...]
    workspaces: Mapping[str, str]
    times: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of one side; ``made`` by target, empty where only contracts are compared."""

    contract: Contract
    numerics: Numerics
    made: Mapping[str, Made] = field(default_factory=dict)
