"""Stages → kernels.

One kernel per stage, or per `fuse` list of the tiling row. Where cube and vector cores are apart, a kernel that needs
both is cut into alternating cube and vector kernels that meet in GM.

before: stages a {matmul, cast}, b {exp}; row says fuse [[a, b]]
after:  cpu:  kernel a_b (mixed)          a2a3: kernels a_b_cube {matmul}, a_b_vec {cast, exp}

Afterwards every value that crosses kernels is listed in `writes` of its producer; views (reshape, slice, transpose)
belong to their readers and cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import VIEWS, CoreKind, Op, Program, TilingRow, Value


@dataclass(frozen=True, slots=True)
class KernelOps:
    """The operations of one kernel; ``writes`` are the values that it leaves in GM."""

    name: str
    core: CoreKind
    stages: tuple[str, ...]
    ops: tuple[Op, ...]
    writes: tuple[str, ...]
    span: Span


def producers(program: Program) -> dict[str, Op]:
    """Defining operation of each value."""
    return {op.result.name: op for op in program.ops}


def root(name: str, made_by: dict[str, Op]) -> str:
    """The value with data of its own behind a chain of views."""
    while name in made_by and made_by[name].kind in VIEWS:
        operand = made_by[name].operands[0]
        assert isinstance(operand, Value)
        name = operand.name
    return name


def groups(program: Program, row: TilingRow) -> list[tuple[str, ...]]:
    """Stages by kernel, in the order of the first stage of each.

    Raises:
        DiagnosticError: PTG304, `fuse` names an unknown stage or one stage twice.
    """
    known = [s.name for s in program.stages]
    fused: dict[str, tuple[str, ...]] = {}
    for group in row.fuse:
        for stage in group:
            if stage not in known or stage in fused:
                what = "is in two `fuse` lists" if stage in fused else "is no stage"
                raise DiagnosticError(
                    Diagnostic(
                        "PTG304",
                        f"`{stage}` {what}",
                        row.span,
                        expected=f"each of {', '.join(known)} at most once",
                    )
                )
            fused[stage] = group
    ordered: list[tuple[str, ...]] = []
    for stage in known:
        group = fused.get(stage, (stage,))
        if group not in ordered:
            ordered.append(group)
    return ordered


def group_name(stages: tuple[str, ...]) -> str:
    """`query_linear, query_rope` → `query`; without a common prefix `first_to_last`."""
    if len(stages) == 1:
        return stages[0]
    words = [s.split("_") for s in stages]
    shared = [group[0] for group in takewhile(lambda group: len(set(group)) == 1, zip(*words, strict=False))]
    return "_".join(shared) if shared else f"{stages[0]}_to_{stages[-1]}"


Edges = frozenset[tuple[str, str]]
"""Pairs of (reader, value that it reads) that must meet in GM."""


def _runs(
    ops: list[Op], made_by: dict[str, Op], alone: Callable[[Op], bool], unified: bool, apart: Edges
) -> list[tuple[CoreKind, list[Op]]]:
    """Runs of operations that one kernel takes, each operation as early as its operands allow.

    Where cube and vector cores are apart, cube and vector runs alternate. An operation that is ``alone`` is a run; what
    reads a value across one of the edges in ``apart`` is in a later run.
    """
    classes = ("vector", "alone") if unified else ("cube", "vector", "alone")
    level: dict[str, int] = {}
    runs: dict[int, list[Op]] = {}
    first = 0 if unified or any(op.kind == "matmul" for op in ops) else 1
    for op in ops:
        want = classes.index("alone" if alone(op) else "cube" if op.kind == "matmul" and not unified else "vector")
        at = first
        for operand in op.operands:
            if isinstance(operand, Value) and (base := root(operand.name, made_by)) in level:
                gap = len(classes) if (op.result.name, base) in apart else alone(op) or alone(made_by[base])
                at = max(at, level[base] + gap)
        at += (want - at) % len(classes)
        level[op.result.name] = at
        runs.setdefault(at, []).append(op)
    result: list[tuple[CoreKind, list[Op]]] = []
    for at in sorted(runs):
        name = classes[at % len(classes)]
        if name == "alone":
            result += [("vector", [op]) for op in runs[at]]
        else:
            kinds = {op.kind == "matmul" for op in runs[at]}
            core: CoreKind = "mixed" if len(kinds) == 2 else "cube" if kinds == {True} else "vector"
            result.append((core, runs[at]))
    return result


def _order(kernels: list[tuple[str, CoreKind, tuple[str, ...], list[Op]]], made_by: dict[str, Op]) -> list[int]:
    """Topological order of the kernels, keeping the written order where it is free."""
    home = {op.result.name: i for i, k in enumerate(kernels) for op in k[3]}
    needs = [
        {home[r] for op in k[3] for v in op.operands if isinstance(v, Value) and (r := root(v.name, made_by)) in home}
        - {i}
        for i, k in enumerate(kernels)
    ]
    done: list[int] = []
    while len(done) < len(kernels):
        ready = [i for i in range(len(kernels)) if i not in done and needs[i] <= set(done)]
        if not ready:
            raise DiagnosticError(
                Diagnostic(
                    "PTG304",
                    "`fuse` makes kernels wait for each other",
                    kernels[0][3][0].span,
                    expected="an acyclic order",
                )
            )
        done.append(ready[0])
    return done


def run(
    program: Program,
    row: TilingRow,
    platform: Platform,
    alone: Callable[[Op], bool] = lambda op: False,
    apart: Edges = frozenset(),
) -> tuple[KernelOps, ...]:
    """Partition the program for one tiling row.

    Args:
        program: the operator.
        row: its tiling row.
        platform: where it will run.
        alone: which operations are kernels of their own.
        apart: pairs of (reader, value) that must not be in one kernel.
    """
    made_by = producers(program)
    kernels: list[tuple[str, CoreKind, tuple[str, ...], list[Op]]] = []
    for stages in groups(program, row):
        ops = [op for op in program.ops if op.stage in stages and op.kind not in VIEWS]
        name = group_name(stages)
        runs = _runs(ops, made_by, alone, platform.unified, apart)
        if len(runs) == 1:
            kernels.append((name, runs[0][0], stages, ops))
            continue
        counts = {"cube": 0, "vec": 0}
        for core, part in runs:
            word = "cube" if core == "cube" else "vec"
            counts[word] += 1
            several = sum((c == "cube") == (core == "cube") for c, _ in runs) > 1
            used = tuple(s for s in stages if any(op.stage == s for op in part))
            kernels.append((f"{name}_{word}{counts[word] if several else ''}", core, used, part))
    order = _order(kernels, made_by)
    outputs = {root(value.name, made_by) for _, value in program.outputs}
    result = []
    for index in order:
        name, core, stages, ops = kernels[index]
        elsewhere = {
            root(v.name, made_by)
            for i, k in enumerate(kernels)
            if i != index
            for op in k[3]
            for v in op.operands
            if isinstance(v, Value)
        }
        writes = tuple(op.result.name for op in ops if op.result.name in outputs | elsewhere)
        result.append(KernelOps(name, core, stages, tuple(ops), writes, ops[0].span))
    return tuple(result)
