"""Where kernels by hand stand among the stages of the graph."""

from __future__ import annotations

from collections.abc import Iterable

from pyptogen.diagnostics import fault
from pyptogen.schema.hand import HandKernel
from pyptogen.schema.spec import StageSpec


def with_kernels(stages: tuple[StageSpec, ...], kernels: Iterable[HandKernel]) -> tuple[StageSpec, ...]:
    """The stages, and one for each kernel that no stage has the name of: right behind the last stage that makes what it
    reads. Such a kernel is itself the meaning of its stage.

    Raises PTG105 for C++ source without such a stage: nothing else says what it computes.
    """
    ordered = list(stages)
    waiting = [kernel for kernel in kernels if kernel.name not in {stage.name for stage in stages}]
    makes = {stage.name: _defined(stage) for stage in stages}
    makes |= {kernel.name: {name for name, _ in kernel.writes} for kernel in waiting}
    while waiting:
        missing = set().union(*(makes[kernel.name] for kernel in waiting))
        kernel = next((k for k in waiting if not missing & {name for name, _ in k.reads} - makes[k.name]), waiting[0])
        waiting.remove(kernel)
        if kernel.level == "source":
            raise fault(
                "PTG105",
                f"kernel `{kernel.name}` is C++ and no stage says what it computes",
                kernel.span,
                expected=f"a stage `{kernel.name}` in the graph: the golden of its results",
                fix=f"add `{kernel.name}: {{…}}` under `graph` with the equations that the kernel serves",
            )
        reads = {name for name, _ in kernel.reads} - makes[kernel.name]
        last = max((i for i, stage in enumerate(ordered) if makes[stage.name] & reads), default=-1)
        ordered.insert(last + 1, StageSpec(kernel.name, (), False, kernel.span, by_hand=True))
    return tuple(ordered)


def _defined(stage: StageSpec) -> set[str]:
    return {name for assign in stage.body for name, _ in assign.targets}
