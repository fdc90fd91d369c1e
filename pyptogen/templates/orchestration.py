"""Execution graph → the C++ text of the orchestration."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from pyptogen.lower.execution.ir import ExecutionGraph, LaunchPlan
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.tensor.conditions import c_text
from pyptogen.lower.tensor.ir import Program
from pyptogen.templates.cpp_names import C_TYPES
from pyptogen.templates.environment import render
from pyptogen.templates.kernel import _parameters

CORES = {"cube": "Core::Cube", "vector": "Core::Vector", "mixed": "Core::Mixed"}


def _blocks(launch: LaunchPlan, inputs: frozenset[str]) -> str:
    """How many blocks a launch has; none where its condition does not hold."""
    if launch.condition is not None:
        return f"{c_text(launch.condition, inputs, 2)} ? {_wanted_blocks(launch)} : 0"
    return _wanted_blocks(launch)


def _wanted_blocks(launch: LaunchPlan) -> str:
    if launch.tiles is None:
        return "1"
    extent, tile = launch.tiles
    count = extent.constant
    if count is not None:
        return f"fewer({-(-count // tile)}, {launch.core})"
    return f"fewer(({extent.c()} + {tile - 1}) / {tile}, {launch.core})"


def _calls(launch: LaunchPlan) -> list[str]:
    """The call of a kernel, or of each program of a mixed one, wrapped under its opening bracket."""
    calls = []
    for kernel, names in launch.programs or ((launch.kernel, launch.arguments),):
        arguments = [f"{launch.kernel}_blocks" if a == "nblk" else a for a in names]
        text = f"{kernel}({', '.join(arguments)});"
        calls.append(textwrap.fill(text, 96, subsequent_indent=" " * 20, break_long_words=False))
    return calls


def _rings(launch: LaunchPlan) -> list[tuple[str, str, str]]:
    """Name, type and elements for a block of the rings of a mixed launch."""
    return [(ring.name, C_TYPES[ring.dtype], ring.elements.c()) for ring in launch.rings]


def _order(launch: LaunchPlan) -> str:
    """The arguments of a launch behind its body: what it waits for, and its priority."""
    after = ", ".join(f"{name}_done" for name in launch.after)
    if launch.priority:
        return f", {{{after}}}, {launch.priority}"
    return f", {{{after}}}" if after else ""


def _factor(elements: Poly) -> str:
    """A number of elements, ready to be multiplied."""
    text = elements.c(wide=True)
    return f"({text})" if len(elements.terms) > 1 else text


def _condition(when: Sequence[tuple[str, str, int]]) -> str:
    return " && ".join(f"{name} {op} {value}" for name, op, value in when)


def _ranged(graph: ExecutionGraph, plan: Sequence[LaunchPlan]) -> list[tuple[str, str, str]]:
    """Name, type and elements of an index of the workspaces that a plan uses and that a range has for itself."""
    used = {argument for launch in plan for argument in launch.arguments}
    return [(w.name, C_TYPES[w.dtype], w.row.c()) for w in graph.workspaces if w.row is not None and w.name in used]


def orchestration_text(graph: ExecutionGraph, program: Program, kernels: Sequence[InstrKernel]) -> str:
    """The orchestration file of one operator and target."""
    contract = [(v.name, C_TYPES[v.dtype]) for v in program.inputs]
    contract += [(name, C_TYPES[v.dtype]) for name, v in program.outputs if name not in program.inplace]
    launches = [launch for plan in graph.plans for launch in plan]
    used = {argument for launch in launches for argument in launch.arguments}
    used |= {s.name for launch in launches if launch.condition is not None for s in launch.condition.free_symbols}
    inputs = frozenset(value.name for value in program.inputs)
    names = ["segment" if len(graph.plans) == 1 else f"segment_{i + 1}" for i in range(len(graph.plans))]
    rows = [plan[0].rows if len(plan) == 1 else 0 for plan in graph.plans]
    cuts = [
        (_condition(cut.when), cut.sizes, names[cut.plan], rows[cut.plan], CORES[graph.plans[cut.plan][0].core])
        for cut in graph.cuts
    ]
    segments = [
        (
            name,
            _ranged(graph, plan),
            [
                (launch, CORES[launch.core], _blocks(launch, inputs), _calls(launch), _order(launch), _rings(launch))
                for launch in plan
            ],
            plan[0].core if len(plan) == 1 and plan[0].rows else "",
        )
        for name, plan in zip(names, graph.plans, strict=True)
    ]
    whole = [space for space in graph.workspaces if space.row is None]
    return render(
        "orchestration.cpp.j2",
        graph=graph,
        kernels=[(k.name, _parameters(k)) for k in kernels],
        tensors=[(name, ctype) for name, ctype in contract if name in used],
        attrs=[(a.name, C_TYPES[a.dtype]) for a in program.attrs if a.name in used],
        workspaces=[(w.name, C_TYPES[w.dtype], _factor(w.elements)) for w in whole],
        dims=[
            d
            for d in graph.dims
            if d == graph.segment or d in used or any(d in w.elements.names() for w in graph.workspaces)
        ],
        segments=segments,
        awaited={name for launch in launches for name in launch.after},
        mixed=any(launch.programs for launch in launches),
        core_kinds=sorted({launch.core for launch in launches if launch.tiles is not None and not launch.rows}),
        deals=any(launch.tiles is not None for launch in launches),
        prioritised=any(launch.priority for launch in launches),
        cores=CORES,
        cuts=cuts,
        most_blocks=graph.cores,
    )
