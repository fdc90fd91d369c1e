"""Passes with a long chain of operations for each vector interleave four vectors (unroll and interleave by four).

before: for each vector: 30 operations, of which each waits for the one before
after:  for each four vectors: each of the 30 operations four times

A processor looks at some hundred operations at a time; vector by vector, most of these wait for each other. Measured on
Zen 5: `gelu` takes 25 % less time, `silu` 13 %. Short chains overlap without it, and passes that wait for memory lose
(the first walk of `softmax`, which loads and takes the maximum, 10 %).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.instruction.ir import For, Instr, Node, Pass
from pyptogen.lower.instruction.passes.roles import COLUMN_REDUCTIONS, REDUCTIONS
from pyptogen.records import replace

LEAST_STEPS = 12
"""Chains from here on. `exp(x - m)`, 11 steps, gains nothing."""
MOST_VALUES = 6
"""Values alive at a time, four vectors each, that 32 registers hold beside some numbers."""
STEPS = {
    **dict.fromkeys(
        ("TLOAD", "TSTORE", "TMOV", "TEXPANDS", "TROWEXPAND", "TCOLEXPAND", *REDUCTIONS, *COLUMN_REDUCTIONS), 0
    ),
    **dict.fromkeys(("TEXP", "TLOG"), 10),
    **dict.fromkeys(("TDIV", "TDIVS", "TRECIP", "TSQRT", "TRSQRT", "TROWEXPANDDIV", "TCOLEXPANDDIV"), 4),
}
"""Operations that wait for each other, 1 where nothing else is said; sums of four vectors are independent anyway."""


def run(body: Sequence[Node]) -> tuple[Node, ...]:
    """The same nodes, with `interleaved` of the passes that gain by it."""
    found: list[Node] = []
    for node in body:
        if isinstance(node, For):
            node = replace(node, body=run(node.body))
        elif isinstance(node, Pass):
            long = _chain(node.members) >= LEAST_STEPS and _alive(node.members) <= MOST_VALUES
            node = replace(node, interleaved=long)
        found.append(node)
    return tuple(found)


def _chain(members: Sequence[Instr]) -> int:
    """The longest chain of operations from what a pass loads to one of its results."""
    steps: dict[str, int] = {}
    longest = 0
    for member in members:
        result, *operands = (o for o in member.operands if isinstance(o, str))
        before = max((steps.get(name, 0) for name in operands), default=0)
        steps[result] = before + STEPS.get(member.name, 1) if member.name != "TSTORE" else steps.get(result, 0)
        longest = max(longest, steps[result])
    return longest


def _alive(members: Sequence[Instr]) -> int:
    """The most values that are alive at a time."""
    last: dict[str, int] = {}
    for at, member in enumerate(members):
        last.update(dict.fromkeys((o for o in member.operands if isinstance(o, str)), at))
    most, alive = 0, set[str]()
    for at, member in enumerate(members):
        alive |= {o for o in member.operands if isinstance(o, str)}
        most = max(most, len(alive))
        alive = {name for name in alive if last[name] > at}
    return most
