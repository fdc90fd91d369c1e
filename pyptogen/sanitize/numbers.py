"""Numbers for the scalar arguments of a kernel, so that branches and loops that hang on one argument agree.

A walk that lets each branch go either way may go ways that no call goes: of ``if (i + 1 < n)`` in a loop up to ``n``,
not taken before the last iteration. Where walks with numbers know every condition, and have gone every way that the
free walks went, they are the ones to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pyptogen.sanitize.steps import compared, steps
from pyptogen.sanitize.syntax import Function

FIXED = {"get_block_idx": 0, "get_block_num": 4, "nblk": 4}
"""What does not vary: the first of a few blocks."""
FIRST = re.compile(r".*(begin|start|first|offset)\d*")
"""Arguments that a range begins at, which stay 0."""
ROUNDS = 4
"""Iterations of a loop: more than a schedule with two copies needs to repeat itself."""


def numbers(function: Function, given: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Each argument in turn at some iterations of the loops that hang on it, at one element, and at the numbers that
    the kernel compares it with; all at the same number of iterations. ``given``: arguments that are fixed."""
    names = [p.name for p in function.parameters if p.name and not p.pointer and p.name not in given]
    step, near = steps(function, names, FIXED), compared(function, names)
    base = {name: usual(name, step[name], near[name]) for name in names} | FIXED | dict(given)
    for trips in range(ROUNDS + 1):
        yield {**base, **{name: trips * step[name] for name in names if not FIRST.fullmatch(name)}}
    for name in names:
        for value in dict.fromkeys((1, *(trips * step[name] for trips in range(ROUNDS + 1)), *near[name])):
            yield {**base, name: value}


BLOCKS = (4, 64, 1024)
"""How many blocks share the work of a walk, from few to so many that the first one has little to do."""


def ragged(function: Function, given: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Every argument at three iterations of the loops that hang on it, the last of them one short; with ever more
    blocks. An argument that no loop hangs on is 1: it may be an extent that the caller keeps small."""
    names = [p.name for p in function.parameters if p.name and not p.pointer and p.name not in given]
    for blocks in BLOCKS:
        step = steps(function, names, FIXED, unused=1)
        sizes = {name: 0 if FIRST.fullmatch(name) else max(3 * step[name] - 1, 1) for name in names}
        several = {"nblk": blocks, "get_block_num": blocks, "get_subblockid": 0}
        yield {**sizes, **FIXED, **several, **given}


def usual(name: str, step: int, near: Sequence[int]) -> int:
    """What an argument is while another one varies: where a range begins 0, else what the kernel asks for, or one
    iteration."""
    return 0 if FIRST.fullmatch(name) else next(iter(near), step)
