"""The graph of an operator as Mermaid text: values are arrows, operations are nodes, stages are boxes.

Mermaid is text, so a picture is reviewed and compared like code, and pages show it without a renderer of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyptogen.lower.execution.ir import ExecutionGraph
    from pyptogen.lower.tensor.ir import Op, Program

MANY_OPERATIONS = 24
"""Operations from which on a picture shows stages instead of operations: more is no picture any longer."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_]")


def _node(name: str) -> str:
    """A Mermaid identifier; the prefix keeps it apart from Mermaid's own words (`end`, `graph`)."""
    return "n_" + _UNSAFE.sub("_", name)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', "#quot;") + '"'


def graph_picture(program: Program) -> str:
    """The Tensor level: inputs, operations by stage (or, in a large operator, only its stages), outputs."""
    from pyptogen.lower.tensor.ir import VIEWS
    from pyptogen.lower.tensor.views import root

    computed = [op for op in program.ops if op.kind not in VIEWS]
    lines = ["flowchart LR"]
    lines += [f"  {_node(value.name)}([{_quoted(value.name)}])" for value in program.inputs]
    owner = {value.name: _node(value.name) for value in program.inputs}
    by_stage = len(computed) > MANY_OPERATIONS
    for stage in program.stages:
        mine = [op for op in computed if op.stage == stage.name]
        if by_stage:
            lines.append(f"  {_node('stage_' + stage.name)}[{_quoted(stage.name)}]")
            owner |= {op.result.name: _node("stage_" + stage.name) for op in mine}
            continue
        lines.append(f"  subgraph {_node('stage_' + stage.name)} [{_quoted(stage.name)}]")
        lines += [f"    {_node('op_' + op.result.name)}[{_quoted(f'{op.result.name}: {op.kind}')}]" for op in mine]
        lines.append("  end")
        owner |= {op.result.name: _node("op_" + op.result.name) for op in mine}
    made_by = {op.result.name: op for op in program.ops}
    lines += [f"  {edge}" for edge in dict.fromkeys(_edges(computed, made_by, owner))]
    for name, value in program.outputs:
        out = _node("out_" + name)
        lines.append(f"  {out}([{_quoted(name)}])")
        lines.append(f"  {owner[root(value.name, made_by)]} --> {out}")
    return "\n".join(lines) + "\n"


def _edges(computed: list[Op], made_by: Mapping[str, Op], owner: Mapping[str, str]) -> Iterator[str]:
    from pyptogen.lower.tensor.ir import Value
    from pyptogen.lower.tensor.views import root

    for op in computed:
        for operand in op.operands:
            if not isinstance(operand, Value):
                continue
            source, target = owner[root(operand.name, made_by)], owner[op.result.name]
            if source != target:
                yield f"{source} --> {target}"


def launch_picture(graph: ExecutionGraph) -> str:
    """The Execution level: the kernels of each plan, and which of them wait for which."""
    lines = ["flowchart LR"]
    for number, plan in enumerate(graph.plans):
        if len(graph.plans) > 1:
            lines.append(f"  subgraph {_node(f'plan_{number}')} [{_quoted(f'plan {number}')}]")
        for launch in plan:
            me = _node(f"p{number}_{launch.kernel}")
            shape = ("[[", "]]") if launch.core == "cube" else ("[", "]")
            lines.append(f"  {me}{shape[0]}{_quoted(f'{launch.kernel} ({launch.core})')}{shape[1]}")
            lines += [f"  {_node(f'p{number}_{kernel}')} --> {me}" for kernel in launch.after]
        if len(graph.plans) > 1:
            lines.append("  end")
    return "\n".join(lines) + "\n"
