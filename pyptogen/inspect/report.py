"""What the compiler decided for one operator, gathered from its lowered forms as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyptogen.codegen import Generated
    from pyptogen.lower.tensor.ir import Program
    from pyptogen.templates.contract_view import ContractView


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes of one on-chip memory that a kernel's buffers reach, and what the platform has of it."""

    memory: str
    used: int
    capacity: int

    @property
    def share(self) -> float:
        """Used part, 0 to 1."""
        return self.used / self.capacity if self.capacity else 0.0


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel; ``core`` may say that two cores share its rows. ``tiles`` by dim, from the outer loop to the inner;
    ``cycles`` estimated by pipe for ``rows`` of the launch dim on one core, none where the platform has no figures."""

    name: str
    core: str
    stages: tuple[str, ...]
    tiles: Mapping[str, Sequence[int]]
    memory: tuple[MemoryUse, ...]
    sets: int
    waits: int
    barriers: int
    lines: int
    rows: int
    cycles: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PlatformReport:
    """The kernels of one target, in the order of their launches."""

    target: str
    kernels: tuple[KernelReport, ...]
    workspaces: tuple[tuple[str, str], ...]
    """GM scratch: name, and type as ``fp32[elements]``."""


@dataclass(frozen=True, slots=True)
class OperatorReport:
    """An operator: its contract, its graph, and what each target made of it. ``spec`` is the file's name."""

    spec: Path
    contract: ContractView
    program: Program
    lowered: Mapping[str, Generated]
    platforms: tuple[PlatformReport, ...]

    @property
    def name(self) -> str:
        return self.contract.name


def report(spec: Path, targets: Sequence[str] | None = None, lenient: bool = False) -> OperatorReport:
    """Lower a spec and gather what was decided.

    Args:
        spec: the file.
        targets: platforms; None means those that the spec declares.
        lenient: leave out targets that the spec does not have.

    Raises:
        DiagnosticError: any fault of the spec.
    """
    from pyptogen.diagnostics import gathering
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec

    with gathering():
        program = from_spec(load_spec(spec))
    return report_of(program, spec, targets, lenient)


def report_of(
    program: Program, spec: Path, targets: Sequence[str] | None = None, lenient: bool = False
) -> OperatorReport:
    """The same of a program that was read from ``spec``."""
    from pyptogen.builder.render import lower_targets
    from pyptogen.templates.contract_view import contract_view

    lowered = lower_targets(program, targets, None, lenient)
    platforms = tuple(_platform(result) for result in lowered.values())
    return OperatorReport(spec, contract_view(program), program, lowered, platforms)


def _platform(lowered: Generated) -> PlatformReport:
    from pyptogen.lower.platforms import PLATFORMS

    capacity = PLATFORMS[lowered.target].memories
    decided = lowered.report["kernels"]
    kernels = tuple(
        _kernel(source.name, source.core, source.lines, decided.get(source.name, {}), capacity)
        for source in lowered.kernels
    )
    workspaces = tuple((space.name, f"{space.dtype}[{space.elements}]") for space in lowered.execution.workspaces)
    return PlatformReport(lowered.target, kernels, workspaces)


def _kernel(name: str, core: str, lines: int, decided: Mapping[str, Any], capacity: Mapping[Any, int]) -> KernelReport:
    sync = decided.get("sync", {})
    cycles = decided.get("cycles", {})
    memory = tuple(
        MemoryUse(memory, used, capacity[memory]) for memory, used in sorted(decided.get("memory", {}).items())
    )
    return KernelReport(
        name,
        f"{core} x {decided['vector_cores']}" if "vector_cores" in decided else core,
        tuple(decided.get("stages", ())),
        decided.get("tiles", {}),
        memory,
        sync.get("sets", 0),
        sync.get("waits", 0),
        sync.get("barriers", 0),
        lines,
        cycles.get("rows", 0),
        cycles.get("pipes", {}),
    )
