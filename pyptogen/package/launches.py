"""The launches of an operator on a device's stream: `launch.cpp` of a package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyptogen.diagnostics import fault
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.execution.ir import ExecutionGraph, LaunchPlan
from pyptogen.lower.origins import Traced
from pyptogen.lower.tensor.ir import PACKED
from pyptogen.lower.tensor.reading.conditions import c_text
from pyptogen.numpy_dtypes import numpy_dtype
from pyptogen.package.arguments import Argument, arguments_of, own_names
from pyptogen.package.device_kernels import DeviceKernels
from pyptogen.package.stamp import STAMP
from pyptogen.templates.cpp_names import C_TYPES
from pyptogen.templates.environment import Marks, render
from pyptogen.templates.orchestration import orchestration_values, wanted_blocks
from pyptogen.templates.spelling import in_text

SIZE_OF = {ctype: 1 if dtype in PACKED else numpy_dtype(dtype).itemsize for dtype, ctype in C_TYPES.items()}
"""Bytes of an element in global memory, by its type in C++."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch as the template places it."""

    name: str
    function: str
    blocks: str
    arguments: str
    fifos: tuple[tuple[str, str, str], ...]
    condition: str
    text: str


@dataclass(frozen=True, slots=True)
class DeviceOperator:
    """An operator for a device: its kernels, and the text of its launches."""

    lowered: Lowered
    kernels: DeviceKernels
    arguments: tuple[Argument, ...]
    launch: Traced

    @property
    def name(self) -> str:
        return self.lowered.name


def device_operator(lowered: Lowered) -> DeviceOperator:
    """An operator in the form of a package. Raises PTG701 and PTG702 for what a device has no form for."""
    values = orchestration_values(lowered.execution, lowered.program, lowered.walked, _unnamed(lowered), Marks())
    graph: ExecutionGraph = values["graph"]
    kernels = DeviceKernels(lowered, graph.plans)
    arguments = arguments_of(lowered.program)
    return DeviceOperator(lowered, kernels, arguments, _text(lowered, values, kernels, arguments))


def _unnamed(lowered: Lowered) -> dict[str, str]:
    """Names of functions that no variable of the launches has."""
    return {kernel.name: f"{lowered.name}_{kernel.name}" for kernel in lowered.walked}


def _text(lowered: Lowered, values: dict[str, Any], kernels: DeviceKernels, arguments: Sequence[Argument]) -> Traced:
    graph: ExecutionGraph = values["graph"]
    sizes = [one for one in arguments if one.kind == "size"]
    dims = {dim.name: dim for dim in lowered.program.dims}
    ranges = [
        (name, ranged, [_launch(one, lowered, values["spelling"], kernels) for one in plan], distributed)
        for (name, ranged, _, distributed), plan in zip(values["launch_ranges"], graph.plans, strict=True)
    ]
    checks = []
    for size in sizes:
        dim = dims[size.name]
        multiple = f" && {size.field} % {dim.multiple_of} == 0" if dim.multiple_of > 1 else ""
        checks.append(f"{size.field} >= {dim.min} && {size.field} <= {dim.max}{multiple}")
    return render(
        "package/launch.cpp.j2",
        **{key: values[key] for key in ("graph", "count", "launch_dim", "tensors", "attrs", "computed", "workspaces")},
        **{key: values[key] for key in ("dims", "flags", "core_kinds", "distributes", "cores", "cuts", "most_blocks")},
        stamp=STAMP,
        entries=[(entry.function, entry.on_host) for entry in kernels.entries()],
        size_of=SIZE_OF,
        parameters=[one.declared for one in arguments],
        fields=[one.field for one in arguments],
        own=own_names(arguments),
        tells_flags=lowered.target == "a2a3",
        ranges=ranges,
        sizes=[one.field for one in sizes],
        sizes_declared=", ".join(one.declared for one in sizes),
        sizes_given=", ".join(one.field for one in sizes),
        checks=checks,
        stand_ins=[
            (one.field, repr(one.default if one.default is not None else 1))
            for one in arguments
            if one.kind == "scalar"
        ],
    )


def _launch(launch: LaunchPlan, lowered: Lowered, spelling: Mapping[str, str], kernels: DeviceKernels) -> Launch:
    entry = kernels.mixed.get(launch.kernel)
    names = entry.arguments if entry is not None else launch.arguments
    return Launch(
        name=launch.kernel,
        function=entry.function if entry is not None else kernels.writer.functions[launch.kernel],
        blocks=wanted_blocks(launch),
        arguments=", ".join(f"{launch.kernel}_blocks" if name == "nblk" else name for name in names),
        fifos=tuple((fifo.name, C_TYPES[fifo.dtype], fifo.elements.c()) for fifo in launch.fifos),
        condition=condition_of(launch, lowered, spelling),
        text=launch.text,
    )


def condition_of(launch: LaunchPlan, lowered: Lowered, spelling: Mapping[str, str]) -> str:
    """When a kernel runs, as C++ of the host; empty for always. Raises PTG702 where only the device could tell."""
    if launch.condition is None:
        return ""
    inputs = frozenset(value.name for value in lowered.program.inputs)
    read = sorted(inputs & {symbol.name for symbol in launch.condition.free_symbols})
    if read:
        raise fault(
            "PTG702",
            f"whether `{launch.kernel}` runs depends on the input `{read[0]}`, which is in the device's memory",
            launch.span,
            expected="conditions of dims and attrs",
            fix=f"make `{read[0]}` an attr",
        )
    return in_text(c_text(launch.condition, inputs, 2), spelling)
