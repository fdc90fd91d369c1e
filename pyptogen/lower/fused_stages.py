"""Neighbouring stages as one kernel, where the model of the device calls that faster and no row says which are fused.

before: - {}                                                product, bias and GELU: a kernel each, which meet in GM
after:  - {fuse: [[product, bias, activation]], fifo: 2}    one mixed kernel: tiles of the product go on at once

Rows that leave all to the compiler are tried without fused stages first. Then, from the first stage to the last, a
stage that reads what the kernel before it computes joins that kernel if the call becomes faster by it. Fifos are chosen
anew for each of these ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pyptogen.lower.artifacts import Dump, Lowered
from pyptogen.lower.fifo_or_gm import Cycles, compared
from pyptogen.lower.launch_cost import LaunchCost
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refusal, asked
from pyptogen.lower.tensor.ir import Program, Value
from pyptogen.lower.tile.kernels.partition import hand_kernels
from pyptogen.lower.tile.sizes.sizes import Selected

Groups = tuple[tuple[str, ...], ...]
LEAST_GAIN = 1.05
"""How many times as fast fused stages have to be: a kernel that does one thing is easier to read."""


def run(
    lowered: Callable[[Sequence[Selected], Dump | None], Lowered],
    program: Program,
    platform: Platform,
    rows: Sequence[Selected],
    dump: Dump | None,
    launch_cost: LaunchCost | None,
) -> Lowered:
    """The operator lowered for the rows, which name neither sizes nor fused stages, as they are, or with stages fused.

    Args:
        lowered: lowers it for rows.
        program: the operator.
        platform: where it runs.
        rows: the rows of the table that may apply.
        dump: receives what the passes of the way that is taken show.
        launch_cost: how long launches take. Without it nothing is fused.

    Raises:
        DiagnosticError: the rows as they are cannot be lowered.
    """
    if launch_cost is None or platform.timing is None or len(program.stages) < 2:
        return lowered(rows, dump)
    texts: dict[str, str] = {}
    shown = None if dump is None else texts.__setitem__
    try:
        taken = separate = lowered(rows, shown)
        groups: Groups = tuple((stage.name,) for stage in program.stages)
        cycles = _cycles(taken, groups, platform, launch_cost)
        at = 1
        while at < len(groups):
            joined = (*groups[: at - 1], groups[at - 1] + groups[at], *groups[at + 1 :])
            likely = _may_gain(cycles, groups, at, platform.timing.task.value)
            tried = _tried(lowered, program, rows, groups, joined, at) if likely else None
            if tried is None or _gain(taken, tried, platform, launch_cost) < LEAST_GAIN:
                at += 1
                continue
            groups, taken = joined, tried
            cycles = _cycles(taken, groups, platform, launch_cost)
            at = max(1, at - 1)  # the kernel before may take all of it, though it did not take its first stage
        if taken is not separate:
            taken = _noted(taken, groups, _gain(separate, taken, platform, launch_cost))
            if shown is not None:
                texts.clear()
                lowered(_fused(rows, groups), shown)
    finally:
        for name, text in texts.items():
            assert dump is not None
            dump(name, text)
    return taken


def _tried(
    lowered: Callable[[Sequence[Selected], Dump | None], Lowered],
    program: Program,
    rows: Sequence[Selected],
    groups: Groups,
    joined: Groups,
    at: int,
) -> Lowered | None:
    """With one kernel less, if its stages have to do with each other and can be one. Operators that update inputs in
    place are left alone: the order of their kernels is part of what they mean."""
    first, second = groups[at - 1], groups[at]
    by_hand = hand_kernels(program).keys() & {*first, *second}
    made = {op.result.name for op in program.ops if op.stage in first}
    read = {value.name for op in program.ops if op.stage in second for value in op.operands if isinstance(value, Value)}
    if by_hand or program.inplace or not made & read:
        return None
    found = asked(lowered, _fused(rows, joined), None)
    return None if isinstance(found, Refusal) else found


def _cycles(taken: Lowered, groups: Groups, platform: Platform, launch_cost: LaunchCost) -> Cycles:
    leaders = {stage: group[0] for group in groups for stage in group}
    (cycles,) = compared([taken], platform, launch_cost, leaders)
    return cycles


def _may_gain(cycles: Cycles, groups: Groups, at: int, task: float) -> bool:
    """Whether two kernels as one can save enough to be tried: at best a launch and all of the shorter one."""
    shorter = min(cycles.kernels.get(group[0], 0.0) for group in groups[at - 1 : at + 1])
    return cycles.call >= LEAST_GAIN * (cycles.call - shorter - task)


def _gain(slower: Lowered, faster: Lowered, platform: Platform, launch_cost: LaunchCost) -> float:
    """How many times as fast a way is."""
    leaders = {stage.name: "" for stage in slower.program.stages}
    before, after = compared([slower, faster], platform, launch_cost, leaders)
    return before.call / after.call


def _fused(rows: Sequence[Selected], groups: Groups) -> list[Selected]:
    fuse = tuple(group for group in groups if len(group) > 1)
    return [replace(row, row=replace(row.row, fuse=fuse)) for row in rows]


def _noted(result: Lowered, groups: Groups, gain: float) -> Lowered:
    """The result, which says what was chosen: as a tiling row would."""
    fuse = [list(group) for group in groups if len(group) > 1]
    lists = ", ".join(f"[{', '.join(group)}]" for group in fuse)
    row = f"fuse: [{lists}]"
    note = f"{result.name}, {result.target}: stages fused (`{row}`): {gain:.2f} times as fast as apart by the model"
    return replace(result, notes=(*result.notes, note), chosen={**(result.chosen or {}), "fuse": fuse})
