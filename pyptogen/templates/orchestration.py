"""Execution graph → the C++ text of the orchestration."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

from pyptogen.lower.execution.ir import ExecutionGraph, LaunchPlan, Tiles, Workspace
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.origins import Origin, Traced
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.ir import PACKED, Attr, Program
from pyptogen.lower.tensor.reading.conditions import c_text
from pyptogen.schema.c_names import is_keyword, is_macro
from pyptogen.templates.cpp_names import C_TYPES, count_type, memory_type
from pyptogen.templates.declared import declared
from pyptogen.templates.environment import Marks, render
from pyptogen.templates.host_numbers import host_number, whole_number
from pyptogen.templates.kernel_entry import FLAGS, entry_parameters, takes_flags
from pyptogen.templates.kernel_loops import trips_text
from pyptogen.templates.spelling import ORCHESTRATION_WORDS, field_name, in_text, renamed, respelled, spelled, variables

CORES = {"cube": "Core::Cube", "vector": "Core::Vector", "mixed": "Core::Mixed"}


def _blocks(launch: LaunchPlan, inputs: frozenset[str], spelling: Mapping[str, str]) -> str:
    """How many blocks a launch has; none where its condition does not hold."""
    if launch.condition is not None:
        return f"{in_text(c_text(launch.condition, inputs, 2), spelling)} ? {wanted_blocks(launch)} : 0"
    return wanted_blocks(launch)


def wanted_blocks(launch: LaunchPlan) -> str:
    """How many blocks a launch has where its condition holds."""
    if launch.tiles is None:
        return "1"
    return f"fewer({_worth_launching(launch.tiles)}, {launch.core})"


def _worth_launching(tiles: Tiles) -> str:
    """How many blocks have tiles. A product is counted in int64."""
    if len(tiles.loops) == 1:
        extent, step = tiles.loops[0]
        return trips_text(extent, step * tiles.each)
    known = prod(-(-extent.constant // step) for extent, step in tiles.loops if extent.constant is not None)
    counts = [trips_text(extent, step) for extent, step in tiles.loops if extent.constant is None]
    if not counts:
        return str(-(-known // tiles.each))
    first, *others = counts
    factors = [f"({other})" if " " in other else other for other in others] + ([str(known)] if known != 1 else [])
    count = " * ".join([f"int64_t({first})", *factors])
    return count if tiles.each == 1 else f"({count} + {tiles.each - 1}) / {tiles.each}"


def _calls(launch: LaunchPlan, functions: Mapping[str, str], flagged: Collection[str]) -> list[str]:
    """The call of a kernel, or of each program of a mixed one, wrapped under its opening bracket. ``flagged``: those
    that are told where the flags between cores are."""
    calls = []
    for kernel, names in launch.programs or ((launch.kernel, launch.arguments),):
        arguments = [f"{launch.kernel}_blocks" if a == "nblk" else a for a in names]
        arguments = [FLAGS, *arguments] if kernel in flagged else arguments
        text = f"{functions[kernel]}({', '.join(arguments)});"
        calls.append(textwrap.fill(text, 96, subsequent_indent=" " * 20, break_long_words=False))
    return calls


def _beside(launch: LaunchPlan, kernels: Sequence[InstrKernel]) -> int:
    """Vector cores that run the vector program of a mixed launch."""
    return 2 if any(k.subblock for k in kernels if k.name in launch.kernels) else 1


def _fifos(launch: LaunchPlan) -> list[tuple[str, str, str]]:
    """Name, type and elements for a block of the fifos of a mixed launch."""
    return [(fifo.name, C_TYPES[fifo.dtype], fifo.elements.c()) for fifo in launch.fifos]


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


def _ranged(graph: ExecutionGraph, plan: Sequence[LaunchPlan], marks: Marks) -> list[tuple[str, str, str, str]]:
    """Name, type, elements of an index and mark of the workspaces that a plan uses and a range has for itself."""
    used = {argument for launch in plan for argument in launch.arguments}
    found = [w for w in graph.workspaces if w.row is not None and w.name in used]
    return [
        (w.name, memory_type(w.dtype), _in_memory(w.row, w.dtype).c(), _workspace(w, marks))
        for w in found
        if w.row is not None
    ]


def _workspace(space: Workspace, marks: Marks) -> str:
    return marks(Origin(span=space.span, value=space.name, made_by="execution-build"))


def _in_memory(elements: Poly, dtype: str) -> Poly:
    """How many of its `memory_type` elements of a dtype take."""
    return elements.over(2) if dtype in PACKED else elements


def _locals(graph: ExecutionGraph, program: Program, functions: Mapping[str, str]) -> dict[str, str]:
    """Spellings of dims, tensors and attrs that the orchestration has another use for."""
    mine = {*ORCHESTRATION_WORDS, *C_TYPES.values(), *functions.values()}
    for launch in (launch for plan in graph.plans for launch in plan):
        mine |= {f"{launch.kernel}_blocks", f"{launch.kernel}_done"}
    mine |= {f"launch_range_{i + 1}" for i in range(len(graph.plans))}
    names = {*variables(graph), *(a.name for a in program.attrs), *(v.name for v in program.inputs)}
    return respelled(names, lambda name: name in mine or is_macro(name) or is_keyword(name))


def _cuts(
    graph: ExecutionGraph, names: Sequence[str], marks: Marks
) -> list[tuple[str, tuple[int, ...], str, int, str, str]]:
    """Of each cut: when it is taken, its sizes, its launches, the rows of its only launch, that one's cores, the
    mark of its tiling row."""
    found = []
    for cut in graph.cuts:
        plan = graph.plans[cut.plan]
        core = CORES[plan[0].core if plan else "vector"]
        origin = marks(Origin(span=cut.span, made_by="execution-build"))
        rows = plan[0].rows if len(plan) == 1 else 0
        found.append((_condition(cut.when), cut.sizes, names[cut.plan], rows, core, origin))
    return found


def _launch_ranges(
    graph: ExecutionGraph,
    names: Sequence[str],
    kernels: Sequence[InstrKernel],
    functions: Mapping[str, str],
    flagged: Collection[str],
    blocks: Callable[[LaunchPlan], str],
    marks: Marks,
) -> list[tuple[Any, ...]]:
    """Of each plan: its name, the indices of its ranges, its launches, and the core of one that is given rows."""
    stages = {kernel.name: kernel.stages[0] for kernel in kernels}
    return [
        (
            name,
            _ranged(graph, plan, marks),
            [
                (
                    launch,
                    CORES[launch.core],
                    blocks(launch),
                    _calls(launch, functions, flagged),
                    _order(launch),
                    _fifos(launch),
                    _beside(launch, kernels),
                    marks(Origin(span=launch.span, stage=stages[launch.kernels[0]], made_by="execution-build")),
                )
                for launch in plan
            ],
            plan[0].core if len(plan) == 1 and plan[0].rows else "",
        )
        for name, plan in zip(names, graph.plans, strict=True)
    ]


def _used(graph: ExecutionGraph, program: Program, local: Callable[[str], str]) -> tuple[set[str], bool]:
    """The names that launches need, and whether an attr among them is computed: from dims and integer attrs under
    their names."""
    launches = [launch for plan in graph.plans for launch in plan]
    used = {argument for launch in launches for argument in launch.arguments}
    conditions = [launch.condition for launch in launches if launch.condition is not None]
    used |= {local(s.name) for condition in conditions for s in condition.free_symbols}
    computed = [a.definition for a in program.attrs if a.definition is not None and local(a.name) in used]
    whole = {a.name for a in program.attrs if a.dtype != "fp32"} | {dim.name for dim in program.dims}
    read = {local(s.name) for number in computed for s in number.free_symbols if s.name in whole}
    return used | read, bool(computed)


def orchestration_text(
    graph: ExecutionGraph, program: Program, kernels: Sequence[InstrKernel], functions: Mapping[str, str]
) -> Traced:
    """The orchestration file of one operator and target; ``functions`` are the kernels as C++ calls them."""
    marks = Marks()
    return render("orchestration.cpp.j2", marks, **orchestration_values(graph, program, kernels, functions, marks))


def orchestration_values(
    graph: ExecutionGraph,
    program: Program,
    kernels: Sequence[InstrKernel],
    functions: Mapping[str, str],
    marks: Marks,
) -> dict[str, Any]:
    """What templates of launches place: the graph in the names of C++, its arguments, workspaces, ranges and cuts."""
    contract = [(v.name, memory_type(v.dtype), v.name) for v in program.inputs]
    contract += [(name, memory_type(v.dtype), name) for name, v in program.outputs if name not in program.inplace]
    contract += [(words, C_TYPES["int32"], name) for name, words in program.halves.items()]
    spelling = _locals(graph, program, functions)
    launch_dim, dims, graph = graph.launch_dim, graph.dims, renamed(graph, spelling)
    launches = [launch for plan in graph.plans for launch in plan]
    inputs = frozenset(value.name for value in program.inputs)

    def local(name: str) -> str:
        return spelling.get(name, name)

    def value(attr: Attr) -> str:
        if attr.definition is None:
            return f"args.{field_name(attr.name)}"
        whole = whole_number(attr.definition, local) if attr.dtype != "fp32" else None
        return whole or host_number(attr.definition, lambda name: exact.get(name, local(name)))

    # As the caller gave them, in double: 1 - 0.999 of what fp32 makes of 0.999 is off by 1.3e-5.
    exact = {a.name: f"args.{field_name(a.name)}" for a in program.attrs if a.definition is None and a.dtype == "fp32"}
    used, computed = _used(graph, program, local)
    blocks = partial(_blocks, inputs=inputs, spelling=spelling)
    platform = PLATFORMS[graph.platform]
    flagged = frozenset(kernel.name for kernel in kernels if takes_flags(kernel, platform))
    names = ["launch_range" if len(graph.plans) == 1 else f"launch_range_{i + 1}" for i in range(len(graph.plans))]
    first = {functions[k.name]: k for k in reversed(kernels)}  # several launches may run one
    whole = [space for space in graph.workspaces if space.row is None]
    return {
        "declared": declared(program, marks, spelling),
        "graph": graph,
        "spelling": spelling,
        "count": count_type(graph.wide),
        "launch_dim": launch_dim,
        "kernels": [
            (
                functions[k.name],
                entry_parameters(spelled(k)[0], platform),
                marks(Origin(span=k.span, stage=k.stages[0])),
            )
            for k in kernels
            if first[functions[k.name]] is k
        ],
        "tensors": [(local(name), ctype, field_name(of)) for name, ctype, of in contract if local(name) in used],
        "attrs": [(local(a.name), C_TYPES[a.dtype], value(a)) for a in program.attrs if local(a.name) in used],
        "computed": computed,
        "workspaces": [
            (w.name, memory_type(w.dtype), _factor(_in_memory(w.elements, w.dtype)), _workspace(w, marks))
            for w in whole
        ],
        "dims": [
            (d, field_name(original))
            for d, original in zip(graph.dims, dims, strict=True)
            if d == graph.launch_dim or d in used or any(d in w.elements.names() for w in graph.workspaces)
        ],
        "flags": FLAGS if flagged else "",
        "launch_ranges": _launch_ranges(graph, names, kernels, functions, flagged, blocks, marks),
        "awaited": {name for launch in launches for name in launch.after},
        "mixed": any(launch.programs for launch in launches),
        "core_kinds": sorted({launch.core for launch in launches if launch.tiles is not None and not launch.rows}),
        "distributes": any(launch.tiles is not None for launch in launches),
        "prioritised": any(launch.priority for launch in launches),
        "cores": CORES,
        "cuts": _cuts(graph, names, marks),
        "most_blocks": graph.cores,
    }
