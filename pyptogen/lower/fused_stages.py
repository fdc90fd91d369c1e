"""Neighbouring stages as one kernel, where the model of the device calls that faster and no row says which are fused.

before: - {}                                                product, bias and GELU: a kernel each, which meet in GM
after:  - {fuse: [[product, bias, activation]], fifo: 4}    one mixed kernel: tiles of the product go on at once

Rows that leave all to the compiler are tried without fused stages first. Then, from the first stage to the last, a
stage that reads what the kernel before it computes joins that kernel if the call becomes faster by it. Fifos are chosen
anew for each of these ways.
"""

from __future__ import annotations

from pyptogen.lower import fifo_or_gm
from pyptogen.lower.refusal import Refusal
from pyptogen.lower.tensor.ir import Program, Value
from pyptogen.lower.tile.kernels.partition import hand_kernels
from pyptogen.lower.ways import Choice, Cycles, Stages, Ways

LEAST_GAIN = 1.05
"""How many times as fast fused stages have to be: a kernel that does one thing is easier to read."""


def choose(ways: Ways) -> Choice:
    """The way that is faster by the model: with stages of their own, or with stages fused. Without a model nothing is
    fused."""
    taken = separate = fifo_or_gm.choose(ways)
    timing = ways.platform.timing
    if ways.launch_cost is None or timing is None or isinstance(ways.result(separate.way), Refusal):
        return separate
    groups: list[Stages] = [(stage.name,) for stage in ways.program.stages]
    at = 1
    while at < len(groups):
        first, second = groups[at - 1 : at + 1]
        (cycles,) = ways.cycles(taken.way)
        tried = None
        if _may_join(ways.program, first, second) and _may_gain(cycles, first, second, timing.task.value):
            tried = _joined(ways, [*groups[: at - 1], first + second, *groups[at + 1 :]])
        if tried is None or ways.gain(taken.way, tried.way) < LEAST_GAIN:
            at += 1
            continue
        groups[at - 1 : at + 1] = [first + second]
        taken = tried
        at = max(1, at - 1)  # the kernel before may take all of it, though it did not take its first stage
    return taken if taken is separate else _noted(ways, taken, ways.gain(separate.way, taken.way))


def _may_join(program: Program, first: Stages, second: Stages) -> bool:
    """Whether the stages of two kernels have to do with each other, run in the same calls and may be one. Operators
    that update inputs in place are left alone: the order of their kernels is part of what they mean."""
    if program.inplace or hand_kernels(program).keys() & {*first, *second}:
        return False
    if len({program.stage(name).condition for name in (*first, *second)}) > 1:
        return False
    made = {op.result.name for op in program.ops if op.stage in first}
    read = {value.name for op in program.ops if op.stage in second for value in op.operands if isinstance(value, Value)}
    return bool(made & read)


def _may_gain(cycles: Cycles, first: Stages, second: Stages, task: float) -> bool:
    """Whether two kernels as one can save enough to be tried: at best a launch and all of the shorter one."""
    shorter = min(cycles.kernels.get(stages[0], 0.0) for stages in (first, second))
    return cycles.call >= LEAST_GAIN * (cycles.call - shorter - task)


def _joined(ways: Ways, groups: list[Stages]) -> Choice | None:
    """The best way with these kernels, if there is one."""
    choice = fifo_or_gm.choose(ways, tuple(group for group in groups if len(group) > 1))
    return None if isinstance(ways.result(choice.way), Refusal) else choice


def _noted(ways: Ways, choice: Choice, gain: float) -> Choice:
    """The choice, which says what it fuses: as a tiling row would."""
    fuse = [list(group) for group in choice.way.fused]
    lists = ", ".join(f"[{', '.join(group)}]" for group in fuse)
    operator = f"{ways.program.name}, {ways.platform.name}"
    note = f"{operator}: stages fused (`fuse: [{lists}]`): {gain:.2f} times as fast as apart by the model"
    return choice.noted(note, {"fuse": fuse})
